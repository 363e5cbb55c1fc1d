package kubeversion

import "sync"

// 1.30 removed the plugin SecurityContextDeny and made validating policies v1, along with match conditions of webhooks.
// It brought structured parameters of claims and the migration of storage versions (both alpha).
var release129 = sync.OnceValue(func() *Release {
	return release130().changed("1.29", func(c change) {
		c.pluginsBefore("LimitPodHardAntiAffinityTopology", "SecurityContextDeny V CU off")
		c.gatesAre(map[string]bool{
			"AdmissionWebhookMatchConditions": true,
			"CRDValidationRatcheting":         false,
			"ValidatingAdmissionPolicy":       false,
		})
		c.withoutGates("RetryGenerateName", "StorageVersionMigrator")
		c.without("storagemigration.k8s.io/v1alpha1")
		c.without("resource.k8s.io/v1alpha2", "resourceclaimparameters", "resourceclassparameters", "resourceslices")
		c.without("admissionregistration.k8s.io/v1", "validatingadmissionpolicies", "validatingadmissionpolicybindings")
		c.resourcesAre(`
admissionregistration.k8s.io/v1beta1 off
  validatingadmissionpolicies        ValidatingAdmissionPolicy         cluster  all  status  hub=admissionregistration.k8s.io/v1
  validatingadmissionpolicybindings  ValidatingAdmissionPolicyBinding  cluster  all  hub=admissionregistration.k8s.io/v1
admissionregistration.k8s.io/v1alpha1 off
  validatingadmissionpolicies        ValidatingAdmissionPolicy         cluster  all  status  hub=admissionregistration.k8s.io/v1
  validatingadmissionpolicybindings  ValidatingAdmissionPolicyBinding  cluster  all  hub=admissionregistration.k8s.io/v1
`)
	})
})
