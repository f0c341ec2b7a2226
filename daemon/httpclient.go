package daemon

import (
	"net/http"
	"os"

	"jarvis/core"
	"jarvis/core/llm"
	"jarvis/daemon/config"
)

// httpClient makes the client of all providers. What stands in place of the file with certificates must be a file: reading a
// pipe would hold up every request.
func httpClient(n config.Network) (*http.Client, error) {
	if n.CAFile != "" {
		if info, err := os.Stat(n.CAFile); err == nil && !info.Mode().IsRegular() {
			return nil, core.E(core.BadRequest, "network.ca_file "+n.CAFile+" is not a file", "ls -l "+n.CAFile, nil)
		}
	}
	return llm.HTTPClient(llm.HTTPOptions{Proxy: n.Proxy, CAFile: n.CAFile})
}
