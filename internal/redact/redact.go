// Package redact removes secrets from objects and admission reviews before they are stored: the data of Secrets,
// tokens, and the values at paths that the user names.
//
// Start with [New] and [Redactor.Review], or with [Redactor.Begin] for anything else that consists of objects and
// patches, such as audit events and snapshots of clusters.
//
// What is redacted stays valid, so that it can be replayed: keys are kept, strings stay strings, base64 stays base64.
// Within one [Pass] the same value is replaced by the same word, since the decision of a webhook may depend on whether
// a value changed. The words reveal nothing else about the values, not even their length.
//
// Only secrets at known places are found. To find a secret that somebody writes into a ConfigMap, a path must name it.
package redact

import "slices"

// A Redactor knows where secrets are. It may be used concurrently.
type Redactor struct {
	rules  []rule
	others *elsewhere

	known     map[string]string // words that each pass begins with
	knownMade map[string]bool   // those words whose secrets were made of other secrets
}

// New returns a redactor for the usual secrets and for the values at paths; see [ParsePath].
func New(paths ...string) (*Redactor, error) {
	r := &Redactor{rules: usual(), others: &elsewhere{}}
	for _, text := range paths {
		p, err := ParsePath(text)
		if err != nil {
			return nil, err
		}
		r.rules = append(r.rules, rule{kind: p.kind, steps: p.steps, secret: plain})
	}
	return r, nil
}

// Has reports whether there may be secrets in objects of a kind.
func (r *Redactor) Has(group, kind string) bool { return len(r.rulesFor(group, kind)) > 0 }

// HasKind is like Has for an unknown group.
func (r *Redactor) HasKind(kind string) bool {
	return slices.ContainsFunc(r.rules, func(one rule) bool { return one.secret != address && (one.kind == "" || one.kind == kind) })
}

// Reaches reports whether there may be secrets at a place in objects of a kind, or above or below it. The step * stands
// for any step.
func (r *Redactor) Reaches(group, kind string, path []string) bool {
	rules := slices.DeleteFunc(r.rulesFor(group, kind), func(one rule) bool { return one.secret == address })
	if len(rules) == 0 {
		return false
	}
	for _, one := range append(rules, rule{steps: lastAppliedSteps}) {
		n := min(len(path), len(one.steps))
		met := true
		for i := range n {
			met = met && (path[i] == "*" || one.steps[i].matches(path[i]))
		}
		if met {
			return true
		}
	}
	return false
}

// HasKeys reports whether there is a map at a place in objects of a kind whose values are secret and whose keys are
// not.
func (r *Redactor) HasKeys(group, kind string, path []string) bool {
	return group == "" && kind == "Secret" && len(path) == 1 && (path[0] == "data" || path[0] == "stringData")
}

// A rule is a place where secrets are.
type rule struct {
	group  string // of the kind; ignored unless exact is true
	kind   string // empty: objects of every kind
	exact  bool   // the group must match
	steps  []step
	secret form
}

// A form is how a secret is written.
type form int

const (
	plain   form = iota
	encoded      // in base64
	signed       // a token with a signature
	address      // a URL, which may contain a password
)

// usual returns the rules for the secrets of Kubernetes itself.
func usual() []rule {
	const authentication = "authentication.k8s.io"
	const registration, extensions = "admissionregistration.k8s.io", "apiextensions.k8s.io"
	webhooks := []step{{key: "webhooks"}, {any: true}, {key: "clientConfig"}, {key: "url"}}
	conversion := []step{{key: "spec"}, {key: "conversion"}, {key: "webhook"}, {key: "clientConfig"}, {key: "url"}}
	return []rule{
		{group: registration, kind: "MutatingWebhookConfiguration", exact: true, steps: webhooks, secret: address},
		{group: registration, kind: "ValidatingWebhookConfiguration", exact: true, steps: webhooks, secret: address},
		{group: extensions, kind: "CustomResourceDefinition", exact: true, steps: conversion, secret: address},
		{kind: "Secret", exact: true, steps: []step{{key: "data"}, {any: true}}, secret: encoded},
		{kind: "Secret", exact: true, steps: []step{{key: "stringData"}, {any: true}}},
		{group: authentication, kind: "TokenRequest", exact: true, steps: []step{{key: "status"}, {key: "token"}}, secret: signed},
		{group: authentication, kind: "TokenReview", exact: true, steps: []step{{key: "spec"}, {key: "token"}}},
	}
}

func (r rule) isFor(group, kind string) bool {
	return (r.kind == "" || r.kind == kind) && (!r.exact || r.group == group)
}

// rulesFor returns the rules for objects of a kind.
func (r *Redactor) rulesFor(group, kind string) []rule {
	var found []rule
	for _, rule := range r.rules {
		if rule.isFor(group, kind) {
			found = append(found, rule)
		}
	}
	return found
}
