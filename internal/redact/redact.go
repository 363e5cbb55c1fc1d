// Package redact takes secrets out of objects and admission reviews before they are kept:
// the data of Secrets, tokens, and what the user names by paths.
//
// Start with [New] and [Redactor.Review], or with [Redactor.Begin] for anything else that
// is made of objects and patches, such as audit events and snapshots of clusters.
//
// What is redacted stays valid, so that it can be replayed: keys stay, strings stay
// strings, base64 stays base64. Within one [Pass] the same value becomes the same word,
// since what a webhook decides may depend on whether a value changed. The words say
// nothing else of the values, not even how long they were.
//
// It finds what is at a known place. A secret that somebody writes into a ConfigMap is
// found only by a path that names it.
package redact

// A Redactor knows where secrets are. It may be used by many at once.
type Redactor struct {
	rules []rule
	known map[string]string // words that each pass begins with
}

// New returns a redactor of the usual secrets and of what is at paths, which are in the
// form of [ParsePath].
func New(paths ...string) (*Redactor, error) {
	r := &Redactor{rules: usual()}
	for _, text := range paths {
		p, err := ParsePath(text)
		if err != nil {
			return nil, err
		}
		r.rules = append(r.rules, rule{kind: p.kind, steps: p.steps, secret: plain})
	}
	return r, nil
}

// Has tells whether there can be secrets in objects of a kind.
func (r *Redactor) Has(group, kind string) bool { return len(r.rulesFor(group, kind)) > 0 }

// A rule is a place where secrets are.
type rule struct {
	group  string // of the kind; looked at only where anyGroup is false
	kind   string // empty: objects of every kind
	exact  bool   // the group counts
	steps  []step
	secret form
}

// A form is how a secret is written down.
type form int

const (
	plain   form = iota
	encoded      // in base64
	signed       // a token with a signature
)

// usual are the secrets that Kubernetes itself knows.
func usual() []rule {
	const authentication = "authentication.k8s.io"
	return []rule{
		{kind: "Secret", exact: true, steps: []step{{key: "data"}, {any: true}}, secret: encoded},
		{kind: "Secret", exact: true, steps: []step{{key: "stringData"}, {any: true}}},
		{group: authentication, kind: "TokenRequest", exact: true, steps: []step{{key: "status"}, {key: "token"}}, secret: signed},
		{group: authentication, kind: "TokenReview", exact: true, steps: []step{{key: "spec"}, {key: "token"}}},
	}
}

func (r rule) isFor(group, kind string) bool {
	return (r.kind == "" || r.kind == kind) && (!r.exact || r.group == group)
}

// rulesFor are those for objects of a kind.
func (r *Redactor) rulesFor(group, kind string) []rule {
	var found []rule
	for _, rule := range r.rules {
		if rule.isFor(group, kind) {
			found = append(found, rule)
		}
	}
	return found
}
