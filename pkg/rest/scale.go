package rest

import (
	"fmt"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/pkg/objects"
)

// scaleKind is the Scale that the server thinks in.
var scaleKind = autoscalingv1.SchemeGroupVersion.WithKind("Scale")

// scaleView shows an object as its Scale (PL-24). Back comes only how many replicas are
// wanted, and the version of the object that this is meant for. Old groups have a Scale of
// their own.
func (x *exchange) scaleView(current runtime.Object) (view, error) {
	types := x.server.Types
	show := func(object runtime.Object) (runtime.Object, error) {
		scale, _, err := types.Scale(object)
		if err != nil {
			return nil, refuse(err)
		}
		return types.Convert(scale, x.kind)
	}
	putBack := func(shown runtime.Object) (runtime.Object, error) {
		converted, err := types.Convert(shown, scaleKind)
		scale, ok := converted.(*autoscalingv1.Scale)
		if err != nil || !ok {
			return nil, badRequest("expected input object type to be Scale, but %T", shown)
		}
		object, err := types.SetScale(current, scale)
		if err != nil {
			return nil, refuse(err)
		}
		return object, nil
	}
	scale, found, err := types.Scale(current)
	if err != nil {
		return view{}, refuse(err)
	}
	if !found && x.req.Verb == Get {
		return view{}, refuse(apierrors.NewInternalError(fmt.Errorf("the spec replicas field %q does not exist", x.replicasPath())))
	}
	if !found {
		scale.Spec.Replicas = objects.NoReplicas
	}
	shown, err := types.Convert(scale, x.kind)
	return view{shown: shown, show: show, putBack: putBack}, err
}

// replicasPath is where a custom resource says how many replicas it wants.
func (x *exchange) replicasPath() string {
	for _, v := range x.resource.CRD.Spec.Versions {
		if v.Name == x.req.Resource.Version && v.Subresources != nil && v.Subresources.Scale != nil {
			return v.Subresources.Scale.SpecReplicasPath
		}
	}
	return ""
}
