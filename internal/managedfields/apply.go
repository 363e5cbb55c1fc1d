// Package managedfields implements server-side apply: it merges the configuration that a client applies into an object,
// and records who owns which fields of the object in metadata.managedFields, with the results and the error texts of
// kube-apiserver.
//
// Start with a [Target]: [Target.Apply] is for apply requests, [Target.Track] for all other writes.
// [Schema.MergeConfiguration] is for policies, whose mutations are applied without owning anything.
//
// The package does not know about requests: callers say who writes, when, and which fields a write must not change.
package managedfields

import (
	"cmp"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/admsim/admsim/internal/builtin"
	"github.com/admsim/admsim/pkg/cluster"
)

// A Target describes the resource that is written, as far as server-side apply needs it.
type Target struct {
	Kind        schema.GroupVersionKind // of the request
	Subresource string
	// Schema is the schema of the kind, or nil for the schema of the kinds in k8s.io/api.
	Schema Schema
	// Untyped says that the configuration has no Go type and cannot get one. An example is the scale of a custom resource,
	// which can be updated but not applied.
	Untyped bool
	// Noun is the word for a configuration in the error for one that cannot be read. The default is YAML.
	Noun string
	// Convert changes the version of an object. If it is nil, there is only one version, and the entries of other versions
	// are dropped.
	Convert func(obj runtime.Object, to schema.GroupVersionKind) (runtime.Object, error)
	// Default returns the object with defaults. If it is nil, there are none.
	Default func(runtime.Object) runtime.Object
	// Reset lists the fields that this write takes from the stored object, such as {"status"}. The write does not make
	// anybody their owner.
	Reset [][]string
}

// A Writer says who writes, and when.
type Writer struct {
	Manager string // the field manager
	Force   bool   // take fields that others own
	Now     metav1.Time
}

// Apply merges a configuration (YAML or JSON) into the live object, which is nil if there is none, and records in
// managedFields what the writer owns now. The error is the server's answer: a status if the server makes one, such as
// 409 if others own a field that would change, and otherwise a plain error:
// kubernetes/apiserver:pkg/endpoints/handlers/patch.go, applyPatcher.
//
// The objects and the result have the kind of the target; live is not changed.
func (t Target) Apply(live runtime.Object, configuration []byte, w Writer) (runtime.Object, error) {
	return resolve(t).apply(live, configuration, w)
}

func (t target) apply(live runtime.Object, configuration []byte, w Writer) (runtime.Object, error) {
	config := &unstructured.Unstructured{Object: map[string]any{}}
	if err := yaml.Unmarshal(configuration, &config.Object); err != nil {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("error decoding %s: %v", cmp.Or(t.Noun, "YAML"), err))
	}
	live, err := t.orNew(live)
	if err != nil {
		return nil, err
	}
	recorder := &changeRecorder{}
	manager, err := t.manager(recorder)
	if err != nil {
		return nil, err
	}
	times := readTimes(live)
	applied, err := manager.Apply(times.hidden(live), config, w.Manager, w.Force)
	if err != nil {
		return nil, err
	}
	if t.Default != nil && recorder.changed { // an unchanged object does not get the defaults that it lacks
		applied = t.Default(applied)
	}
	applied = applied.DeepCopyObject() // the library may return its argument
	times.restore(applied, w.Now)
	return applied, nil
}

// Track returns the updated object with managedFields: the writer owns what it changed. live is the stored object, or
// nil on a create. Neither object is changed. If the owners cannot be determined, managedFields is empty, as in the
// server.
func (t Target) Track(live, updated runtime.Object, w Writer) runtime.Object {
	return resolve(t).track(live, updated, w)
}

func (t target) track(live, updated runtime.Object, w Writer) runtime.Object {
	if tracked, ok := t.trackDirectly(live, updated, w); ok {
		return tracked
	}
	live, err := t.orNew(live)
	if err != nil {
		return WithoutOwners(updated)
	}
	return t.trackByLibrary(live, updated, w)
}

// TrackNew is [Target.Track] for a new object that is not shared yet: it sets the owner in place.
func (t Target) TrackNew(made runtime.Object, w Writer) runtime.Object {
	to := resolve(t)
	if entries, ok := to.entriesAfter(nil, made, w); ok {
		return withOwners(made, entries)
	}
	return to.track(nil, made, w)
}

func (t target) trackByLibrary(live, updated runtime.Object, w Writer) runtime.Object {
	manager, err := t.manager(&changeRecorder{})
	if err != nil {
		return WithoutOwners(updated)
	}
	times := readTimes(live, updated)
	if len(times) > 0 { // otherwise live, which the library only reads, has no times to hide
		live = times.hidden(live)
	}
	tracked, err := manager.Update(live, times.hidden(updated), w.Manager)
	if err != nil {
		return WithoutOwners(updated)
	}
	times.restore(tracked, w.Now)
	return tracked
}

// CheckManagedFields returns what is wrong with managedFields. If it is invalid, the server restores the managedFields
// from before admission.
func CheckManagedFields(entries []metav1.ManagedFieldsEntry) error {
	return managedfields.ValidateManagedFields(entries)
}

// WithoutOwners returns the object without managedFields.
func WithoutOwners(obj runtime.Object) runtime.Object {
	return withOwners(cluster.ShallowCopy(obj), nil)
}

// withOwners sets the managedFields of an object, if it can have any.
func withOwners(obj runtime.Object, entries []metav1.ManagedFieldsEntry) runtime.Object {
	if accessor, err := meta.Accessor(obj); err == nil {
		accessor.SetManagedFields(entries)
	}
	return obj
}

// A target is a [Target] with its schema.
type target struct {
	Target
	schema *fieldSchema
}

func resolve(t Target) target {
	if t.Schema == nil {
		return target{t, builtIn()}
	}
	return target{t, t.Schema.(*fieldSchema)}
}

// orNew returns live, or a new object if live is nil.
func (t target) orNew(live runtime.Object) (runtime.Object, error) {
	if live != nil {
		return live, nil
	}
	live, err := (creator{}).New(t.Kind)
	if err != nil {
		return nil, fmt.Errorf("failed to create new object: %v", err)
	}
	return live, nil
}

// manager creates the library's field manager.
func (t target) manager(recorder *changeRecorder) (*managedfields.FieldManager, error) {
	version := t.Kind.GroupVersion()
	var reset map[fieldpath.APIVersion]fieldpath.Filter
	if filter := t.resetFilter(); filter != nil {
		reset = map[fieldpath.APIVersion]fieldpath.Filter{fieldpath.APIVersion(version.String()): filter}
	}
	var types managedfields.TypeConverter = versionConverter{typeConverter{t.schema}}
	if !t.schema.knows(t.Kind) {
		types = deducedConverter{managedfields.NewDeducedTypeConverter(), t.schema}
		if t.schema.sent != nil && t.schema.sent().knows(t.Kind) {
			types = typeConverter{t.schema.sent()}
		}
	}
	// The request's version serves as the hub: all objects here have it.
	return managedfields.NewDefaultCRDFieldManager(
		types, converter{t}, recorder, creator{untyped: t.Untyped}, t.Kind, version, t.Subresource, reset)
}

// resetFilter excludes the fields that this write resets. It is nil if there are none.
func (t target) resetFilter() fieldpath.Filter {
	if set := t.resetFields(); set != nil {
		return fieldpath.NewExcludeSetFilter(set)
	}
	return nil
}

// resetFields returns the fields that this write resets, or nil if there are none.
func (t target) resetFields() *fieldpath.Set {
	if len(t.Reset) == 0 {
		return nil
	}
	set := fieldpath.NewSet()
	for _, names := range t.Reset {
		var path fieldpath.Path
		for _, name := range names {
			path = append(path, fieldpath.FieldNameElement(name))
		}
		set.Insert(path)
	}
	return set
}

// A creator creates empty objects, of a Go type if the kind has one.
type creator struct{ untyped bool }

func (c creator) New(kind schema.GroupVersionKind) (runtime.Object, error) {
	obj, ok := builtin.New(kind)
	if !ok || c.untyped {
		obj = &unstructured.Unstructured{}
	}
	obj.GetObjectKind().SetGroupVersionKind(kind)
	return obj, nil
}

// A converter adapts the target's Convert to the library.
type converter struct{ target target }

func (c converter) ConvertToVersion(obj runtime.Object, version runtime.GroupVersioner) (runtime.Object, error) {
	from := obj.GetObjectKind().GroupVersionKind()
	to, ok := version.KindForGroupVersionKinds([]schema.GroupVersionKind{from})
	if !ok {
		return nil, runtime.NewNotRegisteredErrForTarget("", nil, version)
	}
	if _, isTree := obj.(*unstructured.Unstructured); isTree && c.target.Untyped {
		// kubernetes/apiextensions-apiserver:pkg/apiserver/conversion/converter.go
		return nil, fmt.Errorf("request to convert CR to an invalid group/version: %v", to.GroupVersion())
	}
	obj, err := c.target.schema.structured(obj)
	if err != nil || to == from {
		return obj, err
	}
	// The owner of a version that does not exist is dropped, except for a custom resource: there the converter's error
	// does not mean that the version is missing, and ends the request. A definition that dropped a version shows this.
	_, isCustom := obj.(*unstructured.Unstructured)
	if c.target.Convert == nil || !isCustom && c.target.schema.of(to) == nil {
		return nil, runtime.NewNotRegisteredErrForKind("", to)
	}
	return c.target.Convert(obj, to)
}

// structured returns an object in its Go type, if it has one.
func (s *fieldSchema) structured(obj runtime.Object) (runtime.Object, error) {
	kind := obj.GetObjectKind().GroupVersionKind()
	u, ok := obj.(*unstructured.Unstructured)
	if !ok {
		return obj, nil
	}
	typed, ok := builtin.New(kind)
	if !ok {
		return obj, nil
	}
	content := u.Object
	if moved := s.movedIn(kind); !moved.None() {
		content = runtime.DeepCopyJSON(content)
		moved.ToTypes(content)
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(content, typed); err != nil {
		return nil, fmt.Errorf("unable to convert unstructured object to %v: %v", kind, err)
	}
	typed.GetObjectKind().SetGroupVersionKind(kind)
	return typed, nil
}

func (converter) Convert(_, _, _ any) error { return fmt.Errorf("not used by field managers") }

func (converter) ConvertFieldLabel(_ schema.GroupVersionKind, _, _ string) (string, string, error) {
	return "", "", fmt.Errorf("not used by field managers")
}

// A changeRecorder records that an apply changed something. It stands in for defaulting, which the library does in
// place; Apply sets the defaults later.
type changeRecorder struct{ changed bool }

func (c *changeRecorder) Default(runtime.Object) { c.changed = true }
