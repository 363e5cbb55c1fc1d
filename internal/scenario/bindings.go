package scenario

import (
	"encoding/json"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"

	"github.com/admsim/admsim/internal/manifest"
)

// bindings are the resources that the bindings of policies match.
type bindings map[boundPolicy][]*admissionregistrationv1.MatchResources

type boundPolicy struct{ kind, name string }

// bindingsAmong returns those among manifests of any version.
func bindingsAmong(all []manifest.Manifest) bindings {
	found := bindings{}
	for _, m := range all {
		kind, isBinding := strings.CutSuffix(m.Kind, "Binding")
		if !isBinding || m.Group != admissionregistrationv1.GroupName {
			continue
		}
		var b struct {
			Spec struct {
				PolicyName     string
				MatchResources *admissionregistrationv1.MatchResources
			}
		}
		if json.Unmarshal(m.JSON, &b) == nil { // or it is reported when it is decoded
			of := boundPolicy{kind, b.Spec.PolicyName}
			found[of] = append(found[of], b.Spec.MatchResources)
		}
	}
	return found
}
