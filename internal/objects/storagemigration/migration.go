// kubernetes/kubernetes:pkg/apis/storagemigration/validation/validation.go

package storagemigration

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/internal/removed"
)

// storageVersionMigrationV1alpha1 follows pkg/apis/storagemigration of 1.30, but for the
// conditions of its status.
var storageVersionMigrationV1alpha1 = rules.Of[*removed.StorageVersionMigration]{
	Name:        rules.DNSSubdomain,
	Status:      func(m *removed.StorageVersionMigration) any { return &m.Status },
	StatusAlone: true,
	Validate: func(m *removed.StorageVersionMigration, _ rules.Request) field.ErrorList {
		at, r := rules.SpecPath.Child("resource"), m.Spec.Resource
		var errs rules.Errors
		if r.Resource == "" {
			errs.Required(at.Child("resource"), "resource is required")
		}
		if r.Version == "" {
			errs.Required(at.Child("version"), "version is required")
		}
		return errs.List()
	},
	ValidateUpdate: func(m, old *removed.StorageVersionMigration, r rules.Request) field.ErrorList {
		if r.Subresource == "status" {
			is, was := m.Status.ResourceVersion, old.Status.ResourceVersion
			return rules.Unless(was == "" || is == was, field.NewPath("status", "resourceVersion"), is, "resourceVersion cannot be updated")
		}
		is, was := m.Spec.Resource, old.Spec.Resource
		const message = "field is immutable"
		var errs rules.Errors
		errs.Add(rules.Unless(is.Group == was.Group, field.NewPath("group"), is.Group, message))
		errs.Add(rules.Unless(is.Version == was.Version, field.NewPath("version"), is.Version, message))
		errs.Add(rules.Unless(is.Resource == was.Resource, field.NewPath("resource"), is.Resource, message))
		return errs.List()
	},
}
