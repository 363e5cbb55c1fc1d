package convert

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// vaptestKind is the kind of kube-vap-test's tests. Its predecessor vaptest has no kind.
const vaptestKind = "ValidatingAdmissionPolicyTest"

// A vaptestFile is a test definition of kube-vap-test, v1.31.
type vaptestFile struct {
	Metadata struct{ Name string }
	Spec     struct {
		Source struct {
			Type  string
			Files []string
		}
		IncludeParameters bool
		TestCases         []vaptestCase
	}
}

type vaptestCase struct {
	Name, Description         string
	Object, OldObject         any
	ObjectFile, OldObjectFile string
	Operation                 string
	Expected                  struct {
		Allowed                          bool
		Reason, Message, MessageContains string
	}
}

// vaptest converts test definitions of kube-vap-test.
func (c *conversion) vaptest() {
	for _, name := range c.tests {
		if !c.mentions(name, vaptestKind) {
			continue
		}
		var all []suite
		for _, d := range c.documents(name) {
			if d.Kind != vaptestKind {
				continue
			}
			r := &vaptestRun{conversion: c, file: name, doc: d}
			if s, ok := r.suite(); ok {
				all = append(all, s)
			}
		}
		c.suites(suiteName(name), all)
	}
}

// A vaptestRun is the state while a test definition is converted.
type vaptestRun struct {
	*conversion
	file     string
	doc      document
	policies []document
}

func (r *vaptestRun) suite() (suite, bool) {
	var form vaptestFile
	if !r.decode(r.doc, &form) {
		return suite{}, false
	}
	s := newSuite(form.Metadata.Name)
	if form.Spec.Source.Type == "cluster" {
		r.unsupported(r.doc.Position("spec.source.type"), "copy them with admsim snapshot, and name the files", "%s: its policies are those of a cluster", r.doc.Manifest)
		return s, false
	}
	found := sortPolicies(r.objects(r.sources(form.Spec.Source.Files)))
	for _, d := range found.others {
		if form.Spec.IncludeParameters || d.Kind == "CustomResourceDefinition" || d.Kind == "Namespace" {
			s.World.Objects = append(s.World.Objects, d.value)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(found.policy)) {
		policy := found.policy[name]
		bindings, ok := r.bindings(policy, found)
		if !ok {
			return s, false
		}
		r.policies = append(r.policies, policy)
		s.World.Objects = append(append(s.World.Objects, policy.value), bindings...)
	}
	if len(r.policies) == 0 {
		r.unsupported(r.doc.Position("spec.source.files"), "", "%s: no policies are in its files", r.doc.Manifest)
		return s, false
	}
	used := map[string]bool{}
	var objects []document
	for i, one := range form.Spec.TestCases {
		if converted, ok := r.testCase(one, fmt.Sprintf("spec.testCases[%d]", i)); ok {
			converted.Name = unique(converted.Name, used)
			s.Cases = append(s.Cases, converted)
			objects = append(objects, documentOf(about(converted.Request), r.doc.Source))
		}
	}
	s.World.Objects = append(s.World.Objects, namespacesOf(append(objects, found.others...), nil)...)
	return s, true
}

// sources returns the files that a test names relative to the folder in which kube-vap-test is run, which is assumed to
// be the folder that is converted. Some authors name them relative to the test.
func (r *vaptestRun) sources(names []string) (all []string) {
	for i, name := range names {
		from := "" // the folder that is converted
		if r.exists(path.Join(path.Dir(r.file), name)) && !r.exists(path.Clean(name)) {
			from = r.file
		}
		if full := r.beside(from, name, r.doc.Position(fmt.Sprintf("spec.source.files[%d]", i))); full != "" {
			all = append(all, full)
		}
	}
	return all
}

// exists reports whether a file exists in the folder that is converted.
func (r *vaptestRun) exists(name string) bool {
	if !fs.ValidPath(name) {
		return false
	}
	_, err := os.Stat(filepath.Join(r.root, filepath.FromSlash(name)))
	return err == nil
}

// bindings returns the bindings of a policy: kube-vap-test applies a policy without one to everything.
func (r *vaptestRun) bindings(policy document, found policies) (all []any, ok bool) {
	for _, b := range found.bindings[policy.Name] {
		all = append(all, b.value)
	}
	kind := kindOf(at(policy.value, "spec", "paramKind"))
	if len(all) > 0 {
		return all, true
	}
	if kind.Kind == "" {
		return []any{binding(policy, nil)}, true
	}
	for _, d := range found.others {
		if d.Kind == kind.Kind && d.Group == kind.Group {
			param := map[string]any{"name": d.Name}
			if d.Namespace != "" {
				param["namespace"] = d.Namespace
			}
			return []any{binding(policy, param)}, true
		}
	}
	r.unsupported(policy.Source, "name its file, or a binding", "%s: no %s is in the files of the test", policy.Manifest, kind.Kind)
	return nil, false
}

func (r *vaptestRun) testCase(from vaptestCase, path string) (one testCase, ok bool) {
	one = testCase{Name: from.Name, from: r.doc.Position(path)}
	object, there := r.object(from.Object, from.ObjectFile, path+".objectFile")
	old, thereBefore := r.object(from.OldObject, from.OldObjectFile, path+".oldObjectFile")
	if !there || !thereBefore {
		return one, false
	}
	operation := strings.ToUpper(from.Operation)
	switch operation {
	case "", "CREATE":
		operation, old = "CREATE", nil
	case "UPDATE":
		one.Request.Operation = operation
		if old == nil {
			r.unsupported(one.from, "", "case %q: an UPDATE without oldObject", from.Name)
			return one, false
		}
	case "DELETE": // deletes the object, which the policy sees as oldObject
		one.Request.Operation = operation
		if old == nil {
			old = object
		}
		object = nil
	default:
		r.unsupported(r.doc.Position(path+".operation"), "", "case %q: operation %s is not converted", from.Name, from.Operation)
		return one, false
	}
	one.Request.Object, one.Request.OldObject = object, old
	if about(one.Request) == nil {
		r.unsupported(one.from, "", "case %q: a test without object", from.Name)
		return one, false
	}
	one.Expect = r.expect(from, one, operation, path)
	return one, true
}

// object returns an object that is given inline, or in a file next to the test; nil if there is none.
func (r *vaptestRun) object(object any, file, path string) (any, bool) {
	if file == "" {
		return object, true
	}
	full := r.beside(r.file, file, r.doc.Position(path))
	if full == "" {
		return nil, false
	}
	d, ok := r.sole(full, r.doc.Position(path))
	return d.value, ok
}

// about returns the object that a request is about.
func about(r request) any {
	if r.Object != nil {
		return r.Object
	}
	return r.OldObject
}

func (r *vaptestRun) expect(from vaptestCase, one testCase, operation, path string) expect {
	if from.Expected.Allowed {
		return expect{Allowed: new(true)}
	}
	asked := 0
	for _, policy := range r.policies {
		if constrained(policy, about(one.Request), operation) {
			asked++
		}
	}
	if asked == 0 {
		r.warn(one.from, "correct matchConstraints, or expect that it is allowed",
			"kube-vap-test ignores matchConstraints, an API server does not: no policy matches what case %q is about", from.Name)
	}
	e := deniedBy("*")
	if len(r.policies) == 1 {
		e = deniedBy(r.policies[0].Name)
	}
	var parts []any
	for _, part := range []string{from.Expected.Message, from.Expected.MessageContains} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	if len(parts) > 0 {
		e.Message = map[string]any{"contains": parts}
	}
	switch reason := from.Expected.Reason; reason {
	case "", "FailedValidation", "MultipleViolations": // kube-vap-test's own values
	case "Unauthorized":
		e.Code = 401
	case "Forbidden":
		e.Code = 403
	case "RequestEntityTooLarge":
		e.Code = 413
	case "Invalid":
		e.Code = 422
	default:
		r.warn(r.doc.Position(path+".expected.reason"), "", "case %q: no policy can give the reason %q, which is left out", from.Name, reason)
	}
	return e
}
