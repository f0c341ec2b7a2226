package api

import (
	"runtime"
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

// Build tells of this build.
func Build() Info {
	out := Info{Version: Version(), Go: runtime.Version()}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.time" {
				out.Built = s.Value
			}
		}
	}
	return out
}

// The environment variables that connect a provider; daemon/config says what each means.
const (
	VarAnthropicKey   = "ANTHROPIC_API_KEY"
	VarAnthropicToken = "ANTHROPIC_AUTH_TOKEN"
	VarAnthropicURL   = "ANTHROPIC_BASE_URL"
	VarOpenAIKey      = "OPENAI_API_KEY"
	VarOpenAIURL      = "OPENAI_BASE_URL"
	VarGeminiKey      = "GEMINI_API_KEY"
	VarGoogleKey      = "GOOGLE_API_KEY"
	VarOpenRouterKey  = "OPENROUTER_API_KEY"
	VarOllamaHost     = "OLLAMA_HOST"
)

// ProviderVars are all of them. Client and daemon compare which of them they see, by name and never by value.
func ProviderVars() []string {
	return []string{
		VarAnthropicKey, VarAnthropicToken, VarAnthropicURL, VarOpenAIKey, VarOpenAIURL, VarGeminiKey, VarGoogleKey,
		VarOpenRouterKey, VarOllamaHost,
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
