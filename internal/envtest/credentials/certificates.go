package credentials

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/admsim/admsim/internal/certificate"
	"github.com/admsim/admsim/internal/envtest/flags"
)

// Certificates returns the certificate of a server, and the CA bundle for client certificates. If the flags name no
// certificate and there is none yet, it creates one for the host that the server listens on and for its advertised
// address.
func Certificates(given *flags.Given, host, advertised string) (pair certificate.Pair, clients []byte, err error) {
	if file := given.One("client-ca-file", ""); file != "" {
		if clients, err = os.ReadFile(file); err != nil {
			return pair, nil, fmt.Errorf("--client-ca-file: %w", err)
		}
	}
	certFile, keyFile := given.One("tls-cert-file", ""), given.One("tls-private-key-file", "")
	own := certFile == "" && keyFile == ""
	if own {
		folder := given.One("cert-dir", "/var/run/kubernetes")
		certFile, keyFile = filepath.Join(folder, "apiserver.crt"), filepath.Join(folder, "apiserver.key")
	}
	if pair, err = certificate.Read(certFile, keyFile); err == nil || !own || !errors.Is(err, fs.ErrNotExist) {
		return pair, clients, err
	}
	now := time.Now()
	authority, err := certificate.NewAuthority(now)
	if err != nil {
		return pair, nil, err
	}
	names := append(certificate.Local(), certificate.ServiceNames("default", "kubernetes")...)
	for _, name := range []string{host, advertised} {
		if !slices.Contains(names, name) && !isAny(name) {
			names = append(names, name)
		}
	}
	if pair, err = authority.Issue(now, names...); err != nil {
		return pair, nil, err
	}
	if err := os.MkdirAll(filepath.Dir(certFile), 0o755); err != nil {
		return pair, nil, err
	}
	return pair, clients, errors.Join(os.WriteFile(certFile, slices.Concat(pair.Certificate, authority.Bundle()), 0o644), os.WriteFile(keyFile, pair.Key, 0o600))
}

func isAny(host string) bool {
	ip := net.ParseIP(host)
	return host == "" || ip != nil && ip.IsUnspecified()
}
