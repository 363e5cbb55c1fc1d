// kubernetes/kubernetes:pkg/registry/apiserverinternal/storageversion/strategy.go
// kubernetes/kubernetes:pkg/apis/apiserverinternal/validation/validation.go

package storagemigration

import (
	"fmt"
	"slices"
	"strings"

	apiserverinternalv1alpha1 "k8s.io/api/apiserverinternal/v1alpha1"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/pkg/kubeversion"
)

var storageVersion = rules.Of[*apiserverinternalv1alpha1.StorageVersion]{
	Name:        storageVersionName,
	Status:      func(v *apiserverinternalv1alpha1.StorageVersion) any { return &v.Status },
	StatusAlone: true,

	Validate: func(v *apiserverinternalv1alpha1.StorageVersion, r rules.Request) field.ErrorList {
		return storageVersionStatus(&v.Status, r)
	},
	OnUpdate: rules.CheckNothing,
	ValidateUpdate: func(v, _ *apiserverinternalv1alpha1.StorageVersion, r rules.Request) field.ErrorList {
		if r.Subresource != "status" {
			return nil
		}
		return storageVersionStatus(&v.Status, r)
	},
}

func storageVersionName(name string, _ bool) []string {
	at := strings.LastIndex(name, ".")
	if at < 0 {
		return []string{"name must be in the form of <group>.<resource>"}
	}
	faults := prefixed("the group segment ", utilvalidation.IsDNS1123Subdomain(name[:at]))
	return append(faults, prefixed("the resource segment ", utilvalidation.IsDNS1035Label(name[at+1:]))...)
}

func prefixed(prefix string, faults []string) []string {
	var all []string
	for _, f := range faults {
		all = append(all, prefix+f)
	}
	return all
}

func storageVersionStatus(s *apiserverinternalv1alpha1.StorageVersionStatus, r rules.Request) field.ErrorList {
	var errs rules.Errors
	status := field.NewPath("status")
	servers := map[string]bool{}
	for i, v := range s.StorageVersions {
		at := status.Child("storageVersions").Index(i)
		if servers[v.APIServerID] {
			errs.Duplicate(at.Child("apiServerID"), v.APIServerID)
		}
		servers[v.APIServerID] = true
		errs.Add(serverVersion(v, at))
	}
	errs.Add(commonVersion(s, status.Child("commonEncodingVersion")))
	types := map[apiserverinternalv1alpha1.StorageVersionConditionType]int{}
	for i, c := range s.Conditions {
		at := status.Index(i) // the server omits the name of the list
		if before, ok := types[c.Type]; ok {
			errs.Invalid(at.Child("type"), string(c.Type), fmt.Sprintf("the type of the condition is not unique, it also appears in conditions[%d]", before))
		}
		types[c.Type] = i
		errs.Add(rules.QualifiedName(string(c.Type), at.Child("type")))
		shown := string(c.Status)
		if !r.Release.Has(kubeversion.ConditionStatusShown) {
			shown = string(c.Type)
		}
		errs.Add(rules.Faults(at.Child("status"), shown, utilvalidation.IsQualifiedName(string(c.Status))))
		noReason, noMessage := "", ""
		if !r.Release.Has(kubeversion.ConditionTextsPlainlyRequired) {
			noReason, noMessage = "reason cannot be empty", "message cannot be empty"
		}
		if c.Reason == "" {
			errs.Required(at.Child("reason"), noReason)
		}
		if c.Message == "" {
			errs.Required(at.Child("message"), noMessage)
		}
	}
	return errs.List()
}

func serverVersion(v apiserverinternalv1alpha1.ServerStorageVersion, at *field.Path) field.ErrorList {
	var errs rules.Errors
	valid := func(version string, at *field.Path) {
		if faults := apiVersion(version); len(faults) > 0 {
			errs.Invalid(at, version, strings.Join(faults, ","))
		}
	}
	errs.Add(rules.Faults(at.Child("apiServerID"), v.APIServerID, rules.DNS1123Subdomain(v.APIServerID)))
	valid(v.EncodingVersion, at.Child("encodingVersion"))
	for i, decodable := range v.DecodableVersions {
		valid(decodable, at.Child("decodableVersions").Index(i))
	}
	if !slices.Contains(v.DecodableVersions, v.EncodingVersion) {
		errs.Invalid(at.Child("decodableVersions"), v.DecodableVersions, "decodableVersions must include encodingVersion "+v.EncodingVersion)
	}
	for i, served := range v.ServedVersions {
		at := at.Child("servedVersions").Index(i)
		valid(served, at)
		if !slices.Contains(v.DecodableVersions, served) {
			errs.Invalid(at, served, fmt.Sprintf("individual served version : %s must be included in decodableVersions : %s", served, v.DecodableVersions))
		}
	}
	return errs.List()
}

// commonVersion requires that the encoding version is given if it is the same for all servers, and omitted otherwise.
func commonVersion(s *apiserverinternalv1alpha1.StorageVersionStatus, at *field.Path) field.ErrorList {
	differs := func(v apiserverinternalv1alpha1.ServerStorageVersion) bool {
		return v.EncodingVersion != s.StorageVersions[0].EncodingVersion
	}
	stated := s.CommonEncodingVersion
	var errs rules.Errors
	switch agree := len(s.StorageVersions) > 0 && !slices.ContainsFunc(s.StorageVersions, differs); {
	case !agree && stated != nil:
		errs.Invalid(at, *stated, "should be nil if servers do not agree on the same encoding version, or if there is no server reporting the supported versions yet")
	case agree && stated == nil:
		errs.Invalid(at, stated, "the common encoding version is "+s.StorageVersions[0].EncodingVersion)
	case agree && *stated != s.StorageVersions[0].EncodingVersion:
		errs.Invalid(at, *stated, "the actual common encoding version is "+s.StorageVersions[0].EncodingVersion)
	}
	return errs.List()
}

// apiVersion returns what is wrong with the name of a version, which may include a group.
func apiVersion(text string) []string {
	var faults []string
	group, version, hasGroup := strings.Cut(text, "/")
	if !hasGroup {
		version = text
	}
	switch {
	case strings.Contains(version, "/"):
		const what = "a DNS-1035 label, which must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character"
		return []string{"an apiVersion is " + utilvalidation.RegexError(what, "[a-z]([-a-z0-9]*[a-z0-9])?", "my-name", "abc-123") +
			" with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyVersion')"}
	case hasGroup && group == "":
		faults = append(faults, "group part: "+utilvalidation.EmptyError())
	case hasGroup:
		faults = prefixed("group part: ", utilvalidation.IsDNS1123Subdomain(group))
	}
	if version == "" {
		return append(faults, "version part: "+utilvalidation.EmptyError())
	}
	return append(faults, prefixed("version part: ", utilvalidation.IsDNS1035Label(version))...)
}
