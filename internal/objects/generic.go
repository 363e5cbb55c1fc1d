package objects

// genericKinds are those of the groups whose kinds have nothing to do with pods: a server that runs no
// workloads has them too, kubernetes/kubernetes:pkg/controlplane/apiserver.
func genericKinds() Kinds {
	return joinKinds(
		admissionregistrationKinds(),
		apiregistrationKinds(),
		auditregistrationKinds(),
		authenticationKinds(),
		authorizationKinds(),
		certificatesKinds(),
		coordinationKinds(),
		apiextensionsKinds(),
		flowcontrolKinds(),
		rbacKinds(),
		storagemigrationKinds(),
	)
}
