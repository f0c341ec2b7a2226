package api

import (
	"runtime/debug"
)

// release is the version of this tree; a build from a checkout adds its revision, so that two builds of one release differ.
const release = "0.1.0"

// Version names this build: "0.1.0", or "0.1.0+3f9a1c2" from a checkout, with ".dirty" when it had local changes. Client
// and daemon compare it as a whole.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return release
	}
	rev, dirty := "", false
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			rev = s.Value
		case "vcs.modified":
			dirty = s.Value == "true"
		}
	}
	if len(rev) < 7 {
		return release
	}
	v := release + "+" + rev[:7]
	if dirty {
		v += ".dirty"
	}
	return v
}

// ProviderVars are the environment variables that connect a provider. Client and daemon compare which of them they see, by
// name and never by value.
func ProviderVars() []string {
	return []string{
		"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL", "OPENAI_API_KEY", "OPENAI_BASE_URL",
		"GEMINI_API_KEY", "GOOGLE_API_KEY", "OPENROUTER_API_KEY", "OLLAMA_HOST",
	}
}

// VarsIn gives the names of the provider variables that getenv has.
func VarsIn(getenv func(string) string) []string {
	var names []string
	for _, n := range ProviderVars() {
		if getenv(n) != "" {
			names = append(names, n)
		}
	}
	return names
}
