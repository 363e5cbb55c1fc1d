package rules

import (
	"encoding/json"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/builtin"
	"github.com/admsim/admsim/internal/moved"
)

// This file has what the server did with metadata.initializers up to 1.13:
// kubernetes/kubernetes@v1.13.12:staging/src/k8s.io/apimachinery/pkg/api/validation/objectmeta.go.

const initializers = "metadata.initializers"

var initializersPath = MetadataPath.Child("initializers")

// InitializersOf returns metadata.initializers of an object, or nil if it has none.
func InitializersOf(obj runtime.Object) (in *builtin.Initializers) {
	u, isCustom := obj.(*unstructured.Unstructured)
	if !isCustom {
		return Former[*builtin.Initializers](annotationsOf(obj), initializers)
	}
	tree, _, _ := unstructured.NestedFieldNoCopy(u.Object, strings.Split(initializers, ".")...)
	if tree, ok := tree.(map[string]any); ok {
		in = &builtin.Initializers{}
		if runtime.DefaultUnstructuredConverter.FromUnstructured(tree, in) != nil {
			return nil // the server logs the error
		}
	}
	return in
}

// IsUninitialized reports whether somebody still has to initialize an object, or failed to do so:
// kubernetes/kubernetes@v1.13.12:staging/src/k8s.io/apimachinery/pkg/util/initialization/initialization.go.
func IsUninitialized(obj runtime.Object) bool {
	in := InitializersOf(obj)
	return in != nil && (len(in.Pending) > 0 || in.Result != nil)
}

// SetInitializers sets metadata.initializers of an object, or removes them if in is nil.
func SetInitializers(obj runtime.Object, in *builtin.Initializers) error {
	dropMetadata(obj, initializers)
	if in == nil {
		return nil
	}
	if u, isCustom := obj.(*unstructured.Unstructured); isCustom {
		tree, err := runtime.DefaultUnstructuredConverter.ToUnstructured(in)
		if err != nil {
			return err
		}
		return unstructured.SetNestedMap(u.Object, tree, strings.Split(initializers, ".")...)
	}
	text, err := json.Marshal(in)
	if err != nil {
		return err
	}
	SetFormer(obj, map[string]string{moved.Key(initializers): string(text)}, initializers)
	return nil
}

// withInitializerErrors adds what is wrong with the initializers of an object to the errors about its metadata.
func withInitializerErrors(errs field.ErrorList, obj runtime.Object) field.ErrorList {
	in := InitializersOf(obj)
	if in == nil {
		return errs
	}
	var own Errors
	for i, one := range in.Pending {
		own.Add(utilvalidation.IsFullyQualifiedName(initializersPath.Child("pending").Index(i).Child("name"), one.Name))
	}
	own.Add(initializersResult(in.Result))
	at := slices.IndexFunc(errs, func(e *field.Error) bool { return strings.HasPrefix(e.Field, "metadata.finalizers") })
	if at < 0 {
		at = len(errs)
	}
	return slices.Insert(errs, at, own.List()...)
}

func initializersResult(result *metav1.Status) field.ErrorList {
	if result == nil || result.Status == metav1.StatusFailure {
		return nil
	}
	return field.ErrorList{field.Invalid(initializersPath.Child("result", "status"), result.Status, "must be 'Failure'")}
}

// ValidateInitializersUpdate checks a change of the initializers of an object.
func ValidateInitializersUpdate(now, before *builtin.Initializers) field.ErrorList {
	switch {
	case now == nil:
		return nil // initialization is complete
	case before == nil:
		return field.ErrorList{field.Invalid(initializersPath, nil, "field is immutable once initialization has completed")}
	case before.Result != nil:
		return validation.ValidateImmutableField(now.Result, before.Result, initializersPath.Child("result"))
	}
	return initializersResult(now.Result)
}

// withInitializerChanges adds what is wrong with a change of the initializers to the errors about a change of metadata.
func withInitializerChanges(errs field.ErrorList, obj, old runtime.Object) field.ErrorList {
	own := ValidateInitializersUpdate(InitializersOf(obj), InitializersOf(old))
	if len(own) == 0 {
		return errs
	}
	earlier := []string{"metadata.finalizers", "metadata.resourceVersion", "metadata.generation"}
	at := slices.IndexFunc(errs, func(e *field.Error) bool { return !slices.Contains(earlier, e.Field) })
	if at < 0 {
		at = len(errs)
	}
	return slices.Insert(errs, at, own...)
}
