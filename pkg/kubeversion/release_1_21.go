package kubeversion

import "sync"

// 1.22 dropped the betas that most clusters had used for years: of webhooks, CRDs, ingresses,
// roles, priority classes, leases, storage and reviews. It made apply final and brought Pod
// Security (alpha).
var release121 = sync.OnceValue(func() *Release {
	return release122().changed("1.21", func(c change) {
		c.withoutGates("PodSecurity")
		c.gatesAre(map[string]bool{"BoundServiceAccountTokenVolume": true})
		c.resourcesAre(`
v1
  pods  Pod  namespaced  all  short=po  status binding eviction=policy/v1beta1.Eviction ephemeralcontainers[EphemeralContainers]=v1.EphemeralContainers log attach exec portforward proxy
admissionregistration.k8s.io/v1beta1
  mutatingwebhookconfigurations    MutatingWebhookConfiguration    cluster  all  hub=admissionregistration.k8s.io/v1
  validatingwebhookconfigurations  ValidatingWebhookConfiguration  cluster  all  hub=admissionregistration.k8s.io/v1
authentication.k8s.io/v1beta1
  tokenreviews  TokenReview  cluster  create  hub=authentication.k8s.io/v1
authorization.k8s.io/v1beta1
  localsubjectaccessreviews  LocalSubjectAccessReview  namespaced  create  hub=authorization.k8s.io/v1
  selfsubjectaccessreviews   SelfSubjectAccessReview   cluster     create  hub=authorization.k8s.io/v1
  selfsubjectrulesreviews    SelfSubjectRulesReview    cluster     create  hub=authorization.k8s.io/v1
  subjectaccessreviews       SubjectAccessReview       cluster     create  hub=authorization.k8s.io/v1
certificates.k8s.io/v1beta1
  certificatesigningrequests  CertificateSigningRequest  cluster  all  short=csr  status approval  hub=certificates.k8s.io/v1
coordination.k8s.io/v1beta1
  leases          Lease         namespaced  all  hub=coordination.k8s.io/v1
networking.k8s.io/v1beta1
  ingressclasses  IngressClass  cluster     all  hub=networking.k8s.io/v1
  ingresses       Ingress       namespaced  all  short=ing  status  prefix=ingress  hub=networking.k8s.io/v1
rbac.authorization.k8s.io/v1beta1
  clusterrolebindings  ClusterRoleBinding  cluster     all  hub=rbac.authorization.k8s.io/v1
  clusterroles         ClusterRole         cluster     all  hub=rbac.authorization.k8s.io/v1
  rolebindings         RoleBinding         namespaced  all  hub=rbac.authorization.k8s.io/v1
  roles                Role                namespaced  all  hub=rbac.authorization.k8s.io/v1
scheduling.k8s.io/v1beta1
  priorityclasses  PriorityClass  cluster  all  short=pc  hub=scheduling.k8s.io/v1
storage.k8s.io/v1beta1
  csidrivers         CSIDriver         cluster  all            hub=storage.k8s.io/v1
  csinodes           CSINode           cluster  all            hub=storage.k8s.io/v1
  storageclasses     StorageClass      cluster  all  short=sc  hub=storage.k8s.io/v1
  volumeattachments  VolumeAttachment  cluster  all            hub=storage.k8s.io/v1
apiextensions.k8s.io/v1beta1
  customresourcedefinitions  CustomResourceDefinition  cluster  all  short=crd,crds  status  prefix=apiextensions.k8s.io/customresourcedefinitions  hub=apiextensions.k8s.io/v1
apiregistration.k8s.io/v1beta1
  apiservices  APIService  cluster  all  status  prefix=apiregistration.k8s.io/apiservices  hub=apiregistration.k8s.io/v1
`)
		c.groupBefore("networking.k8s.io", `
extensions/v1beta1
  ingresses  Ingress  namespaced  all  short=ing  status  prefix=ingress  hub=networking.k8s.io/v1
`)
	})
})
