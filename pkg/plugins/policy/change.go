package policy

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/expression"
	"github.com/admsim/admsim/pkg/patch"
)

// changed returns the object of v after a change that a mutation asked for, with the defaults of its version (W-309).
// An error that is a status ends the request; the failurePolicy decides about any other:
// kubernetes/apiserver:pkg/admission/plugin/policy/mutating/dispatcher.go.
func (o Options) changed(v *version, c expression.Change, asked admission.Request) (runtime.Object, error) {
	read, ofTree := o.readPatched(v), false
	if r, ok := o.Resources.Resource(asked.Resource); ok && r.CRD != nil && asked.Subresource == "scale" {
		read, ofTree = o.readTree, true
	}
	var object runtime.Object
	var err error
	if c.Patch != nil {
		object, err = o.patched(v, c.Patch, read)
	} else {
		object, err = o.Types.Configured(v.object, v.kind, c.Configuration)
	}
	if err != nil {
		return nil, err
	}
	if ofTree && object != v.object {
		return nil, noScale(object.GetObjectKind().GroupVersionKind(), asked.Kind.GroupVersion())
	}
	if _, custom := object.(*unstructured.Unstructured); !custom {
		if err := sameVersion(object, asked.Kind); err != nil {
			return nil, err
		}
	}
	return o.Types.DefaultVersion(object), nil
}

// patched applies a JSON patch. A patch whose test fails changes nothing, which is not an error (W-306):
// kubernetes/apiserver:pkg/admission/plugin/policy/mutating/patch/json_patch.go.
func (o Options) patched(v *version, operations json.RawMessage, read func(p patch.Patch, doc []byte) (runtime.Object, error)) (runtime.Object, error) {
	var list []patch.Operation
	if err := json.Unmarshal(operations, &list); err != nil {
		return nil, fmt.Errorf("the patch of a mutation: %w", err)
	}
	before, err := o.Types.Encode(v.object)
	if err != nil {
		return nil, fmt.Errorf("failed to create JSON patch: %w", err)
	}
	p := patch.Of(list...)
	after, err := p.Apply(before)
	failed, _ := errors.AsType[*patch.OperationError](err)
	switch {
	case failed != nil && failed.TestFailed:
		return v.object, nil
	case errors.Is(err, patch.ErrPanic):
		return nil, admission.ErrPanicked
	case err != nil:
		return nil, fmt.Errorf("JSON Patch: %w", err)
	}
	object, err := read(p, after)
	if err != nil {
		return nil, apierrors.NewInternalError(err)
	}
	return object, nil
}

// readPatched returns a function that decodes the patched object of v.
func (o Options) readPatched(v *version) func(p patch.Patch, doc []byte) (runtime.Object, error) {
	return func(p patch.Patch, doc []byte) (runtime.Object, error) {
		object, err := o.Types.PatchedStrictly(doc, v.kind)
		if err != nil {
			object, err = o.Types.PatchedStrictly(p.Sorted(doc), v.kind) // errors in the server's order
		}
		return object, err
	}
}

// readTree decodes the patched Scale of a custom resource (W-343).
func (o Options) readTree(_ patch.Patch, doc []byte) (runtime.Object, error) {
	return o.Types.Tree(doc)
}

// noScale returns the server's error for any change to the Scale of a custom resource. The server decodes it as a tree,
// treats that as a custom resource, and finds that it is not in the group of Scales:
// kubernetes/apiextensions-apiserver:pkg/apiserver/conversion/converter.go.
func noScale(made schema.GroupVersionKind, want schema.GroupVersion) error {
	if made.Group != want.Group {
		return fmt.Errorf("%v is unstructured and is not suitable for converting to %q", made, want)
	}
	return fmt.Errorf("request to convert CR to an invalid group/version: %s", want)
}

// published returns an error for a kind whose schema the server does not publish: kinds in a version of a CRD that is
// not served (W-308).
func (o Options) published(kind schema.GroupVersionKind) error {
	if r, ok := o.Resources.ForKind(kind); ok && !r.Served {
		return apierrors.NewServiceUnavailable(fmt.Sprintf("Resource kind %s not found. "+
			"There can be a delay between when CustomResourceDefinitions are created and when they are available.", kind))
	}
	return nil
}

// sameVersion refuses a built-in object in another version than that of the request. This is how the server ends a
// policy that matched through an equivalent resource (W-318).
func sameVersion(object runtime.Object, asked schema.GroupVersionKind) error {
	kind := object.GetObjectKind().GroupVersionKind()
	switch {
	case kind.GroupVersion() == asked.GroupVersion():
		return nil
	case kind.Group == asked.Group:
		return fmt.Errorf("converting (%s.%s) to (%s.%s): unknown conversion", kind.Version, kind.Kind, asked.Version, kind.Kind)
	}
	return runtime.NewNotRegisteredErrForTarget("pkg/api/legacyscheme/scheme.go:30", reflect.TypeOf(object).Elem(), asked.GroupVersion())
}
