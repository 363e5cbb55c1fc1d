// Package generic lists the kinds of a server that runs no workloads:
// kubernetes/kubernetes:pkg/controlplane/apiserver. Package kinds lists the others.
package generic

import (
	"github.com/admsim/admsim/internal/objects/admissionregistration"
	"github.com/admsim/admsim/internal/objects/apiregistration"
	"github.com/admsim/admsim/internal/objects/auditregistration"
	"github.com/admsim/admsim/internal/objects/authentication"
	"github.com/admsim/admsim/internal/objects/authorization"
	"github.com/admsim/admsim/internal/objects/certificates"
	"github.com/admsim/admsim/internal/objects/coordination"
	"github.com/admsim/admsim/internal/objects/crd"
	"github.com/admsim/admsim/internal/objects/flowcontrol"
	"github.com/admsim/admsim/internal/objects/rbac"
	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/internal/objects/storagemigration"
)

// Kinds are those of the groups whose kinds have nothing to do with pods: a server that runs no
// workloads has them too, kubernetes/kubernetes:pkg/controlplane/apiserver.
func Kinds() rules.Kinds {
	return rules.Join(
		admissionregistration.Kinds(),
		apiregistration.Kinds(),
		auditregistration.Kinds(),
		authentication.Kinds(),
		authorization.Kinds(),
		certificates.Kinds(),
		coordination.Kinds(),
		crd.Kinds(),
		flowcontrol.Kinds(),
		rbac.Kinds(),
		storagemigration.Kinds(),
	)
}
