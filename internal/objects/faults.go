package objects

import (
	"k8s.io/apimachinery/pkg/api/validate/content"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/pkg/kubeversion"
)

// faults is one error about a value for each message.
func faults[T any](path *field.Path, value T, messages []string) field.ErrorList {
	var errs field.ErrorList
	for _, m := range messages {
		errs = append(errs, field.Invalid(path, value, m))
	}
	return errs
}

// given asks for a value, and says the messages that check has for it.
func given(path *field.Path, value string, check func(string) []string) field.ErrorList {
	if value == "" {
		return field.ErrorList{field.Required(path, "")}
	}
	return faults(path, value, check(value))
}

// pathName asks for a name that fits a URL.
func pathName(path *field.Path, value string) field.ErrorList {
	return given(path, value, content.IsPathSegmentName)
}

// subdomainIfGiven checks an optional name.
func subdomainIfGiven(path *field.Path, value string) field.ErrorList {
	if value == "" {
		return nil
	}
	return faults(path, value, dns1123Subdomain(value))
}

// strictAddresses tells whether the release refuses leading zeros and the like in the
// addresses of old fields: the gate StrictIPCIDRValidation, which is on since 1.36.
func strictAddresses(r request) bool { return r.Release.Has(kubeversion.StrictAddresses) }

func labelSelector(s *metav1.LabelSelector, path *field.Path) field.ErrorList {
	return metav1validation.ValidateLabelSelector(s, strictLabelValues, path)
}

// unless says that message of a value for which ok is false.
func unless[T any](ok bool, path *field.Path, value T, message string) field.ErrorList {
	if ok {
		return nil
	}
	return field.ErrorList{field.Invalid(path, value, message)}
}

func labelValue(value string, path *field.Path) field.ErrorList {
	return faults(path, value, content.IsLabelValue(value))
}
