package bootstrap

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/admsim/admsim/pkg/kubeversion"
)

// A Table holds the roles and bindings of all releases, as listed in roles.txt. An object is a line with its kind and
// name and, for a binding, its role. The indented lines below it define its content:
//
//	ClusterRole system:basic-user
//		may create authorization.k8s.io selfsubjectaccessreviews,selfsubjectrulesreviews
//		may create authentication.k8s.io selfsubjectreviews @28-
//	ClusterRoleBinding system:basic-user system:basic-user
//		group system:authenticated
//
// The words of a rule are its verbs, groups, resources and names. @28- limits a line to Kubernetes 1.28 and later,
// +Gate to servers with that feature gate on.
type Table struct{ entries []*entry }

type entry struct {
	when
	kind, namespace, name string
	role                  string
	lines                 []line
}

type line struct {
	when
	what []string
}

// when limits a line to some releases and feature gates.
type when struct {
	releases kubeversion.Spans // empty: all
	gates    []string
}

func (w when) applies(minor int, on func(gate string) bool) bool {
	if len(w.releases) > 0 && !w.releases.Have(minor) {
		return false
	}
	return !slices.ContainsFunc(w.gates, func(g string) bool { return !on(g) })
}

// least is the minimum number of words in a line of each form.
var least = map[string]int{"label": 2, "aggregates": 2, "may": 4, "url": 3, "user": 2, "group": 2, "account": 2}

// ParseTable reads a table.
func ParseTable(text string) (*Table, error) {
	t := &Table{}
	n := 0
	for raw := range strings.Lines(text) {
		n++
		if raw = strings.TrimRight(raw, "\n"); raw == "" || raw[0] == '#' {
			continue
		}
		if err := t.add(raw); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
	}
	// Objects are listed by namespace and name.
	slices.SortStableFunc(t.entries, func(a, b *entry) int {
		return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(a.namespace, b.namespace), cmp.Compare(a.name, b.name))
	})
	return t, nil
}

func (t *Table) add(raw string) error {
	what, when, err := parseWhen(strings.Fields(raw))
	if err != nil {
		return err
	}
	if raw[0] == '\t' {
		if len(t.entries) == 0 || least[what[0]] == 0 || len(what) < least[what[0]] {
			return fmt.Errorf("%q says nothing", strings.TrimSpace(raw))
		}
		last := t.entries[len(t.entries)-1]
		last.lines = append(last.lines, line{when, what})
		return nil
	}
	e := &entry{when: when, kind: what[0], name: what[len(what)-1]}
	binds := strings.HasSuffix(e.kind, "Binding")
	switch {
	case !slices.Contains(Kinds(), e.kind):
		return fmt.Errorf("no kind %q", e.kind)
	case binds && len(what) == 3:
		e.name, e.role = what[1], what[2]
	case binds || len(what) != 2:
		return fmt.Errorf("%q names no object", raw)
	}
	if !strings.HasPrefix(e.kind, "Cluster") {
		e.namespace, e.name, _ = strings.Cut(e.name, "/")
	}
	t.entries = append(t.entries, e)
	return nil
}

// parseWhen cuts @28- and +Gate off the end of a line.
func parseWhen(words []string) (what []string, w when, err error) {
	for i, word := range words {
		switch word[0] {
		case '@':
			if w.releases, err = kubeversion.ParseSpans(word[1:]); err != nil {
				return nil, w, err
			}
		case '+':
			w.gates = append(w.gates, word[1:])
		default:
			what = words[:i+1]
		}
	}
	if what == nil {
		return nil, w, fmt.Errorf("nothing is said")
	}
	return what, w, nil
}
