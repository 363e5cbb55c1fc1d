package matcher

import (
	"slices"

	"github.com/admsim/admsim/pkg/admission"
)

// An Index finds, among any number of hooks, the few that a request can match. The cost depends on how many these are,
// and hardly on the total number of hooks.
//
// Every rule is filed under each combination of what it selects; wildcards are kept. A request is looked up under its
// own combination, and under those in which some parts are replaced by wildcards; only patterns of wildcards that occur
// are tried. A hook whose selector requires a label is also filed under that label, since hooks often differ in nothing
// else.
type Index struct {
	filed    map[bucket]postings
	patterns []pattern
	asked    [subjects]bool // the subjects whose labels occur in patterns
	always   []int          // hooks that are not filed
}

// postings holds the indices of hooks, in order.
type postings struct {
	all        []int
	equivalent []int // the hooks in all with matchPolicy Equivalent
}

// maxBuckets limits the buckets per hook. A hook that needs more is not filed: such wide rules match most requests
// anyway.
const maxBuckets = 1024

// NewIndex returns an index of hooks, which it refers to by their indices.
func NewIndex(hooks []*Matcher) *Index {
	x := &Index{filed: map[bucket]postings{}}
	for i, m := range hooks {
		x.file(i, m)
	}
	known := map[pattern]bool{}
	for d := range x.filed {
		if p := d.pattern(); !known[p] {
			known[p] = true
			x.patterns = append(x.patterns, p)
			x.asked[p.of] = true
		}
	}
	return x
}

func (x *Index) file(i int, m *Matcher) {
	labels := m.demanded()
	wanted := 0
	for r := range m.rules.rules {
		wanted += m.rules.rules[r].buckets() * len(labels)
	}
	everything := len(m.rules.rules) == 0 && m.noRules == NoRulesEverything
	if everything || wanted > maxBuckets {
		x.always = append(x.always, i)
		return
	}
	for r := range m.rules.rules {
		for d := range m.rules.rules[r].each {
			for _, d.label = range labels {
				x.put(d, i, m.rules.equivalent)
			}
		}
	}
}

func (x *Index) put(d bucket, i int, equivalent bool) {
	p := x.filed[d]
	if n := len(p.all); n > 0 && p.all[n-1] == i {
		return
	}
	p.all = append(p.all, i)
	if equivalent {
		p.equivalent = append(p.equivalent, i)
	}
	x.filed[d] = p
}

// Candidates returns the indices, in order, of the hooks that req can match: all that match it or refuse it, and few
// others. After a hook has changed the object of req, there may be other candidates.
func (x *Index) Candidates(req admission.Request, w World) []int {
	t := targetOf(&req)
	labels := x.labels(&req, w)

	found := slices.Clone(x.always)
	for d := range x.buckets(t, labels) {
		found = append(found, x.filed[d].all...)
	}
	for _, resource := range w.Resources.Equivalents(t.resource, t.subresource) {
		if resource == t.resource {
			continue
		}
		for d := range x.buckets(t.as(resource), labels) {
			found = append(found, x.filed[d].equivalent...)
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// buckets yields the buckets that may contain hooks that match t.
func (x *Index) buckets(t target, labels [subjects][]label) func(func(bucket) bool) {
	return func(yield func(bucket) bool) {
		for _, p := range x.patterns {
			d := p.bucket(t)
			for _, d.label = range labels[p.of] {
				if !yield(d) {
					return
				}
			}
		}
	}
}

// labels returns the labels that req has, by subject.
func (x *Index) labels(req *admission.Request, w World) [subjects][]label {
	labels := [subjects][]label{nobody: {{}}}
	if x.asked[namespace] {
		l, err := namespaceLabels(req, w.State)
		if err != nil { // the namespace does not exist: the hook may apply anyway, or refuse the request
			labels[anyNamespace] = []label{{of: anyNamespace}}
		}
		labels[namespace] = appendLabels(nil, namespace, l)
	}
	if x.asked[object] {
		now, _ := objectLabels(req.Object)
		before, _ := objectLabels(req.OldObject)
		labels[object] = appendLabels(appendLabels(nil, object, now), object, before)
	}
	return labels
}
