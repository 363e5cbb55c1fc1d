package dispatch

import (
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"errors"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"

	utilnet "k8s.io/apimachinery/pkg/util/net"

	"github.com/admsim/admsim/pkg/kubeversion"
)

// takesCommonNames reports whether the release that makes a call accepts common names. IP addresses are never common
// names.
func (c Call) takesCommonNames() bool {
	if c.release == nil || c.release.Has(kubeversion.CommonNamesRefused) {
		return false
	}
	u, err := url.Parse(c.URL)
	return err == nil && net.ParseIP(u.Hostname()) == nil
}

// takeCommonNames makes a client accept a certificate without alternative names by its common name, as Go did up to
// 1.14 (golang/go: src/crypto/x509/verify.go). Everything else is verified as usual.
func takeCommonNames(transport http.RoundTripper) error {
	config, err := utilnet.TLSClientConfig(transport)
	if err != nil || config == nil || config.InsecureSkipVerify {
		return err
	}
	roots := config.RootCAs
	config.InsecureSkipVerify = true // VerifyConnection verifies instead
	config.VerifyConnection = func(c tls.ConnectionState) error {
		if len(c.PeerCertificates) == 0 || c.ServerName == "" {
			return errors.New("the server is named by an address: its certificate cannot be verified by a common name")
		}
		intermediates := x509.NewCertPool()
		for _, one := range c.PeerCertificates[1:] {
			intermediates.AddCert(one)
		}
		leaf := withNames(c.PeerCertificates[0])
		if _, err := leaf.Verify(x509.VerifyOptions{Roots: roots, Intermediates: intermediates, DNSName: c.ServerName}); err != nil {
			return &tls.CertificateVerificationError{UnverifiedCertificates: c.PeerCertificates, Err: err}
		}
		return nil
	}
	return nil
}

var alternativeNames = asn1.ObjectIdentifier{2, 5, 29, 17}

// withNames returns a certificate whose alternative name is its common name, if it has none and the common name is a
// host name.
func withNames(c *x509.Certificate) *x509.Certificate {
	name := c.Subject.CommonName
	if !isHostname(name) || slices.ContainsFunc(c.Extensions, func(e pkix.Extension) bool { return e.Id.Equal(alternativeNames) }) {
		return c
	}
	value, err := asn1.Marshal([]asn1.RawValue{{Class: asn1.ClassContextSpecific, Tag: 2, Bytes: []byte(name)}})
	if err != nil {
		return c
	}
	named := *c
	named.DNSNames = []string{name}
	named.Extensions = append(slices.Clip(c.Extensions), pkix.Extension{Id: alternativeNames, Value: value})
	return &named
}

// isHostname reports whether Go 1.14 accepted name as a host name.
func isHostname(name string) bool {
	labels := strings.Split(strings.TrimSuffix(name, "."), ".")
	for i, label := range labels {
		if label == "" || strings.HasPrefix(label, "-") {
			return false
		}
		if i == 0 && label == "*" {
			continue
		}
		if strings.ContainsFunc(label, func(r rune) bool {
			return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-' && r != '_' && r != ':'
		}) {
			return false
		}
	}
	return true
}
