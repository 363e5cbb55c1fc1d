package space

import (
	"fmt"
	"slices"
	"strings"

	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/space/diagram"
	"github.com/admsim/admsim/pkg/admission"
)

// An Instance is one request to a world, as hooks see it.
type Instance struct {
	Request   admission.Request
	Namespace map[string]string // the labels of its namespace

	// Evaluate returns the value of a condition for the request, seen as a kind. Nil: values are unknown.
	Evaluate func(text string, as schema.GroupVersionKind) (bool, error)
}

// Change returns the smallest change to a request that makes it one of r, as conditions in words: what would have to be
// true instead. It never changes the resource. ok is false if no such change exists, if the request is already one of
// r, or if it is unknown.
func (s *Space) Change(r Requests, of Instance) (conditions []string, ok bool) {
	c, ok := s.nearest(r, of)
	if !ok {
		return nil, false
	}
	return c.words(), true
}

// A change is a change of the endpoint and of values of dimensions.
type change struct {
	*locator
	set      diagram.Set // of r, at the endpoint
	from, to *Endpoint
	values   map[diagram.Variable]int
}

// cost returns the cost of changing a dimension. The labels of a namespace are what people change first.
func (d *dimension) cost() int {
	switch d.is {
	case theLabel:
		return 10
	case theDryRun:
		return 11
	case theUser, theGroup:
		return 12
	case theName, otherLabels:
		return 13
	case theNamespace:
		return 14
	}
	return 20
}

// otherOperation is the cost of sending another request.
const otherOperation = 100

func (s *Space) nearest(r Requests, of Instance) (c change, ok bool) {
	at := locator{Space: s, req: of.Request, namespace: of.Namespace, evaluate: of.Evaluate}
	at.noObjects = of.Request.Object == nil && of.Request.OldObject == nil
	is := slices.IndexFunc(s.endpoints, func(e Endpoint) bool {
		return e.Operation == at.req.Operation && e.Resource == at.req.Resource && e.Subresource == at.req.Subresource
	})
	if is < 0 {
		return c, false
	}
	least := 0
	for i := range s.endpoints {
		e := &s.endpoints[i]
		if e.Resource != at.req.Resource || e.Subresource != at.req.Subresource {
			continue
		}
		unknown := false
		cost := func(v diagram.Variable, value int) int {
			d := s.dimensions[v]
			has, known := at.value(d, &s.endpoints[is])
			switch {
			case d.is == theCondition && (i != is || of.Evaluate == nil || !known && d.count > fails): // its value may differ for another request
				unknown = true
			case at.noObjects && (d.is == theCondition || d.of == current || d.of == before):
				unknown = true
			}
			if has == value && known {
				return 0
			}
			return d.cost()
		}
		values, found := s.diagrams.Nearest(r[i], cost)
		if !found || unknown {
			continue
		}
		total := 0
		for v := range values {
			total += s.dimensions[v].cost()
		}
		if i != is {
			total += otherOperation
		}
		if !ok || total < least {
			c, ok, least = change{&at, r[i], &s.endpoints[is], e, values}, true, total
		}
	}
	return c, ok && least > 0
}

// words describes the changes.
func (c *change) words() (all []string) {
	if c.from != c.to {
		all = append(all, "it were "+article(c.to.Operation))
	}
	for _, v := range sortedVariables(c.values) {
		d := c.dimensions[v]
		// Other values may do as well, with the other changes as they are.
		does := func(value int) bool {
			return c.diagrams.Has(c.set, func(other diagram.Variable) int {
				if other == v {
					return value
				}
				if to, changed := c.values[other]; changed {
					return to
				}
				has, _ := c.value(c.dimensions[other], c.from)
				return has
			})
		}
		all = append(all, c.would(d, does))
	}
	return all
}

func article(o admissionv1.Operation) string {
	if o == admissionv1.Update {
		return "an UPDATE"
	}
	return "a " + string(o)
}

func sortedVariables(values map[diagram.Variable]int) []diagram.Variable {
	var all []diagram.Variable
	for v := range values {
		all = append(all, v)
	}
	slices.Sort(all)
	return all
}

// would describes what a dimension would have to be.
func (c *change) would(d *dimension, does func(value int) bool) string {
	switch d.is {
	case theLabel, otherLabels:
		var has, lacks []string
		if d.is == theLabel {
			(&words{Space: c.Space}).label(d, does, &has, &lacks)
		} else if does(1) {
			has = []string{"another label"}
		} else {
			lacks = []string{"no other labels"}
		}
		text := c.whose(d) + " had "
		if d.is == otherLabels {
			return text + strings.Join(append(has, lacks...), "")
		}
		switch {
		case len(has) == 0:
			return text + "no label " + lacks[0]
		case len(lacks) == 0:
			return text + "the label " + has[0]
		}
		return text + "the label " + has[0] + " but not " + lacks[0]
	case theNamespace:
		var in []string
		for value, p := range c.places {
			if does(value) && value != c.other() {
				in = append(in, p.names...)
			}
		}
		if does(c.other()) {
			return "it were in some other namespace"
		}
		return "it were in namespace " + few(in)
	case theName:
		return "it were named " + few(c.named(c.names, does)) + c.orElse(does, len(c.names)+1, "by the server")
	case theUser:
		if does(0) {
			return "somebody else sent it"
		}
		return few(c.named(c.users, does)) + " sent it"
	case theGroup:
		if does(1) {
			return "it were sent by a member of " + d.key
		}
		return "it were sent by a user who is not in " + d.key
	case theDryRun:
		if does(1) {
			return "it were a dry run"
		}
		return "it were not a dry run"
	}
	text := "`" + strings.Join(strings.Fields(d.key), " ") + "`"
	switch {
	case does(isTrue):
		return text + " were true"
	case does(isFalse):
		return text + " were false"
	}
	return text + " failed"
}

// named returns the names for which does is true; "otherwise" if it is true for any other name.
func (c *change) named(known []string, does func(int) bool) (names []string) {
	if does(0) {
		return []string{"otherwise"}
	}
	for i, name := range known {
		if does(i + 1) {
			names = append(names, name)
		}
	}
	return names
}

func (c *change) orElse(does func(int) bool, value int, text string) string {
	switch {
	case does(0) || !does(value):
		return ""
	case len(c.named(c.names, does)) == 0:
		return text
	}
	return " or " + text
}

// few returns a list of names that may be long.
func few(names []string) string {
	const most = 3
	if len(names) > most {
		return fmt.Sprintf("%s or %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return list(names, "or")
}

// whose returns what has a label.
func (c *change) whose(d *dimension) string {
	switch {
	case d.of == stored:
		return fmt.Sprintf("namespace %s", c.req.Namespace)
	case d.of == before, c.from.Operation == admissionv1.Delete:
		return "the old object"
	case c.from.Operation == admissionv1.Update:
		return "the new object"
	}
	return "the object"
}

// A locator finds the values of one request.
type locator struct {
	*Space
	req       admission.Request
	namespace map[string]string
	evaluate  func(text string, as schema.GroupVersionKind) (bool, error)
	noObjects bool // they are unknown
	values    map[*dimension]located
}

type located struct {
	value int
	known bool
}

// value returns the value that the request has in a dimension, at an endpoint. known is false if it has none.
func (l *locator) value(d *dimension, e *Endpoint) (value int, known bool) {
	if v, ok := l.values[d]; ok {
		return v.value, v.known
	}
	value, known = l.locate(d, e)
	if l.values == nil {
		l.values = map[*dimension]located{}
	}
	l.values[d] = located{value, known}
	return value, known
}

func (l *locator) locate(d *dimension, e *Endpoint) (value int, known bool) {
	switch d.is {
	case theNamespace:
		return l.placeOf(l.req.Namespace), true
	case theLabel:
		return l.valueOf(d.key, l.labels(d.of)), true
	case otherLabels:
		for key := range l.labels(d.of) {
			if _, mentioned := l.Space.values[key]; !mentioned {
				return 1, true
			}
		}
		return 0, true
	case theName:
		switch i := slices.Index(l.names, l.req.Name); {
		case l.req.Name == "":
			return len(l.names) + 1, true
		default:
			return i + 1, true
		}
	case theUser:
		return slices.Index(l.users, l.req.User.Username) + 1, true
	case theGroup:
		if slices.Contains(l.req.User.Groups, d.key) {
			return 1, true
		}
		return 0, true
	case theDryRun:
		if l.req.DryRun {
			return 1, true
		}
		return 0, true
	}
	return l.condition(d, e)
}

func (l *locator) condition(d *dimension, e *Endpoint) (value int, known bool) {
	params, as, _ := strings.Cut(d.scope, "\n")
	if params != "" || l.evaluate == nil {
		return fails, false
	}
	kind := e.Kind
	if as != "" {
		i := slices.IndexFunc(l.endpoints, func(e Endpoint) bool { return e.Kind.String() == as })
		if i < 0 {
			return fails, false
		}
		kind = l.endpoints[i].Kind
	}
	switch is, err := l.evaluate(d.key, kind); {
	case err != nil:
		return fails, d.count > fails
	case is:
		return isTrue, true
	}
	return isFalse, true
}

// labels returns the labels that a selector finds.
func (l *locator) labels(of source) map[string]string {
	switch {
	case of == stored:
		return l.namespace
	case of == before || l.req.Object == nil:
		return labelsOf(l.req.OldObject)
	}
	return labelsOf(l.req.Object)
}

func labelsOf(o any) map[string]string {
	if m, ok := o.(metav1.Object); ok {
		return m.GetLabels()
	}
	return nil
}
