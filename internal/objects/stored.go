package objects

import (
	"encoding/json"
	"maps"
	"reflect"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/semantic"
	"github.com/admsim/admsim/pkg/cluster"
)

// dropEmpty makes every list of obj that is empty, a missing one. The server stores
// built-in kinds as protocol buffers, which have no empty lists: a role with rules [] is
// read again with rules null. Nor is there a null among the bytes of their maps: a secret's null
// is read again as "". An empty map is a missing one as well, which shows where there is a default
// for it.
func (l *listFields) dropEmpty(obj runtime.Object) {
	v := reflect.ValueOf(obj).Elem()
	l.of(v.Type()).emptyLists(v, reflect.Value.SetZero)
	for key, value := range bytesOf(obj) {
		if value == nil {
			bytesOf(obj)[key] = []byte{}
		}
	}
	if node, ok := obj.(*corev1.Node); ok && len(node.Status.Allocatable) == 0 {
		node.Status.Allocatable = nil
	}
}

// lacksDefaults tells of an object of a built-in kind that it gets defaults when it is read again:
// a new claim is written without a phase. All others had theirs before they were written.
func lacksDefaults(obj runtime.Object) bool {
	claim, ok := obj.(*corev1.PersistentVolumeClaim)
	return ok && claim.Status.Phase == ""
}

// bytesOf are the entries of the one map of bytes that an object of some kinds has.
func bytesOf(obj runtime.Object) map[string][]byte {
	switch obj := obj.(type) {
	case *corev1.Secret:
		return obj.Data
	case *corev1.ConfigMap:
		return obj.BinaryData
	}
	return nil
}

// hasEmpty reports whether there is anything for dropEmpty to do.
func (l *listFields) hasEmpty(obj runtime.Object) (found bool) {
	v := reflect.ValueOf(obj).Elem()
	l.of(v.Type()).emptyLists(v, func(reflect.Value) { found = true })
	for _, value := range bytesOf(obj) {
		found = found || value == nil
	}
	return found
}

// listFields know which fields of structs can have lists in them.
type listFields struct {
	structs sync.Map // reflect.Type → *structType
}

func (l *listFields) of(t reflect.Type) *structType {
	known, ok := l.structs.Load(t)
	if !ok {
		known, _ = l.structs.LoadOrStore(t, &structType{all: l, of: t})
	}
	return known.(*structType)
}

// A structType knows which fields of a struct can have lists in them: a third of those of a
// container. They are looked for when a value is first looked into.
type structType struct {
	all    *listFields
	of     reflect.Type
	known  sync.Once
	fields []listField
}

type listField struct {
	index int
	below *structType // of what the field has, points to, or lists; nil for no struct
}

func (s *structType) find() {
	for i := range s.of.NumField() {
		f := s.of.Field(i)
		below, isList := f.Type, f.Type.Kind() == reflect.Slice && f.Type.Elem().Kind() != reflect.Uint8 // which is one value
		for below.Kind() == reflect.Pointer || below.Kind() == reflect.Slice {
			below = below.Elem()
		}
		switch {
		case !f.IsExported():
		case below.Kind() == reflect.Struct:
			s.fields = append(s.fields, listField{i, s.all.of(below)})
		case isList:
			s.fields = append(s.fields, listField{i, nil})
		}
	}
}

// emptyLists calls found with every list in v that is there and empty.
func (s *structType) emptyLists(v reflect.Value, found func(reflect.Value)) {
	s.known.Do(s.find)
	for _, f := range s.fields {
		f.below.emptyListsIn(v.Field(f.index), found)
	}
}

// emptyListsIn looks into a field.
func (s *structType) emptyListsIn(v reflect.Value, found func(reflect.Value)) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			s.emptyListsIn(v.Elem(), found)
		}
	case reflect.Slice:
		if v.Len() == 0 && !v.IsNil() {
			found(v)
		}
		for i := 0; s != nil && i < v.Len(); i++ {
			s.emptyListsIn(v.Index(i), found)
		}
	case reflect.Struct:
		s.emptyLists(v, found)
	}
}

// Stored returns an accepted object as the cluster keeps it: in its storage version and,
// for custom resources, without what the schema does not know (W-212). It is a new one.
// written is what the storage has of it, where reading that gives another object; nil
// otherwise.
func (t *Types) Stored(obj runtime.Object) (stored, written runtime.Object, err error) {
	gvk := obj.GetObjectKind().GroupVersionKind()
	k, err := t.kind(gvk)
	if err != nil {
		return nil, nil, err
	}
	if c, ok := k.(Custom); ok {
		return c.Stored(obj.(*unstructured.Unstructured))
	}
	if r, ok := t.served(gvk); ok && !r.Storage.Empty() {
		if obj, err = t.Convert(obj, r.Storage); err != nil {
			return nil, nil, err
		}
	}
	as, known := t.kindFor(obj, schema.GroupVersionKind{})
	if builtin, ok := as.(*typed); ok {
		switch {
		case builtin.hub.How().StoredAsJSON:
			if stored, err = throughJSON(obj); err != nil {
				return nil, nil, err
			}
			return as.Defaults(stored), nil, nil
		case builtin.isSettled(obj) && !t.lists.hasEmpty(obj):
			return cluster.ShallowCopy(obj), nil, nil
		}
	}
	stored = obj.DeepCopyObject()
	t.lists.dropEmpty(stored)
	if lacksDefaults(stored) {
		written = stored.DeepCopyObject()
	}
	if known {
		stored = as.Defaults(stored)
	}
	return stored, written, nil
}

// throughJSON is an object as it is read when it was written as JSON.
func throughJSON(obj runtime.Object) (runtime.Object, error) {
	text, err := json.Marshal(obj)
	if err != nil {
		return nil, err
	}
	read := reflect.New(reflect.TypeOf(obj).Elem()).Interface().(runtime.Object)
	return read, json.Unmarshal(text, read)
}

// Rewrites reports whether writing a custom resource in which nothing changed makes something else of what the storage
// has of it: that may lack defaults, or have fields that are not known, or be of another version.
func (t *Types) Rewrites(same runtime.Object, kept cluster.Object) (bool, error) {
	stored, written, err := t.Stored(same)
	if err != nil {
		return false, err
	}
	again := cluster.Object{Object: stored, Written: written}
	return !semantic.DeepEqual(contentOf(again.Stored()), contentOf(kept.Stored())), nil
}

// contentOf is a custom resource without its metadata.
func contentOf(custom runtime.Object) map[string]any {
	content := maps.Clone(custom.(*unstructured.Unstructured).Object)
	delete(content, "metadata")
	return content
}

// Read returns an object of the cluster as it is read from the storage: without what that cannot keep. It is the same
// where nothing changes.
func (t *Types) Read(obj runtime.Object) runtime.Object {
	if _, ok := obj.(*unstructured.Unstructured); ok || !t.lists.hasEmpty(obj) {
		return obj
	}
	read := obj.DeepCopyObject()
	t.lists.dropEmpty(read)
	return read
}

// Shown returns an object as a client gets it that asks for it, or that wrote it: without what the storage has besides.
func (t *Types) Shown(obj runtime.Object) runtime.Object {
	if hub, ok := t.hubs[obj.GetObjectKind().GroupVersionKind()]; ok {
		return hub.AsShown(obj)
	}
	return obj
}

// Served returns an object of the cluster as the server reads it for a request in another
// version, or in its own. Unlike with [Types.Convert], fields of a custom resource that the
// other version's schema does not know are dropped.
func (t *Types) Served(obj runtime.Object, as schema.GroupVersionKind) (runtime.Object, error) {
	k, err := t.kind(as)
	if err != nil {
		return nil, err
	}
	if c, ok := k.(Custom); ok {
		return c.Served(obj.(*unstructured.Unstructured), as.GroupVersion())
	}
	return t.Convert(obj, as)
}
