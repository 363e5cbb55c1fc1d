package rules

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/builtin"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// A verbose detail is the older, longer detail of an error. A field may have several.
type verbose struct {
	at           string // the end of the field's path, without indexes
	terse, words string
}

var verboseDetails = []verbose{
	{".webhookClientConfig.service.name", "", "service name is required"},
	{".webhookClientConfig.service.namespace", "", "service namespace is required"},
	{".clientConfig.service.name", "", "service name is required"},
	{".clientConfig.service.namespace", "", "service namespace is required"},
	{"spec.versions.schema.openAPIV3Schema", "", "schemas are required"},
	{"spec.parameters.kind", "", "kind is required"},
	{"spec.parameters.name", "", "name is required"},
	{"spec.os.name", "", "cannot be empty"},
	{".ownerReferences.kind", "must not be empty", "kind must not be empty"},
	{".ownerReferences.name", "must not be empty", "name must not be empty"},
	{".ownerReferences.uid", "must not be empty", "uid must not be empty"},
	{".x-kubernetes-validations.message", "must be non-empty if specified", "message must be non-empty if specified"},
	{".x-kubernetes-validations.message", "must not contain line breaks", "message must not contain line breaks"},
	{".x-kubernetes-validations.fieldPath", "must be non-empty if specified", "fieldPath must be non-empty if specified"},
	{".x-kubernetes-validations.fieldPath", "must not contain line breaks", "fieldPath must not contain line breaks"},
	{".x-kubernetes-validations.fieldPath", "must be a valid path", "fieldPath must be a valid path"},
	{".selectableFields", "may only be set when `version.schema.openAPIV3Schema` is not included", "selectableFields may only be set when version.schema.openAPIV3Schema is not included"},
	{".selectableFields", "may only be set when validations.schema is included", "selectableFields may only be set when validations.schema is included"},
	{"spec.validations.message", "must be non-empty if specified", "message must be non-empty if specified"},
	{"spec.validations.message", "must not contain line breaks", "message must not contain line breaks"},
	{"spec.variables.name", "must be a valid CEL identifier", "name is not a valid CEL identifier"},
	{"status.completionTime", "must be equal to or after `startTime`", "completionTime cannot be set before startTime"},
	{"status.completionTime", "field is immutable", "completionTime cannot be mutated"},
	{"status.uncountedTerminatedPods", "must be empty for finished job", "uncountedTerminatedPods needs to be empty for finished job"},
	{"spec.hostNetwork", "when `hostUsers` is false", "when `pod.Spec.HostUsers` is false"},
	{"spec.HostPID", "when `hostUsers` is false", "when `pod.Spec.HostUsers` is false"},
	{"spec.HostIPC", "when `hostUsers` is false", "when `pod.Spec.HostUsers` is false"},
	{"spec.type", "must be 'Exempt' if and only if `name` is 'exempt'", "type must be 'Exempt' if and only if name is 'exempt'"},
	{".conditions.lastTransitionTime", "", "must be set"},
	{".conditions.reason", "", "must be set"},
	{".opaque.parameters", "must be a valid JSON object", "parameters must be a valid JSON object"},
	{"spec.resources.claims", "claims may not be set for Resources at pod-level", "claims cannot be set for Resources at pod-level"},
}

// detailBefore returns the detail of an error as it was before [kubeversion.TerseDetails].
func detailBefore(e *field.Error) string {
	if e.Detail == "" && e.Type != field.ErrorTypeRequired {
		return ""
	}
	at := builtin.ReplaceIndices(e.Field, "")
	for _, v := range verboseDetails {
		if v.terse == e.Detail && strings.HasSuffix(at, v.at) {
			return v.words
		}
	}
	return e.Detail
}

// deviceKeys maps the lists about devices to their unique keys.
var deviceKeys = map[string]string{
	"spec.devices":             "name",
	"devices.requests":         "name",
	"requests.firstAvailable":  "name",
	"spec.sharedCounters":      "name",
	"devices.consumesCounters": "counterSet",
	"status.reservedFor":       "uid",
	"status.devices":           "deviceID",
}

// deviceBefore words an error about devices as it was before [kubeversion.DeviceErrorsDeclared]: for a duplicate key it
// named the key, not its item, and an empty value was missing, not invalid:
// kubernetes/kubernetes:pkg/apis/resource/validation/validation.go.
func deviceBefore(r *kubeversion.Release, e *field.Error) {
	at := builtin.ReplaceIndices(e.Field, "")
	missing := e.Type == field.ErrorTypeInvalid && e.BadValue == any("")
	switch {
	case e.Type == field.ErrorTypeDuplicate:
		names := strings.Split(at, ".")
		if key := deviceKeys[strings.Join(names[max(0, len(names)-2):], ".")]; key != "" {
			e.Field += "." + key
		}
	case missing && slices.Contains([]string{"the domain must not be empty", "the name must not be empty", "exactly one value must be specified"}, e.Detail):
		e.Type = field.ErrorTypeRequired
	case e.Detail == "a fully qualified name must be a domain and a name separated by a slash":
		e.Detail = "must include a domain"
	}
	if r.Has(kubeversion.DevicesInBeta) {
		return
	}
	switch e.Detail {
	case "the domain must not be empty":
		e.Detail = "the prefix must not be empty"
	case "must include a domain":
		e.Type, e.Field, e.Detail = field.ErrorTypeRequired, e.Field+".domain", "must include a prefix"
	}
}

// namesBefore rewrites a detail about a name, a URL or a limit in the words of releases up to 1.26.
func namesBefore(r *kubeversion.Release, detail string) string {
	if r.Has(kubeversion.LimitsInErrors) {
		return detail
	}
	detail = limitTold().ReplaceAllString(detail, "$1")
	if detail == "must not contain dots" && !r.Has(kubeversion.DotsNamed) {
		detail = utilvalidation.IsDNS1123Label("_")[0]
	}
	if !r.Has(kubeversion.QuotedURLs) {
		detail = parsedURL().ReplaceAllString(detail, "parse $1: ")
	}
	return detail
}

var (
	limitTold = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(must be (?:less than or )?equal to \S+ limit) of .*$`)
	})
	parsedURL = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`parse "([^"]*)": `) })
)
