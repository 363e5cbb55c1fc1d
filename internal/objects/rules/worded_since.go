package rules

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/builtin"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// A rewording is a text that errors have since a feature, and the one that they had before.
type rewording struct {
	since       kubeversion.Feature
	now, before string
}

// rewordings are applied in this order: the newest feature first.
var rewordings = []rewording{
	{kubeversion.BytesInDetails, "a valid label key must consist", "a qualified name must consist"},
	{kubeversion.ProjectedSourcesCounted, "may not specify more than 1 volume type per source", "may not specify more than 1 volume type"},
	{kubeversion.QuotaOperatorSpelled, "must be 'Exists' when scope is any of", "must be 'Exist' when scope is any of"},
	{kubeversion.ExternalIPsHavePolicies, "may only be set for externally-accessible services", "may only be set when `type` is 'NodePort' or 'LoadBalancer'"},
	{kubeversion.SidecarContainers, "may not be set for init containers without restartPolicy=Always", "may not be set for init containers"},
	{kubeversion.StatefulSetStatusNamed, "cannot be greater than status.readyReplicas", "cannot be greater than readyReplicas"},
	{kubeversion.HostsSpecified, "host must be specified; ", "host must be provided; "},
	{kubeversion.PortNameLetters, "must contain at least one letter (a-z)", "must contain at least one letter or number (a-z, 0-9)"},
	{kubeversion.DataSourceKindExplained, "must be 'PersistentVolumeClaim' when referencing the default apiGroup", ""},
	{
		kubeversion.PodFieldsListed,
		"`spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds`",
		"`spec.containers[*].image`, `spec.initContainers[*].image`, `spec.activeDeadlineSeconds`, `spec.tolerations` (only additions to existing tolerations) or `spec.terminationGracePeriodSeconds`",
	},
	{
		kubeversion.NegativeGraceMutable,
		", `spec.tolerations` (only additions to existing tolerations) or `spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)",
		" or `spec.tolerations` (only additions to existing tolerations)",
	},
	{kubeversion.AddressesOfBothFamilies, "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)", "must be a valid IP address, (e.g. 10.9.8.7)"},
	{kubeversion.RFC1123Words, "a lowercase RFC 1123 ", "a DNS-1123 "},
}

// detailIn returns a detail in the words of a release.
func detailIn(r *kubeversion.Release, detail string) string {
	for _, w := range rewordings {
		if !r.Has(w.since) {
			detail = strings.ReplaceAll(detail, w.now, w.before)
		}
	}
	return detail
}

// A laterChoice is a value that fields may have since a feature. Errors about other values did not list it before.
type laterChoice struct {
	since kubeversion.Feature
	at    string // the end of the field's path, without indexes
	value string
}

var laterChoices = []laterChoice{
	{kubeversion.TolerationsCompare, ".tolerations.operator", "Lt"},
	{kubeversion.TolerationsCompare, ".tolerations.operator", "Gt"},
}

// withoutLaterChoices removes the values from the detail of an error that fields could not have yet.
func withoutLaterChoices(r *kubeversion.Release, e *field.Error) {
	if e.Type != field.ErrorTypeNotSupported {
		return
	}
	at := builtin.ReplaceIndices(e.Field, "")
	for _, c := range laterChoices {
		if !r.Has(c.since) && strings.HasSuffix(at, c.at) {
			e.Detail = strings.Replace(e.Detail, fmt.Sprintf(", %q", c.value), "", 1)
		}
	}
}
