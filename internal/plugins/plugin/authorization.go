package plugin

import (
	"k8s.io/apiserver/pkg/authorization/authorizer"

	"github.com/admsim/admsim/pkg/admission"
)

// Question begins a question of whether the sender of the request may do something.
func Question(req admission.Request, verb string) authorizer.AttributesRecord {
	return authorizer.AttributesRecord{User: req.Asker(), Verb: verb, ResourceRequest: true}
}
