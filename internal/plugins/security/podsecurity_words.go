package security

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/pod-security-admission/policy"

	"github.com/admsim/admsim/pkg/kubeversion"
)

// inWordsOf changes results, in place, to the words that a release has for them (PS-51).
func inWordsOf(r *kubeversion.Release, results []policy.CheckResult, m *metav1.ObjectMeta) {
	for i := range results {
		result := &results[i]
		switch {
		case result.Allowed:
		case strings.HasPrefix(result.ForbiddenReason, "forbidden AppArmor profile") && !r.Has(kubeversion.AppArmorFieldsChecked):
			wrong := forbiddenAppArmor(m)
			result.ForbiddenReason, result.ForbiddenDetail = "forbidden AppArmor profile", strings.Join(wrong, ", ")
			if len(wrong) > 1 {
				result.ForbiddenReason += "s"
			}
		case result.ForbiddenReason == "seLinuxOptions" && !r.Has(kubeversion.SELinuxUsersNamed):
			who, what, _ := strings.Cut(result.ForbiddenDetail, ": ")
			if !strings.HasPrefix(what, "type") {
				result.ForbiddenDetail = who + ": "
			}
		}
	}
}

// forbiddenAppArmor returns the annotations of a pod with profiles that no level allows.
func forbiddenAppArmor(m *metav1.ObjectMeta) (wrong []string) {
	for key, profile := range m.Annotations {
		if strings.HasPrefix(key, corev1.DeprecatedAppArmorBetaContainerAnnotationKeyPrefix) && profile != "" &&
			profile != corev1.DeprecatedAppArmorBetaProfileRuntimeDefault &&
			!strings.HasPrefix(profile, corev1.DeprecatedAppArmorBetaProfileNamePrefix) {
			wrong = append(wrong, fmt.Sprintf("%s=%q", key, profile))
		}
	}
	slices.Sort(wrong)
	return wrong
}
