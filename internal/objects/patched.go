package objects

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	jsonserializer "k8s.io/apimachinery/pkg/runtime/serializer/json"
	kubejson "sigs.k8s.io/json"
	smdvalue "sigs.k8s.io/structured-merge-diff/v6/value"

	"github.com/admsim/admsim/internal/jsonread"
	"github.com/admsim/admsim/internal/managedfields"
	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/internal/semantic"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/patch"
)

// Patch returns obj, which is of that kind, after a webhook's patch, and whether the patch changed it. text returns the
// JSON of obj. A patch of few members does not need it: if all patches did, a Pod that 10 webhooks patch and 10 more
// look at would take 3.5 times as long (BenchmarkAdmit of package simulator). The result is not defaulted (W-210 ..
// W-214); the error has the server's text.
func (t *Types) Patch(obj runtime.Object, gvk schema.GroupVersionKind, p patch.Patch, text func() (json.RawMessage, error)) (patched runtime.Object, changed bool, err error) {
	if patched, m := t.editable(obj, gvk); patched != nil && p.OnStrings(m) {
		return patched, stringsChanged(obj, m), nil
	}
	if members, ok := p.Members(); ok {
		if patched := t.edited(obj, gvk, members, p.Apply, rules.Ignore); patched != nil {
			return patched, editChanged(obj, patched, members), nil
		}
	}
	doc, err := text()
	if err != nil {
		return nil, false, err
	}
	if doc, err = p.Apply(doc); err != nil {
		return nil, false, err
	}
	if patched, err = t.Patched(doc, gvk); err != nil {
		patched, err = t.Patched(t.patchedAsWritten(obj, p, doc), gvk) // of several faults the server reports the first one
	}
	if err != nil {
		return nil, false, err
	}
	return patched, !semantic.DeepEqual(obj, patched) || isUnnamed(doc), nil
}

// patchedAsWritten returns the JSON of obj after a patch as the server has it; doc is the same in another order.
func (t *Types) patchedAsWritten(obj runtime.Object, p patch.Patch, doc []byte) []byte {
	if before, err := t.Encode(obj); err == nil {
		if after, err := p.Apply(before); err == nil {
			doc = after
		}
	}
	return p.Sorted(doc)
}

// isUnnamed reports whether the JSON of an object does not say its kind or version. The server understands this, and
// counts it as a change.
func isUnnamed(doc []byte) bool {
	gvk, err := jsonserializer.DefaultMetaFactory.Interpret(doc)
	return err == nil && (gvk.Kind == "" || gvk.Version == "")
}

// Differ reports whether two objects of one kind and version look different to clients. For the server, an empty list
// instead of a missing one is not a change, but it keeps the list.
func (t *Types) Differ(a, b runtime.Object) bool {
	if !semantic.DeepEqual(a, b) {
		return true
	}
	before, err := t.Encode(a)
	if err != nil {
		return true
	}
	after, err := t.Encode(b)
	return err != nil || !bytes.Equal(before, after)
}

// stringsChanged compares the metadata of an object before and after an edit of labels and annotations.
func stringsChanged(obj runtime.Object, after metav1.Object) bool {
	before, err := meta.Accessor(obj)
	return err != nil || !maps.Equal(before.GetLabels(), after.GetLabels()) || !maps.Equal(before.GetAnnotations(), after.GetAnnotations()) ||
		!semantic.DeepEqual(before.GetManagedFields(), after.GetManagedFields())
}

// editChanged compares an object before and after an edit of some members.
func editChanged(before, after runtime.Object, members patch.Members) bool {
	old, err := meta.Accessor(before)
	if err != nil {
		return true
	}
	edited, err := meta.Accessor(after)
	if err != nil || !semantic.DeepEqual(old.GetManagedFields(), edited.GetManagedFields()) {
		return true
	}
	previous, current := reflect.ValueOf(before).Elem(), reflect.ValueOf(after).Elem()
	fields := smdvalue.TypeReflectEntryOf(previous.Type()).Fields()
	for _, name := range members {
		top, _, _ := strings.Cut(name, ".")
		f, known := fields[top]
		if known && !semantic.DeepEqual(f.GetFrom(previous).Interface(), f.GetFrom(current).Interface()) {
			return true
		}
	}
	return false
}

// Edit returns obj after an edit of its JSON that only uses some members. The edit gets these members. The result is
// read and defaulted as in [Types.Decode], and all other members are as writing and reading leaves them. Edit returns
// nil if this is not sufficient: for custom resources, if the edit fails, and if there is anything to report about the
// result.
func (t *Types) Edit(obj runtime.Object, gvk schema.GroupVersionKind, members patch.Members, edit func(doc []byte) ([]byte, error), s rules.Strictness) runtime.Object {
	k, err := t.kind(gvk)
	if err != nil {
		return nil
	}
	edited := t.edited(obj, gvk, members, edit, s)
	if edited == nil {
		return nil
	}
	return k.Defaults(edited.DeepCopyObject())
}

func (t *Types) edited(obj runtime.Object, gvk schema.GroupVersionKind, members patch.Members, edit func(doc []byte) ([]byte, error), s rules.Strictness) runtime.Object {
	edited, _ := t.editable(obj, gvk)
	if edited == nil || slices.ContainsFunc(members, t.MovedIn(gvk).Touches) {
		return nil
	}
	var err error
	doc, ok := takeMembers(reflect.ValueOf(edited).Elem(), members)
	if !ok {
		return nil
	}
	if doc, err = edit(doc); err != nil || jsonread.MayBeEndless(doc) {
		return nil // the caller then reads the whole object and gets the error
	}
	var strict []error
	_, later, wrong := t.withoutLater(doc, gvk)
	if len(later) > 0 || wrong != nil {
		return nil
	}
	if s == rules.Ignore {
		err = kubejson.UnmarshalCaseSensitivePreserveInts(doc, edited)
	} else {
		strict, err = kubejson.UnmarshalStrict(doc, edited)
	}
	if err != nil || len(strict) > 0 {
		return nil
	}
	return edited
}

// editable returns a copy of obj in which top-level fields and metadata may be set, as writing and reading leaves it.
// It returns nil if that would change more.
func (t *Types) editable(obj runtime.Object, gvk schema.GroupVersionKind) (runtime.Object, metav1.Object) {
	if _, isTree := obj.(*unstructured.Unstructured); isTree || obj == nil || obj.GetObjectKind().GroupVersionKind() != gvk {
		return nil, nil
	}
	if t.unset.MayBeIn(obj) || t.raw.mayBeIn(obj) {
		return nil, nil // writing the object would change the rest of it
	}
	edited := cluster.ShallowCopy(obj)
	m, err := meta.Accessor(edited)
	if err != nil {
		return nil, nil
	}
	m.SetManagedFields(managedfields.WholeSeconds(m.GetManagedFields()))
	return edited, m
}

// takeMembers clears fields of an object, and returns the JSON of their values.
func takeMembers(content reflect.Value, members patch.Members) (doc []byte, ok bool) {
	if content.Kind() != reflect.Struct {
		return nil, false
	}
	names := slices.DeleteFunc(slices.Clone(members), func(name string) bool { return strings.HasPrefix(name, "metadata.") })
	if slices.Contains(names, "kind") || slices.Contains(names, "apiVersion") {
		return nil, false
	}
	if doc, ok = takeFields(append(doc, '{'), content, names); !ok {
		return nil, false
	}
	below, whole := members.Below()
	if !whole && len(below) > 0 {
		f, known := smdvalue.TypeReflectEntryOf(content.Type()).Fields()["metadata"]
		if !known {
			return nil, false
		}
		if doc, ok = takeFields(append(withComma(doc), `"metadata":{`...), f.GetFrom(content), below); !ok {
			return nil, false
		}
		doc = append(doc, '}')
	}
	return append(doc, '}'), true
}

// takeFields adds fields of a struct to JSON, and clears them.
func takeFields(doc []byte, content reflect.Value, names []string) ([]byte, bool) {
	fields := smdvalue.TypeReflectEntryOf(content.Type()).Fields()
	for _, name := range names {
		f, known := fields[name]
		if !known {
			continue // reading will not know it either
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
			doc = append(strconv.AppendQuote(withComma(doc), name), ':')
			doc = append(doc, text...)
		}
		field.SetZero()
	}
	return doc, true
}

// withComma returns JSON to which another member can be added.
func withComma(doc []byte) []byte {
	if doc[len(doc)-1] == '{' {
		return doc
	}
	return append(doc, ',')
}
