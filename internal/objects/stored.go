package objects

import (
	"encoding/json"
	"maps"
	"reflect"
	"sync"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/memo"
	"github.com/admsim/admsim/internal/semantic"
	"github.com/admsim/admsim/pkg/cluster"
)

// dropEmpty replaces every empty list of obj with a missing one. The server stores built-in kinds as protocol buffers,
// which have no empty lists: a role with rules [] is read back with rules null. Neither is there a null in their maps
// of bytes: a null in a secret is read back as "". An empty map becomes a missing one as well, which only matters where
// it has a default.
func (l *listFields) dropEmpty(obj runtime.Object) {
	v := reflect.ValueOf(obj).Elem()
	l.typeFor(v.Type()).emptyLists(v, reflect.Value.SetZero)
	for key, value := range bytesOf(obj) {
		if value == nil {
			bytesOf(obj)[key] = []byte{}
		}
	}
	if node, ok := obj.(*corev1.Node); ok && len(node.Status.Allocatable) == 0 {
		node.Status.Allocatable = nil
	}
}

// lacksDefaults reports whether an object of a built-in kind gets defaults when it is read back: a new claim is written
// without a phase, and so is a volume up to 1.27; a scaler up to 1.17 is written as it was sent. All other objects had
// their defaults before they were written.
func lacksDefaults(obj runtime.Object) bool {
	switch obj := obj.(type) {
	case *corev1.PersistentVolumeClaim:
		return obj.Status.Phase == ""
	case *corev1.PersistentVolume:
		return obj.Status.Phase == ""
	case *autoscalingv1.HorizontalPodAutoscaler:
		return obj.Spec.MinReplicas == nil || obj.Spec.TargetCPUUtilizationPercentage == nil
	}
	return false
}

// bytesOf returns the entries of the map of bytes that objects of some kinds have.
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
	l.typeFor(v.Type()).emptyLists(v, func(reflect.Value) { found = true })
	for _, value := range bytesOf(obj) {
		found = found || value == nil
	}
	return found
}

// listFields knows which fields of structs can contain lists.
type listFields struct {
	structs memo.Map // reflect.Type → *structType
}

func (l *listFields) typeFor(t reflect.Type) *structType {
	known, ok := l.structs.Load(t)
	if !ok {
		known, _ = l.structs.LoadOrStore(t, &structType{all: l, goType: t})
	}
	return known.(*structType)
}

// A structType knows which fields of a struct can contain lists: a third of the fields of a container. They are
// determined when a value is first examined.
type structType struct {
	all    *listFields
	goType reflect.Type
	once   sync.Once
	fields []listField
}

type listField struct {
	index int
	elem  *structType // of the struct in, behind or listed by the field; nil if there is none
}

func (s *structType) find() {
	for i := range s.goType.NumField() {
		f := s.goType.Field(i)
		// A []byte is a single value, not a list.
		elem, isList := f.Type, f.Type.Kind() == reflect.Slice && f.Type.Elem().Kind() != reflect.Uint8
		for elem.Kind() == reflect.Pointer || elem.Kind() == reflect.Slice {
			elem = elem.Elem()
		}
		switch {
		case !f.IsExported():
		case elem.Kind() == reflect.Struct:
			s.fields = append(s.fields, listField{i, s.all.typeFor(elem)})
		case isList:
			s.fields = append(s.fields, listField{i, nil})
		}
	}
}

// emptyLists calls found for every list in v that is present and empty.
func (s *structType) emptyLists(v reflect.Value, found func(reflect.Value)) {
	s.once.Do(s.find)
	for _, f := range s.fields {
		f.elem.emptyListsIn(v.Field(f.index), found)
	}
}

// emptyListsIn is emptyLists for the value of a field.
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

// Stored returns an accepted object as the cluster keeps it: in its storage version and, for custom resources, without
// the fields that are not in the schema (W-212). It is a new object. If the storage has something that is read back as
// a different object, written is what the storage has; otherwise it is nil.
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

// throughJSON returns an object as it is read after it was written as JSON.
func throughJSON(obj runtime.Object) (runtime.Object, error) {
	text, err := json.Marshal(obj)
	if err != nil {
		return nil, err
	}
	read := reflect.New(reflect.TypeOf(obj).Elem()).Interface().(runtime.Object)
	return read, json.Unmarshal(text, read)
}

// Rewrites reports whether writing an unchanged custom resource changes what the storage has. The stored object may
// lack defaults, have unknown fields, or be of another version.
func (t *Types) Rewrites(same runtime.Object, kept cluster.Object) (bool, error) {
	stored, written, err := t.Stored(same)
	if err != nil {
		return false, err
	}
	again := cluster.Object{Object: stored, Written: written}
	return !semantic.DeepEqual(contentOf(again.Stored()), contentOf(kept.Stored())), nil
}

// contentOf returns a custom resource without its metadata.
func contentOf(custom runtime.Object) map[string]any {
	content := maps.Clone(custom.(*unstructured.Unstructured).Object)
	delete(content, "metadata")
	return content
}

// Read returns an object of the cluster as it is read from the storage, without what the storage cannot keep. It
// returns obj itself if nothing changes.
func (t *Types) Read(obj runtime.Object) runtime.Object {
	if _, ok := obj.(*unstructured.Unstructured); ok || !t.lists.hasEmpty(obj) {
		return obj
	}
	read := obj.DeepCopyObject()
	t.lists.dropEmpty(read)
	return read
}

// Shown returns an object as the client that requests or wrote it gets it: without what only the storage has.
func (t *Types) Shown(obj runtime.Object) runtime.Object {
	if hub, ok := t.hubs[obj.GetObjectKind().GroupVersionKind()]; ok {
		return hub.AsShown(obj)
	}
	return obj
}

// Served returns an object of the cluster as the server reads it for a request in another version, or in its own.
// Unlike [Types.Convert], it drops fields of a custom resource that the other version's schema does not know.
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
