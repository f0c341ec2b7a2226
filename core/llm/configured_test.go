package llm_test

import (
	"errors"
	"strings"
	"testing"

	"jarvis/core"
	"jarvis/core/llm"
)

func TestAConfiguredModelThatIsNotThere(t *testing.T) {
	gone := &llm.Error{Kind: llm.KindNotFound, Provider: "work", Model: "big", Status: 404, Message: "no such model"}
	work := &fakeProvider{name: "work", kind: llm.TypeCompatible, models: infos("work/big"), fail: gone}
	for _, tc := range []struct{ model, want, hint string }{
		{"nonsense", `model in the configuration cannot be used: unknown model "nonsense"`, "jarvis config set model auto"},
		{"openai/gpt-5.5", "model in the configuration cannot be used: the provider openai is not configured", "jarvis setup"},
		{"big", "work/big: 404 no such model (it is model in the configuration)", "jarvis config set model auto"},
	} {
		r := router(llm.RouterOptions{Providers: []llm.Provider{work}, Default: tc.model})
		for _, name := range []string{"", "auto"} {
			m, err := r.Resolve(t.Context(), name)
			if err == nil {
				for _, e := range m.Stream(t.Context(), llm.Request{}) {
					err = e
				}
			}
			var le *llm.Error
			if errors.As(err, &le) && core.CodeOf(err) == core.Internal {
				err = le.Core()
			}
			var ce *core.Error
			if !errors.As(err, &ce) || !strings.HasPrefix(ce.Message, tc.want) || ce.Hint != tc.hint {
				t.Errorf("%s as %q: %v, %+v", tc.model, name, err, ce)
			}
		}
	}
	m, err := router(llm.RouterOptions{Providers: []llm.Provider{work}}).Resolve(t.Context(), "nonsense")
	if m != nil || err == nil || strings.Contains(err.Error(), "configuration") {
		t.Errorf("a name of the request: %v", err)
	}
}
