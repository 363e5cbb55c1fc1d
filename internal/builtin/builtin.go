package builtin

import (
	"fmt"
	"reflect"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Has reports whether a kind has a Go type.
func Has(kind schema.GroupVersionKind) bool {
	gv, ok := byGroupVersion()[kind.GroupVersion()]
	return ok && gv.types().Recognizes(kind)
}

// New returns an empty object of a kind, with no fields set. ok is false if the kind has no Go type.
func New(kind schema.GroupVersionKind) (object runtime.Object, ok bool) {
	if !Has(kind) {
		return nil, false
	}
	object, err := byGroupVersion()[kind.GroupVersion()].types().New(kind)
	return object, err == nil
}

// Type returns the Go type of a kind, or nil if it has none.
func Type(kind schema.GroupVersionKind) reflect.Type {
	if gv, ok := byGroupVersion()[kind.GroupVersion()]; ok {
		return gv.types().AllKnownTypes()[kind]
	}
	return nil
}

// OpenAPIName returns the name of a type in OpenAPI, such as io.k8s.api.core.v1.PodSpec. ok reports whether it has one.
func OpenAPIName(t reflect.Type) (name string, ok bool) {
	named, ok := reflect.Zero(t).Interface().(interface{ OpenAPIModelName() string })
	if !ok {
		return "", false
	}
	return named.OpenAPIModelName(), true
}

// KindOf returns the kind of an object by its Go type. The object's own kind and apiVersion are not read.
func KindOf(object runtime.Object) (schema.GroupVersionKind, error) {
	for _, gv := range groupVersions() {
		if kinds, _, err := gv.types().ObjectKinds(object); err == nil {
			return kinds[0], nil
		}
	}
	return schema.GroupVersionKind{}, fmt.Errorf("%T is not the type of a built-in kind", object)
}

// LatestVersion returns the latest version of a group that has the kind, or "" if none has.
func LatestVersion(kind schema.GroupKind) string {
	for _, version := range versions()[kind.Group] {
		if Has(kind.WithVersion(version)) {
			return version
		}
	}
	return ""
}

// Kinds returns all kinds with a Go type, in no particular order. Lists and the options of requests are among them.
func Kinds() []schema.GroupVersionKind {
	var all []schema.GroupVersionKind
	for _, gv := range groupVersions() {
		for kind := range gv.types().AllKnownTypes() {
			if kind.GroupVersion() == gv.GroupVersion {
				all = append(all, kind)
			}
		}
	}
	return all
}

// Declares reports whether a struct is declared in this package, and so has no generated code for protocol buffers.
func Declares(t reflect.Type) bool {
	return t.PkgPath() == reflect.TypeFor[PodSecurityPolicy]().PkgPath()
}
