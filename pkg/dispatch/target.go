package dispatch

import (
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"net"
	"net/url"
	"path"
	"strconv"
	"strings"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
)

// target is the URL that the server posts reviews to, or why it cannot make a client for
// it (W-155: kubernetes/apiserver:pkg/util/webhook/client.go).
func (d *Dispatcher) target(webhook string, c admissionregistrationv1.WebhookClientConfig) (*url.URL, error) {
	u, err := urlOf(c)
	if err != nil {
		// The server names the webhook here, and once more in front of it all.
		return nil, fmt.Errorf("failed calling webhook %q: %w", webhook, err)
	}
	if len(c.CABundle) > 0 {
		if err := d.checkBundle(c.CABundle); err != nil {
			return nil, fmt.Errorf("unable to load root certificates: %w", err)
		}
	}
	return u, nil
}

func urlOf(c admissionregistrationv1.WebhookClientConfig) (*url.URL, error) {
	switch {
	case c.Service != nil:
		return serviceURL(*c.Service), nil
	case c.URL == nil || *c.URL == "":
		return nil, errors.New("webhook configuration must have either service or URL")
	}
	u, err := url.Parse(*c.URL)
	if err != nil {
		return nil, fmt.Errorf("Unparsable URL: %v", err)
	}
	return &url.URL{Scheme: u.Scheme, Host: u.Host, Path: cleanPath(u.Path)}, nil
}

// serviceURL is the URL of a service: the port shows even where it is 443 (W-143).
func serviceURL(s admissionregistrationv1.ServiceReference) *url.URL {
	u := &url.URL{Scheme: "https", Path: "/"}
	if s.Path != nil {
		u.Path = cleanPath(*s.Path)
	}
	u.Host = net.JoinHostPort(s.Name+"."+s.Namespace+".svc", strconv.Itoa(int(portOf(s))))
	return u
}

func portOf(s admissionregistrationv1.ServiceReference) int32 {
	if s.Port == nil || *s.Port == 0 {
		return 443
	}
	return *s.Port
}

// cleanPath drops what client-go drops: dots, double slashes and the last slash (W-146).
func cleanPath(p string) string { return path.Join("/", p) }

// withTimeout is the URL as called (W-147).
func withTimeout(u *url.URL, t time.Duration) string {
	called := *u
	called.RawQuery = url.Values{"timeout": {t.String()}}.Encode()
	return called.String()
}

// isLoopback tells whether u is on the server's own host, where it speaks HTTP/2 (W-149).
func isLoopback(u *url.URL) bool {
	if strings.EqualFold(u.Hostname(), "localhost") {
		return true
	}
	ip := net.ParseIP(u.Hostname())
	return ip != nil && ip.IsLoopback()
}

// whyNoCertificates says what is wrong with a bundle that holds no certificate
// (kubernetes/client-go:transport/transport.go).
func whyNoCertificates(bundle []byte) error {
	for len(bundle) > 0 {
		var block *pem.Block
		if block, bundle = pem.Decode(bundle); block == nil {
			return errors.New("unable to parse bytes as PEM block")
		}
		if block.Type != "CERTIFICATE" || len(block.Headers) != 0 {
			continue
		}
		if _, err := x509.ParseCertificate(block.Bytes); err != nil {
			return fmt.Errorf("failed to parse certificate: %w", err)
		}
	}
	return errors.New("no valid certificate authority data seen")
}
