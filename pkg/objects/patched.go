package objects

import (
	"encoding/json"
	"reflect"
	"slices"
	"strconv"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	kubejson "sigs.k8s.io/json"
	smdvalue "sigs.k8s.io/structured-merge-diff/v6/value"

	"github.com/admsim/admsim/internal/shallow"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/patch"
)

// Patch returns obj, which is of that kind, as a webhook's patch leaves it. text is its
// JSON, which a patch of few members needs none of. The result is not defaulted (W-210 ..
// W-214); the error's text is what the server says of it.
func (t *Types) Patch(obj runtime.Object, gvk schema.GroupVersionKind, p patch.Patch, text func() (json.RawMessage, error)) (runtime.Object, error) {
	if patched := t.patchMembers(obj, gvk, p); patched != nil {
		return patched, nil
	}
	doc, err := text()
	if err != nil {
		return nil, err
	}
	if doc, err = p.Apply(doc); err != nil {
		return nil, err
	}
	return t.Patched(doc, gvk)
}

// patchMembers patches those members of a built-in kind that the patch names, and leaves all
// others as they are, which is what writing and reading them makes of them as well. It is
// nil where the patch is about more, or does not apply.
func (t *Types) patchMembers(obj runtime.Object, gvk schema.GroupVersionKind, p patch.Patch) runtime.Object {
	if _, isTree := obj.(*unstructured.Unstructured); isTree || obj == nil || obj.GetObjectKind().GroupVersionKind() != gvk {
		return nil
	}
	names, ok := p.Members()
	if !ok || !t.options.Release.Has(kubeversion.OmitsZeroTimes) {
		return nil
	}
	patched := shallow.Copy(obj)
	content := reflect.ValueOf(patched).Elem()
	if content.Kind() != reflect.Struct {
		return nil
	}
	doc, ok := takeMembers(content, names)
	if !ok {
		return nil
	}
	doc, err := p.Apply(doc)
	if err != nil {
		return nil
	}
	if err := kubejson.UnmarshalCaseSensitivePreserveInts(doc, patched); err != nil {
		return nil
	}
	if !slices.Contains(names, "metadata") {
		if m, err := meta.Accessor(patched); err == nil {
			m.SetManagedFields(patch.WholeSeconds(m.GetManagedFields()))
		}
	}
	return patched
}

// takeMembers empties the fields of those names, and returns the JSON of what was in them.
func takeMembers(content reflect.Value, names []string) (doc []byte, ok bool) {
	fields := smdvalue.TypeReflectEntryOf(content.Type()).Fields()
	doc = append(doc, '{')
	for _, name := range names {
		f, known := fields[name]
		switch {
		case name == "kind" || name == "apiVersion":
			return nil, false
		case !known:
			continue // it stays unknown when it is read
		}
		field := f.GetFrom(content)
		if !field.CanAddr() {
			return nil, false
		}
		if !f.CanOmit(field) {
			text, err := json.Marshal(field.Addr().Interface())
			if err != nil {
				return nil, false
			}
			if len(doc) > 1 {
				doc = append(doc, ',')
			}
			doc = append(strconv.AppendQuote(doc, name), ':')
			doc = append(doc, text...)
		}
		field.SetZero()
	}
	return append(doc, '}'), true
}
