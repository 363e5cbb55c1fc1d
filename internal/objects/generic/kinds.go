// Package generic lists the kinds of a server that does not run workloads:
// kubernetes/kubernetes:pkg/controlplane/apiserver. Package kinds lists the others.
package generic

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/admsim/admsim/internal/objects/admissionregistration"
	"github.com/admsim/admsim/internal/objects/apiregistration"
	"github.com/admsim/admsim/internal/objects/certificates"
	"github.com/admsim/admsim/internal/objects/coordination"
	"github.com/admsim/admsim/internal/objects/crd"
	"github.com/admsim/admsim/internal/objects/custom"
	"github.com/admsim/admsim/internal/objects/flowcontrol"
	"github.com/admsim/admsim/internal/objects/rbac"
	"github.com/admsim/admsim/internal/objects/reviews"
	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/internal/objects/storagemigration"
)

// Kinds returns the kinds of the groups that have nothing to do with pods. A server that does not run workloads has
// them, too: kubernetes/kubernetes:pkg/controlplane/apiserver.
func Kinds() rules.Kinds {
	return rules.Join(
		admissionregistration.Kinds(),
		apiregistration.Kinds(),
		certificates.Kinds(),
		coordination.Kinds(),
		crd.Kinds(),
		flowcontrol.Kinds(),
		rbac.Kinds(),
		reviews.Kinds(),
		storagemigration.Kinds(),
	)
}

// Custom returns the kind of a CustomResourceDefinition.
func Custom(crd *apiextensionsv1.CustomResourceDefinition, o rules.Options) (*custom.Kind, error) {
	return custom.New(crd, o)
}
