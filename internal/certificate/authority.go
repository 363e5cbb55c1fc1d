// Package certificate creates the certificates that webhooks are served with: an authority, and certificates that it
// signs for the names by which an API server reaches a service.
//
// Start with [NewAuthority] and [Authority.Issue]; [LoadOrNew] keeps both in a folder. [Pair.Server] and [Trust.Client]
// are the two ends of a connection. The keys are elliptic (P-256), everything is PEM, and the caller supplies the time.
//
// It is not a tool for running an authority: nothing is revoked, and nothing is renewed while it is in use.
package certificate

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"time"
)

// How long certificates are valid. They become valid a little before they are created, for clocks that are slow.
const (
	authorityYears = 10
	servingYears   = 1
	behind         = time.Hour
)

// The types of the PEM blocks.
const (
	certificateBlock = "CERTIFICATE"
	keyBlock         = "EC PRIVATE KEY"
)

// A Pair is a certificate and its key, in PEM.
type Pair struct {
	Certificate []byte
	Key         []byte
}

// An Authority signs serving certificates.
type Authority struct {
	pair        Pair
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
}

// NewAuthority returns a new authority, valid from now on.
func NewAuthority(now time.Time) (*Authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	template, err := newTemplate("admsim", now, authorityYears)
	if err != nil {
		return nil, err
	}
	template.IsCA = true
	template.MaxPathLenZero = true
	template.KeyUsage = x509.KeyUsageCertSign | x509.KeyUsageCRLSign
	pair, err := sign(template, template, key, key)
	if err != nil {
		return nil, err
	}
	return parseAuthority(pair)
}

// parseAuthority returns the authority whose certificate and key are in pair.
func parseAuthority(pair Pair) (*Authority, error) {
	certificate, err := parseCertificate(pair.Certificate)
	if err != nil {
		return nil, err
	}
	if !certificate.IsCA {
		return nil, errors.New("the certificate is not that of an authority")
	}
	block, _ := pem.Decode(pair.Key)
	if block == nil {
		return nil, errors.New("there is no key in PEM")
	}
	key, err := x509.ParseECPrivateKey(block.Bytes)
	if err != nil {
		return nil, err
	}
	if !key.PublicKey.Equal(certificate.PublicKey) {
		return nil, errors.New("the key is not that of the certificate")
	}
	return &Authority{pair: pair, certificate: certificate, key: key}, nil
}

// Bundle returns the bundle that clients have to trust, the caBundle of a webhook configuration.
func (a *Authority) Bundle() []byte { return a.pair.Certificate }

// Issue returns a serving certificate for names, which are host names and IP addresses,
// valid from now on.
func (a *Authority) Issue(now time.Time, names ...string) (Pair, error) {
	if len(names) == 0 {
		return Pair{}, errors.New("a serving certificate needs a name")
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return Pair{}, err
	}
	template, err := newTemplate(commonName(names[0]), now, servingYears)
	if err != nil {
		return Pair{}, err
	}
	template.KeyUsage = x509.KeyUsageDigitalSignature
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	for _, name := range names {
		if ip := net.ParseIP(name); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else {
			template.DNSNames = append(template.DNSNames, name)
		}
	}
	return sign(template, a.certificate, key, a.key)
}

// IssueClient returns a client certificate for a user in groups.
func (a *Authority) IssueClient(now time.Time, user string, groups ...string) (Pair, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return Pair{}, err
	}
	template, err := newTemplate(user, now, servingYears)
	if err != nil {
		return Pair{}, err
	}
	template.Subject.Organization = groups
	template.KeyUsage = x509.KeyUsageDigitalSignature
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
	return sign(template, a.certificate, key, a.key)
}

// commonName shortens a name to the 64 characters that RFC 5280 allows. Clients check only the alternative names.
func commonName(name string) string { return name[:min(len(name), 64)] }

func newTemplate(name string, now time.Time, years int) (*x509.Certificate, error) {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127))
	if err != nil {
		return nil, err
	}
	return &x509.Certificate{
		SerialNumber:          serial,
		Subject:               pkix.Name{CommonName: name},
		NotBefore:             now.Add(-behind),
		NotAfter:              now.AddDate(years, 0, 0),
		BasicConstraintsValid: true,
	}, nil
}

func sign(template, parent *x509.Certificate, key, by *ecdsa.PrivateKey) (Pair, error) {
	signed, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, by)
	if err != nil {
		return Pair{}, fmt.Errorf("signing a certificate: %w", err)
	}
	private, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return Pair{}, err
	}
	return Pair{
		Certificate: pem.EncodeToMemory(&pem.Block{Type: certificateBlock, Bytes: signed}),
		Key:         pem.EncodeToMemory(&pem.Block{Type: keyBlock, Bytes: private}),
	}, nil
}

// parseCertificate reads the first certificate of a bundle.
func parseCertificate(bundle []byte) (*x509.Certificate, error) {
	block, _ := pem.Decode(bundle)
	if block == nil || block.Type != certificateBlock {
		return nil, errors.New("there is no certificate in PEM")
	}
	return x509.ParseCertificate(block.Bytes)
}
