// kubernetes/kubernetes@v1.30.14:pkg/apis/resource/structured/namedresources/validation/validation.go

package resource

import (
	"regexp"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/builtin"
	"github.com/admsim/admsim/internal/objects/rules"
)

// modelOf checks the only resource model of 1.30, namedResources.
func modelOf[T any](model *T, at *field.Path, check func(*T, *field.Path) field.ErrorList) field.ErrorList {
	if model == nil {
		return field.ErrorList{field.Required(at, "exactly one structured model field must be set")}
	}
	return check(model, at.Child("namedResources")) // for a slice, at is nil: the model is at its root
}

// selectorIn returns the check of a selector in a request. stored says that the old object had the same selectors.
func selectorIn(r rules.Request, stored bool) func(*builtin.NamedSelector, *field.Path) field.ErrorList {
	return func(s *builtin.NamedSelector, at *field.Path) field.ErrorList {
		at = at.Child("selector")
		if s.Selector == "" {
			return field.ErrorList{field.Required(at, "")}
		}
		return r.CheckInstanceSelector(s.Selector, stored, at)
	}
}

func instances(r *builtin.NamedInstances, at *field.Path) field.ErrorList {
	names := map[string]bool{}
	return rules.EachOf(r.Instances, -1, at.Child("instances"), func(i builtin.NamedInstance, at *field.Path) field.ErrorList {
		var errs rules.Errors
		errs.Add(uniqueSubdomain(i.Name, names, at.Child("name")))
		attributes := map[string]bool{}
		errs.Add(rules.EachOf(i.Attributes, -1, at.Child("attributes"), func(a builtin.NamedAttribute, at *field.Path) field.ErrorList {
			return append(uniqueSubdomain(a.Name, attributes, at.Child("name")), attributeValue(a, at)...)
		}))
		return errs.List()
	})
}

func uniqueSubdomain(name string, known map[string]bool, at *field.Path) field.ErrorList {
	errs := rules.Faults(at, name, rules.DNS1123Subdomain(name))
	if known[name] {
		errs = append(errs, field.Duplicate(at, name))
	}
	known[name] = true
	return errs
}

var semanticVersion = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)` +
		`(-(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(\.(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*)?` +
		`(\+[0-9a-zA-Z-]+(\.[0-9a-zA-Z-]+)*)?$`)
})

// attributeValue checks that an attribute has exactly one value.
func attributeValue(a builtin.NamedAttribute, at *field.Path) field.ErrorList {
	var errs rules.Errors
	var set []string
	for name, isSet := range map[string]bool{
		"quantity": a.QuantityValue != nil, "bool": a.BoolValue != nil, "int": a.IntValue != nil, "intSlice": a.IntSliceValue != nil,
		"string": a.StringValue != nil, "stringSlice": a.StringSliceValue != nil, "version": a.VersionValue != nil,
	} {
		if isSet {
			set = append(set, name)
		}
	}
	slices.Sort(set)
	if v := a.VersionValue; v != nil && !semanticVersion().MatchString(*v) {
		errs.Invalid(at.Child("version"), *v, "must be a string compatible with semver.org spec 2.0.0")
	}
	switch len(set) {
	case 0:
		errs.Required(at, "exactly one value must be set")
	case 1:
	default:
		errs.Invalid(at, set, "exactly one field must be set, not several")
	}
	return errs.List()
}

// structuredHandle checks what was allocated: pkg/apis/resource/validation/validation.go of 1.30,
// validateStructuredResourceHandle.
func structuredHandle(h *builtin.StructuredHandle, at *field.Path) field.ErrorList {
	var errs rules.Errors
	if h.NodeName != "" {
		errs.Add(rules.Faults(at.Child("nodeName"), h.NodeName, rules.DNSSubdomain(h.NodeName, false)))
	}
	errs.Add(rules.EachOf(h.Results, -1, at.Child("results"), func(r builtin.DriverAllocation, at *field.Path) field.ErrorList {
		return modelOf(r.NamedResources, at, func(n *builtin.NamedAllocation, at *field.Path) field.ErrorList {
			return rules.Faults(at.Child("name"), n.Name, rules.DNS1123Subdomain(n.Name))
		})
	}))
	return errs.List()
}
