package space

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/space/diagram"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/matcher"
)

// A dimension is one way in which requests to an endpoint differ.
type dimension struct {
	variable diagram.Variable
	is       property
	of       source // of a label: where it is found
	key      string // of a label; the name of a group; the text of a condition
	scope    string // of a condition
	count    int
}

type property uint8

const (
	theNamespace property = iota
	theLabel              // none, a mentioned value, any other
	otherLabels           // whether there are labels that no hook mentions
	theName               // any other, a mentioned name, none
	theUser               // any other, a mentioned user
	theGroup              // the user is not in the group, or is
	theDryRun             // it is not a dry run, or is one
	theCondition          // a condition that nothing else decides is true, is false, or fails, if it can
)

// Values of conditions.
const (
	isTrue = iota
	isFalse
	fails // unless it is known not to fail
)

// dimension returns the dimension that equals d, and adds it when it is first requested.
func (s *Space) dimension(d dimension) *dimension {
	key := fmt.Sprintf("%d %d %d %q %q", d.is, d.of, d.count, d.key, d.scope)
	if known, ok := s.byKey[key]; ok {
		return known
	}
	d.variable = s.diagrams.Variable(d.count)
	s.dimensions = append(s.dimensions, &d)
	s.byKey[key] = &d
	return &d
}

// label returns the dimension of a label. The dimensions of the new and the old object are neighbours in the order,
// since hooks look at both.
func (s *Space) label(of source, key string) *dimension {
	n := len(s.values[key]) + 2
	if of == stored {
		return s.dimension(dimension{is: theLabel, of: stored, key: key, count: n})
	}
	now := s.dimension(dimension{is: theLabel, of: current, key: key, count: n})
	old := s.dimension(dimension{is: theLabel, of: before, key: key, count: n})
	if of == before {
		return old
	}
	return now
}

// labelled returns the labels that a value of a label's dimension stands for: none, or the one label.
func (s *Space) labelled(key string, value int) labels.Set {
	known := s.values[key]
	switch {
	case value == 0:
		return nil
	case value <= len(known):
		return labels.Set{key: known[value-1]}
	}
	return labels.Set{key: unusedName("other", known)}
}

func (s *Space) name() *dimension {
	return s.dimension(dimension{is: theName, count: len(s.names) + 2})
}

// nameOf returns the name that a value of the dimension stands for.
func (s *Space) nameOf(value int) string {
	switch {
	case value == 0:
		return unusedName("example", s.names)
	case value <= len(s.names):
		return s.names[value-1]
	}
	return ""
}

// unusedName returns a name that is not one of those known.
func unusedName(name string, known []string) string {
	for n, base := 2, name; slices.Contains(known, name); n++ {
		name = fmt.Sprintf("%s-%d", base, n)
	}
	return name
}

// A place is a value of the dimension of namespaces.
type place struct {
	names  []string            // existing namespaces that no hook distinguishes; or the single one meant
	exists bool                // if not, it may have any labels
	partly bool                // not all worlds have it
	labels []map[string]string // by world, of the first, if it exists
}

// addNamespaces makes the dimension of namespaces, which is the first.
func (s *Space) addNamespaces() {
	kind := schema.GroupKind{Kind: "Namespace"}
	byName := map[string][]map[string]string{}
	for i, w := range s.worlds {
		for o := range w.State.List(kind, "") {
			ns, ok := o.Object.(*corev1.Namespace)
			if !ok {
				continue
			}
			if byName[ns.Name] == nil {
				byName[ns.Name] = make([]map[string]string, len(s.worlds))
			}
			byName[ns.Name][i] = ns.Labels
			if ns.Labels == nil {
				byName[ns.Name][i] = map[string]string{}
			}
		}
	}
	alike := map[string]int{}
	var partial []string // not in all worlds: these are the worst witnesses
	for _, name := range sortedKeys(byName) {
		if slices.ContainsFunc(byName[name], func(l map[string]string) bool { return l == nil }) {
			partial = append(partial, name)
			continue
		}
		s.addExisting(name, byName[name], false, alike)
	}
	s.places = append(s.places, place{names: []string{unusedName("elsewhere", slices.Concat(slices.Collect(maps.Keys(byName)), s.names, s.inhabited))}})
	for _, name := range sorted(slices.Concat(s.names, s.inhabited)) {
		if byName[name] == nil {
			s.places = append(s.places, place{names: []string{name}})
		}
	}
	for _, name := range partial {
		found := byName[name]
		for i := range found { // the other worlds get the labels that it has there
			if found[i] == nil {
				found[i] = found[slices.IndexFunc(found, func(l map[string]string) bool { return l != nil })]
			}
		}
		s.addExisting(name, found, true, alike)
	}
	s.namespaces = s.dimension(dimension{is: theNamespace, count: max(len(s.places), 1)})
}

// addExisting adds an existing namespace, to a place whose namespaces no hook distinguishes from it or as a new place.
func (s *Space) addExisting(name string, labels []map[string]string, partial bool, alike map[string]int) {
	key := fmt.Sprint(partial) + s.alike(name, labels)
	if at, ok := alike[key]; ok {
		s.places[at].names = append(s.places[at].names, name)
		return
	}
	alike[key] = len(s.places)
	s.places = append(s.places, place{[]string{name}, true, partial, labels})
}

// alike returns a key that is the same for namespaces which no hook distinguishes.
func (s *Space) alike(name string, found []map[string]string) string {
	var b strings.Builder
	if s.apart || slices.Contains(s.names, name) {
		b.WriteString(name)
	}
	for i, l := range found {
		for _, key := range sortedKeys(s.values) {
			if s.isName(i, key) {
				continue // as its name
			}
			if value, ok := l[key]; ok {
				fmt.Fprintf(&b, "|%d %q=%q", i, key, value)
			}
		}
		for _, e := range s.evaluators[i] {
			of := e.from(name)
			fmt.Fprintf(&b, "|%v %q", of.fails, of.scopes)
		}
	}
	return b.String()
}

// other returns the place of namespaces that no hook names and that do not exist.
func (s *Space) other() int {
	return slices.IndexFunc(s.places, func(p place) bool { return !p.exists })
}

// placeOf returns the place of a namespace.
func (s *Space) placeOf(name string) int {
	at := slices.IndexFunc(s.places, func(p place) bool { return slices.Contains(p.names, name) })
	if at < 0 {
		return s.other()
	}
	return at
}

// isName reports whether a label of namespaces is their name.
func (s *Space) isName(world int, key string) bool {
	return s.named[world] && key == corev1.LabelMetadataName
}

// namesNamespaces reports whether the namespaces of a cluster have their name as a label, as all have since 1.21.
func namesNamespaces(state *cluster.State) bool {
	for o := range state.List(schema.GroupKind{Kind: "Namespace"}, "") {
		if ns, ok := o.Object.(*corev1.Namespace); ok && ns.Labels[corev1.LabelMetadataName] != ns.Name {
			return false
		}
	}
	return true
}

// mentions collects what hooks distinguish.
type mentions struct{ *Space }

func (m *mentions) hook(world int, h *Hook) {
	if e := newEvaluator(m.worlds[world], h); !e.same {
		m.evaluators[world] = append(m.evaluators[world], e)
		m.inhabited = append(m.inhabited, e.namespaces...)
	}
	for _, c := range h.Criteria {
		m.selector(c.NamespaceSelector)
		m.selector(c.ObjectSelector)
		m.rules(c)
	}
	m.conditions(h)
}

func (m *mentions) selector(selector *metav1.LabelSelector) {
	if selector == nil {
		return
	}
	for key, value := range selector.MatchLabels {
		m.label(key, value)
	}
	for _, r := range selector.MatchExpressions {
		m.label(r.Key, r.Values...)
	}
}

func (m *mentions) label(key string, values ...string) {
	m.values[key] = append(m.values[key], values...)
	if key == corev1.LabelMetadataName {
		m.names = append(m.names, values...)
	}
}

func (m *mentions) rules(c matcher.Criteria) {
	for _, list := range [...][]ruleWithNames{c.Rules, c.ExcludeRules} {
		for _, r := range list {
			m.names = append(m.names, r.ResourceNames...)
		}
	}
}

func (m *mentions) sort() {
	for key, values := range m.values {
		m.values[key] = sorted(values)
	}
	m.names, m.users, m.inhabited = sorted(m.names), sorted(m.users), sorted(m.inhabited)
	m.names = slices.DeleteFunc(m.names, func(name string) bool { return name == "" })
}

func sorted(list []string) []string {
	slices.Sort(list)
	return slices.Compact(list)
}

func sortedKeys[T any](m map[string]T) []string { return slices.Sorted(maps.Keys(m)) }
