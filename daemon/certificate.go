package daemon

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"

	"jarvis/core"
	"jarvis/daemon/config"
	"jarvis/daemon/home"
)

// certificate loads the configured certificate, or the self-signed one, which is made once and again before it expires.
func certificate(h home.Home, t config.TLS, addr string) (tls.Certificate, error) {
	certFile, keyFile := t.Cert, t.Key
	if certFile == "" {
		certFile, keyFile = filepath.Join(h.State, "tls-cert.pem"), filepath.Join(h.State, "tls-key.pem")
		if !fresh(certFile) {
			if err := selfSign(certFile, keyFile, addr, time.Now()); err != nil {
				return tls.Certificate{}, err
			}
		}
	}
	cert, err := tls.LoadX509KeyPair(certFile, keyFile)
	if err != nil {
		return cert, core.E(core.BadRequest, "the certificate "+certFile+" cannot be used", "jarvis config get tls", err)
	}
	return cert, nil
}

func fresh(certFile string) bool {
	b, err := os.ReadFile(certFile)
	if err != nil {
		return false
	}
	block, _ := pem.Decode(b)
	if block == nil {
		return false
	}
	c, err := x509.ParseCertificate(block.Bytes)
	return err == nil && time.Until(c.NotAfter) > 30*24*time.Hour
}

// selfSign makes a certificate for this machine's names that a client has to trust by itself.
func selfSign(certFile, keyFile, addr string, now time.Time) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return fmt.Errorf("make key: %w", err)
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return fmt.Errorf("make serial: %w", err)
	}
	c := &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: "jarvis"}, NotBefore: now.Add(-time.Hour), NotAfter: now.AddDate(2, 0, 0),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}, BasicConstraintsValid: true,
		DNSNames: []string{"localhost", "jarvis"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback},
	}
	if name, err := os.Hostname(); err == nil {
		c.DNSNames = append(c.DNSNames, name)
	}
	if host, _, err := net.SplitHostPort(addr); err == nil {
		if ip := net.ParseIP(host); ip != nil && !ip.IsUnspecified() {
			c.IPAddresses = append(c.IPAddresses, ip)
		}
	}
	der, err := x509.CreateCertificate(rand.Reader, c, c, &key.PublicKey, key)
	if err != nil {
		return fmt.Errorf("make certificate: %w", err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return fmt.Errorf("make certificate: %w", err)
	}
	if err := home.WriteFile(keyFile, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})); err != nil {
		return err
	}
	return home.WriteFile(certFile, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
}
