// Package callee finds the webhook that a recorded review was sent to, among the webhooks that a cluster is configured
// with.
//
// A review does not name its webhook. A recording has the addresses that were called, but these may differ from those
// in the configuration: in front of a webhook on a developer's machine, a recorder forwards to https://127.0.0.1:9443,
// while the configuration names a service. A webhook is therefore recognised by the best evidence available: its name,
// its address, the path of its address, or, if none of these is known, its rules.
//
// The package does not decide whether the webhook would be called today. The simulator does that.
package callee

import (
	"iter"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"

	admissionv1 "k8s.io/api/admission/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/certificate"
	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/internal/recording"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/dispatch"
	"github.com/admsim/admsim/pkg/matcher"
)

// A Webhook is a webhook that may have been called.
type Webhook struct {
	Configuration                             string
	Mutating                                  bool
	admissionregistrationv1.ValidatingWebhook // the fields that both kinds share
}

// In returns the webhooks of configurations.
func In(configurations iter.Seq[cluster.Object]) (all []Webhook) {
	for o := range configurations {
		for _, w := range objects.Webhooks(o.Object) {
			all = append(all, Webhook{w.Configuration, w.Mutating != nil, w.ValidatingWebhook})
		}
	}
	return all
}

// Named reports whether a pattern matches the name of the webhook, alone or after that of its configuration.
func (w Webhook) Named(pattern string) bool {
	return dispatch.Route{Webhook: pattern}.Matches(w.Configuration, w.Name)
}

// Contains reports whether all contains a webhook.
func Contains(all []Webhook, mutating bool, configuration, name string) bool {
	return slices.ContainsFunc(all, func(w Webhook) bool {
		return w.Mutating == mutating && w.Configuration == configuration && w.Name == name
	})
}

// String returns the names of the configuration and the webhook.
func (w Webhook) String() string { return w.Configuration + "/" + w.Name }

// An Evidence says how well a record and a webhook match.
type Evidence int

// From the weakest to the strongest.
const (
	None    Evidence = iota // nothing that the record says about the called webhook matches
	Path                    // the path of the address matches
	Address                 // the whole address matches
	Name
)

// Of returns the webhooks that a record may be a call of, and the evidence for them. If several have the same evidence,
// their rules are compared as well, as far as possible. With the evidence [None], these are all webhooks with rules for
// the request.
func Of(r *recording.Record, all []Webhook) (found []Webhook, best Evidence) {
	for _, w := range all {
		e := evidence(r, w)
		if e > best {
			found, best = nil, e
		}
		if e == best {
			found = append(found, w)
		}
	}
	if fit := suitable(r, found); len(fit) > 0 || best == None {
		found = fit
	}
	return found, best
}

// suitable returns the webhooks that may have given the answer in the record and have rules for its request.
func suitable(r *recording.Record, all []Webhook) (fit []Webhook) {
	patched := r.Answer.Response != nil && len(r.Answer.Response.Patch) > 0
	for _, w := range all {
		if (w.Mutating || !patched) && (r.Review == nil || w.covers(r.Review)) {
			fit = append(fit, w)
		}
	}
	return fit
}

// covers reports whether the rules of the webhook match the request in a review, which is in the version that the
// webhook receives. Selectors and match conditions are ignored, because what they depend on may have been different
// then.
func (w Webhook) covers(a *admissionv1.AdmissionRequest) bool {
	all := &metav1.LabelSelector{}
	rules := matcher.Webhook(admissionregistrationv1.ValidatingWebhook{Rules: w.Rules, NamespaceSelector: all, ObjectSelector: all}, nil)
	return matcher.Compile(rules).Match(admission.Request{
		Operation: a.Operation, Resource: schema.GroupVersionResource(a.Resource), Subresource: a.SubResource,
		Kind: schema.GroupVersionKind(a.Kind), Namespace: a.Namespace, Name: a.Name,
	}, matcher.World{}).Applies
}

// evidence returns how well a record and a webhook match.
func evidence(r *recording.Record, w Webhook) (best Evidence) {
	for _, called := range []string{r.Webhook, r.At} {
		switch {
		case called == "":
			continue
		case called == w.Name, called == w.String():
			return Name
		}
		at, err := url.Parse(called)
		if err != nil || !strings.HasPrefix(at.Path, "/") && at.Host == "" {
			continue // such as the name of another webhook, or a line of a log
		}
		hosts, where := addressOf(w.ClientConfig)
		if trimmed(at.Path) != trimmed(where) {
			continue
		}
		best = max(best, Path)
		if at.Host != "" && slices.Contains(hosts, at.Host) {
			best = Address
		}
	}
	return best
}

func trimmed(path string) string { return strings.TrimSuffix(path, "/") }

// addressOf returns the hosts, with ports, at which a webhook may be called, and the path.
func addressOf(c admissionregistrationv1.WebhookClientConfig) (hosts []string, path string) {
	if s := c.Service; s != nil {
		if s.Path != nil {
			path = *s.Path
		}
		port := dispatch.PortOf(*s)
		for _, host := range certificate.ServiceNames(s.Namespace, s.Name) {
			hosts = append(hosts, net.JoinHostPort(host, strconv.Itoa(int(port))))
			if port == 443 {
				hosts = append(hosts, host)
			}
		}
		return hosts, path
	}
	if c.URL == nil {
		return nil, ""
	}
	to, err := url.Parse(*c.URL)
	if err != nil {
		return nil, ""
	}
	hosts = []string{to.Host}
	switch to.Port() {
	case "":
		hosts = append(hosts, to.Host+":443")
	case "443":
		hosts = append(hosts, strings.TrimSuffix(to.Host, ":443"))
	}
	return hosts, to.Path
}
