// Package managedfields is server-side apply: it merges the configuration that a client applies into an object, and
// keeps the record of who owns which of its fields, metadata.managedFields, with the results and the error texts of
// kube-apiserver.
//
// Start with a [Target]: [Target.Apply] is for a request that applies, [Target.Track] for all other writes.
// [Schema.MergeConfiguration] is for policies, whose mutations are applied but own nothing.
//
// The package knows no requests: callers say who writes, when, and which fields a write leaves alone.
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

// A Target is what server-side apply needs to know about the resource that is written.
type Target struct {
	Kind        schema.GroupVersionKind // of the request
	Subresource string
	// Schema is that of the kind. Nil: that of the kinds in k8s.io/api.
	Schema *Schema
	// Untyped says that the configuration has no Go type, and cannot get one. An example is the scale of a custom
	// resource, which can be updated but not applied.
	Untyped bool
	// Noun is what an error calls a configuration that cannot be read. Empty: YAML.
	Noun string
	// Convert changes the version of an object. Nil: there is only one version, and the entries of others are
	// dropped.
	Convert func(obj runtime.Object, to schema.GroupVersionKind) (runtime.Object, error)
	// Default returns the object with defaults. Nil: there are none.
	Default func(runtime.Object) runtime.Object
	// Reset are the fields that this write takes from the stored object, such as {"status"}: nobody owns them
	// because of it.
	Reset [][]string
}

// A Writer says who writes, and when.
type Writer struct {
	Manager string // the field manager
	Force   bool   // take fields that others own
	Now     metav1.Time
}

// Apply merges a configuration (YAML or JSON) into the live object, nil if there is none, and records in
// managedFields what the writer owns now. The error is the server's answer: a status if the server makes one,
// such as 409 if others own a field that would change, and otherwise a plain error:
// kubernetes/apiserver:pkg/endpoints/handlers/patch.go, applyPatcher.
//
// The objects and the result have the kind of the target; live is not changed.
func (t Target) Apply(live runtime.Object, configuration []byte, w Writer) (runtime.Object, error) {
	config := &unstructured.Unstructured{Object: map[string]any{}}
	if err := yaml.Unmarshal(configuration, &config.Object); err != nil {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("error decoding %s: %v", cmp.Or(t.Noun, "YAML"), err))
	}
	t = t.withSchema()
	live, err := t.orNew(live)
	if err != nil {
		return nil, err
	}
	changed := &changeNoted{}
	manager, err := t.manager(changed)
	if err != nil {
		return nil, err
	}
	times := readTimes(live)
	applied, err := manager.Apply(times.hidden(live), config, w.Manager, w.Force)
	if err != nil {
		return nil, err
	}
	if t.Default != nil && changed.noted { // what stays as it is gets no defaults that it lacks
		applied = t.Default(applied)
	}
	applied = applied.DeepCopyObject() // the library may return what it was given
	times.restore(applied, w.Now)
	return applied, nil
}

// Track returns the updated object with managedFields: the writer owns what it changed. live is the stored
// object, nil on a create. Neither is changed. If the owners cannot be determined, managedFields are empty, as
// in the server.
func (t Target) Track(live, updated runtime.Object, w Writer) runtime.Object {
	t = t.withSchema()
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
	t = t.withSchema()
	if entries, ok := t.entriesAfter(nil, made, w); ok {
		return withOwners(made, entries)
	}
	return t.Track(nil, made, w)
}

func (t Target) trackByLibrary(live, updated runtime.Object, w Writer) runtime.Object {
	manager, err := t.manager(&changeNoted{})
	if err != nil {
		return WithoutOwners(updated)
	}
	times := readTimes(live, updated)
	if len(times) > 0 { // else there is nothing to hide in what the library only reads
		live = times.hidden(live)
	}
	tracked, err := manager.Update(live, times.hidden(updated), w.Manager)
	if err != nil {
		return WithoutOwners(updated)
	}
	times.restore(tracked, w.Now)
	return tracked
}

// CheckManagedFields returns what is wrong with managedFields. If anything is, the server restores those from
// before admission.
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

func (t Target) withSchema() Target {
	if t.Schema == nil {
		t.Schema = builtIn()
	}
	return t
}

// orNew makes a live object if there is none.
func (t Target) orNew(live runtime.Object) (runtime.Object, error) {
	if live != nil {
		return live, nil
	}
	live, err := (creator{}).New(t.Kind)
	if err != nil {
		return nil, fmt.Errorf("failed to create new object: %v", err)
	}
	return live, nil
}

// manager makes the library's manager.
func (t Target) manager(changed *changeNoted) (*managedfields.FieldManager, error) {
	version := t.Kind.GroupVersion()
	var reset map[fieldpath.APIVersion]fieldpath.Filter
	if filter := t.resetFilter(); filter != nil {
		reset = map[fieldpath.APIVersion]fieldpath.Filter{fieldpath.APIVersion(version.String()): filter}
	}
	var types managedfields.TypeConverter = typeConverter{t.Schema}
	if !t.Schema.knows(t.Kind) {
		// The server has all its kinds in a schema. Of those that are only sent, such as
		// TokenRequest, there is none here, but what they look like says enough.
		types = managedfields.NewDeducedTypeConverter()
	}
	// The request's version serves as the hub: all objects here have it.
	return managedfields.NewDefaultCRDFieldManager(
		types, converter{t}, changed, creator{untyped: t.Untyped}, t.Kind, version, t.Subresource, reset)
}

// resetFilter leaves out what this write resets; nil if that is nothing.
func (t Target) resetFilter() fieldpath.Filter {
	if set := t.resetFields(); set != nil {
		return fieldpath.NewExcludeSetFilter(set)
	}
	return nil
}

// resetFields are what this write resets; nil if that is nothing.
func (t Target) resetFields() *fieldpath.Set {
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

// A creator makes empty objects: Go types where there are any.
type creator struct{ untyped bool }

func (c creator) New(kind schema.GroupVersionKind) (runtime.Object, error) {
	obj, ok := builtin.New(kind)
	if !ok || c.untyped {
		obj = &unstructured.Unstructured{}
	}
	obj.GetObjectKind().SetGroupVersionKind(kind)
	return obj, nil
}

// A converter is the target's Convert as the library wants it.
type converter struct{ target Target }

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
	obj, err := structured(obj)
	if err != nil || to == from {
		return obj, err
	}
	// The owner of a version that does not exist is dropped, except of a custom resource: there the converter's error is no
	// sign of a missing version, and ends the request. A definition that dropped a version shows it.
	_, isCustom := obj.(*unstructured.Unstructured)
	if c.target.Convert == nil || !isCustom && !c.target.Schema.knows(to) {
		return nil, runtime.NewNotRegisteredErrForKind("", to)
	}
	return c.target.Convert(obj, to)
}

// structured gives an object its Go type, if it has one.
func structured(obj runtime.Object) (runtime.Object, error) {
	kind := obj.GetObjectKind().GroupVersionKind()
	u, ok := obj.(*unstructured.Unstructured)
	if !ok {
		return obj, nil
	}
	typed, ok := builtin.New(kind)
	if !ok {
		return obj, nil
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, typed); err != nil {
		return nil, fmt.Errorf("unable to convert unstructured object to %v: %v", kind, err)
	}
	typed.GetObjectKind().SetGroupVersionKind(kind)
	return typed, nil
}

func (converter) Convert(_, _, _ any) error { return fmt.Errorf("not used by field managers") }

func (converter) ConvertFieldLabel(_ schema.GroupVersionKind, _, _ string) (string, string, error) {
	return "", "", fmt.Errorf("not used by field managers")
}

// changeNoted stands for the defaults of what an apply has changed. It leaves them to Apply, since
// the library wants them in place.
type changeNoted struct{ noted bool }

func (c *changeNoted) Default(runtime.Object) { c.noted = true }
