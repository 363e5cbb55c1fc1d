// kubernetes/kubernetes@v1.17.0:pkg/apis/extensions/v1beta1/conversion.go

package autoscaling

import (
	"maps"

	appsv1beta1 "k8s.io/api/apps/v1beta1"
	appsv1beta2 "k8s.io/api/apps/v1beta2"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	extensionsv1beta1 "k8s.io/api/extensions/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/admsim/admsim/internal/objects/rules"
)

// scaleVersions returns the Scales of the groups that served workloads up to 1.15. They have their selector twice, as
// text and as labels (CV-02).
func scaleVersions() []*rules.Version {
	hub := autoscalingv1.SchemeGroupVersion.WithKind("Scale")
	return []*rules.Version{
		rules.VersionOf(extensionsv1beta1.SchemeGroupVersion.WithKind("Scale"), hub, nil,
			func(in *extensionsv1beta1.Scale) *autoscalingv1.Scale {
				return scaleToHub(in.ObjectMeta, autoscalingv1.ScaleSpec(in.Spec), in.Status.Replicas, in.Status.Selector, in.Status.TargetSelector)
			},
			func(in *autoscalingv1.Scale) *extensionsv1beta1.Scale {
				return &extensionsv1beta1.Scale{
					ObjectMeta: *in.ObjectMeta.DeepCopy(), Spec: extensionsv1beta1.ScaleSpec(in.Spec),
					Status: extensionsv1beta1.ScaleStatus{Replicas: in.Status.Replicas, Selector: selectedLabels(in), TargetSelector: in.Status.Selector},
				}
			}),
		rules.VersionOf(appsv1beta1.SchemeGroupVersion.WithKind("Scale"), hub, nil,
			func(in *appsv1beta1.Scale) *autoscalingv1.Scale {
				return scaleToHub(in.ObjectMeta, autoscalingv1.ScaleSpec(in.Spec), in.Status.Replicas, in.Status.Selector, in.Status.TargetSelector)
			},
			func(in *autoscalingv1.Scale) *appsv1beta1.Scale {
				return &appsv1beta1.Scale{
					ObjectMeta: *in.ObjectMeta.DeepCopy(), Spec: appsv1beta1.ScaleSpec(in.Spec),
					Status: appsv1beta1.ScaleStatus{Replicas: in.Status.Replicas, Selector: selectedLabels(in), TargetSelector: in.Status.Selector},
				}
			}),
		rules.VersionOf(appsv1beta2.SchemeGroupVersion.WithKind("Scale"), hub, nil,
			func(in *appsv1beta2.Scale) *autoscalingv1.Scale {
				return scaleToHub(in.ObjectMeta, autoscalingv1.ScaleSpec(in.Spec), in.Status.Replicas, in.Status.Selector, in.Status.TargetSelector)
			},
			func(in *autoscalingv1.Scale) *appsv1beta2.Scale {
				return &appsv1beta2.Scale{
					ObjectMeta: *in.ObjectMeta.DeepCopy(), Spec: appsv1beta2.ScaleSpec(in.Spec),
					Status: appsv1beta2.ScaleStatus{Replicas: in.Status.Replicas, Selector: selectedLabels(in), TargetSelector: in.Status.Selector},
				}
			}),
	}
}

// scaleToHub uses the text of the selector if there is one, otherwise the labels.
func scaleToHub(m metav1.ObjectMeta, spec autoscalingv1.ScaleSpec, replicas int32, selected map[string]string, text string) *autoscalingv1.Scale {
	if text == "" && selected != nil {
		text = labels.SelectorFromSet(selected).String()
	}
	return &autoscalingv1.Scale{
		ObjectMeta: *m.DeepCopy(), Spec: spec,
		Status: autoscalingv1.ScaleStatus{Replicas: replicas, Selector: text},
	}
}

// selectedLabels returns a selector as labels, or nil if it cannot be expressed by labels alone.
func selectedLabels(scale *autoscalingv1.Scale) map[string]string {
	selector, err := metav1.ParseToLabelSelector(scale.Status.Selector)
	if err != nil || len(selector.MatchExpressions) > 0 {
		return nil
	}
	return maps.Clone(selector.MatchLabels)
}
