package llm

import "maps"

// aliases are the short names of the seeds.
var aliases = map[string]string{
	"sonnet":     "anthropic/claude-sonnet-4-6",
	"sonnet-4-5": "anthropic/claude-sonnet-4-5",
	"sonnet-4-6": "anthropic/claude-sonnet-4-6",
	"opus":       "anthropic/claude-opus-4-6",
	"opus-4-5":   "anthropic/claude-opus-4-5",
	"opus-4-6":   "anthropic/claude-opus-4-6",
	"haiku":      "anthropic/claude-haiku-4-5",
	"haiku-4-5":  "anthropic/claude-haiku-4-5",
}

// Aliases gives the built-in aliases with the configured ones over them.
func Aliases(configured map[string]string) map[string]string {
	out := maps.Clone(aliases)
	maps.Copy(out, configured)
	return out
}
