package server_test

import (
	"encoding/json"
	"runtime"
	"testing"

	"jarvis/daemon/api"
)

func TestInfoNamesTheBuild(t *testing.T) {
	var got api.Info
	resp := newRig(t, nil).do(t, "GET", "/api/info", "")
	if err := json.Unmarshal([]byte(text(t, resp)), &got); err != nil || resp.StatusCode != 200 {
		t.Fatalf("status %d, %v", resp.StatusCode, err)
	}
	if got.Version != api.Version() || got.Go != runtime.Version() {
		t.Errorf("got %+v", got)
	}
}
