package convert

import (
	"cmp"
	"fmt"
	"path"
	"strings"

	"github.com/admsim/admsim/internal/scenario"
)

const gatorGroup = "test.gatekeeper.sh"

// A gatorSuite is a Suite of `gator verify`.
type gatorSuite struct {
	Metadata struct{ Name string }
	Skip     bool
	Tests    []gatorTest
}

type gatorTest struct {
	Name                 string
	Template, Constraint string
	Cases                []gatorCase
	Invalid, Skip        bool
}

type gatorCase struct {
	Name       string
	Object     string
	Inventory  []string
	Assertions []gatorAssertion
	Skip       bool
}

type gatorAssertion struct {
	Violations any // yes, no, or a number; nil: yes
	Message    string
}

// violations returns yes, no, or a number. YAML reads yes and no without quotes as booleans.
func (a gatorAssertion) violations() string {
	switch v := a.Violations.(type) {
	case nil:
		return "yes"
	case bool:
		if v {
			return "yes"
		}
		return "no"
	}
	return fmt.Sprint(a.Violations)
}

// gator converts Suites of gator whose templates are written in CEL.
func (c *conversion) gator() {
	for _, name := range c.tests {
		if !c.mentions(name, gatorGroup) {
			continue
		}
		for _, d := range c.documents(name) {
			if d.Group != gatorGroup || d.Kind != "Suite" {
				continue
			}
			var form gatorSuite
			if c.decode(d, &form) {
				c.gatorSuite(name, d, form)
			}
		}
	}
}

func (c *conversion) gatorSuite(file string, d document, form gatorSuite) {
	name := form.Metadata.Name
	if name == "" {
		name = path.Base(path.Dir(path.Join(c.place(file))))
	}
	var all []suite
	for i, test := range form.Tests {
		r := &gatorRun{conversion: c, file: file, doc: d, test: test, path: fmt.Sprintf("tests[%d]", i)}
		if s, ok := r.suite(name); ok {
			if form.Skip || test.Skip {
				for j := range s.Cases {
					s.Cases[j].Skip = "skipped in " + path.Base(file)
				}
			}
			all = append(all, s)
		}
	}
	c.suites(suiteName(file), all)
}

// A gatorRun is the state while a test is converted.
type gatorRun struct {
	*conversion
	file   string
	doc    document
	test   gatorTest
	path   string
	policy string
	checks int // number of validations of the policy
}

func (r *gatorRun) at(field string) scenario.Source { return r.doc.Position(r.path + "." + field) }

func (r *gatorRun) suite(name string) (suite, bool) {
	s := newSuite(name + "-" + r.test.Name)
	if r.test.Invalid {
		r.unsupported(r.at("invalid"), "", "test %q: a suite cannot test that a constraint is invalid", r.test.Name)
		return s, false
	}
	template, ok := r.one("template", r.test.Template)
	if !ok {
		return s, false
	}
	constraint, ok := r.one("constraint", r.test.Constraint)
	if !ok {
		return s, false
	}
	code, ok := r.code(template)
	if !ok {
		return s, false
	}
	r.policy, r.checks = gatorPolicyName(template, constraint), len(list(code, "validations"))
	policy, conditions := gatorPolicy(template, constraint, code)
	for _, key := range conditions {
		r.unsupported(constraint.Position("spec.match."+key), "", "%s: match.%s is not converted", constraint.Manifest, key)
	}
	if len(conditions) > 0 {
		return s, false
	}
	s.World.Objects = []any{scenario.ConstraintDefinition(template.object()), constraint.value, policy, gatorBinding(template, constraint)}
	used := map[string]bool{}
	var objects []document
	for i, one := range r.test.Cases {
		converted, ok := r.testCase(one, fmt.Sprintf("cases[%d]", i), &objects)
		if ok {
			converted.Name = unique(converted.Name, used)
			s.Cases = append(s.Cases, converted)
		}
	}
	s.World.Objects = append(s.World.Objects, namespacesOf(objects, nil)...)
	return s, true
}

// one reads a file that contains exactly one object.
func (r *gatorRun) one(key, name string) (document, bool) {
	full := r.beside(r.file, name, r.at(key))
	if full == "" {
		return document{}, false
	}
	return r.sole(full, r.at(key))
}

// code returns the CEL code of a template.
func (r *gatorRun) code(template document) (map[string]any, bool) {
	for _, target := range list(template.value, "spec", "targets") {
		for _, code := range list(target, "code") {
			if source, ok := at(code, "source").(map[string]any); ok && text(code, "engine") == "K8sNativeValidation" {
				return source, true
			}
		}
	}
	r.unsupported(template.Source, "only templates with code for the engine K8sNativeValidation are converted", "%s is written in Rego", template.Manifest)
	return nil, false
}

func (r *gatorRun) testCase(from gatorCase, path string, objects *[]document) (one testCase, ok bool) {
	one = testCase{Name: from.Name, from: r.at(path)}
	if from.Skip {
		one.Skip = "skipped in gator"
	}
	if len(from.Inventory) > 0 {
		r.unsupported(r.at(path+".inventory"), "", "case %q: CEL has no inventory", from.Name)
		return one, false
	}
	name := r.beside(r.file, from.Object, r.at(path+".object"))
	if name == "" {
		return one, false
	}
	object, ok := r.sole(name, r.at(path+".object"))
	if !ok {
		return one, false
	}
	if object.Kind != "AdmissionReview" || text(object.value, "request", "resource", "resource") != "" {
		r.keep(name)
	}
	if object.Kind == "AdmissionReview" {
		q := at(object.value, "request")
		object.Namespace = cmp.Or(text(q, "namespace"), text(q, "object", "metadata", "namespace"), text(q, "oldObject", "metadata", "namespace"))
	}
	*objects = append(*objects, object)
	switch {
	case object.Kind != "AdmissionReview":
		one.Request.Object = from.Object
	case text(object.value, "request", "resource", "resource") != "" && text(object.value, "request", "operation") != "":
		one.Request.File = from.Object
	default:
		if one.Request, ok = r.partial(object, path); !ok {
			return one, false
		}
	}
	one.Expect, ok = r.expect(from, path)
	return one, ok
}

// partial returns the request of a review in gator's form, which may have only an object, a user or an operation; an
// API server would have sent more.
func (r *gatorRun) partial(review document, path string) (q request, ok bool) {
	from := at(review.value, "request")
	q = request{Operation: text(from, "operation"), Object: r.whole(from, "object"), OldObject: r.whole(from, "oldObject"), User: userOf(at(from, "userInfo"))}
	switch {
	case q.Operation == "" && q.OldObject != nil && q.Object != nil:
		q.Operation = "UPDATE"
	case q.Operation == "" && q.OldObject != nil:
		q.Operation = "DELETE"
	}
	switch q.Operation {
	case "DELETE":
		if q.OldObject == nil {
			q.OldObject = q.Object
		}
		q.Object = nil
	case "CREATE", "":
		q.Operation = ""
	case "UPDATE":
	default:
		r.unsupported(r.at(path+".object"), "", "%s: operation %s", review.Manifest, q.Operation)
		return q, false
	}
	if q.Object == nil && q.OldObject == nil {
		r.unsupported(r.at(path+".object"), "give it an object, or name the resource", "the request of %s has neither an object nor a resource", review.Source)
		return q, false
	}
	return q, true
}

// whole returns an object of a review, with the kind that the review gives.
func (r *gatorRun) whole(request any, key string) any {
	object, ok := clone(at(request, key)).(map[string]any)
	if !ok {
		return nil
	}
	if text(object, "kind") == "" {
		object["kind"] = text(request, "kind", "kind")
	}
	if text(object, "apiVersion") == "" {
		object["apiVersion"] = strings.TrimPrefix(text(request, "kind", "group")+"/"+text(request, "kind", "version"), "/")
	}
	if meta := under(object, "metadata"); meta["name"] == nil && text(request, "name") != "" {
		meta["name"] = text(request, "name")
	}
	if meta := under(object, "metadata"); meta["namespace"] == nil && text(request, "namespace") != "" {
		meta["namespace"] = text(request, "namespace")
	}
	return object
}

// expect converts assertions to an expectation: an API server denies with the first violation, and does not say how
// many there are.
func (r *gatorRun) expect(from gatorCase, path string) (expect, bool) {
	e := expect{Allowed: new(true)}
	for i, a := range from.Assertions {
		place := r.at(fmt.Sprintf("%s.assertions[%d]", path, i))
		violations := a.violations()
		switch {
		case violations == "yes" || violations == "1" && r.checks == 1:
		case (violations == "no" || violations == "0") && a.Message == "":
			continue
		default:
			r.unsupported(place, "an API server reports only one violation", "case %q: %s violations of a template with %d validations cannot be counted", from.Name, violations, r.checks)
			return e, false
		}
		message := e.Message
		e = deniedBy(r.policy)
		e.Message = message
		if a.Message == "" {
			continue
		}
		if message != nil {
			r.unsupported(place, "an API server reports only one violation", "case %q: more than one message", from.Name)
			return e, false
		}
		expression := a.Message
		if after, anchored := strings.CutPrefix(expression, "^"); anchored {
			expression = "denied request: " + after
		}
		e.Message = map[string]any{"matches": expression}
	}
	return e, true
}
