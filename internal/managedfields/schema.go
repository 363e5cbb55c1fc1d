package managedfields

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/kube-openapi/pkg/schemaconv"
	"k8s.io/kube-openapi/pkg/util"
	"k8s.io/kube-openapi/pkg/validation/spec"
	smdschema "sigs.k8s.io/structured-merge-diff/v6/schema"
	"sigs.k8s.io/structured-merge-diff/v6/typed"

	"github.com/admsim/admsim/internal/builtin"
	"github.com/admsim/admsim/internal/memo"
	"github.com/admsim/admsim/internal/moved"
	"github.com/admsim/admsim/internal/unset"
)

// A Schema knows how configurations are merged into objects of some kinds: which fields exist, which lists are sets or
// have keys, and what is atomic.
//
// It is an interface, since every package that sees the type of a field compiles the generic types in it again.
type Schema interface {
	// MergeConfiguration merges the configuration that a MutatingAdmissionPolicy yields into an object (W-307). This
	// works like server-side apply, but without owners, and atomic values must not be set. kind and apiVersion are those
	// of the object. The result is not defaulted.
	MergeConfiguration(obj runtime.Object, configuration map[string]any) (runtime.Object, error)
}

type fieldSchema struct {
	types *typed.Parser
	// name returns the name of a kind's type, or "" if it has none.
	name func(schema.GroupVersionKind) string
	// direct says that the kinds are Go types, and that the schema is fixed and the same in all versions, so that plans
	// can be used.
	direct bool
	// moved returns the fields of a kind that the release has in another place than the Go types; nil for none.
	moved func(schema.GroupKind) moved.Fields
	// absent returns the fields of a type that the release does not have; nil for none.
	absent func(typeName string) []string
	unset  *unset.Fields                  // fields that objects of the release have although they are not set (W-138)
	times  bool                           // among these is the creationTimestamp of metadata
	sent   func() *fieldSchema            // of the kinds that are only sent, or that only former releases have; nil if there are none
	serves func(schema.GroupVersion) bool // whether the release has a version; nil: it has no former ones
	keys   bool                           // the items of a list need all keys that have no default
	plans  plans
	sets   setCache
	named  memo.Map // schema.GroupVersionKind → func() *string
	empty  memo.Map // schema.GroupVersionKind → runtime.Object, of direct kinds

	creators sync.Pool // creatorFields that are free for reuse
}

// emptyObject returns a shared object of a kind with no fields set. It must not be changed.
func (s *fieldSchema) emptyObject(kind schema.GroupVersionKind) (runtime.Object, bool) {
	if object, ok := s.empty.Load(kind); ok {
		return object.(runtime.Object), true
	}
	object, err := (creator{}).New(kind)
	if err != nil {
		return nil, false
	}
	known, _ := s.empty.LoadOrStore(kind, object)
	return known.(runtime.Object), true
}

// namedType returns the name of a kind's type as references have it.
func (s *fieldSchema) namedType(kind schema.GroupVersionKind) *string {
	name, known := s.named.Load(kind)
	if !known {
		name, _ = s.named.LoadOrStore(kind, sync.OnceValue(func() *string {
			name := s.name(kind)
			return &name
		}))
	}
	return name.(func() *string)()
}

// BuiltInTypes returns the types of the kinds that servers have built in, in the newest release.
func BuiltInTypes() []smdschema.TypeDef { return builtInTypes }

// builtIn returns the schema of the kinds that are built into servers.
var builtIn = sync.OnceValue(func() *fieldSchema {
	return withSent(&fieldSchema{
		direct: true,
		types:  &typed.Parser{Schema: smdschema.Schema{Types: builtInTypes}},
		name:   modelName,
	}, func(string) []Merging { return nil })
})

// builtInOf is like [builtIn], but for a release that differs from the Go types.
func builtInOf(d Differences) *fieldSchema {
	return withSent(&fieldSchema{
		direct: true,
		moved:  d.MovedIn,
		absent: d.Absent,
		unset:  d.Unset,
		times:  d.Times,
		serves: d.Serves,
		keys:   d.Keys,
		types:  &typed.Parser{Schema: smdschema.Schema{Types: typesOfRelease(d)}},
		name:   modelName,
	}, d.Merged)
}

// modelName returns the name of a Go type in the server's OpenAPI, or "" if it has none.
func modelName(kind schema.GroupVersionKind) string {
	object, _ := builtin.New(kind)
	if named, ok := object.(util.OpenAPIModelNamer); ok {
		return named.OpenAPIModelName()
	}
	return ""
}

// Scales returns the schema of Scale, for resources that have that subresource. Policies do not know it (W-308).
func Scales() Schema { return scales() }

var scales = sync.OnceValue(func() *fieldSchema {
	return &fieldSchema{
		direct: true,
		types:  &typed.Parser{Schema: smdschema.Schema{Types: slices.Concat(builtInTypes, scaleTypes)}},
		name:   modelName,
	}
})

const objectMeta = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"

// sharedTypes returns those of a server's built-in types that custom resources share with other kinds: ObjectMeta and the
// types that it consists of. A schema with all built-in types would be twenty times as large as most custom resources need.
func sharedTypes(builtIn []smdschema.TypeDef) (types []smdschema.TypeDef) {
	all := map[string]smdschema.TypeDef{}
	for _, t := range builtIn {
		all[t.Name] = t
	}
	var add func(smdschema.TypeRef)
	parts := func(a smdschema.Atom) {
		if a.List != nil {
			add(a.List.ElementType)
		}
		if a.Map != nil {
			add(a.Map.ElementType)
			for _, f := range a.Map.Fields {
				add(f.Type)
			}
		}
	}
	add = func(r smdschema.TypeRef) {
		if r.NamedType == nil {
			parts(r.Inlined)
			return
		}
		if t, isNew := all[*r.NamedType]; isNew {
			delete(all, t.Name)
			types = append(types, t)
			parts(t.Atom)
		}
	}
	add(smdschema.TypeRef{NamedType: new(objectMeta)})
	return types
}

// custom returns the schema of a custom resource in all its versions, given the types that it shares with other kinds:
// kubernetes/apiextensions-apiserver:pkg/controller/openapi/builder/builder.go.
func custom(crd *apiextensionsv1.CustomResourceDefinition, shared []smdschema.TypeDef, keys bool) (Schema, error) {
	models := map[string]*spec.Schema{}
	for _, version := range crd.Spec.Versions {
		model, err := customModel(version.Schema)
		if err != nil {
			return nil, fmt.Errorf("schema of %s, version %s: %w", crd.Name, version.Name, err)
		}
		kind := schema.GroupVersionKind{Group: crd.Spec.Group, Version: version.Name, Kind: crd.Spec.Names.Kind}
		models[customName(kind)] = model
	}
	custom, err := schemaconv.ToSchemaFromOpenAPI(models, crd.Spec.PreserveUnknownFields)
	if err != nil {
		return nil, fmt.Errorf("schema of %s: %w", crd.Name, err)
	}
	types := slices.Concat(shared, custom.Types)
	return &fieldSchema{
		keys:  keys,
		types: &typed.Parser{Schema: smdschema.Schema{Types: types}},
		name: func(kind schema.GroupVersionKind) string {
			if name := customName(kind); models[name] != nil {
				return name
			}
			return ""
		},
	}, nil
}

// customName returns the server's name for the type of a custom resource.
func customName(kind schema.GroupVersionKind) string {
	group := strings.Split(kind.Group, ".")
	slices.Reverse(group)
	return strings.Join(append(group, kind.Version, kind.Kind), ".")
}

// customModel returns a version's schema, with the fields that all objects have. Without a structural schema everything
// is allowed.
func customModel(validation *apiextensionsv1.CustomResourceValidation) (*spec.Schema, error) {
	if validation == nil || validation.OpenAPIV3Schema == nil {
		return new(spec.Schema).Typed("object", ""), nil
	}
	var internal apiextensions.JSONSchemaProps
	if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(validation.OpenAPIV3Schema, &internal, nil); err != nil {
		return nil, err
	}
	structural, err := structuralschema.NewStructural(&internal)
	if err != nil || len(structuralschema.ValidateStructural(nil, structural)) > 0 {
		return new(spec.Schema).Typed("object", ""), nil
	}
	model := structural.Unfold().ToKubeOpenAPI()
	addObjectFields(model)
	embedObjects(model)
	return model, nil
}

func addObjectFields(model *spec.Schema) {
	model.SetProperty("apiVersion", *spec.StringProperty())
	model.SetProperty("kind", *spec.StringProperty())
	model.SetProperty("metadata", *spec.RefSchema("#/components/schemas/" + objectMeta))
}

// embedObjects adds the fields of objects to embedded resources, too.
func embedObjects(model *spec.Schema) {
	for name, property := range model.Properties {
		embedObjects(&property)
		model.Properties[name] = property
	}
	if model.Items != nil {
		embedObjects(model.Items.Schema)
	}
	if model.AdditionalProperties != nil && model.AdditionalProperties.Schema != nil {
		embedObjects(model.AdditionalProperties.Schema)
	}
	if embedded, ok := model.Extensions.GetBool("x-kubernetes-embedded-resource"); ok && embedded {
		addObjectFields(model)
	}
}

// knows reports whether the kind has a type.
func (s *fieldSchema) knows(kind schema.GroupVersionKind) bool {
	name := *s.namedType(kind)
	return name != "" && s.types.Type(name).IsValid()
}

// of returns the schema that has the type of a kind: s, or that of the kinds which only former releases have, if the release
// is one of them. Nil: there is none.
func (s *fieldSchema) of(kind schema.GroupVersionKind) *fieldSchema {
	switch {
	case s.knows(kind):
		return s
	case s.serves != nil && s.serves(kind.GroupVersion()) && s.sent().knows(kind):
		return s.sent()
	}
	return nil
}

// A versionConverter adapts a Schema to the library for objects whose fields have owners in several versions.
type versionConverter struct{ typeConverter }

func (c versionConverter) ObjectToTyped(obj runtime.Object, opts ...typed.ValidationOptions) (*typed.TypedValue, error) {
	if of := c.schema.of(obj.GetObjectKind().GroupVersionKind()); of != nil {
		return typeConverter{of}.ObjectToTyped(obj, opts...)
	}
	return c.typeConverter.ObjectToTyped(obj, opts...)
}

// A typeConverter adapts a Schema to the library.
type typeConverter struct{ schema *fieldSchema }

var _ managedfields.TypeConverter = typeConverter{}

func (c typeConverter) ObjectToTyped(obj runtime.Object, opts ...typed.ValidationOptions) (*typed.TypedValue, error) {
	kind := obj.GetObjectKind().GroupVersionKind()
	if !c.schema.knows(kind) {
		return nil, fmt.Errorf("no corresponding type for %v", kind)
	}
	t := c.schema.types.Type(c.schema.name(kind))
	if u, ok := obj.(*unstructured.Unstructured); ok {
		value, err := fromUnstructured(t, u.Object, opts)
		if c.schema.keys {
			err = requireKeys(t, u.Object, err)
		}
		return value, err
	}
	obj, err := c.schema.inRelease(obj)
	if err != nil {
		return nil, err
	}
	if u, ok := obj.(*unstructured.Unstructured); ok {
		return fromUnstructured(t, u.Object, opts)
	}
	return t.FromStructured(obj, opts...)
}

// A deducedConverter adapts a Schema to the library for kinds without a published type, such as those that only former
// releases have: their types are deduced from objects.
type deducedConverter struct {
	managedfields.TypeConverter
	schema *fieldSchema
}

func (c deducedConverter) ObjectToTyped(obj runtime.Object, opts ...typed.ValidationOptions) (*typed.TypedValue, error) {
	obj, err := c.schema.inRelease(obj)
	if err != nil {
		return nil, err
	}
	return c.TypeConverter.ObjectToTyped(obj, opts...)
}

// inRelease returns an object as the release has it: the object itself, or a tree if its Go type has other fields.
func (s *fieldSchema) inRelease(obj runtime.Object) (runtime.Object, error) {
	if _, ok := obj.(*unstructured.Unstructured); ok {
		return obj, nil
	}
	kind := obj.GetObjectKind().GroupVersionKind()
	moved, later := s.movedIn(kind), s.laterStructs(obj, kind)
	times := s.times && addTimes(reflect.ValueOf(obj).Elem(), nil, false)
	if !moved.In(obj) && !s.unset.MayBeIn(obj) && len(later) == 0 && !times {
		return obj, nil
	}
	tree, err := runtime.DefaultUnstructuredConverter.ToUnstructured(obj)
	if err != nil {
		return nil, err
	}
	moved.ToRelease(tree)
	s.unset.Write(obj, tree)
	if times {
		addTimes(reflect.ValueOf(obj).Elem(), tree, false)
	}
	for _, name := range later {
		delete(tree, name)
	}
	return &unstructured.Unstructured{Object: tree}, nil
}

// laterStructs returns the fields of an object that the release does not have, and that its Go type always writes since
// they are structs: the status that a kind got later.
func (s *fieldSchema) laterStructs(obj runtime.Object, kind schema.GroupVersionKind) (names []string) {
	if s.absent == nil {
		return nil
	}
	for _, name := range s.absent(s.name(kind)) {
		for f := range reflect.TypeOf(obj).Elem().Fields() {
			if tag, _, _ := strings.Cut(f.Tag.Get("json"), ","); tag == name && f.Type.Kind() == reflect.Struct {
				names = append(names, name)
			}
		}
	}
	return names
}

func (typeConverter) TypedToObject(value *typed.TypedValue) (runtime.Object, error) {
	content, ok := value.AsValue().Unstructured().(map[string]any)
	if !ok {
		return nil, fmt.Errorf("failed to convert value to unstructured for type %T", value.AsValue().Unstructured())
	}
	return &unstructured.Unstructured{Object: content}, nil
}
