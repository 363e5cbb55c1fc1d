// Package redact removes secrets from objects and admission reviews before they are stored:
// the data of Secrets, tokens, and the values at paths that the user names.
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

import "slices"

// A Redactor knows where secrets are. It may be used by many at once.
type Redactor struct {
	rules  []rule
	others *elsewhere

	known     map[string]string // words that each pass begins with
	knownMade map[string]bool   // those of them that were made of secrets
}

// New returns a redactor of the usual secrets and of what is at paths, which are in the
// form of [ParsePath].
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

// Has reports whether there can be secrets in objects of a kind.
func (r *Redactor) Has(group, kind string) bool { return len(r.rulesFor(group, kind)) > 0 }

// HasKind is Has where the group is not known.
func (r *Redactor) HasKind(kind string) bool {
	return slices.ContainsFunc(r.rules, func(one rule) bool { return one.secret != address && (one.kind == "" || one.kind == kind) })
}

// Reaches reports whether there can be secrets at a place of objects of a kind, above it or below it.
// The step * is any.
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

// HasKeys reports whether at a place of objects of a kind there is a map whose values are secrets,
// and whose keys are none.
func (r *Redactor) HasKeys(group, kind string, path []string) bool {
	return group == "" && kind == "Secret" && len(path) == 1 && (path[0] == "data" || path[0] == "stringData")
}

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
	address      // a URL, which may have a password in it
)

// usual are the secrets that Kubernetes itself knows.
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
