package table

import (
	"maps"

	appsv1 "k8s.io/api/apps/v1"
	appsv1beta2 "k8s.io/api/apps/v1beta2"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/internal/objects/rules"
)

// Metadata returns the metadata of an object as the server has it in memory. What some versions keep in annotations is
// in fields there (RT-03, CV-04).
func Metadata(object runtime.Object, convert converter) (*metav1.PartialObjectMetadata, error) {
	kind := object.GetObjectKind().GroupVersionKind()
	if kind.Group == autoscalingv2.GroupName && kind.Kind == "HorizontalPodAutoscaler" {
		var err error
		if object, err = convert.Convert(object, autoscalingv2.SchemeGroupVersion.WithKind(kind.Kind)); err != nil {
			return nil, err
		}
	}
	m, err := meta.Accessor(object)
	if err != nil {
		return nil, err
	}
	partial := meta.AsPartialObjectMetadata(m)
	switch object.(type) {
	case *appsv1.DaemonSet, *appsv1beta2.DaemonSet:
		partial.Annotations = rules.Without(maps.Clone(partial.Annotations), appsv1.DeprecatedTemplateGeneration)
	case *appsv1.Deployment, *appsv1beta2.Deployment:
		partial.Annotations = rules.Without(maps.Clone(partial.Annotations), appsv1.DeprecatedRollbackTo)
	}
	return partial, nil
}
