package matcher

import (
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
)

// A bucket of an [Index] is one combination of what a rule may select, where any part may be the wildcard, together
// with a label that a selector requires.
type bucket struct {
	operation, scope, group, version, resource, subresource string

	label label
}

// A label is a label that a selector requires, and the subject that has to have it.
type label struct {
	of         subject
	key, value string
}

type subject uint8

const (
	nobody       subject = iota // no label is required
	namespace                   // the namespace
	anyNamespace                // the namespace, for requests whose namespace does not matter or does not exist
	object                      // the new or the old object
	subjects                    // number of subjects
)

// A pattern says which parts of a bucket are wildcards, and which subject its label belongs to.
type pattern struct {
	operation, scope, group, version, resource, subresource bool

	of subject
}

func (d bucket) pattern() pattern {
	return pattern{
		operation:   d.operation == wildcard,
		scope:       d.scope == wildcard,
		group:       d.group == wildcard,
		version:     d.version == wildcard,
		resource:    d.resource == wildcard,
		subresource: d.subresource == wildcard,
		of:          d.label.of,
	}
}

// bucket returns the bucket of t with the wildcards of p, and no label yet.
func (p pattern) bucket(t target) bucket {
	return bucket{
		operation:   wildcardIf(p.operation, t.operation),
		scope:       wildcardIf(p.scope, string(t.scope)),
		group:       wildcardIf(p.group, t.resource.Group),
		version:     wildcardIf(p.version, t.resource.Version),
		resource:    wildcardIf(p.resource, t.resource.Resource),
		subresource: wildcardIf(p.subresource, t.subresource),
	}
}

func wildcardIf(wild bool, s string) string {
	if wild {
		return wildcard
	}
	return s
}

// each yields the buckets of r without labels.
func (r *rule) each(yield func(bucket) bool) {
	for _, operation := range r.operations {
		for _, group := range r.groups {
			for _, version := range r.versions {
				for _, p := range r.resources {
					d := bucket{
						operation:   operation,
						scope:       string(r.scope),
						group:       group,
						version:     version,
						resource:    p.resource,
						subresource: p.subresource,
					}
					if !yield(d) {
						return
					}
				}
			}
		}
	}
}

// buckets returns the number of buckets that each yields.
func (r *rule) buckets() int {
	return len(r.operations) * len(r.groups) * len(r.versions) * len(r.resources)
}

// demanded returns labels; a request needs one of them to match m. If m requires none, this is the label of nobody.
func (m *Matcher) demanded() []label {
	if l := m.namespaces.demanded(namespace); l != nil {
		return append(l, label{of: anyNamespace})
	}
	if l := m.objects.demanded(object); l != nil {
		return l
	}
	return []label{{}}
}

// demanded returns the labels of which s requires one. A selector that does not parse requires none: it has to be
// evaluated, so that it can refuse the request.
func (s selector) demanded(of subject) []label {
	if s.err != nil {
		return nil
	}
	requirements, _ := s.labels.Requirements()
	for _, r := range requirements {
		switch r.Operator() {
		case selection.Equals, selection.In:
			var list []label
			for _, value := range r.ValuesUnsorted() {
				list = append(list, label{of: of, key: r.Key(), value: value})
			}
			return list
		}
	}
	return nil
}

func appendLabels(list []label, of subject, l labels.Set) []label {
	for key, value := range l {
		list = append(list, label{of: of, key: key, value: value})
	}
	return list
}
