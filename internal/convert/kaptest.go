package convert

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	admissionv1 "k8s.io/api/admission/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/matcher"
)

// A kaptestFile is a test manifest of kaptest, of v0.2 or, with the second set of keys, of v0.1.
type kaptestFile struct {
	Policies  []string
	Resources []string
	CRDs      []string `json:"crds"`

	VapTestSuites, MapTestSuites []kaptestSuite

	ValidatingAdmissionPolicies []string
	TestSuites                  []kaptestSuite
}

type kaptestSuite struct {
	Policy  string
	Binding string
	Tests   []kaptestCase
}

type kaptestCase struct {
	Object, OldObject, ExpectObject kaptestName
	Param                           kaptestName
	UserInfo                        any
	Expect                          string
	DeniedMessage                   string
	DisableNameOverwrite            bool
}

type kaptestName struct{ Group, Version, Kind, Namespace, Name string }

func (n kaptestName) given() bool { return n.Name != "" }

// String returns the name in kaptest's notation.
func (n kaptestName) String() string {
	if n.Namespace != "" {
		return n.Kind + ":" + n.Namespace + "/" + n.Name
	}
	return n.Kind + ":" + n.Name
}

// kaptest converts test manifests of kaptest.
func (c *conversion) kaptest() {
	for _, name := range c.tests {
		if !c.mentions(name, "estSuites:") {
			continue
		}
		for _, d := range c.documents(name) {
			o := d.object()
			if o["kind"] == nil && (o["vapTestSuites"] != nil || o["mapTestSuites"] != nil || o["testSuites"] != nil) {
				c.kaptestFile(name, d)
			}
		}
	}
}

// A kaptestRun is the state while a test manifest is converted.
type kaptestRun struct {
	*conversion
	file      string
	doc       document
	policies  policies
	resources []document
	crds      []document
}

func (c *conversion) kaptestFile(name string, d document) {
	r := &kaptestRun{conversion: c, file: name, doc: d}
	var form kaptestFile
	if !c.decode(d, &form) {
		return
	}
	r.policies = sortPolicies(c.objects(append(r.named("policies", form.Policies), r.named("validatingAdmissionPolicies", form.ValidatingAdmissionPolicies)...)))
	r.resources = c.objects(r.named("resources", form.Resources))
	r.crds = c.objects(r.named("crds", form.CRDs))
	var all []suite
	for _, list := range []struct {
		key    string
		suites []kaptestSuite
	}{{"vapTestSuites", form.VapTestSuites}, {"testSuites", form.TestSuites}, {"mapTestSuites", form.MapTestSuites}} {
		for i, one := range list.suites {
			all = append(all, r.suite(one, fmt.Sprintf("%s[%d]", list.key, i)))
		}
	}
	slices.SortStableFunc(all, func(a, b suite) int { return strings.Compare(a.Metadata.Name, b.Metadata.Name) })
	c.suites(suiteName(name), all)
}

func (r *kaptestRun) named(key string, names []string) (all []string) {
	for i, name := range names {
		at := r.doc.Position(fmt.Sprintf("%s[%d]", key, i))
		if strings.HasPrefix(name, "https://") {
			r.unsupported(at, "download it, and name the file", "%s is not fetched", name)
			continue
		}
		if full := r.beside(r.file, name, at); full != "" {
			all = append(all, full)
		}
	}
	return all
}

// suite returns a suite with the policy in its world, bound to everything: kaptest ignores bindings.
func (r *kaptestRun) suite(from kaptestSuite, path string) suite {
	s := newSuite(from.Policy)
	policy, ok := r.policies.policy[from.Policy]
	if !ok {
		r.unsupported(r.doc.Position(path), "", "there is no policy %q", from.Policy)
		return s
	}
	s.World.Objects = append(s.World.Objects, policy.value)
	if at(policy.value, "spec", "paramKind") == nil {
		s.World.Objects = append(s.World.Objects, binding(policy, nil))
	}
	for _, d := range r.crds {
		s.World.Objects = append(s.World.Objects, d.value)
	}
	s.World.Objects = append(s.World.Objects, namespacesOf(r.resources, nil)...)
	params := kindOf(at(policy.value, "spec", "paramKind"))
	for _, d := range r.resources {
		if d.Kind == "Namespace" || (params.Kind != "" && d.Kind == params.Kind) {
			s.World.Objects = append(s.World.Objects, d.value)
		}
	}
	used := map[string]bool{}
	for i, t := range from.Tests {
		if one, ok := r.testCase(policy, t, fmt.Sprintf("%s.tests[%d]", path, i)); ok {
			one.Name = unique(one.Name, used)
			s.Cases = append(s.Cases, one)
		}
	}
	return s
}

func (r *kaptestRun) testCase(policy document, t kaptestCase, path string) (one testCase, ok bool) {
	one.from = r.doc.Position(path)
	object, there := r.find(t.Object, path+".object")
	old, thereBefore := r.find(t.OldObject, path+".oldObject")
	if !there || !thereBefore {
		return one, false
	}
	one.Request = request{Object: object, OldObject: old, User: userOf(t.UserInfo)}
	operation, subject := "CREATE", t.Object
	switch {
	case old != nil && object != nil:
		operation = "UPDATE"
	case old != nil:
		operation, subject = "DELETE", t.OldObject
	case object == nil:
		r.unsupported(one.from, "", "a test without object and oldObject")
		return one, false
	}
	if operation != "CREATE" {
		one.Request.Operation = operation
	}
	one.Name = fmt.Sprintf("%s %s %s", operation, subject, t.Expect)
	about := object
	if about == nil {
		about = old
	}
	if t.Expect != "skip" && !constrained(policy, about, operation) {
		r.warn(one.from, "correct matchConstraints, or expect skip", "kaptest ignores matchConstraints, an API server does not: policy %q does not match %s of %s", policy.Name, operation, subject)
	}
	if at(policy.value, "spec", "paramKind") != nil {
		param := map[string]any{"name": t.Param.Name}
		if t.Param.Namespace != "" {
			param["namespace"] = t.Param.Namespace
		}
		if !t.Param.given() {
			r.unsupported(one.from, "", "a policy with params needs one")
			return one, false
		}
		one.Override = &world{Objects: []any{binding(policy, param)}}
	}
	one.Expect, ok = r.expect(policy, t, path)
	return one, ok
}

// constrained reports whether the rules of a policy match an operation on an object. The resource is guessed from the
// kind.
func constrained(policy document, object any, operation string) bool {
	var constraints admissionregistrationv1.MatchResources
	text, err := json.Marshal(at(policy.value, "spec", "matchConstraints"))
	if err != nil || json.Unmarshal(text, &constraints) != nil {
		return true // reported by the server
	}
	kind := kindOf(object)
	resource, _ := meta.UnsafeGuessKindToResource(kind)
	var of metav1.PartialObjectMetadata
	if text, err = json.Marshal(object); err != nil || json.Unmarshal(text, &of) != nil {
		return true
	}
	known := func(rules []admissionregistrationv1.NamedRuleWithOperations) []admissionregistrationv1.NamedRuleWithOperations {
		for i := range rules {
			if constraints.MatchPolicy == nil || *constraints.MatchPolicy != admissionregistrationv1.Exact {
				rules[i].APIVersions = []string{"*"} // all versions are equivalent
			}
			if of.Namespace == "" {
				rules[i].Scope = nil // the suite has a namespace for it, if its kind is namespaced
			}
		}
		return rules
	}
	all := &metav1.LabelSelector{}
	rules := matcher.Criteria{
		Rules: known(constraints.ResourceRules), ExcludeRules: known(constraints.ExcludeResourceRules), NamespaceSelector: all, ObjectSelector: all,
	}
	return matcher.Compile(rules).Match(admission.Request{
		Operation: admissionv1.Operation(operation), Resource: resource, Kind: kind, Namespace: of.Namespace, Name: of.Name,
	}, matcher.World{}).Applies
}

func (r *kaptestRun) expect(policy document, t kaptestCase, path string) (expect, bool) {
	switch t.Expect {
	case "admit":
		return called(policy.Name), true
	case "deny":
		e := deniedBy(policy.Name)
		if t.DeniedMessage != "" {
			e.Message = map[string]any{"contains": t.DeniedMessage}
		}
		return e, true
	case "skip":
		if policy.Kind == "MutatingAdmissionPolicy" { // it may have nothing left to change
			return expect{Allowed: new(true)}, true
		}
		return notCalled(policy.Name), true
	case "error":
		if text(policy.value, "spec", "failurePolicy") == "Ignore" {
			return expect{Allowed: new(true)}, true
		}
		return deniedBy(policy.Name), true
	case "mutate":
		want, there := r.find(t.ExpectObject, path+".expectObject")
		if !there || want == nil {
			return expect{}, false
		}
		part := clone(want).(map[string]any)
		if meta, ok := part["metadata"].(map[string]any); ok && !t.DisableNameOverwrite {
			delete(meta, "name")
		}
		e := called(policy.Name)
		e.Object = map[string]any{"contains": part}
		return e, true
	}
	r.unsupported(r.doc.Position(path+".expect"), "", "expect %q is not converted", t.Expect)
	return expect{}, false
}

// find returns the resource that a test names, nil if it names none.
func (r *kaptestRun) find(n kaptestName, path string) (any, bool) {
	if !n.given() {
		return nil, true
	}
	for _, d := range r.resources {
		if d.Kind == n.Kind && d.Name == n.Name && (n.Namespace == "" || n.Namespace == d.Namespace) &&
			(n.Group == "" || n.Group == d.Group && (n.Version == "" || n.Version == d.Version)) {
			return d.value, true
		}
	}
	r.unsupported(r.doc.Position(path), "", "there is no %s among the resources", n)
	return nil, false
}
