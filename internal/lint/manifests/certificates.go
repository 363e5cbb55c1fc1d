package manifests

import (
	"crypto/x509"
	"encoding/pem"
	"errors"
	"net/url"
	"strings"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"

	"github.com/admsim/admsim/internal/lint"
)

const certificateTheme = "How a webhook is trusted"

func certificateRules() []lint.Rule {
	return []lint.Rule{
		{
			ID: "ADM050", Name: "ca-missing", Theme: certificateTheme, Severity: lint.Warning,
			Title:  "A webhook behind a Service has no caBundle, and nothing in the manifests adds it.",
			Why:    "No public authority signs certificates for names that end in .svc, so every call fails until there is a caBundle. An annotation for cert-manager's cainjector or another injector shows that it will be added. So does a ClusterRole that may update such configurations, which a webhook needs if its own server writes the caBundle.",
			Remedy: "set caBundle, or the annotation of its injector, such as cert-manager.io/inject-ca-from. If the webhook's own server writes it, add its ClusterRole to the manifests",
			Check:  lint.EachHook(caMissing),
		},
		{
			ID: "ADM051", Name: "ca-unreadable", Theme: certificateTheme, Severity: lint.Error,
			Title:  "A caBundle contains no certificate.",
			Why:    "Every call of the webhook fails.",
			Remedy: "set it to PEM certificates, encoded as base64 exactly once",
			Check:  lint.EachHook(caUnreadable),
		},
		{
			ID: "ADM052", Name: "ca-expired", Theme: certificateTheme, Severity: lint.Error,
			Title:  "All certificates of a caBundle have expired, or are not valid yet.",
			Why:    "Every call of the webhook fails.",
			Remedy: "renew the certificate authority and put the new certificate into the caBundle",
			Check:  lint.EachHook(caExpired),
		},
		{
			ID: "ADM053", Name: "ca-expiring", Theme: certificateTheme, Severity: lint.Warning,
			Title:  "The certificates of a caBundle expire within 30 days.",
			Why:    "From then on every call of the webhook fails.",
			Remedy: "renew the certificate authority and add the new certificate to the caBundle",
			Check:  lint.EachHook(caExpiring),
		},
		{
			ID: "ADM054", Name: "local-url", Theme: certificateTheme, Severity: lint.Warning, Practice: "load-balancer-webhook",
			Title:  "A webhook's URL names the API server's own host, or a Service.",
			Why:    "localhost is a different machine for every API server. The name of a Service is resolved by the DNS of the API server's host, which usually does not know it. Webhooks in static manifests may use localhost: such a manifest is on the same host.",
			Remedy: "use clientConfig.service for servers that run in the cluster",
			Check:  lint.EachHook(localURL),
		},
		{
			ID: "ADM055", Name: "open-access", Theme: certificateTheme, Severity: lint.Warning, Practice: "limit-edit-access",
			Title:  "A whole group of users or service accounts may change webhook configurations.",
			Why:    "A user who can add a webhook can see, change and refuse everything that others write, including Secrets.",
			Remedy: "bind the role only to those who need it, or remove create, update, patch and delete of webhook configurations from it",
			Check:  openAccess,
		},
		{
			ID: "ADM056", Name: "namespace-writers", Theme: certificateTheme, Severity: lint.Info, Practice: "limit-edit-access",
			Title:  "Users from elsewhere may change objects in the namespace that a webhook runs in.",
			Why:    "A user who can change its pods, its Service or its Secrets answers in place of the webhook, and so decides about requests of others. For a whole group of users or service accounts this is a warning. Leases and events do not count, nor do questions such as SelfSubjectAccessReviews, and neither do cluster-wide roles of anybody else.",
			Remedy: "remove the binding unless these users are trusted with everything that the webhook decides, or run the webhook in a namespace of its own",
			Check:  namespaceWriters,
		},
	}
}

// injections are annotations which show that another program fills in the caBundle.
var injections = []string{
	"cert-manager.io/inject-", "certmanager.k8s.io/inject-", "service.beta.openshift.io/inject-cabundle",
	"service.alpha.openshift.io/inject-cabundle", "cert-manager.io/inject-apiserver-ca",
}

func caMissing(s *lint.Subject, h *lint.Hook, r *lint.Reporter) {
	if h.ClientConfig.Service != nil && len(strings.TrimSpace(string(h.ClientConfig.CABundle))) == 0 && !injected(h) && !completes(s, h) {
		problem := "has no caBundle"
		if len(h.ClientConfig.CABundle) > 0 { // only spaces, which the server ignores
			problem = "contains no certificate"
		}
		r.At(h.Field("clientConfig.caBundle"), "%s", problem)
	}
}

func injected(h *lint.Hook) bool {
	for key := range lint.Annotations(h.Manifest) {
		for _, prefix := range injections {
			if strings.HasPrefix(key, prefix) {
				return true
			}
		}
	}
	return false
}

// bundle returns the certificates of a webhook; given reports whether it has a caBundle at all.
func bundle(c admissionregistrationv1.WebhookClientConfig) (all []*x509.Certificate, given bool, err error) {
	rest := []byte(strings.TrimSpace(string(c.CABundle)))
	if len(rest) == 0 {
		return nil, false, nil
	}
	for {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			break
		}
		if block.Type != "CERTIFICATE" {
			continue
		}
		certificate, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, true, err
		}
		all = append(all, certificate)
	}
	if len(all) == 0 {
		return nil, true, errors.New("there is no PEM block of type CERTIFICATE in it")
	}
	return all, true, nil
}

func caUnreadable(_ *lint.Subject, h *lint.Hook, r *lint.Reporter) {
	if _, given, err := bundle(h.ClientConfig); given && err != nil {
		r.At(h.Field("clientConfig.caBundle"), "caBundle cannot be read: %v", err)
	}
}

// last returns until when calls can succeed: the end of the certificate that is valid longest. Certificates that are
// not valid yet do not count.
func last(all []*x509.Certificate, now time.Time) (until time.Time) {
	for _, c := range all {
		if !c.NotBefore.After(now) && c.NotAfter.After(until) {
			until = c.NotAfter
		}
	}
	return until
}

const day = 24 * time.Hour

func caExpired(s *lint.Subject, h *lint.Hook, r *lint.Reporter) {
	all, _, _ := bundle(h.ClientConfig)
	if len(all) == 0 {
		return
	}
	until := last(all, s.Now)
	switch {
	case until.IsZero():
		r.At(h.Field("clientConfig.caBundle"), "no certificate in caBundle is valid before %s", all[0].NotBefore.UTC().Format(time.DateOnly))
	case !until.After(s.Now):
		r.At(h.Field("clientConfig.caBundle"), "caBundle expired on %s", until.UTC().Format(time.DateOnly))
	}
}

func caExpiring(s *lint.Subject, h *lint.Hook, r *lint.Reporter) {
	all, _, _ := bundle(h.ClientConfig)
	until := last(all, s.Now)
	if left := until.Sub(s.Now); left > 0 && left < 30*day {
		r.At(h.Field("clientConfig.caBundle"), "caBundle expires on %s, in %d days", until.UTC().Format(time.DateOnly), int(left/day))
	}
}

// localURL accepts the API server's own host for webhooks in a folder of that server: it is meant for this host.
func localURL(_ *lint.Subject, h *lint.Hook, r *lint.Reporter) {
	if h.ClientConfig.URL == nil {
		return
	}
	u, err := url.Parse(*h.ClientConfig.URL)
	if err != nil {
		return
	}
	name := u.Hostname()
	local := name == "localhost" || name == "127.0.0.1" || name == "::1"
	switch {
	case local && !h.Static:
		r.At(h.Field("clientConfig.url"), "%s is a different machine for each API server", name)
	case strings.HasSuffix(name, ".svc") || strings.Contains(name, ".svc."):
		r.At(h.Field("clientConfig.url"), "the DNS of an API server's host usually does not know %s", name)
	}
}
