package space

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/space/diagram"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/discovery"
	"github.com/admsim/admsim/pkg/expression"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/matcher"
)

var bruteRequests = flag.Int("brute", 200_000, "how many decisions of the matcher to compare the space with")

// Every request of a grid is in exactly the regions of the hooks that, according to the matcher, are asked about it or
// refuse it. The hooks are random, and the requests do not depend on the space.
func TestAgainstBruteForce(t *testing.T) {
	asks, refusals, params := 0, 0, 0
	for seed, left := uint64(0), *bruteRequests; left > 0; seed++ {
		g := newGenerator(seed)
		w := g.world()
		g.conditions = w.Release.Has(kubeversion.MatchConditions) && g.IntN(2) == 0
		hooks := make([]Hook, 1+g.IntN(6))
		for i := range hooks {
			hooks[i] = g.hook()
		}
		s := New([]World{w}, hooks)
		regions := make([]Region, len(hooks))
		var oracles []oracle
		for i := range hooks {
			regions[i] = s.Region(0, &hooks[i])
			oracles = append(oracles, newOracle(w, &hooks[i]))
		}
		for range 1000 {
			endpoint := g.endpoint(s)
			req, state := g.request(&s.endpoints[endpoint])
			in := w
			in.State = state
			at := func(v diagram.Variable) int { return s.locate(s.dimensions[v], &s.endpoints[endpoint], req, state) }
			for i := range hooks {
				wantAsked, wantRefused := oracles[i].answer(req, in)
				if wantAsked {
					asks++
				}
				if wantRefused {
					refusals++
				}
				if wantAsked && hooks[i].ParamRef != nil {
					params++
				}
				asked, refused := s.diagrams.Has(regions[i].Asked[endpoint], at), s.diagrams.Has(regions[i].Refused[endpoint], at)
				if asked != wantAsked || refused != wantRefused {
					t.Fatalf("seed %d: %s\nhook %+v\nthe space says asked %v, refused %v; the matcher asked %v, refused %v", seed, show(req), hooks[i], asked, refused, wantAsked, wantRefused)
				}
			}
			left -= len(hooks)
		}
	}
	if asks < *bruteRequests/100 || refusals < *bruteRequests/1000 || params < *bruteRequests/1000 {
		t.Errorf("of %d decisions, hooks are asked in %d, refuse in %d and are asked with params in %d: too few for this test", *bruteRequests, asks, refusals, params)
	}
	t.Logf("%d decisions: hooks are asked in %d and refuse in %d, are asked with params in %d", *bruteRequests, asks, refusals, params)
}

func show(req admission.Request) string {
	labels := func(o any) any {
		if m, ok := o.(metav1.Object); ok {
			return m.GetLabels()
		}
		return "-"
	}
	return fmt.Sprintf("%s %s/%s in %q, name %q, object %v, old object %v, dry run %v", req.Operation, req.Resource, req.Subresource, req.Namespace, req.Name, labels(req.Object), labels(req.OldObject), req.DryRun)
}

// An oracle asks the matcher about one hook.
type oracle struct {
	hook     *Hook
	matchers []*matcher.Matcher
}

func newOracle(w World, h *Hook) oracle {
	o := oracle{hook: h}
	for i, c := range h.Criteria {
		if i == 0 {
			c.Conditions, c.FailurePolicy = w.conditions(h, h.Conditions), h.FailurePolicy
		}
		o.matchers = append(o.matchers, matcher.Compile(c))
	}
	return o
}

// conditions compiles conditions of a hook.
func (w World) conditions(h *Hook, list []admissionregistrationv1.MatchCondition) *expression.Conditions {
	if h.ParamKind != nil {
		return w.expressions().Scope(nil, true).Conditions(list)
	}
	return w.expressions().Conditions(list)
}

// expressions returns the compiler of the world's release.
func (w World) expressions() *expression.Compiler {
	if compilers[w.Release.Version] == nil {
		compilers[w.Release.Version] = expression.New(w.Release)
	}
	return compilers[w.Release.Version]
}

var compilers = map[string]*expression.Compiler{}

func (o oracle) answer(req admission.Request, w World) (asked, refused bool) {
	_, exempt := matcher.ExemptFromPolicies(req)
	if !o.hook.Policy {
		_, exempt = matcher.ExemptFromWebhooks(req, w.Release)
	}
	if exempt == matcher.ExemptFromAll || exempt == matcher.ExemptFromAPI && !o.hook.Static {
		return false, false
	}
	if o.hook.Policy && o.hook.Mutating && req.Operation == admissionv1.Delete {
		return false, false
	}
	ignores := o.hook.FailurePolicy != nil && *o.hook.FailurePolicy == admissionregistrationv1.Ignore
	var first matcher.Result
	for i, m := range o.matchers {
		r := m.Match(req, matcher.World{State: w.State, Resources: w.Resources, RulesFirst: !o.hook.Policy && !w.Release.Has(kubeversion.SelectorsFirst)})
		switch {
		case r.Denial != nil:
			return false, !o.hook.Policy || !ignores
		case !r.Applies:
			return false, false
		}
		if i == 0 {
			first = r
			if o.hook.ParamKind != nil && o.hook.ParamKind.Kind == "Missing" {
				return false, !ignores
			}
		}
	}
	resource := req.Resource
	if o.hook.Policy {
		resource = first.Resource
	}
	params, ok := o.params(req.Namespace, w.State)
	if !ok {
		return false, !ignores
	}
	for _, param := range params {
		met := o.matchers[0].Conditions(context.Background(), expression.Input{Request: req, Resource: resource, Kind: first.Kind, Object: req.Object, OldObject: req.OldObject, Params: param}, first)
		asked, refused = asked || met.Applies, refused || met.Denial != nil
	}
	if !asked {
		return false, refused
	}
	if !o.hook.Policy && req.DryRun && o.hook.SideEffects != nil && *o.hook.SideEffects == admissionregistrationv1.SideEffectClassSome {
		return false, true
	}
	return true, refused
}

// params returns the params for a request from a namespace. ok is false if it fails.
func (o oracle) params(namespace string, s *cluster.State) (found []runtime.Object, ok bool) {
	kind, ref := o.hook.ParamKind, o.hook.ParamRef
	if kind == nil || ref == nil {
		return []runtime.Object{nil}, true
	}
	in := ref.Namespace
	switch {
	case kind.Kind == "Widgetn":
		if in != "" {
			return nil, false
		}
	case in == "" && namespace == "":
		return nil, false
	case in == "":
		in = namespace
	}
	for object := range s.All() {
		m := object.Object.(metav1.Object)
		if object.Object.GetObjectKind().GroupVersionKind().Kind != kind.Kind || m.GetNamespace() != in {
			continue
		}
		if ref.Selector == nil && m.GetName() == ref.Name || ref.Selector != nil && (len(ref.Selector.MatchLabels) == 0 || m.GetLabels()["a"] == "1") {
			found = append(found, object.Object)
		}
	}
	return found, len(found) > 0 || *ref.ParameterNotFoundAction == admissionregistrationv1.AllowAction
}

// locate returns the value that a request has in a dimension.
func (s *Space) locate(d *dimension, e *Endpoint, req admission.Request, state *cluster.State) int {
	if scope, as, _ := strings.Cut(d.scope, "\n"); d.is == theCondition && scope != "" {
		return s.locateWithParams(d, scope, as, e, req)
	}
	l := locator{Space: s, req: req, namespace: namespaceLabels(state, req.Namespace), evaluate: func(text string, as schema.GroupVersionKind) (bool, error) {
		one := s.worlds[0].expressions().Conditions([]admissionregistrationv1.MatchCondition{{Name: "x", Expression: text}})
		is := one.Evaluate(context.Background(), expression.Input{Request: req, Resource: req.Resource, Kind: as, Object: req.Object, OldObject: req.OldObject})
		return is.Results != nil && is.Results[0].Value, is.Failure()
	}}
	value, ok := l.value(d, e)
	if !ok && d.count == 2 { // it fails, and nothing depends on it
		return len(req.Name) % 2
	}
	return value
}

// locateWithParams returns the value of a condition that looks at the params of a scope.
func (s *Space) locateWithParams(d *dimension, scope, as string, e *Endpoint, req admission.Request) int {
	var parts [2]json.RawMessage
	object := &unstructured.Unstructured{}
	err := json.Unmarshal([]byte(scope), &parts)
	if err == nil && string(parts[1]) != "null" {
		err = object.UnmarshalJSON(parts[1])
	}
	if err != nil {
		panic(err)
	}
	kind := e.Kind
	if as != "" {
		kind = s.endpoints[slices.IndexFunc(s.endpoints, func(e Endpoint) bool { return e.Kind.String() == as })].Kind
	}
	in := expression.Input{Request: req, Resource: req.Resource, Kind: kind, Object: req.Object, OldObject: req.OldObject}
	if object.Object != nil {
		in.Params = object
	}
	is := s.worlds[0].conditions(&Hook{ParamKind: &admissionregistrationv1.ParamKind{}}, []admissionregistrationv1.MatchCondition{{Name: "x", Expression: d.key}}).Evaluate(context.Background(), in)
	switch {
	case is.Failure() != nil && d.count == 2: // nothing depends on it
		return len(req.Name) % 2
	case is.Failure() != nil:
		return fails
	case is.Results[0].Value:
		return isTrue
	}
	return isFalse
}

type generator struct {
	*rand.Rand
	made       World
	conditions bool // hooks may have conditions
	params     bool // conditions may look at params
}

func newGenerator(seed uint64) *generator { return &generator{Rand: rand.New(rand.NewPCG(seed, 29))} }

func one[T any](g *generator, list ...T) T { return list[g.IntN(len(list))] }

func some[T any](g *generator, list ...T) []T {
	picked := []T{one(g, list...)}
	for g.IntN(3) == 0 {
		picked = append(picked, one(g, list...))
	}
	return picked
}

var releases = []string{"1.19", "1.30", "1.37"}

func (g *generator) world() World {
	if g.made.State == nil {
		g.makeWorld()
	}
	return g.made
}

func (g *generator) makeWorld() {
	release, err := kubeversion.Parse(one(g, releases...))
	if err != nil {
		panic(err)
	}
	state := cluster.New(
		namespaceWith("shop", map[string]string{"a": "1", "team": "x"}), namespaceWith("shop-2", map[string]string{"a": "1", "team": "x"}),
		namespaceWith("plain", nil), namespaceWith("kube-system", map[string]string{"b": "2"}),
		widgets("example.com", "widgets", apiextensionsv1.NamespaceScoped), widgets("other.io", "namespaces", apiextensionsv1.ClusterScoped),
		widgets("third.io", "namespaces", apiextensionsv1.NamespaceScoped),
		limits("v1", "ConfigMap", "shop", "limits", nil), limits("v1", "ConfigMap", "kube-system", "limits", map[string]string{"a": "1"}),
		limits("v1", "ConfigMap", "kube-system", "more", map[string]string{"a": "1"}), limits("v1", "ConfigMap", "gone", "limits", nil),
		limits("other.io/v1", "Widgetn", "", "limits", nil), limits("other.io/v1", "Widgetn", "", "shop", map[string]string{"a": "1"}),
	)
	g.made = World{Release: release, State: state, Resources: discovery.New(release, state)}
}

func namespaceWith(name string, labels map[string]string) cluster.Object {
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{corev1.LabelMetadataName: name}}}
	for k, v := range labels {
		ns.Labels[k] = v
	}
	ns.APIVersion, ns.Kind = "v1", "Namespace"
	return cluster.Object{Object: ns}
}

// limits returns an object that policies may have as params.
func limits(version, kind, namespace, name string, labels map[string]string) cluster.Object {
	o := &unstructured.Unstructured{}
	o.SetAPIVersion(version)
	o.SetKind(kind)
	o.SetNamespace(namespace)
	o.SetName(name)
	o.SetLabels(labels)
	return cluster.Object{Object: o}
}

func widgets(group, plural string, scope apiextensionsv1.ResourceScope) cluster.Object {
	crd := &apiextensionsv1.CustomResourceDefinition{ObjectMeta: metav1.ObjectMeta{Name: plural + "." + group}}
	crd.APIVersion, crd.Kind = "apiextensions.k8s.io/v1", "CustomResourceDefinition"
	crd.Spec.Group, crd.Spec.Scope = group, scope
	crd.Spec.Names = apiextensionsv1.CustomResourceDefinitionNames{Plural: plural, Kind: "Widget" + plural[:1]}
	status := &apiextensionsv1.CustomResourceSubresources{Status: &apiextensionsv1.CustomResourceSubresourceStatus{}}
	crd.Spec.Versions = []apiextensionsv1.CustomResourceDefinitionVersion{
		{Name: "v1", Served: true, Storage: true, Subresources: status}, {Name: "v1beta1", Served: true}, {Name: "v0", Served: false, Subresources: status},
	}
	return cluster.Object{Object: crd}
}

func (g *generator) hook() Hook {
	h := Hook{Policy: g.IntN(3) == 0, Mutating: g.IntN(2) == 0, Static: g.IntN(8) == 0}
	if g.IntN(2) == 0 {
		h.FailurePolicy = new(one(g, admissionregistrationv1.Ignore, admissionregistrationv1.Fail))
	}
	h.Criteria = []matcher.Criteria{g.criteria(h.Policy)}
	switch {
	case h.Policy && g.IntN(2) == 0:
		h.Criteria = append(h.Criteria, g.criteria(true))
	case !h.Policy && g.IntN(2) == 0:
		h.SideEffects = new(one(g, admissionregistrationv1.SideEffectClassNone, admissionregistrationv1.SideEffectClassSome))
	}
	if g.params = h.Policy && g.IntN(2) == 0; g.params {
		h.ParamKind, h.ParamRef = g.paramRef()
		if g.IntN(2) == 0 { // nothing else decides
			h.Criteria = []matcher.Criteria{{NoRules: matcher.NoRules(true), NamespaceSelector: &metav1.LabelSelector{}, ObjectSelector: &metav1.LabelSelector{}}}
		}
	}
	if g.conditions && g.IntN(3) > 0 {
		for i := range 1 + g.IntN(2) {
			h.Conditions = append(h.Conditions, admissionregistrationv1.MatchCondition{Name: fmt.Sprint("c", i), Expression: g.expression(2)})
		}
	}
	return h
}

// paramRef returns which params a policy has under a binding.
func (g *generator) paramRef() (*admissionregistrationv1.ParamKind, *admissionregistrationv1.ParamRef) {
	kind := one(g, []string{"v1", "ConfigMap"}, []string{"v1", "ConfigMap"}, []string{"other.io/v1", "Widgetn"}, []string{"other.io/v1", "Missing"})
	ref := &admissionregistrationv1.ParamRef{Namespace: one(g, "", "", "", "shop", "plain"), ParameterNotFoundAction: new(one(g, admissionregistrationv1.AllowAction, admissionregistrationv1.DenyAction))}
	switch g.IntN(5) {
	case 0:
		ref = nil
	case 1, 2:
		ref.Name = one(g, "limits", "more", "shop")
	case 3:
		ref.Selector = &metav1.LabelSelector{}
	case 4:
		ref.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"a": "1"}}
	}
	return &admissionregistrationv1.ParamKind{APIVersion: kind[0], Kind: kind[1]}, ref
}

// expression returns a condition: most of what it compares splits the space, and some does not.
func (g *generator) expression(depth int) string {
	if depth > 0 && g.IntN(2) == 0 {
		a, b := g.expression(depth-1), g.expression(depth-1)
		return fmt.Sprintf(one(g, "(%s) && (%s)", "(%s) || (%s)", "!((%s) && (%s))", "(%[1]s) ? (%[2]s) : !(%[1]s)"), a, b)
	}
	if g.params && g.IntN(3) == 0 {
		return one(g, "has(params.metadata.labels)", "params.metadata.name == 'limits'", "params.metadata.name == request.name", "params.metadata.namespace == request.namespace", "params == null", "params != null && object.metadata.name.size() > 2")
	}
	object := one(g, "object", "oldObject")
	text := one(g, "'1'", "'2'", "'x'", "'shop'", "'web'", "'alice'", "'UPDATE'", "''")
	switch g.IntN(20) {
	case 16, 17, 18: // most of these never fail, or it is known where they do
		return g.certain()
	case 19:
		return one(g, "has(object.metadata.annotations)", "has(oldObject.metadata.annotations)", "has(object.spec)", "has(oldObject.metadata)", "has(request.userInfo.uid)")
	case 0:
		return fmt.Sprintf("request.operation %s 'UPDATE'", one(g, "==", "!="))
	case 1:
		return "request.operation in ['CREATE', 'DELETE']"
	case 2:
		return fmt.Sprintf("request.namespace %s %s", one(g, "==", "!="), text)
	case 3:
		return "request.name in ['web', 'shop', 'db']"
	case 4:
		return fmt.Sprintf("request.userInfo.username == %s", one(g, "'alice'", "'system:bob'"))
	case 5:
		return fmt.Sprintf("%s in request.userInfo.groups", one(g, "'admins'", "'system:masters'"))
	case 6:
		return one(g, "request.dryRun", "!request.dryRun", "request.dryRun == true")
	case 7:
		return object + " " + one(g, "==", "!=") + " null"
	case 8:
		return fmt.Sprintf("has(%s.metadata.labels)", object)
	case 9:
		return fmt.Sprintf("%s in %s.metadata.labels", one(g, "'a'", "'b'", "'kubernetes.io/metadata.name'"), object)
	case 10:
		return fmt.Sprintf("%s.metadata.labels%s %s %s", object, one(g, ".a", "['b']", "['team']"), one(g, "==", "!="), text)
	case 11:
		return fmt.Sprintf("%s.metadata.%s.orValue(%s) == %s", object, one(g, "?labels['a']", "?labels[?'a']", "?labels.a", "labels[?'b']"), text, text)
	case 12:
		return fmt.Sprintf("%s.%s('s')", one(g, "request.namespace", "request.name", "request.userInfo.username", "request.operation"), one(g, "startsWith", "endsWith", "contains", "matches"))
	case 13:
		return fmt.Sprintf("has(%s.metadata.labels.team)", object)
	case 14:
		return one(g, "has(request.subResource)", "request.subResource == 'status'", "request.kind.kind == 'Pod'", "request.resource.group == 'apps'", "request.requestResource.version == 'v1'", "request.name == request.resource.resource")
	}
	return one(g, "object.metadata.name.size() > 2", "object.metadata.name == request.name", "request.userInfo.groups.exists(g, g == 'admins')")
}

// certain returns a condition about texts.
func (g *generator) certain() string {
	text := func() string {
		return one(g, "request.userInfo.username", "request.name", "request.namespace", "request.resource.resource", "request.kind.kind", "object.metadata.labels.a", "request.subResource", "'shop'",
			"object.metadata.?labels['b'].orValue('s')", "request.name.lowerAscii()", "request.userInfo.username.split(':')[0]", "request.userInfo.groups.filter(g, g != 'admins').join('-')")
	}
	switch g.IntN(7) {
	case 0:
		return fmt.Sprintf("%s.%s(%s)", text(), one(g, "startsWith", "endsWith", "contains"), text())
	case 1:
		return fmt.Sprintf("%s.matches(%s)", text(), one(g, "'^s'", "'[ab]$'", "request.name"))
	case 2:
		return fmt.Sprintf("size(%s) > %d", text(), g.IntN(8))
	case 3:
		return fmt.Sprintf("%s %s %s", text(), one(g, "==", "!=", "<", ">="), text())
	case 4:
		return fmt.Sprintf("request.userInfo.groups.%s(g, g.%s(%s))", one(g, "exists", "all", "exists_one"), one(g, "startsWith", "contains", "matches"), one(g, "'s'", "'adm'", text()))
	case 5:
		return fmt.Sprintf("%s in [%s, %s]", text(), one(g, "request.name", "request.userInfo.username"), one(g, "'shop'", "request.namespace"))
	}
	return fmt.Sprintf("(%s == %s) == (%s.size() < 5 || request.dryRun)", text(), text(), text())
}

func (g *generator) criteria(policy bool) matcher.Criteria {
	c := matcher.Criteria{NoRules: matcher.NoRules(policy), Rules: g.rules(policy), NamespaceSelector: g.selector(), ObjectSelector: g.selector()}
	if policy && g.IntN(3) == 0 {
		c.ExcludeRules = g.rules(true)
	}
	if g.IntN(2) == 0 {
		c.MatchPolicy = new(admissionregistrationv1.Equivalent)
	}
	return c
}

func (g *generator) rules(names bool) (all []ruleWithNames) {
	for range g.IntN(4) {
		r := ruleWithNames{RuleWithOperations: admissionregistrationv1.RuleWithOperations{
			Operations: some(g, admissionregistrationv1.OperationAll, admissionregistrationv1.Create, admissionregistrationv1.Update, admissionregistrationv1.Delete, admissionregistrationv1.Connect),
			Rule: admissionregistrationv1.Rule{
				APIGroups:   some(g, "*", "*", "", "apps", "autoscaling", "example.com", "admissionregistration.k8s.io"),
				APIVersions: some(g, "*", "v1", "v1beta1", "v2"),
				Resources:   some(g, "*", "*/*", "pods", "namespaces", "namespaces/*", "pods/exec", "*/status", "deployments/scale", "widgets", "horizontalpodautoscalers"),
			},
		}}
		if g.IntN(3) == 0 {
			r.Scope = new(one(g, admissionregistrationv1.AllScopes, admissionregistrationv1.NamespacedScope, admissionregistrationv1.ClusterScope))
		}
		if names && g.IntN(3) == 0 {
			r.ResourceNames = some(g, "shop", "web", "plain", "gone")
		}
		all = append(all, r)
	}
	return all
}

func (g *generator) selector() *metav1.LabelSelector {
	if g.IntN(20) == 0 {
		return nil
	}
	s := &metav1.LabelSelector{}
	if g.IntN(3) == 0 {
		s.MatchLabels = map[string]string{one(g, "a", "b"): one(g, "1", "2", "")}
	}
	for range g.IntN(3) {
		r := metav1.LabelSelectorRequirement{
			Key:      one(g, "a", "b", "team", corev1.LabelMetadataName),
			Operator: one(g, metav1.LabelSelectorOpIn, metav1.LabelSelectorOpNotIn, metav1.LabelSelectorOpExists, metav1.LabelSelectorOpDoesNotExist),
		}
		if r.Operator == metav1.LabelSelectorOpIn || r.Operator == metav1.LabelSelectorOpNotIn {
			r.Values = some(g, "1", "2", "shop", "kube-system", "gone")
		}
		if g.IntN(40) == 0 {
			r.Operator = "Near"
		}
		s.MatchExpressions = append(s.MatchExpressions, r)
	}
	return s
}

func (g *generator) labels() map[string]string {
	l := map[string]string{}
	for range g.IntN(4) {
		l[one(g, "a", "b", "team", "unknown")] = one(g, "1", "2", "x", "3", "")
	}
	return l
}

// endpoint picks any endpoint, but mostly one that rules name.
func (g *generator) endpoint(s *Space) int {
	for {
		i := g.IntN(len(s.endpoints))
		switch s.endpoints[i].Resource.Resource {
		case "pods", "namespaces", "deployments", "widgets", "horizontalpodautoscalers", "validatingwebhookconfigurations":
			return i
		}
		if g.IntN(8) == 0 {
			return i
		}
	}
}

// request returns a request to an endpoint, and the cluster that it finds.
func (g *generator) request(e *Endpoint) (admission.Request, *cluster.State) {
	req := admission.Request{Operation: e.Operation, Resource: e.Resource, Subresource: e.Subresource, Kind: e.Kind, DryRun: g.IntN(3) == 0}
	req.Name = one(g, "web", "db", "gone", "shop", "")
	req.User.Username, req.User.Groups = one(g, "alice", "system:bob", "carol"), some(g, "admins", "system:masters", "others")
	state := g.world().State
	if e.Namespaced || e.isNamespace() {
		req.Namespace = one(g, "shop", "shop-2", "plain", "kube-system", "gone", "new")
		if _, exists := state.Find(cluster.Key{GroupKind: corev1.SchemeGroupVersion.WithKind("Namespace").GroupKind(), Name: req.Namespace}); !exists {
			state = state.With(namespaceWith(req.Namespace, g.labels()))
		}
	}
	if e.isNamespace() {
		req.Name = req.Namespace
	}
	object := func() *corev1.ConfigMap {
		o := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: req.Name, Labels: g.labels()}}
		if e.isNamespace() {
			o.Labels[corev1.LabelMetadataName] = req.Name
		}
		return o
	}
	old := object()
	if e.isNamespace() {
		ns, _ := cluster.Get[*corev1.Namespace](state, corev1.SchemeGroupVersion.WithKind("Namespace").GroupKind(), "", req.Name)
		old.Labels = ns.Labels
	}
	switch e.Operation {
	case admissionv1.Create:
		req.Object = object()
	case admissionv1.Update:
		req.Object, req.OldObject = object(), old
	case admissionv1.Delete:
		req.OldObject = old
	case admissionv1.Connect:
		req.Object = &corev1.PodExecOptions{}
	}
	return req, state
}

// Lines describe all of a region and nothing else, and each has a witness that behaves as the region says.
func TestLines(t *testing.T) {
	witnesses := 0
	for seed := range uint64(250) {
		g := newGenerator(seed)
		w := g.world()
		g.conditions = w.Release.Has(kubeversion.MatchConditions)
		hooks := []Hook{g.hook(), g.hook()}
		s := New([]World{w}, hooks)
		first, second := s.Region(0, &hooks[0]), s.Region(0, &hooks[1])
		for name, r := range map[string]Requests{"asked": first.Asked, "refused": first.Refused, "asked and not the second": s.Minus(first.Asked, second.Asked)} {
			together := s.Nothing()
			for _, line := range s.Lines(r, Whole{Of: &hooks[0]}) {
				if !s.Minus(line.Requests, r).IsEmpty() {
					t.Fatalf("seed %d, %s: %q has requests that are not in the region\nhooks %+v", seed, name, line, hooks)
				}
				together = s.Or(together, line.Requests)
				found, ok := s.Witness(line.Requests)
				if !ok {
					t.Fatalf("seed %d, %s: %q has no witness\nhooks %+v", seed, name, line, hooks)
				}
				if len(found.Open) > 0 {
					continue // nobody knows how to meet it
				}
				witnesses++
				req, in := found.asked(t, w)
				asked, refused := newOracle(w, &hooks[0]).answer(req, in)
				other, _ := newOracle(w, &hooks[1]).answer(req, in)
				if (name == "refused") != refused || (name != "refused") != asked || name == "asked and not the second" && other {
					t.Fatalf("seed %d, %s: witness %s of %q: asked %v, refused %v; the second hook %v\nhooks %+v", seed, name, show(req), line, asked, refused, other, hooks)
				}
			}
			if !s.Minus(r, together).IsEmpty() {
				t.Fatalf("seed %d, %s: lines miss requests: %q\nhooks %+v", seed, name, s.Lines(s.Minus(r, together), Whole{}), hooks)
			}
		}
	}
	if witnesses < 400 {
		t.Errorf("%d witnesses are too few for this test", witnesses)
	}
}

// asked returns a witness as a request, and the cluster that it is for.
func (w Witness) asked(t *testing.T, in World) (admission.Request, World) {
	r := w.Review.Request
	req := admission.Request{
		Operation: r.Operation, Resource: schema.GroupVersionResource(r.Resource), Subresource: r.SubResource, Kind: schema.GroupVersionKind(r.Kind),
		Namespace: r.Namespace, Name: r.Name, DryRun: *r.DryRun, User: r.UserInfo,
	}
	read := func(raw []byte) runtime.Object {
		switch {
		case raw == nil:
			return nil
		case r.Operation == admissionv1.Connect:
			return &corev1.PodExecOptions{}
		}
		o := &metav1.PartialObjectMetadata{}
		if err := json.Unmarshal(raw, o); err != nil {
			t.Fatal(err)
		}
		return o
	}
	req.Object, req.OldObject = read(r.Object.Raw), read(r.OldObject.Raw)
	if w.Namespace != nil {
		in.State = in.State.With(cluster.Object{Object: w.Namespace})
	}
	return req, in
}
