package config

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"jarvis/core"
)

// validate checks what one value alone does not show. Problems are reported where the value stands.
func (c *Config) validate(d *decoder) {
	bad := func(path, format string, args ...any) {
		at, ok := d.sources[path]
		for p := path; !ok && strings.Contains(p, "."); {
			p = p[:strings.LastIndexByte(p, '.')]
			at, ok = d.sources[p]
		}
		if !ok {
			at = place{file: c.path}
		}
		d.problems = append(d.problems, problem{at: at, msg: fmt.Sprintf(format, args...)})
	}
	c.validateListen(bad)
	c.validateProviders(bad)
	for _, name := range sortedKeys(c.Aliases) {
		if strings.TrimSpace(c.Aliases[name]) == "" {
			bad(child("aliases", name), "aliases.%s names no model", name)
		}
	}
	for _, u := range []struct{ path, text string }{{"public_url", c.PublicURL}, {"model_mirror", c.ModelMirror}} {
		if u.text != "" && !webAddress(u.text) {
			bad(u.path, "%s must be an address such as https://host/path", u.path)
		}
	}
	if p := c.Network.Proxy; p != "env" && p != "off" && p != "" && !proxyAddress(p) {
		bad("network.proxy", "network.proxy must be env, off or an address such as http://host:3128")
	}
	for i, h := range c.Network.AllowPrivate {
		if _, err := netip.ParsePrefix(h); strings.ContainsAny(h, "/ ") && err != nil || h == "" {
			bad("network.allow_private."+strconv.Itoa(i), "network.allow_private: %q is neither a host nor a network such as 192.168.0.0/16", cut(h))
		}
	}
	for i, dir := range c.Sandbox.ReadOnly {
		if !filepath.IsAbs(dir) {
			bad("sandbox.read_only."+strconv.Itoa(i), "sandbox.read_only: %q must be an absolute path", cut(dir))
		}
	}
	if every, err := ParseDuration(c.Backup.Every); c.Backup.Every != "" && (err != nil || every != 0 && time.Duration(every) < time.Hour) {
		bad("backup.every", "backup.every must be a duration of at least 1h such as 24h, or empty, not %q", cut(c.Backup.Every))
	}
	for i, b := range c.Budgets {
		path := "budgets." + strconv.Itoa(i)
		if !budgetFor(b.For) {
			bad(path+".for", "%s.for must be all, chain, or one of agent:, user:, plugin:, key:, session: with a name, not %q", path, cut(b.For))
		}
		if id, ok := strings.CutPrefix(b.For, "session:"); ok && id != "" && !sessionID(id) {
			bad(path+".for", "%s.for: %q is not the id of a session; jarvis session list --all shows them", path, cut(id))
		}
		if b.DailyUSD == 0 && b.MonthlyUSD == 0 {
			bad(path, "%s limits nothing: give it daily_usd or monthly_usd above 0", path)
		}
	}
	if c.Limits.Prompt > c.Limits.Request {
		bad("limits.prompt", "limits.prompt (%s) must not be larger than limits.request (%s)", c.Limits.Prompt, c.Limits.Request)
	}
}

func (c *Config) validateListen(bad func(path, format string, args ...any)) {
	if c.Listen == "" {
		return
	}
	host, port, err := net.SplitHostPort(c.Listen)
	n, perr := strconv.Atoi(port)
	if err != nil || perr != nil || n < 0 || n > 65535 {
		bad("listen", "listen must be host:port such as 127.0.0.1:8088, or empty, not %q", cut(c.Listen))
		return
	}
	if !loopback(host) && !c.TLS.On() {
		bad("listen", "listen %s is reachable from other machines and needs tls: auto or a certificate", c.Listen)
	}
}

func loopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback()
}

func (c *Config) validateProviders(bad func(path, format string, args ...any)) {
	for _, name := range sortedKeys(c.Providers) {
		p, path := c.Providers[name], child("providers", name)
		if !providerName(name) {
			bad(path, "the provider name %q must be lower-case letters, digits, - and _", cut(name))
		}
		if p.BaseURL != "" && !webAddress(p.BaseURL) {
			bad(path+".base_url", "%s.base_url must be an address such as https://host/v1", path)
		}
		for i, m := range p.Models {
			if strings.TrimSpace(m.ID) == "" {
				bad(path+".models."+strconv.Itoa(i), "%s.models.%d needs an id", path, i)
			}
		}
		for _, h := range sortedKeys(p.Headers) {
			if !headerName(h) {
				bad(path+".headers", "%s.headers: %q is not the name of a header", path, cut(h))
			}
		}
	}
}

func providerName(s string) bool {
	return s != "" && len(s) <= 40 && !strings.ContainsFunc(s, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-' && r != '_'
	})
}

func headerName(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-' && r != '_'
	})
}

// CheckProvider says what is wrong with a provider's name or address that a person has typed, nil when nothing is. An empty
// address is not looked at.
func CheckProvider(name, address string) error {
	switch {
	case !providerName(name):
		return core.E(core.BadRequest, fmt.Sprintf("the provider name %q must be lower-case letters, digits, - and _", cut(name)), "jarvis setup --help", nil)
	case address != "" && !webAddress(address):
		return core.E(core.BadRequest, fmt.Sprintf("%q is no address such as https://host/v1", cut(address)), "jarvis setup --help", nil)
	}
	return nil
}

// Address completes one that a person typed without its scheme: http:// for a port or this machine, else https://.
func Address(s string) string {
	s = strings.TrimSpace(s)
	if s == "" || strings.Contains(s, "://") {
		return s
	}
	host, _, _ := strings.Cut(s, "/")
	name, _, err := net.SplitHostPort(host)
	if err == nil || loopback(host) || loopback(name) {
		return "http://" + s
	}
	return "https://" + s
}

func webAddress(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
}

func proxyAddress(s string) bool {
	u, err := url.Parse(s)
	return err == nil && slices.Contains([]string{"http", "https", "socks5", "socks5h"}, u.Scheme) && u.Host != ""
}

func budgetFor(s string) bool {
	if s == "all" || s == "chain" {
		return true
	}
	kind, id, ok := strings.Cut(s, ":")
	return ok && id != "" && slices.Contains([]string{"agent", "user", "plugin", "key", "session"}, kind)
}

// sessionID reports whether a budget finds a session by id: its whole id, or the six digits that people see.
func sessionID(id string) bool {
	const shown = 6
	return core.ValidUUID(id) || len(id) == shown && core.HexDigits(id) && core.Short(id) == id
}
