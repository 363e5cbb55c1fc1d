package certificate

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
)

// Server returns the configuration of a server that presents the pair.
func (p Pair) Server() (*tls.Config, error) {
	pair, err := tls.X509KeyPair(p.Certificate, p.Key)
	if err != nil {
		return nil, err
	}
	return &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}, nil
}

// ServerOf returns the configuration of a server that presents the pair and accepts client certificates that an
// authority in the bundle clients signed.
func (p Pair) ServerOf(clients []byte) (*tls.Config, error) {
	config, err := p.Server()
	if err != nil || len(clients) == 0 {
		return config, err
	}
	config.ClientCAs = x509.NewCertPool()
	if !config.ClientCAs.AppendCertsFromPEM(clients) {
		return nil, errors.New("there is no certificate in PEM")
	}
	config.ClientAuth = tls.VerifyClientCertIfGiven
	return config, nil
}

// Trust configures which servers a client trusts.
type Trust struct {
	Bundle   []byte // empty: the system's authorities
	Name     string // of the server; empty: the host that is dialled
	Insecure bool   // accept any certificate
}

// Client returns the configuration of a client with that trust.
func (t Trust) Client() (*tls.Config, error) {
	config := &tls.Config{ServerName: t.Name, InsecureSkipVerify: t.Insecure, MinVersion: tls.VersionTLS12}
	if len(t.Bundle) > 0 {
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(t.Bundle) {
			return nil, errors.New("there is no certificate in PEM")
		}
	}
	return config, nil
}

// A StrangerError reports that a server presents a certificate that is not trusted.
type StrangerError struct{ Err error }

func (e *StrangerError) Error() string { return e.Err.Error() }
func (e *StrangerError) Unwrap() error { return e.Err }

// Answers checks that a server on address completes a handshake with a client of that trust. The error is a
// [*StrangerError] if only the trust is missing.
func (t Trust) Answers(ctx context.Context, address string) error {
	config, err := t.Client()
	if err != nil {
		return err
	}
	dialer := &tls.Dialer{Config: config}
	connection, err := dialer.DialContext(ctx, "tcp", address)
	if err != nil {
		var unverified *tls.CertificateVerificationError
		if errors.As(err, &unverified) {
			return &StrangerError{fmt.Errorf("%s: %w", address, err)}
		}
		return err
	}
	return connection.Close()
}
