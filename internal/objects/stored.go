package objects

import (
	"encoding/json"
	"maps"
	"reflect"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/managedfields"
	"github.com/admsim/admsim/internal/semantic"
	"github.com/admsim/admsim/pkg/cluster"
)

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

// Stored returns an accepted object as the cluster keeps it: in its storage version and, for custom resources, without
// the fields that are not in the schema (W-212). It is a new object. If the storage has something that is read back as
// a different object, written is what the storage has; otherwise it is nil. Times in managedFields are whole seconds.
func (t *Types) Stored(obj runtime.Object) (stored, written runtime.Object, err error) {
	if stored, written, err = t.asStored(obj); err != nil {
		return nil, nil, err
	}
	if m, err := meta.Accessor(stored); err == nil {
		m.SetManagedFields(managedfields.WholeSeconds(m.GetManagedFields()))
	}
	return stored, written, nil
}

func (t *Types) asStored(obj runtime.Object) (stored, written runtime.Object, err error) {
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
		case builtin.isSettled(obj) && !t.losses.in(obj):
			return cluster.ShallowCopy(obj), nil, nil
		}
	}
	stored = obj.DeepCopyObject()
	t.losses.dropFrom(stored)
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
func (t *Types) Read(obj runtime.Object) (runtime.Object, error) {
	if _, ok := obj.(*unstructured.Unstructured); ok || !t.losses.in(obj) {
		return obj, nil
	}
	if t.Behaviour(obj.GetObjectKind().GroupVersionKind()).StoredAsJSON {
		return throughJSON(obj)
	}
	read := obj.DeepCopyObject()
	t.losses.dropFrom(read)
	return read, nil
}

// Shown returns an object as the client that requests or wrote it gets it: without what only the storage has.
func (t *Types) Shown(obj runtime.Object) runtime.Object {
	if hub, ok := t.hubs[obj.GetObjectKind().GroupVersionKind()]; ok {
		return hub.AsShown(obj, t.Release())
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
	converted, err := t.Convert(obj, as)
	if hub, ok := t.hubs[as]; ok && err == nil {
		converted = hub.AsRead(converted, t.Release())
	}
	return converted, err
}
