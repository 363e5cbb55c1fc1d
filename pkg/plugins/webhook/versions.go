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

// A versioned has the objects of a request in one version, and their JSON once a webhook needed it.
type versioned struct {
	kind        schema.GroupVersionKind
	object, old runtime.Object

	objectJSON, oldJSON dispatch.JSON
	reviews             []*dispatch.Review // built from the objects, one per resource; usually there is only one
}

// inVersion converts the objects of a request, even if only one of them is needed (W-112).
func inVersion(t *objects.Types, req admission.Request, kind schema.GroupVersionKind) (*versioned, error) {
	if req.Operation == admissionv1.Connect && !t.Release().Has(kubeversion.ConnectOptions) {
		// In these releases the admitted object had a type that cannot be converted (W-340):
		// kubernetes/apimachinery:pkg/conversion/converter.go.
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

// validated converts the objects of a request in the validating phase. For a Scale, old releases have the scaled object
// there, which cannot be converted (W-340a): kubernetes/apimachinery:pkg/conversion/converter.go.
func (a *hooks) validated(req admission.Request, kind schema.GroupVersionKind) (*versioned, error) {
	if req.Subresource == "scale" && !a.Types.Release().Has(kubeversion.ScalesValidated) {
		return nil, conversionFailed(a.noScale(req.Resource, kind))
	}
	return inVersion(a.Types, req, kind)
}

// noScale returns the error of these releases about a scaled object.
func (a *hooks) noScale(scaled schema.GroupVersionResource, kind schema.GroupVersionKind) error {
	r := a.Types.Release()
	workloads := "apps"
	if !r.Has(kubeversion.ScaleErrorsWithoutExtensions) {
		workloads = "extensions"
	}
	internal := map[string]string{
		"deployments": workloads + ".Deployment", "replicasets": workloads + ".ReplicaSet",
		"statefulsets": "apps.StatefulSet", "replicationcontrollers": "core.ReplicationController",
	}[scaled.Resource]
	resource, _ := a.Resources.Resource(scaled)
	switch {
	case resource.CRD == nil:
		return fmt.Errorf("converting (%s).Replicas to (%s.Scale).Replicas: Selector not present in src", internal, kind.Version)
	case r.Has(kubeversion.CustomScalesConverted):
		return fmt.Errorf("%v is unstructured and is not suitable for converting to %q", resource.Kind, kind.GroupVersion())
	}
	return runtime.NewNotRegisteredErrForKind("k8s.io/kubernetes/pkg/api/legacyscheme/scheme.go:29", resource.Kind)
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
		// A custom resource may claim to be of another kind, which validation has to refuse. Webhooks get it with the
		// kind that it was sent as.
		converted = converted.DeepCopyObject()
		converted.GetObjectKind().SetGroupVersionKind(kind)
	}
	return converted, nil
}

// conversionFailed returns the server's answer to a failed conversion (W-113). If nothing answers for the conversion,
// it is not known whether it fails.
func conversionFailed(err error) error {
	if errors.Is(err, objects.ErrNoConverter) {
		return err
	}
	return apierrors.NewInternalError(err)
}

// encoded returns the JSON of an object, built when it is first needed.
func encoded(t *objects.Types, object runtime.Object) dispatch.JSON {
	if object == nil {
		return nil
	}
	return sync.OnceValues(func() (json.RawMessage, error) { return t.Encode(object) })
}

// review returns the review of req for a hook that matched with result r. Reviews of different hooks only differ in the
// elapsed time.
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
