package offline

import (
	"strings"
	"unicode"

	"jarvis/core"
)

const (
	unitName = "jarvis.service"
	// unitMark is the first line of a unit of ours: what does not begin with it is never written over or removed.
	unitMark = "# Written by: jarvis daemon install"
	// systemUser is whom the system's service runs as.
	systemUser = "jarvis"
)

// unit is a service of systemd that runs the daemon.
type unit struct {
	program string   // absolute path of jarvisd
	system  bool     // for the whole machine, as a user of its own
	env     []string // NAME=value
}

// service is what both kinds share. A store that is brought to a new schema takes its time before the daemon is ready, and an
// answer may be finished before it ends: only the daemon gets SIGTERM, not its model workers.
const service = `Type=notify
Restart=on-failure
RestartSec=2
WatchdogSec=60
TimeoutStartSec=infinity
TimeoutStopSec=60
KillMode=mixed
UMask=0077
`

// fence is what the system's service may not do. It keeps devices and writable code, which local models need, and namespaces,
// which a fence for commands needs.
const fence = `User=` + systemUser + `
Group=` + systemUser + `
ConfigurationDirectory=jarvis
StateDirectory=jarvis
StateDirectoryMode=0700
NoNewPrivileges=yes
CapabilityBoundingSet=
ProtectSystem=strict
ProtectHome=yes
PrivateTmp=yes
ProtectHostname=yes
ProtectKernelModules=yes
ProtectKernelLogs=yes
ProtectControlGroups=yes
RestrictSUIDSGID=yes
RestrictRealtime=yes
LockPersonality=yes
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK
SystemCallArchitectures=native
`

// text is the unit's file.
func (u unit) text() (string, error) {
	var b strings.Builder
	b.WriteString(unitMark + "\n# jarvis daemon uninstall removes it. Changes belong into: systemctl edit\n\n")
	b.WriteString("[Unit]\nDescription=jarvis, a workstation for AI agents in the terminal\nDocumentation=man:jarvis(1)\n")
	b.WriteString("StartLimitIntervalSec=60\nStartLimitBurst=5\n")
	if u.system {
		b.WriteString("Wants=network-online.target\nAfter=network-online.target\n")
	}
	program, err := unitWord(u.program)
	if err != nil {
		return "", err
	}
	if strings.ContainsAny(u.program, "\"'\\") { // systemd refuses it, quoted or not
		return "", unitPathError(u.program)
	}
	b.WriteString("\n[Service]\nExecStart=" + program + " run\n" + service)
	for _, kv := range u.env {
		word, err := unitWord(kv)
		if err != nil {
			return "", err
		}
		b.WriteString("Environment=" + word + "\n")
	}
	target := "default.target"
	if u.system {
		b.WriteString(fence)
		target = "multi-user.target"
	}
	b.WriteString("\n[Install]\nWantedBy=" + target + "\n")
	return b.String(), nil
}

// unitWord writes one word so that systemd reads it as it is: % stands for a specifier, and spaces and quotes need quotes.
func unitWord(s string) (string, error) {
	if strings.ContainsFunc(s, unicode.IsControl) || strings.ContainsRune(s, unicode.ReplacementChar) {
		return "", unitPathError(s)
	}
	s = strings.ReplaceAll(s, "%", "%%")
	if !strings.ContainsAny(s, " \"'\\") {
		return s, nil
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`, nil
}

func unitPathError(path string) error {
	return core.E(core.BadRequest, "systemd takes no path with such characters: "+core.Printable(path), "make install PREFIX=/usr/local", nil)
}
