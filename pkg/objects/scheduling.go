package objects

import (
	"time"

	certificatesv1 "k8s.io/api/certificates/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	nodev1 "k8s.io/api/node/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

var priorityClass = rules[*schedulingv1.PriorityClass]{
	validate:         validatePriorityClass,
	validateUpdate:   validatePriorityClassUpdate,
	onUpdate:         checkChange,
	name:             dnsSubdomain,
	defaults:         func(c *schedulingv1.PriorityClass) { setDefault(&c.PreemptionPolicy, corev1.PreemptLowerPriority) },
	prepareForCreate: func(c *schedulingv1.PriorityClass, _ request) { c.Generation = 1 },
}

var runtimeClass = rules[*nodev1.RuntimeClass]{
	name: dnsSubdomain,
	defaults: func(c *nodev1.RuntimeClass) {
		if c.Overhead != nil {
			roundUp(c.Overhead.PodFixed)
		}
	},
	behaviour: Behaviour{CreateOnUpdate: true},
}

var lease = rules[*coordinationv1.Lease]{
	validate:  validateLease,
	name:      dnsSubdomain,
	behaviour: Behaviour{CreateOnUpdate: true},
}

var certificateSigningRequest = rules[*certificatesv1.CertificateSigningRequest]{
	name:             dnsSubdomain,
	prepareForCreate: func(c *certificatesv1.CertificateSigningRequest, r request) { requestedBy(c, r) },
	prepareForUpdate: func(c, old *certificatesv1.CertificateSigningRequest, r request) {
		old.Spec.DeepCopyInto(&c.Spec)
		switch r.Subresource {
		case "approval":
			conditions := c.Status.Conditions
			old.Status.DeepCopyInto(&c.Status)
			c.Status.Conditions = keepConditions(conditions, old.Status.Conditions, isApproval)
			dateConditions(c.Status.Conditions, old.Status.Conditions, r.Now)
		case "status":
			c.Status.Conditions = keepConditions(c.Status.Conditions, old.Status.Conditions, func(t certificatesv1.RequestConditionType) bool { return !isApproval(t) })
			dateConditions(c.Status.Conditions, old.Status.Conditions, r.Now)
		default:
			old.Status.DeepCopyInto(&c.Status)
		}
	},
}

// requestedBy notes who asks for a certificate, whatever the request says.
func requestedBy(c *certificatesv1.CertificateSigningRequest, r request) {
	c.Spec.Username, c.Spec.UID, c.Spec.Groups, c.Spec.Extra = r.User.Username, r.User.UID, r.User.Groups, nil
	for key, value := range r.User.Extra {
		c.Spec.Extra = with(c.Spec.Extra, key, certificatesv1.ExtraValue(value))
	}
	c.Status = certificatesv1.CertificateSigningRequestStatus{}
}

func isApproval(t certificatesv1.RequestConditionType) bool {
	return t == certificatesv1.CertificateApproved || t == certificatesv1.CertificateDenied
}

// keepConditions takes the conditions that may be changed from the new ones, and all
// others from the old.
func keepConditions(conditions, old []certificatesv1.CertificateSigningRequestCondition, may func(certificatesv1.RequestConditionType) bool) []certificatesv1.CertificateSigningRequestCondition {
	var out []certificatesv1.CertificateSigningRequestCondition
	for _, c := range old {
		if !may(c.Type) {
			out = append(out, c)
		}
	}
	for _, c := range conditions {
		if may(c.Type) {
			out = append(out, c)
		}
	}
	return out
}

// dateConditions notes when conditions came and changed, where they do not say so.
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
		for _, was := range old {
			if was.Type == c.Type && was.Status == c.Status && !was.LastTransitionTime.IsZero() {
				c.LastTransitionTime = was.LastTransitionTime
			}
		}
	}
}
