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

	"github.com/admsim/admsim/pkg/kubeversion"
)

// A target is the URL, without query, that the server posts reviews to, or why it cannot create a client for it (W-155:
// kubernetes/apiserver:pkg/util/webhook/client.go).
type target struct {
	url string
	err error // if url is set: what is wrong with the bundle
}

// An address is a client configuration without its bundle.
type address struct {
	service                    bool
	url, namespace, name, path string
	port                       int32
}

func addressOf(c admissionregistrationv1.WebhookClientConfig) (p address) {
	switch s := c.Service; {
	case s != nil:
		p = address{service: true, namespace: s.Namespace, name: s.Name, port: PortOf(*s)}
		if s.Path != nil {
			p.path = *s.Path
		}
	case c.URL != nil:
		p.url = *c.URL
	}
	return p
}

// target returns where c leads. The result is cached, since determining it takes long.
func (d *Dispatcher) target(webhook string, c admissionregistrationv1.WebhookClientConfig) (string, error) {
	at := addressOf(c)
	d.mu.RLock()
	t, known := d.targets[at][string(c.CABundle)]
	d.mu.RUnlock()
	if !known {
		t = targetOf(c)
		d.mu.Lock()
		if d.targets[at] == nil {
			d.targets[at] = map[string]target{}
		}
		d.targets[at][string(c.CABundle)] = t
		d.mu.Unlock()
	}
	if t.url == "" {
		// The server names the webhook here, and again at the beginning of the message.
		return "", fmt.Errorf("failed calling webhook %q: %w", webhook, t.err)
	}
	return t.url, t.err
}

func targetOf(c admissionregistrationv1.WebhookClientConfig) target {
	u, err := urlOf(c)
	if err != nil {
		return target{err: err}
	}
	if len(c.CABundle) > 0 && !x509.NewCertPool().AppendCertsFromPEM(c.CABundle) {
		err = bundleError{whyNoCertificates(c.CABundle)}
	}
	return target{u.String(), err}
}

// A bundleError reports a caBundle with which the server cannot create a client.
type bundleError struct{ reason error }

func (e bundleError) Error() string { return "unable to load root certificates: " + e.reason.Error() }

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

// serviceURL returns the URL of a service. It has a port even if that is 443 (W-143).
func serviceURL(s admissionregistrationv1.ServiceReference) *url.URL {
	u := &url.URL{Scheme: "https", Path: "/"}
	if s.Path != nil {
		u.Path = cleanPath(*s.Path)
	}
	u.Host = net.JoinHostPort(s.Name+"."+s.Namespace+".svc", strconv.Itoa(int(PortOf(s))))
	return u
}

// PortOf returns the port of a webhook's service, which is 443 by default.
func PortOf(s admissionregistrationv1.ServiceReference) int32 {
	if s.Port == nil || *s.Port == 0 {
		return 443
	}
	return *s.Port
}

// cleanPath removes what client-go removes: dots, double slashes and the last slash (W-146).
func cleanPath(p string) string { return path.Join("/", p) }

// timeoutQuery returns the query that tells a webhook how long it may take (W-147).
func timeoutQuery(t time.Duration) string { return "?timeout=" + t.String() }

// offersHTTP2 reports whether the release that makes a call to a webhook offers HTTP/2 to it (W-149). One connection for
// all calls leads to the same endpoint of a service for all of them.
func (c Call) offersHTTP2() bool {
	has := func(f kubeversion.Feature) bool { return c.release == nil || c.release.Has(f) }
	if !has(kubeversion.WebhooksByHTTP1) {
		return true
	}
	u, err := url.Parse(c.URL)
	return err == nil && c.Client.Service == nil && isLoopback(u) && has(kubeversion.OwnHostByHTTP2)
}

// isLoopback reports whether u is on the server's own host.
func isLoopback(u *url.URL) bool {
	if strings.EqualFold(u.Hostname(), "localhost") {
		return true
	}
	ip := net.ParseIP(u.Hostname())
	return ip != nil && ip.IsLoopback()
}

// whyNoCertificates returns what is wrong with a bundle without certificates
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
