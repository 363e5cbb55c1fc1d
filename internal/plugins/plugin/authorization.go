package plugin

import (
	"k8s.io/apiserver/pkg/authorization/authorizer"

	"github.com/admsim/admsim/pkg/admission"
)

// Question returns the attributes for asking whether the sender of the request may do verb; the caller sets the object.
func Question(req admission.Request, verb string) authorizer.AttributesRecord {
	return authorizer.AttributesRecord{User: req.Asker(), Verb: verb, ResourceRequest: true}
}
