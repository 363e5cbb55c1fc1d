// kubernetes/kube-aggregator:pkg/apis/apiregistration/validation/validation.go
// kubernetes/kube-aggregator:pkg/registry/apiservice/strategy.go

package apiregistration

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/builtin"
	"github.com/admsim/admsim/internal/objects/rules"
)

// apiService follows kubernetes/kube-aggregator:pkg/registry/apiservice/strategy.go. It does not check whether the
// service can be reached.
var apiService = rules.Of[*builtin.APIService]{
	Undeclared: true,
	Behaviour:  rules.Behaviour{StoredAsJSON: true},

	Status: func(s *builtin.APIService) any { return &s.Status },
	Defaults: func(s *builtin.APIService) {
		if s.Spec.Service != nil {
			rules.SetDefault(&s.Spec.Service.Port, 443)
		}
	},
	PrepareForCreate: func(s *builtin.APIService, r rules.Request) {
		if s.Spec.Service == nil {
			s.Status.Conditions = []builtin.APIServiceCondition{{
				Type: "Available", Status: metav1.ConditionTrue, Reason: "Local",
				Message: "Local APIServices are always available", LastTransitionTime: metav1.NewTime(r.Now),
			}}
		}
	},
	Validate: validateAPIService,
	ValidateUpdate: func(s, _ *builtin.APIService, r rules.Request) field.ErrorList {
		if r.Subresource == "status" {
			return apiServiceConditions(s.Status.Conditions)
		}
		return nil
	},
	OnUpdate:     rules.CheckWhole,
	AnyFinalizer: true,
}

var conditionStatuses = []string{"True", "False", "Unknown"}

func validateAPIService(s *builtin.APIService, _ rules.Request) field.ErrorList {
	want := s.Spec.Version + "." + s.Spec.Group
	var errs rules.Errors
	errs.Add(validation.ValidateObjectMeta(&s.ObjectMeta, false, func(name string, _ bool) []string {
		if wrong := rules.PathSegment(name, false); len(wrong) > 0 || name == want {
			return wrong
		}
		return []string{fmt.Sprintf("must be `spec.version+\".\"+spec.group`: %q", want)}
	}, rules.MetadataPath))
	if s.Spec.Group == "" && s.Spec.Version != "v1" {
		errs.Required(rules.SpecPath.Child("group"), "only v1 may have an empty group and it better be legacy kube")
	}
	if s.Spec.Group != "" {
		for _, wrong := range rules.DNS1123Subdomain(s.Spec.Group) {
			errs.Invalid(rules.SpecPath.Child("group"), s.Spec.Group, wrong)
		}
	}
	for _, wrong := range utilvalidation.IsDNS1035Label(s.Spec.Version) {
		errs.Invalid(rules.SpecPath.Child("version"), s.Spec.Version, wrong)
	}
	if n := s.Spec.GroupPriorityMinimum; n <= 0 || n > 20000 {
		errs.Invalid(rules.SpecPath.Child("groupPriorityMinimum"), n, "must be positive and less than 20000")
	}
	if n := s.Spec.VersionPriority; n <= 0 || n > 1000 {
		errs.Invalid(rules.SpecPath.Child("versionPriority"), n, "must be positive and less than 1000")
	}
	errs.Add(apiServiceReference(&s.Spec))
	return errs.List()
}

// apiServiceReference checks which service serves the API, and how it is trusted.
func apiServiceReference(s *builtin.APIServiceSpec) field.ErrorList {
	var errs rules.Errors
	skips, service := rules.SpecPath.Child("insecureSkipTLSVerify"), rules.SpecPath.Child("service")
	if s.Service == nil {
		if len(s.CABundle) != 0 {
			errs.Invalid(rules.SpecPath.Child("caBundle"), fmt.Sprintf("%d bytes", len(s.CABundle)), "local APIServices may not have a caBundle")
		}
		if s.InsecureSkipTLSVerify {
			errs.Invalid(skips, true, "local APIServices may not have insecureSkipTLSVerify")
		}
		return errs.List()
	}
	if s.Service.Namespace == "" {
		errs.Required(service.Child("namespace"), "")
	}
	if s.Service.Name == "" {
		errs.Required(service.Child("name"), "")
	}
	var port int32
	if s.Service.Port != nil {
		port = *s.Service.Port
	}
	if wrong := utilvalidation.IsValidPortNum(int(port)); wrong != nil {
		errs.Invalid(service.Child("port"), port, "port is not valid: "+strings.Join(wrong, ", "))
	}
	if s.InsecureSkipTLSVerify && len(s.CABundle) > 0 {
		errs.Invalid(skips, true, "may not be true if caBundle is present")
	}
	return errs.List()
}

func apiServiceConditions(conditions []builtin.APIServiceCondition) field.ErrorList {
	var errs rules.Errors
	for i, c := range conditions {
		errs.Add(rules.OneOf(&c.Status, conditionStatuses, field.NewPath("status", "conditions").Index(i).Child("status")))
	}
	return errs.List()
}
