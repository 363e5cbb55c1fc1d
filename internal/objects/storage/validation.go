// kubernetes/kubernetes:pkg/apis/storage/validation/validation.go

package storage

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/validate/content"
	"k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/internal/semantic"
	"github.com/admsim/admsim/pkg/kubeversion"
)

var (
	classReclaimPolicies = []string{"Delete", "Retain"}
	bindingModes         = []string{"Immediate", "WaitForFirstConsumer"}
	maxClassParameters   = 512
	maxClassParameter    = 256 * 1024
)

// classParameters checks the parameters that a class passes to its driver.
func classParameters(parameters map[string]string, mayBeMissing bool) field.ErrorList {
	path := field.NewPath("parameters")
	var errs rules.Errors
	size := 0
	for key, v := range rules.Sorted(parameters) {
		size += len(key) + len(v)
		errs.Add(rules.Unless(key != "", path, key, "field can not be empty."))
	}
	switch {
	case len(parameters) > maxClassParameters:
		errs.TooLong(path, "", maxClassParameters)
	case size > maxClassParameter:
		errs.TooLong(path, "", maxClassParameter)
	case !mayBeMissing && len(parameters) == 0:
		errs.Required(path, "must contain at least one key/value pair")
	}
	return errs.List()
}

// provisioner checks the name of a driver, ignoring case.
func provisioner(name string, at *field.Path) field.ErrorList {
	if name == "" {
		return rules.Required(name, at).WithOrigin(rules.Declared)
	}
	return rules.Faults(at, strings.ToLower(name), content.IsLabelKey(strings.ToLower(name)))
}

// givenOrNil returns nil for an empty choice.
func givenOrNil[T ~string](value *T) *T {
	if value == nil || *value == "" {
		return nil
	}
	return value
}

func validateStorageClass(c *storagev1.StorageClass, r rules.Request) field.ErrorList {
	var errs rules.Errors
	if c.AllowVolumeExpansion != nil && !r.Release.Has(kubeversion.DisabledExpansionDropped) && !r.Release.Enabled("ExpandPersistentVolumes") {
		errs.Forbidden(field.NewPath("allowVolumeExpansion"), "field is disabled by feature-gate ExpandPersistentVolumes")
	}
	errs.Add(provisioner(c.Provisioner, field.NewPath("provisioner")))
	errs.Add(classParameters(c.Parameters, true))
	errs.Add(rules.OneOf(givenOrNil(c.ReclaimPolicy), classReclaimPolicies, field.NewPath("reclaimPolicy")))
	errs.Add(allowedTopologies(c.AllowedTopologies, field.NewPath("allowedTopologies")))
	errs.Add(rules.OneOf(c.VolumeBindingMode, bindingModes, field.NewPath("volumeBindingMode")))
	return errs.List()
}

func validateStorageClassUpdate(c, old *storagev1.StorageClass, r rules.Request) field.ErrorList {
	var errs rules.Errors
	errs.Add(keepsOf(c.Parameters, old.Parameters, "parameters", r))
	errs.Add(keepsOf(c.Provisioner, old.Provisioner, "provisioner", r))
	errs.Add(keepsOf(c.ReclaimPolicy, old.ReclaimPolicy, "reclaimPolicy", r))
	errs.Add(validation.ValidateImmutableField(c.VolumeBindingMode, old.VolumeBindingMode, field.NewPath("volumeBindingMode")))
	return errs.List()
}

// keepsOf requires a field of a storage class to stay the same, with a message that other kinds also use since 1.36.
func keepsOf(after, before any, name string, r rules.Request) field.ErrorList {
	errs := validation.ValidateImmutableField(after, before, field.NewPath(name))
	if len(errs) > 0 && !r.Release.Has(kubeversion.StorageClassImmutableWords) {
		return field.ErrorList{field.Forbidden(field.NewPath(name), "updates to "+name+" are forbidden.")}
	}
	return errs
}

// allowedTopologies checks the terms of a class. The server reserves a place for each term and does not use it, so an
// empty term is reported as a duplicate of each of these places.
func allowedTopologies(terms []corev1.TopologySelectorTerm, path *field.Path) field.ErrorList {
	var errs rules.Errors
	read := make([]map[string]map[string]bool, len(terms))
	for i, term := range terms {
		at := path.Index(i).Child("matchLabelExpressions")
		found := map[string]map[string]bool{}
		for j, e := range term.MatchLabelExpressions {
			errs.Add(topologyExpression(e, at.Index(j)))
			if rules.Has(found, e.Key) {
				errs.Duplicate(at.Index(j).Child("key"), e.Key)
			}
			found[e.Key] = map[string]bool{}
			for _, v := range e.Values {
				found[e.Key][v] = true
			}
		}
		for _, other := range read {
			if semantic.DeepEqual(found, other) {
				errs.Duplicate(at, "")
			}
		}
		read = append(read, found)
	}
	return errs.List()
}

func topologyExpression(e corev1.TopologySelectorLabelRequirement, path *field.Path) field.ErrorList {
	var errs rules.Errors
	if len(e.Values) == 0 {
		errs.Required(path.Child("values"), "")
	}
	seen := map[string]bool{}
	for i, v := range e.Values {
		if seen[v] {
			errs.Duplicate(path.Child("values").Index(i), v)
		}
		seen[v] = true
	}
	errs.Add(rules.Faults(path.Child("key"), e.Key, content.IsLabelKey(e.Key)))
	return errs.List()
}
