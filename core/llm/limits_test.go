package llm_test

import (
	"testing"
	"time"

	"jarvis/core/llm"
)

func TestAServerOfOnesOwnIsWaitedForLonger(t *testing.T) {
	for url, near := range map[string]bool{
		"http://127.0.0.1:8080/v1": true, "http://[::1]:8080": true, "http://localhost:1234/v1": true, "http://10.0.0.7/v1": true,
		"http://192.168.1.5:8000": true, "http://172.16.3.4": true, "http://[fd00::1]/v1": true, "http://gpu:8000/v1": true,
		"http://gpu.local:8000": true, "http://100.64.0.9": true, "http://[::ffff:10.0.0.1]/": true,
		"https://api.openai.com/v1": false, "http://8.8.8.8/v1": false, "https://local.example.com": false, "http://172.32.0.1": false,
		"": false, "://": false, "https://llm.example.com./v1": false,
	} {
		want := 120 * time.Second
		if near {
			want = 10 * time.Minute
		}
		if got := (llm.Timeouts{}).At(url); got.FirstToken != want || got.BetweenTokens != 60*time.Second {
			t.Errorf("%q: %+v", url, got)
		}
	}
	own := llm.Timeouts{FirstToken: time.Hour}.At("http://127.0.0.1")
	if think := own.For(llm.Request{Thinking: "high"}); own.FirstToken != time.Hour || think.FirstToken != time.Hour {
		t.Errorf("%+v, thinking %+v", own, think)
	}
}
