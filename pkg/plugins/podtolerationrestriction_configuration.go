package plugins

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/objects"
)

func newPodTolerationRestriction(o Options) (any, error) {
	var c struct {
		metav1.TypeMeta `json:",inline"`
		Default         []corev1.Toleration `json:"default"`
		Whitelist       []corev1.Toleration `json:"whitelist"`
	}
	if o.Configuration != nil {
		if err := configured(o.Configuration, &c, "podtolerationrestriction.admission.k8s.io/v1alpha1 Configuration"); err != nil {
			return nil, err
		}
	}
	errs := wrongTolerations(o.Types, c.Default, "podtolerationrestriction.default")
	errs = append(errs, wrongTolerations(o.Types, c.Whitelist, "podtolerationrestriction.whitelist")...)
	if len(errs) > 0 {
		return nil, fmt.Errorf("invalid config: %v", errs)
	}
	return podTolerationRestriction{c.Default, c.Whitelist, o.Release}, nil
}

// wrongTolerations is what the server would say of a pod with these tolerations.
func wrongTolerations(types *objects.Types, list []corev1.Toleration, at string) field.ErrorList {
	const inPod = "spec.tolerations"
	pod := &corev1.Pod{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
		Spec:     corev1.PodSpec{Tolerations: list},
	}
	var wrong field.ErrorList
	for _, err := range types.Validate(pod, objects.Write{Resource: corev1.SchemeGroupVersion.WithResource("pods")}) {
		if strings.HasPrefix(err.Field, inPod) {
			err.Field = at + strings.TrimPrefix(err.Field, inPod)
			wrong = append(wrong, err)
		}
	}
	return wrong
}
