package pods

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/internal/plugins/plugin"
	"github.com/admsim/admsim/pkg/kubeversion"
)

func NewPodTolerationRestriction(r *kubeversion.Release, types *objects.Types, configuration []byte) (PodTolerationRestriction, error) {
	var c struct {
		metav1.TypeMeta `json:",inline"`
		Default         []corev1.Toleration `json:"default"`
		Whitelist       []corev1.Toleration `json:"whitelist"`
	}
	if configuration != nil {
		if err := plugin.Configured(configuration, &c, "podtolerationrestriction.admission.k8s.io/v1alpha1 Configuration"); err != nil {
			return PodTolerationRestriction{}, err
		}
	}
	errs := wrongTolerations(types, c.Default, "podtolerationrestriction.default")
	errs = append(errs, wrongTolerations(types, c.Whitelist, "podtolerationrestriction.whitelist")...)
	if len(errs) > 0 {
		return PodTolerationRestriction{}, fmt.Errorf("invalid config: %v", errs)
	}
	return PodTolerationRestriction{c.Default, c.Whitelist, r}, nil
}

// wrongTolerations returns what the server's validation reports for a pod with these tolerations.
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
