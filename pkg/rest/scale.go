package rest

import (
	"errors"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	extensionsv1beta1 "k8s.io/api/extensions/v1beta1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// scaleKind is the Scale that the server uses internally.
var scaleKind = autoscalingv1.SchemeGroupVersion.WithKind("Scale")

// scaleView shows an object as its Scale (PL-24). Only the requested number of replicas, its owners, and the
// resourceVersion of the object are put back. Old groups have a Scale of their own.
func (x *exchange) scaleView(current runtime.Object) (view, error) {
	types := x.server.Types
	owners, err := x.ownership().OfScale(current, x.replicasPaths(), x.req.Verb == Get)
	if err != nil {
		return view{}, err
	}
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
		object, err := types.SetScale(current, scale, x.invalidScale())
		if err != nil {
			return nil, refuse(err)
		}
		m, err := meta.Accessor(object)
		if err != nil {
			return nil, err
		}
		return object, owners.PutBack(m, scale)
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
	if err := owners.Show(scale); err != nil {
		return view{}, err
	}
	shown, err := types.Convert(scale, x.kind)
	return view{shown: shown, show: show, putBack: putBack}, err
}

// missing returns the resource of the error that the object of the request does not exist (PL-24b).
func (x *exchange) missing() schema.GroupResource {
	resource, r := x.req.Resource.GroupResource(), x.server.release()
	whole := kubeversion.ScalesWrittenWhole
	if x.req.Verb == Get {
		whole = kubeversion.ScalesReadWhole
	}
	if x.req.Subresource != "scale" || x.resource.CRD != nil || resource.Resource == "statefulsets" || r.Has(whole) {
		return resource
	}
	controller := x.scalesController()
	resource.Resource += "/scale"
	switch {
	case controller: // keeps its group
	case resource.Group == "":
		resource.Group = autoscalingv1.GroupName
	case r.Has(kubeversion.ScaleErrorsWithoutExtensions):
		resource.Group = appsv1.GroupName
	default:
		resource.Group = extensionsv1beta1.GroupName
	}
	return resource
}

// invalidScale returns the kind that the error about an invalid Scale names.
func (x *exchange) invalidScale() schema.GroupKind {
	named := scaleKind.GroupKind()
	if x.scalesController() || x.req.Resource.Group != "" && !x.server.release().Has(kubeversion.ScaleErrorsWithoutExtensions) {
		named.Group = extensionsv1beta1.GroupName
	}
	return named
}

// controllers are the ReplicationControllers of extensions, of which only the Scale is served.
var controllers = extensionsv1beta1.SchemeGroupVersion.WithResource("replicationcontrollers")

// scalesController reports whether the request is for a Scale of the group extensions that belongs to a
// ReplicationController (PL-24c).
func (x *exchange) scalesController() bool {
	return x.req.Resource == controllers && x.req.Subresource == "scale"
}

// withoutScale returns the answer to a patch or a mutating phase that returned err and no Scale.
func (x *exchange) withoutScale(err error) error {
	if !x.scalesController() {
		return err
	}
	return instead(err, func(string) error { return apierrors.NewBadRequest("nil update passed to Scale") })
}

// notScaled returns the answer to a write of a scaled object that was refused with err.
func (x *exchange) notScaled(err error) error {
	if !x.scalesController() {
		return err
	}
	return instead(err, func(message string) error {
		return apierrors.NewConflict(x.missing(), x.req.Name, errors.New(message))
	})
}

// readsScaleFirst reports whether the write of a Scale begins with reading its object. The mutating phase is not reached if
// there is none, and whatever the client says of its uid does not matter.
func (x *exchange) readsScaleFirst() bool {
	whole := kubeversion.ScalesWrittenWhole
	if x.resource.CRD != nil {
		whole = kubeversion.CustomScalesWrittenWhole
	}
	return x.req.Subresource == "scale" && !x.server.release().Has(whole)
}

// isCustomScale reports whether the request is about the Scale of a custom resource.
func (x *exchange) isCustomScale() bool { return x.resource.CRD != nil && x.req.Subresource == "scale" }

// replicasPath returns the field of a custom resource with the requested number of replicas.
func (x *exchange) replicasPath() string {
	return x.replicasPaths()[x.req.Resource.GroupVersion().String()]
}

// builtInReplicas lists the field with the requested number of replicas for versions of built-in resources:
// ReplicasPathMappings of kubernetes/kubernetes:pkg/registry/apps and core.
var builtInReplicas = map[string]string{
	"v1":           ".spec.replicas",
	"apps/v1":      ".spec.replicas",
	"apps/v1beta1": ".spec.replicas",
	"apps/v1beta2": ".spec.replicas",
}

// replicasPaths returns that field for the versions of the resource; empty for versions of a CRD without one.
func (x *exchange) replicasPaths() map[string]string {
	if x.resource.CRD == nil {
		return builtInReplicas
	}
	paths := map[string]string{}
	for _, v := range x.resource.CRD.Spec.Versions {
		version := schema.GroupVersion{Group: x.resource.CRD.Spec.Group, Version: v.Name}.String()
		paths[version] = ""
		if v.Subresources != nil && v.Subresources.Scale != nil {
			paths[version] = v.Subresources.Scale.SpecReplicasPath
		}
	}
	return paths
}
