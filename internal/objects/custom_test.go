package objects_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/golden"
	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/internal/objects/kinds"
)

// TestRequests runs the requests in testdata/custom. A file has CRDs in its sections "crd", followed by pairs of a
// request and its answer ("want"). The name of a request has the form
//
//	create|update|patch Kind.version [name [subresource]] [strict]
//
// and a patch is a merge patch. An accepted request changes the stored object for the later requests of its file. The
// answers were given by a server; use -update for a new server.
func TestRequests(t *testing.T) {
	golden.Play(t, "testdata/custom/*.txtar", func(t *testing.T, a *golden.Archive) {
		s := newServer(t, a.Archive)
		a.Steps(t, func(name string, body []byte) string {
			if name == "crd" {
				return ""
			}
			return s.answer(t, name, body)
		})
	})
}

// A server does the steps of a write that belong to this package.
type server struct {
	served func(schema.GroupVersionKind) (objects.Resource, bool)
	types  *objects.Types
	stored map[string]runtime.Object // by kind and name
}

func newServer(t *testing.T, archive *txtar.Archive) *server {
	var crds []*apiextensionsv1.CustomResourceDefinition
	for _, f := range archive.Files {
		if f.Name == "crd" {
			crds = append(crds, parseCRD(t, string(f.Data)))
		}
	}
	served := serving(crds...)
	return &server{served: served, types: kinds.New(served, objects.Options{}), stored: map[string]runtime.Object{}}
}

func parseCRD(t testing.TB, data string) *apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	crd := &apiextensionsv1.CustomResourceDefinition{}
	if err := json.Unmarshal([]byte(data), crd); err != nil {
		t.Fatal(err)
	}
	return crd
}

// serving returns what a cluster with these CRDs serves.
func serving(crds ...*apiextensionsv1.CustomResourceDefinition) func(schema.GroupVersionKind) (objects.Resource, bool) {
	return func(gvk schema.GroupVersionKind) (objects.Resource, bool) {
		for _, crd := range crds {
			if gvk.Group != crd.Spec.Group || gvk.Kind != crd.Spec.Names.Kind {
				continue
			}
			for _, v := range crd.Spec.Versions {
				if v.Name == gvk.Version {
					return objects.Resource{Namespaced: crd.Spec.Scope == apiextensionsv1.NamespaceScoped, CRD: crd}, true
				}
			}
		}
		if gvk.Kind == "CustomResourceDefinition" {
			return objects.Resource{}, true
		}
		return objects.Resource{}, false
	}
}

// A refusal is the error about an invalid object.
type refusal struct{ errs field.ErrorList }

func (r refusal) Error() string { return r.errs.ToAggregate().Error() }

func (s *server) answer(t *testing.T, request string, body []byte) string {
	obj, warnings, err := s.do(t, request, body)
	var b strings.Builder
	for _, w := range warnings {
		fmt.Fprintf(&b, "warning: %s\n", w)
	}
	var status apierrors.APIStatus
	var invalid refusal
	switch {
	case errors.As(err, &invalid):
		m, _ := meta.Accessor(obj)
		kind := obj.GetObjectKind().GroupVersionKind().GroupKind()
		fmt.Fprintf(&b, "invalid: %s %q\n", kind, m.GetName())
		var lines []string
		for _, e := range invalid.errs {
			lines = append(lines, "  "+e.Error())
		}
		slices.Sort(lines)
		b.WriteString(strings.Join(lines, "\n") + "\n")
	case errors.As(err, &status):
		fmt.Fprintf(&b, "error: %d %s\n", status.Status().Code, err)
	case err != nil:
		t.Errorf("%s: %v", request, err)
	default:
		data, err := s.types.Encode(obj)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "%s\n", canonical(t, data))
	}
	return b.String()
}

// canonical sorts the members of objects, and removes what does not belong to this package.
func canonical(t testing.TB, data []byte) []byte {
	var v any
	d := json.NewDecoder(strings.NewReader(string(data)))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatal(err)
	}
	if m, ok := v.(map[string]any)["metadata"].(map[string]any); ok {
		delete(m, "resourceVersion")
	}
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		t.Fatal(err)
	}
	return []byte(strings.TrimSpace(b.String()))
}

func (s *server) do(t *testing.T, request string, body []byte) (runtime.Object, []string, error) {
	words := strings.Fields(request)
	strictness := objects.Warn
	if words[len(words)-1] == "strict" {
		strictness, words = objects.Strict, words[:len(words)-1]
	}
	verb, words := words[0], append(words[1:], "", "")
	kind, version, _ := strings.Cut(words[0], ".")
	name, subresource := words[1], words[2]
	gvk := schema.GroupVersionKind{Group: "crd.example.com", Version: version, Kind: kind}
	if kind == "CustomResourceDefinition" {
		gvk.Group = apiextensionsv1.GroupName
	}
	w := objects.Write{Resource: schema.GroupVersionResource{Group: gvk.Group, Version: version}, Kind: gvk, Name: name, Subresource: subresource}

	var old runtime.Object
	if verb != "create" {
		var err error
		if old, err = s.types.Served(s.stored[kind+" "+name], gvk); err != nil {
			t.Fatal(err)
		}
	}
	if verb == "patch" {
		body = mergePatch(t, old, body)
	}
	var warnings []string
	if r, _ := s.served(gvk); r.CRD != nil {
		if deprecated := objects.DeprecationWarning(r.CRD, version); deprecated != "" {
			warnings = append(warnings, deprecated)
		}
	}
	obj, more, err := s.types.Decode(bytes.TrimSpace(body), gvk, strictness)
	if err != nil {
		return nil, warnings, err
	}
	s.fillIn(t, obj, old, gvk)
	obj, err = s.write(obj, old, w)
	return obj, append(warnings, more...), err
}

// fillIn sets the metadata that earlier steps of a write set.
func (s *server) fillIn(t *testing.T, obj, old runtime.Object, gvk schema.GroupVersionKind) {
	m, err := meta.Accessor(obj)
	if err != nil {
		t.Fatal(err)
	}
	if m.GetName() == "" && m.GetGenerateName() != "" {
		m.SetName(m.GetGenerateName() + "xxxxx")
	}
	if r, _ := s.served(gvk); !r.Namespaced {
		m.SetNamespace("")
	}
	if old != nil {
		m.SetResourceVersion("1")
	}
}

func (s *server) write(obj, old runtime.Object, w objects.Write) (runtime.Object, error) {
	var errs field.ErrorList
	if old == nil {
		obj = s.types.PrepareForCreate(obj, w)
		errs = s.types.Validate(obj, w)
	} else {
		obj = s.types.PrepareForUpdate(obj, old, w)
		errs = s.types.ValidateUpdate(obj, old, w)
	}
	if len(errs) > 0 {
		return obj, refusal{errs}
	}
	stored, _, err := s.types.Stored(obj)
	if err != nil {
		return obj, err
	}
	m, err := meta.Accessor(stored)
	if err != nil {
		return obj, err
	}
	m.SetResourceVersion("1")
	s.stored[w.Kind.Kind+" "+m.GetName()] = stored
	return s.types.Served(stored, w.Kind)
}

func mergePatch(t *testing.T, old runtime.Object, patch []byte) []byte {
	before, err := json.Marshal(old)
	if err != nil {
		t.Fatal(err)
	}
	var doc, change any
	if err := json.Unmarshal(before, &doc); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(patch, &change); err != nil {
		t.Fatal(err)
	}
	merged, err := json.Marshal(merge(doc, change))
	if err != nil {
		t.Fatal(err)
	}
	return merged
}

// merge follows RFC 7386 literally.
func merge(target, patch any) any {
	p, ok := patch.(map[string]any)
	if !ok {
		return patch
	}
	object, ok := target.(map[string]any)
	if !ok {
		object = map[string]any{}
	}
	for name, value := range p {
		if value == nil {
			delete(object, name)
		} else {
			object[name] = merge(object[name], value)
		}
	}
	return object
}
