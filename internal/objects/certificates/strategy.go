// kubernetes/kubernetes:pkg/registry/certificates/certificates/strategy.go

package certificates

import (
	"slices"
	"time"

	certificatesv1 "k8s.io/api/certificates/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/pkg/kubeversion"
)

var certificateSigningRequest = rules.Of[*certificatesv1.CertificateSigningRequest]{
	Name:             func(string, bool) []string { return nil },
	PrepareForCreate: func(c *certificatesv1.CertificateSigningRequest, r rules.Request) { requestedBy(c, r) },
	Export: func(c *certificatesv1.CertificateSigningRequest, exact bool, prepare func()) field.ErrorList {
		if prepare(); !exact {
			c.Status = certificatesv1.CertificateSigningRequestStatus{}
		}
		return nil
	},
	PrepareForUpdate: func(c, old *certificatesv1.CertificateSigningRequest, r rules.Request) {
		old.Spec.DeepCopyInto(&c.Spec)
		switch r.Subresource {
		case "approval":
			conditions := c.Status.Conditions
			old.Status.DeepCopyInto(&c.Status)
			c.Status.Conditions = conditions
			dateConditions(conditions, old.Status.Conditions, r.Now)
		case "status":
			if !r.Release.Has(kubeversion.CertificateConditions) {
				c.Status.Conditions = old.DeepCopy().Status.Conditions
			}
			keepConditions(c.Status.Conditions, old.Status.Conditions, certificatesv1.CertificateApproved)
			keepConditions(c.Status.Conditions, old.Status.Conditions, certificatesv1.CertificateDenied)
			dateConditions(c.Status.Conditions, old.Status.Conditions, r.Now)
		default:
			old.Status.DeepCopyInto(&c.Status)
		}
	},
	TakenOver:      true,
	Validate:       validateSigningRequest,
	ValidateUpdate: validateSigningRequestUpdate,
	WholeStatus:    true,
}

// requestedBy records the user who requests a certificate, whatever the request says.
func requestedBy(c *certificatesv1.CertificateSigningRequest, r rules.Request) {
	c.Spec.Username, c.Spec.UID, c.Spec.Groups, c.Spec.Extra = r.User.Username, r.User.UID, r.User.Groups, nil
	for key, value := range r.User.Extra {
		c.Spec.Extra = rules.With(c.Spec.Extra, key, certificatesv1.ExtraValue(value))
	}
	c.Status = certificatesv1.CertificateSigningRequestStatus{}
}

// conditionsOf returns the conditions of that type.
func conditionsOf(all []certificatesv1.CertificateSigningRequestCondition, t certificatesv1.RequestConditionType) []certificatesv1.CertificateSigningRequestCondition {
	return slices.DeleteFunc(slices.Clone(all), func(c certificatesv1.CertificateSigningRequestCondition) bool { return c.Type != t })
}

// keepConditions restores the old conditions of a type, unless their number has changed.
func keepConditions(conditions, old []certificatesv1.CertificateSigningRequestCondition, t certificatesv1.RequestConditionType) {
	before := conditionsOf(old, t)
	if len(before) != len(conditionsOf(conditions, t)) {
		return
	}
	for i := range conditions {
		if conditions[i].Type == t {
			conditions[i], before = before[0], before[1:]
		}
	}
}

// dateConditions sets missing times of conditions.
func dateConditions(conditions, old []certificatesv1.CertificateSigningRequestCondition, now time.Time) {
	for i := range conditions {
		c := &conditions[i]
		if c.LastUpdateTime.IsZero() {
			c.LastUpdateTime = metav1.NewTime(now)
		}
		if !c.LastTransitionTime.IsZero() {
			continue
		}
		c.LastTransitionTime = metav1.NewTime(now)
		for _, before := range old {
			if before.Type == c.Type && before.Status == c.Status && !before.LastTransitionTime.IsZero() {
				c.LastTransitionTime = before.LastTransitionTime
				break
			}
		}
	}
}
