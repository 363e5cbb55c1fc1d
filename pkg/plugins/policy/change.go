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

// changed returns the object of v as a change that a mutation asked for leaves it, with the
// defaults of its version (W-309). An error that is a status ends the request; any other is
// up to the failurePolicy: kubernetes/apiserver:pkg/admission/plugin/policy/mutating/dispatcher.go.
func (o Options) changed(v *version, c expression.Change, asked schema.GroupVersionKind) (runtime.Object, error) {
	var object runtime.Object
	var err error
	if c.Patch != nil {
		object, err = o.patched(v, c.Patch)
	} else {
		object, err = o.Types.Configured(v.object, v.kind, c.Configuration)
	}
	if err != nil {
		return nil, err
	}
	if _, custom := object.(*unstructured.Unstructured); !custom {
		if err := sameVersion(object, asked); err != nil {
			return nil, err
		}
	}
	return o.Types.DefaultVersion(object), nil
}

// patched applies a JSON patch. One whose test fails changes nothing, and that is no error
// (W-306): kubernetes/apiserver:pkg/admission/plugin/policy/mutating/patch/json_patch.go.
func (o Options) patched(v *version, operations json.RawMessage) (runtime.Object, error) {
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
	switch {
	case errors.Is(err, patch.ErrTestFailed):
		return v.object, nil
	case errors.Is(err, patch.ErrPanic):
		return nil, admission.ErrPanicked
	case err != nil:
		return nil, fmt.Errorf("JSON Patch: %w", err)
	}
	object, err := o.Types.PatchedStrictly(after, v.kind)
	if err != nil {
		object, err = o.Types.PatchedStrictly(p.Sorted(after), v.kind) // faults in the server's order
	}
	if err != nil {
		return nil, apierrors.NewInternalError(err)
	}
	return object, nil
}

// published is an error for a kind whose schema the server does not publish, which are those
// in a version of a CRD that it does not serve (W-308).
func (o Options) published(kind schema.GroupVersionKind) error {
	if r, ok := o.Resources.ForKind(kind); ok && !r.Served {
		return apierrors.NewServiceUnavailable(fmt.Sprintf("Resource kind %s not found. "+
			"There can be a delay between when CustomResourceDefinitions are created and when they are available.", kind))
	}
	return nil
}

// sameVersion refuses a built-in object in another version than the request's, which is how
// the server ends a policy that matched through an equivalent resource (W-318).
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
