package space

import (
	"context"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/space/diagram"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/expression"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/matcher"
	"github.com/admsim/admsim/pkg/trace"
)

// instance returns a request of the grid.
func (w World) instance(req admission.Request, state *cluster.State) Instance {
	return Instance{Request: req, Namespace: namespaceLabels(state, req.Namespace), Evaluate: func(text string, as schema.GroupVersionKind) (bool, error) {
		one := w.expressions().Conditions([]admissionregistrationv1.MatchCondition{{Name: "x", Expression: text}})
		is := one.Evaluate(context.Background(), expression.Input{Request: req, Resource: req.Resource, Kind: as, Object: req.Object, OldObject: req.OldObject})
		return is.Results != nil && is.Results[0].Value, is.Failure()
	}}
}

// With the smallest change to a request that a hook is not asked about, the matcher says that the hook is asked, and
// with no part of the change does it say so.
func TestSmallestChange(t *testing.T) {
	tried, several := 0, 0
	for seed := range uint64(1000) {
		g := newGenerator(seed)
		w := g.world()
		g.conditions = w.Release.Has(kubeversion.MatchConditions) && g.IntN(2) == 0
		hook := g.hook()
		s := New([]World{w}, []Hook{hook})
		region := s.Region(0, &hook).Asked
		for range 30 {
			req, state := g.request(&s.endpoints[g.endpoint(s)])
			parts := checkChange(t, s, region, &hook, req, state)
			if parts > 0 {
				tried++
			}
			if parts > 1 {
				several++
			}
		}
	}
	if tried < 1500 || several < 500 {
		t.Errorf("%d changes, %d of several parts, are too few for this test", tried, several)
	}
	t.Logf("%d changes, %d of several parts", tried, several)
}

// checkChange checks the smallest change to a request, and returns how many parts it has.
func checkChange(t *testing.T, s *Space, region Requests, hook *Hook, req admission.Request, state *cluster.State) (parts int) {
	t.Helper()
	w := s.worlds[0]
	o, in := newOracle(w, hook), w
	in.State = state
	c, ok := s.nearest(region, w.instance(req, state))
	if asked, _ := o.answer(req, in); !ok || asked {
		if ok && asked {
			t.Fatalf("%s\nhook %+v\nis asked, but there is a change %v", show(req), hook, c.words())
		}
		return 0
	}
	if slices.ContainsFunc(s.diagrams.Variables(c.set), func(v diagram.Variable) bool { return s.dimensions[v].is == theCondition }) {
		return 0 // its value may differ for the changed request
	}
	if changed, found := c.applied(w, state); true {
		if asked, _ := o.answer(changed, found); !asked {
			t.Fatalf("%s\nhook %+v\nis not asked about %s, with the change %v", show(req), hook, show(changed), c.words())
		}
	}
	for _, v := range sortedVariables(c.values) {
		part := c
		part.values = maps.Clone(c.values)
		delete(part.values, v)
		if len(part.values) == 0 {
			break
		}
		if asked, _ := o.answer(part.applied(w, state)); asked {
			t.Fatalf("%s\nhook %+v\nis asked without a part of the change %v", show(req), hook, c.words())
		}
	}
	return max(len(c.values), 1)
}

// applied returns the request with a change applied, and the world that it finds.
func (c *change) applied(w World, state *cluster.State) (admission.Request, World) {
	req := c.req
	now, old := maps.Clone(c.labels(current)), maps.Clone(labelsOf(req.OldObject))
	namespace := maps.Clone(c.namespace)
	set := func(labels *map[string]string, key string, value int) {
		if *labels == nil {
			*labels = map[string]string{}
		}
		delete(*labels, key)
		maps.Copy(*labels, c.labelled(key, value))
	}
	in := w
	in.State = state
	if value, ok := c.values[c.namespaces.variable]; ok {
		if p := &c.places[value]; p.exists {
			req.Namespace, namespace, in.State = p.names[0], nil, w.State
		} else {
			req.Namespace, in.State = p.names[0], w.State
		}
	}
	for v, value := range c.values {
		switch d := c.dimensions[v]; d.is {
		case theLabel:
			switch d.of {
			case stored:
				set(&namespace, d.key, value)
			case current:
				set(&now, d.key, value)
			case before:
				set(&old, d.key, value)
			}
		case theName:
			req.Name = c.nameOf(value)
		case theUser:
			req.User.Username = "somebody"
			if value > 0 {
				req.User.Username = c.users[value-1]
			}
		case theGroup:
			req.User.Groups = slices.DeleteFunc(slices.Clone(req.User.Groups), func(one string) bool { return one == d.key })
			if value == 1 {
				req.User.Groups = append(req.User.Groups, d.key)
			}
		case theDryRun:
			req.DryRun = value == 1
		case otherLabels:
			to := &now
			if d.of == before {
				to = &old
			}
			for key := range *to {
				if _, mentioned := c.Space.values[key]; !mentioned {
					delete(*to, key)
				}
			}
			if value == 1 {
				(*to)["unmentioned"] = "x"
			}
		}
	}
	if namespace != nil && !c.places[c.placeOf(req.Namespace)].exists {
		namespace[corev1.LabelMetadataName] = req.Namespace
		ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: req.Namespace, Labels: namespace}}
		ns.APIVersion, ns.Kind = "v1", "Namespace"
		in.State = in.State.With(cluster.Object{Object: ns})
	}
	if c.to.isNamespace() {
		req.Name = req.Namespace
		if now != nil {
			now[corev1.LabelMetadataName] = req.Name
		}
		old = namespaceLabels(in.State, req.Name)
		if c.to.Operation == admissionv1.Delete {
			now = old
		}
	}
	object := func(labels map[string]string) runtime.Object {
		return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: req.Name, Labels: labels}}
	}
	req.Operation = c.to.Operation
	req.Object, req.OldObject = nil, nil
	switch c.to.Operation {
	case admissionv1.Create:
		req.Object = object(now)
	case admissionv1.Update:
		req.Object, req.OldObject = object(now), object(old)
	case admissionv1.Delete:
		req.OldObject = object(now)
	case admissionv1.Connect:
		req.Object = &corev1.PodExecOptions{}
	}
	return req, in
}

// The reason of a matcher names what decides: as long as that does not change, no other change makes a difference.
func TestReasonsDecide(t *testing.T) {
	reasons := map[trace.Part]int{}
	for seed := range uint64(1500) {
		g := newGenerator(seed)
		w := g.world()
		g.conditions = w.Release.Has(kubeversion.MatchConditions) && g.IntN(2) == 0
		hook := g.hook()
		if hook.ParamKind != nil {
			continue // params are not the matcher's business
		}
		hook.Criteria = hook.Criteria[:1]
		hook.SideEffects = nil
		s := New([]World{w}, []Hook{hook})
		region := s.Region(0, &hook).Asked
		for range 40 {
			at := g.endpoint(s)
			req, state := g.request(&s.endpoints[at])
			if _, exists := w.State.Find(namespaceKey(req.Namespace)); exists && !s.endpoints[at].isNamespace() {
				continue // its labels cannot be chosen
			}
			reasons[checkReason(t, s, region, &hook, at, req, state)]++
		}
	}
	for _, part := range []trace.Part{trace.NamespaceSelector, trace.ObjectSelector, trace.Rules, trace.MatchPolicy, trace.MatchConditions, trace.ExcludeRules} {
		if reasons[part] < 5 {
			t.Errorf("%s decided %d requests, which is too few for this test", part, reasons[part])
		}
	}
	t.Log(reasons)
}

func namespaceKey(name string) cluster.Key {
	return cluster.Key{GroupKind: corev1.SchemeGroupVersion.WithKind("Namespace").GroupKind(), Name: name}
}

// checkReason checks the reason why a hook is asked about a request to an endpoint, or is not, and returns what
// decided.
func checkReason(t *testing.T, s *Space, region Requests, hook *Hook, at int, req admission.Request, state *cluster.State) trace.Part {
	t.Helper()
	e, w := &s.endpoints[at], s.worlds[0]
	if (&regionBuilder{Space: s, hook: hook}).exempt(e) {
		return ""
	}
	m := newOracle(w, hook).matchers[0]
	in := matcher.World{State: state, Resources: w.Resources, RulesFirst: !hook.Policy && !w.Release.Has(kubeversion.SelectorsFirst)}
	r := m.Match(req, in)
	if r.Applies {
		resource := req.Resource
		if hook.Policy {
			resource = r.Resource
		}
		r = m.Conditions(context.Background(), expression.Input{Request: req, Resource: resource, Kind: r.Kind, Object: req.Object, OldObject: req.OldObject}, r)
	}
	if r.Denial != nil {
		return ""
	}
	text := m.Explain(req, in, r)
	l := &locator{Space: s, req: req, namespace: namespaceLabels(state, req.Namespace), evaluate: w.instance(req, state).Evaluate}
	named := s.namedBy(text, r, hook, e)
	left := s.diagrams.Given(region[at], func(v diagram.Variable) (int, bool) {
		d := s.dimensions[v]
		if !named(d) {
			return 0, false
		}
		value, ok := l.value(d, e)
		if !ok {
			value = 0
		}
		return value, true
	})
	if left != decided(r.Applies) {
		t.Fatalf("%s\nhook %+v\n%q does not decide: asked %v, and something else would change that", show(req), hook, text, r.Applies)
	}
	s.checkAspect(t, region, hook, text, at, req)
	return r.Decided
}

var aspectNamed = regexp.MustCompile(`^rules: (operation|group|version|resource|scope) `)

// checkAspect checks a reason that names what no rule has: the hook is asked about no request that is like this one in
// that respect. With matchPolicy Equivalent, the resource may be matched in another form.
func (s *Space) checkAspect(t *testing.T, region Requests, hook *Hook, text string, at int, req admission.Request) {
	t.Helper()
	named := aspectNamed.FindStringSubmatch(text)
	if named == nil || hook.Criteria[0].MatchPolicy != nil && named[1] != "operation" {
		return
	}
	for i, set := range region {
		e := &s.endpoints[i]
		like := map[string]bool{
			"operation": e.Operation == req.Operation, "group": e.Resource.Group == req.Resource.Group, "version": e.Resource.Version == req.Resource.Version,
			"resource": e.Resource.Resource == req.Resource.Resource && e.Subresource == req.Subresource, "scope": e.Namespaced == s.endpoints[at].Namespaced,
		}
		if like[named[1]] && set != diagram.None {
			t.Fatalf("%s\nhook %+v\n%q, but it is asked about %+v", show(req), hook, text, e)
		}
	}
}

var labelsNamed = regexp.MustCompile(`(?:has|and) (?:no label ([^ ,]+)|([^ =,]+)=)`)

// namedBy reports which dimensions a reason names.
func (s *Space) namedBy(text string, r matcher.Result, hook *Hook, e *Endpoint) func(*dimension) bool {
	keys := func(of string) map[string]bool {
		found := map[string]bool{}
		for _, m := range labelsNamed.FindAllStringSubmatch(of, -1) {
			found[m[1]+m[2]] = true
		}
		return found
	}
	var ofNamespace, ofObject, ofOld map[string]bool
	namespaceNamed := false
	part := func(title, end string) string {
		_, found, _ := strings.Cut(text, title)
		if end != "" {
			found, _, _ = strings.Cut(found, end)
		}
		return found
	}
	object := func(text string) {
		now, old, _ := strings.Cut(text, "old object")
		if !strings.Contains(text, "old object") {
			old = ""
		}
		ofObject, ofOld = keys(now), keys(old)
		if e.Operation == admissionv1.Delete { // the only object is the old one
			ofObject = ofOld
		}
	}
	conditions := false
	switch {
	case r.Decided == trace.NamespaceSelector:
		ofNamespace, namespaceNamed = keys(text), true
	case r.Decided == trace.ObjectSelector:
		object(text)
	case r.Applies:
		if strings.Contains(text, "namespaceSelector matches") {
			ofNamespace, namespaceNamed = keys(part("namespaceSelector matches", ", objectSelector")), true
		}
		if strings.Contains(text, "objectSelector matches") {
			object(part("objectSelector matches", ", matchCondition"))
		}
		conditions = strings.Contains(text, "matchCondition")
	case r.Decided == trace.MatchConditions:
		conditions = true
	}
	names := slices.ContainsFunc(append(slices.Clone(hook.Criteria[0].Rules), hook.Criteria[0].ExcludeRules...), func(r ruleWithNames) bool { return len(r.ResourceNames) > 0 })
	var read map[diagram.Variable]bool
	if conditions {
		read = s.readBy(text, hook, e, r.Kind)
	}
	return func(d *dimension) bool {
		if read[d.variable] {
			return true
		}
		switch {
		case d.is == theNamespace:
			return namespaceNamed && (!e.isNamespace() || ofNamespace[corev1.LabelMetadataName]) || e.isNamespace() && (names || ofObject[corev1.LabelMetadataName] || ofOld[corev1.LabelMetadataName] || ofNamespace != nil || ofOld != nil)
		case d.is == theName:
			return names
		case d.is != theLabel:
			return false
		}
		switch d.of {
		case stored:
			return ofNamespace[d.key] || e.isNamespace() && ofOld[d.key]
		case current:
			return ofObject[d.key] || e.source(subject(0)) == current && ofNamespace[d.key]
		}
		return ofOld[d.key]
	}
}

var conditionNamed = regexp.MustCompile(`matchCondition "([^"]+)"`)

// readBy returns the variables of the conditions that a reason names; if it names several, of all conditions.
func (s *Space) readBy(text string, hook *Hook, e *Endpoint, kind schema.GroupVersionKind) map[diagram.Variable]bool {
	read := map[diagram.Variable]bool{}
	m := conditionNamed.FindStringSubmatch(text)
	for _, c := range hook.Conditions {
		if m != nil && m[1] != c.Name {
			continue
		}
		v := (&conditionReader{&regionBuilder{Space: s, hook: hook}, e, kind, ""}).condition(s.parsed(c.Expression))
		for _, set := range []diagram.Set{v.yes, v.no, v.fails} {
			for _, one := range s.diagrams.Variables(set) {
				read[one] = true
			}
		}
	}
	return read
}

// namespaceLabels returns the labels of a namespace in a cluster.
func namespaceLabels(state *cluster.State, name string) map[string]string {
	ns, _ := cluster.Get[*corev1.Namespace](state, corev1.SchemeGroupVersion.WithKind("Namespace").GroupKind(), "", name)
	if ns == nil {
		return nil
	}
	return ns.Labels
}
