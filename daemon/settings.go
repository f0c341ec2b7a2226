package daemon

import (
	"context"
	"encoding/json"
	"fmt"

	"jarvis/daemon/api"
	"jarvis/daemon/config"
)

// settingsOf gives the server the configuration as it wants it.
type settingsOf struct{ d *daemon }

// Read gives what is in force, secrets masked.
func (s settingsOf) Read(context.Context) (api.Settings, error) {
	c, digest := s.d.conf.Snapshot()
	n, err := c.Tree()
	if err != nil {
		return api.Settings{}, err
	}
	v := api.Settings{Digest: digest, Changeable: config.Changeable()}
	if err := n.Load(&v.Settings); err != nil {
		return v, fmt.Errorf("read settings: %w", err)
	}
	if err := s.d.conf.Problem(); err != nil {
		v.Problem = err.Error()
	}
	return v, nil
}

// Change sets values of the file, which are in force when it returns.
func (s settingsOf) Change(ctx context.Context, digest string, set map[string]json.RawMessage) (api.Settings, error) {
	if err := s.d.conf.Problem(); err != nil { // what is in force is not what the file says
		return api.Settings{}, err
	}
	if _, err := config.Change(s.d.o.Home.Config, s.d.o.Env, digest, set); err != nil {
		return api.Settings{}, err
	}
	if err := s.d.conf.Reload(); err != nil {
		return api.Settings{}, err
	}
	return s.Read(ctx)
}
