package llm

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"
)

// HTTPOptions say how providers reach the network.
type HTTPOptions struct {
	Proxy    string // "env" (or ""), "off", or a URL: http, https or socks5
	CAFile   string // PEM certificates trusted beside the system's; "" = none
	Timeouts Timeouts
}

// maxErrorBody bounds what is read of an answer that is an error, in bytes.
const maxErrorBody = 64 << 10

// HTTPClient makes the client that all providers share. It has no timeout of its own: a Watch bounds each request.
func HTTPClient(o HTTPOptions) (*http.Client, error) {
	proxy, err := proxyFunc(o.Proxy)
	if err != nil {
		return nil, err
	}
	roots, err := rootCAs(o.CAFile)
	if err != nil {
		return nil, err
	}
	connect := o.Timeouts.Or(Timeouts{}).Connect
	t := &http.Transport{
		Proxy:                 proxy,
		DialContext:           (&net.Dialer{Timeout: connect, KeepAlive: 30 * time.Second}).DialContext,
		TLSHandshakeTimeout:   connect,
		TLSClientConfig:       &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
		ForceAttemptHTTP2:     true,
		MaxIdleConns:          256,
		MaxIdleConnsPerHost:   256, // 200 streams to one server end and begin at once
		IdleConnTimeout:       90 * time.Second,
		ExpectContinueTimeout: time.Second,
		DisableCompression:    true, // a compressed stream is held back by whoever compresses it
		ReadBufferSize:        16 << 10,
	}
	return &http.Client{Transport: boundErrors{t}, CheckRedirect: noRedirect}, nil
}

func proxyFunc(proxy string) (func(*http.Request) (*url.URL, error), error) {
	switch proxy {
	case "", "env":
		return http.ProxyFromEnvironment, nil
	case "off":
		return nil, nil
	}
	u, err := url.Parse(proxy)
	if err != nil || u.Host == "" {
		return nil, errors.New(`network.proxy: want "env", "off" or a URL`) // no cause: it would quote a password
	}
	return http.ProxyURL(u), nil
}

func rootCAs(file string) (*x509.CertPool, error) {
	if file == "" {
		return nil, nil
	}
	pem, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("network.ca_file: %w", err)
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}
	if !pool.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("network.ca_file: %s has no certificate", file)
	}
	return pool, nil
}

// boundErrors cuts the body of an error answer: the SDKs read it whole.
type boundErrors struct{ *http.Transport }

// RoundTrip does one request.
func (b boundErrors) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := b.Transport.RoundTrip(r)
	if err == nil {
		if err := aimless(res); err != nil {
			_ = res.Body.Close() // nobody reads it
			return nil, err
		}
	}
	if err == nil && res.StatusCode >= 300 && res.StatusCode != http.StatusSwitchingProtocols {
		res.Body = struct {
			io.Reader
			io.Closer
		}{io.LimitReader(res.Body, maxErrorBody), res.Body}
	}
	return res, err
}

// CleanBaseURL checks a base URL and takes its last slash away. It may not hold a user or a query: they would end in logs.
func CleanBaseURL(s string) (string, error) {
	u, err := url.Parse(strings.TrimSpace(s))
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return "", errors.New("want a URL that begins with http:// or https://")
	}
	if u.User != nil || u.RawQuery != "" {
		return "", errors.New("a base URL has no user, password or query")
	}
	return strings.TrimRight(u.String(), "/"), nil
}
