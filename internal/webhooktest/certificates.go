// Package webhooktest provides webhooks for tests that call real ones: certificates, TLS servers on loopback, and
// handlers that misbehave in every way that a connection allows.
//
// Start with [NewAuthority] and [Serve]. The package does not import anything of admsim, so that tests of any package
// can use it.
package webhooktest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"testing"
	"time"
)

// An Authority signs certificates.
type Authority struct {
	t    testing.TB
	cert *x509.Certificate
	key  *ecdsa.PrivateKey

	Bundle []byte // its certificate as PEM: a caBundle
}

// NewAuthority returns an authority that nothing else trusts.
func NewAuthority(t testing.TB) *Authority {
	t.Helper()
	a := &Authority{t: t, key: newKey(t)}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "webhooktest"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, a.key.Public(), a.key)
	if err != nil {
		t.Fatal(err)
	}
	if a.cert, err = x509.ParseCertificate(der); err != nil {
		t.Fatal(err)
	}
	a.Bundle = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	return a
}

// Sign returns a certificate for names, which are host names or addresses, and its key, as PEM. It is valid for servers
// and clients, and expires after a while, which may be in the past.
func (a *Authority) Sign(expires time.Duration, names ...string) (cert, key []byte) {
	a.t.Helper()
	template := newTemplate(expires, names[0])
	for _, name := range names {
		if ip := net.ParseIP(name); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else {
			template.DNSNames = append(template.DNSNames, name)
		}
	}
	return a.sign(template)
}

func newTemplate(expires time.Duration, name string) *x509.Certificate {
	return &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: name},
		NotBefore: time.Now().Add(-2 * time.Hour), NotAfter: time.Now().Add(expires),
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
}

func (a *Authority) sign(template *x509.Certificate) (cert, key []byte) {
	a.t.Helper()
	private := newKey(a.t)
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, private.Public(), a.key)
	if err != nil {
		a.t.Fatal(err)
	}
	text, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		a.t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: text})
}

// Certificate returns a server certificate for names.
func (a *Authority) Certificate(expires time.Duration, names ...string) tls.Certificate {
	a.t.Helper()
	return a.pair(a.Sign(expires, names...))
}

// CommonName returns a server certificate that only has a common name.
func (a *Authority) CommonName(expires time.Duration, name string) tls.Certificate {
	a.t.Helper()
	return a.pair(a.sign(newTemplate(expires, name)))
}

func (a *Authority) pair(cert, key []byte) tls.Certificate {
	a.t.Helper()
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		a.t.Fatal(err)
	}
	return pair
}

func newKey(t testing.TB) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}
