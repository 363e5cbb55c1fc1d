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
			after, before := m.Status.ResourceVersion, old.Status.ResourceVersion
			return rules.Unless(before == "" || after == before, field.NewPath("status", "resourceVersion"), after, "resourceVersion cannot be updated")
		}
		after, before := m.Spec.Resource, old.Spec.Resource
		const message = "field is immutable"
		var errs rules.Errors
		errs.Add(rules.Unless(after.Group == before.Group, field.NewPath("group"), after.Group, message))
		errs.Add(rules.Unless(after.Version == before.Version, field.NewPath("version"), after.Version, message))
		errs.Add(rules.Unless(after.Resource == before.Resource, field.NewPath("resource"), after.Resource, message))
		return errs.List()
	},
}
