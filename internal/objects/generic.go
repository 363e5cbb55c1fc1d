package objects

// genericGroups are the groups whose kinds have nothing to do with pods: a server that runs no
// workloads has them too, kubernetes/kubernetes:pkg/controlplane/apiserver.
func genericGroups() []Group {
	return []Group{
		admissionregistrationGroup(),
		apiregistrationGroup(),
		auditregistrationGroup(),
		authenticationGroup(),
		authorizationGroup(),
		certificatesGroup(),
		coordinationGroup(),
		apiextensionsGroup(),
		flowcontrolGroup(),
		rbacGroup(),
		storagemigrationGroup(),
	}
}
