package certificate

import (
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/admsim/admsim/internal/wholefile"
)

// The files of a folder with certificates, named as in a Secret of type
// kubernetes.io/tls, which is how webhooks expect them.
const (
	CertificateFile = "tls.crt"
	KeyFile         = "tls.key"
	BundleFile      = "ca.crt"

	authorityKeyFile = "ca.key"
)

// renewal is how long a certificate still has to be valid to be used again.
const renewal = 30 * 24 * time.Hour

// Write writes the files that a webhook needs into an existing folder.
func (p Pair) Write(folder string, bundle []byte) error {
	for _, file := range []struct {
		name string
		text []byte
		mode fs.FileMode
	}{
		{CertificateFile, p.Certificate, 0o644},
		{KeyFile, p.Key, 0o600},
		{BundleFile, bundle, 0o644},
	} {
		if err := wholefile.Write(filepath.Join(folder, file.name), file.text, file.mode); err != nil {
			return err
		}
	}
	return nil
}

// LoadOrNew returns the authority and the serving certificate in a folder. If one is missing, is about to expire or
// lacks one of names, it is created and written. The authority is kept for as long as it is valid, so that clients can
// keep trusting it. Certificates without the key of their authority belong to another program and are not touched.
func LoadOrNew(folder string, now time.Time, names ...string) (*Authority, Pair, error) {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, Pair{}, err
	}
	authority, err := loadAuthority(folder, now)
	if err != nil {
		return nil, Pair{}, err
	}
	pair, err := readPair(folder, CertificateFile, KeyFile)
	if err == nil && authority.serves(pair, now, names) {
		return authority, pair, nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, Pair{}, err
	}
	pair, err = authority.Issue(now, names...)
	if err != nil {
		return nil, Pair{}, err
	}
	return authority, pair, pair.Write(folder, authority.Bundle())
}

func loadAuthority(folder string, now time.Time) (*Authority, error) {
	pair, err := readPair(folder, BundleFile, authorityKeyFile)
	switch {
	case err == nil:
		authority, err := parseAuthority(pair)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", filepath.Join(folder, BundleFile), err)
		}
		if now.Add(renewal).Before(authority.certificate.NotAfter) {
			return authority, nil
		}
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	default:
		if err := checkOwn(folder); err != nil {
			return nil, err
		}
	}
	authority, err := NewAuthority(now)
	if err != nil {
		return nil, err
	}
	if err := wholefile.Write(filepath.Join(folder, BundleFile), authority.pair.Certificate, 0o644); err != nil {
		return nil, err
	}
	return authority, wholefile.Write(filepath.Join(folder, authorityKeyFile), authority.pair.Key, 0o600)
}

// checkOwn checks that a folder without an authority of ours has no certificate at all.
func checkOwn(folder string) error {
	if _, err := os.Stat(filepath.Join(folder, authorityKeyFile)); err == nil {
		return nil
	}
	for _, name := range []string{CertificateFile, KeyFile, BundleFile} {
		if _, err := os.Stat(filepath.Join(folder, name)); err == nil {
			return &ForeignError{Folder: folder, File: name}
		}
	}
	return nil
}

// A ForeignError reports that the certificates in a folder were not made here.
type ForeignError struct{ Folder, File string }

func (e *ForeignError) Error() string {
	return fmt.Sprintf("%s holds %s but no %s, so its certificates were not made here", e.Folder, e.File, authorityKeyFile)
}

// readPair is [Read] for two files in a folder.
func readPair(folder, certificate, key string) (Pair, error) {
	return Read(filepath.Join(folder, certificate), filepath.Join(folder, key))
}

// Read reads a pair from two files. The error is fs.ErrNotExist if one of them is missing.
func Read(certificate, key string) (Pair, error) {
	var (
		p   Pair
		err error
	)
	if p.Certificate, err = os.ReadFile(certificate); err != nil {
		return Pair{}, err
	}
	p.Key, err = os.ReadFile(key)
	return p, err
}

// serves reports whether the authority signed pair, and it is valid for all of names and for a while.
func (a *Authority) serves(pair Pair, now time.Time, names []string) bool {
	certificate, err := parseCertificate(pair.Certificate)
	if err != nil {
		return false
	}
	if _, err := pair.Server(); err != nil {
		return false
	}
	roots := x509.NewCertPool()
	roots.AddCert(a.certificate)
	if _, err := certificate.Verify(x509.VerifyOptions{Roots: roots, CurrentTime: now.Add(renewal)}); err != nil {
		return false
	}
	for _, name := range names {
		if certificate.VerifyHostname(name) != nil {
			return false
		}
	}
	return true
}
