package webhook

import (
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	admissionv1 "k8s.io/api/admission/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/dispatch"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/matcher"
)

// A versioned is the objects of a request in one version, and their JSON once a webhook
// asked for it.
type versioned struct {
	kind        schema.GroupVersionKind
	object, old runtime.Object

	objectJSON, oldJSON dispatch.JSON
	reviews             []*dispatch.Review // that were made of them, one a resource, of which there is mostly one
}

// inVersion converts the objects of a request, both of them even where one would do
// (W-112).
func inVersion(t *objects.Types, req admission.Request, kind schema.GroupVersionKind) (*versioned, error) {
	if req.Operation == admissionv1.Connect && !t.Release().Has(kubeversion.ConnectOptions) {
		// What was admitted then was of a type that nothing converts (W-340): kubernetes/apimachinery:pkg/conversion/converter.go.
		return nil, conversionFailed(fmt.Errorf("converting (rest.ConnectRequest) to (%s.%s): TypeMeta not present in src", kind.Version, kind.Kind))
	}
	v := &versioned{kind: kind}
	var err error
	if v.object, err = convert(t, req.Object, kind); err != nil {
		return nil, err
	}
	if v.old, err = convert(t, req.OldObject, kind); err != nil {
		return nil, err
	}
	v.objectJSON, v.oldJSON = encoded(t, v.object), encoded(t, v.old)
	return v, nil
}

func convert(t *objects.Types, o runtime.Object, kind schema.GroupVersionKind) (runtime.Object, error) {
	if o == nil {
		return nil, nil
	}
	converted, err := t.Convert(o, kind)
	if err != nil {
		return nil, conversionFailed(err)
	}
	if converted.GetObjectKind().GroupVersionKind() != kind {
		// A custom resource may say that it is of another kind, which is for validation to
		// refuse. Webhooks are shown what it was sent as.
		converted = converted.DeepCopyObject()
		converted.GetObjectKind().SetGroupVersionKind(kind)
	}
	return converted, nil
}

// conversionFailed is the server's answer to a conversion that fails (W-113). Where nothing
// answers for the conversion, nobody knows whether it fails.
func conversionFailed(err error) error {
	if errors.Is(err, objects.ErrNoConverter) {
		return err
	}
	return apierrors.NewInternalError(err)
}

// encoded is the JSON of an object, built when it is first needed.
func encoded(t *objects.Types, object runtime.Object) dispatch.JSON {
	if object == nil {
		return nil
	}
	return sync.OnceValues(func() (json.RawMessage, error) { return t.Encode(object) })
}

// review is what a hook that matched as r says is shown of req, of which only the time that
// is gone differs from one hook to the next.
func (v *versioned) review(t *objects.Types, req admission.Request, r matcher.Result) *dispatch.Review {
	for _, made := range v.reviews {
		if made.Resource == r.Resource {
			return made.At(req.Elapsed)
		}
	}
	made := &dispatch.Review{
		Request:       req,
		Release:       t.Release(),
		Resource:      r.Resource,
		Kind:          r.Kind,
		Object:        v.object,
		OldObject:     v.old,
		ObjectJSON:    v.objectJSON,
		OldObjectJSON: v.oldJSON,
	}
	v.reviews = append(v.reviews, made)
	return made
}
