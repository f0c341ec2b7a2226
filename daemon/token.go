package daemon

import (
	"crypto/rand"
	"encoding/base64"

	"jarvis/daemon/home"
)

// newToken writes what a caller on the socket must present. It is new at each start and stands there before the socket
// listens, so that whoever can connect can also know it.
func newToken(h home.Home) (string, error) {
	raw := make([]byte, 32)
	_, _ = rand.Read(raw) // never fails
	token := base64.RawURLEncoding.EncodeToString(raw)
	return token, home.WriteFile(h.Token, []byte(token+"\n"))
}
