// kubernetes/kubernetes:pkg/apis/storagemigration/validation/validation.go

package storagemigration

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	storagemigrationv1 "k8s.io/api/storagemigration/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/resourceversion"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/builtin"
	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/pkg/kubeversion"
)

var storageVersionMigration = rules.Of[*storagemigrationv1.StorageVersionMigration]{
	Name:        rules.DNSSubdomain,
	Declared:    true,
	Status:      func(m *storagemigrationv1.StorageVersionMigration) any { return &m.Status },
	StatusAlone: true,
	Validate: func(m *storagemigrationv1.StorageVersionMigration, _ rules.Request) field.ErrorList {
		at, r := rules.SpecPath.Child("resource"), m.Spec.Resource
		var errs rules.Errors
		if r.Resource == "" {
			errs.Required(at.Child("resource"), "resource is required to be set")
		} else if wrong := rules.DNS1035Label(r.Resource, false); len(wrong) > 0 {
			errs.Invalid(at.Child("resource"), r.Resource, strings.Join(wrong, ","))
		}
		if wrong := rules.DNS1123Subdomain(r.Group); r.Group != "" && len(wrong) > 0 {
			errs.Invalid(at.Child("group"), r.Group, strings.Join(wrong, ","))
		}
		return errs.List()
	},
	ValidateUpdate: func(m, old *storagemigrationv1.StorageVersionMigration, r rules.Request) field.ErrorList {
		if r.Subresource == "status" {
			return migrationStatus(r.Release, &m.Status, &old.Status)
		}
		return rules.ImmutableInternal(m.Spec, old.Spec, rules.SpecPath)
	},
}

// migrationStatus requires that a migration ends only once, and keeps the resource version at which it started.
func migrationStatus(r *kubeversion.Release, s, old *storagemigrationv1.StorageVersionMigrationStatus) field.ErrorList {
	at, conditions := field.NewPath("status", "resourceVersion"), field.NewPath("status", "conditions")
	var errs rules.Errors
	optional := r.Has(kubeversion.MigratedVersionOptional)
	if v := s.ResourceVersion; v != "" || !optional {
		if _, err := resourceversion.CompareResourceVersion(v, v); err != nil {
			errs.Invalid(at, v, err.Error())
		}
	}
	errs.Add(rules.Conditions(r, s.Conditions, conditions))
	errs.Add(rules.Unless(old.ResourceVersion == "" || old.ResourceVersion == s.ResourceVersion, at, s.ResourceVersion, validation.FieldImmutableErrorMsg))
	isTrue := func(s *storagemigrationv1.StorageVersionMigrationStatus, t storagemigrationv1.MigrationConditionType) bool {
		return meta.IsStatusConditionTrue(s.Conditions, string(t))
	}
	succeeded, failed := isTrue(s, storagemigrationv1.MigrationSucceeded), isTrue(s, storagemigrationv1.MigrationFailed)
	errs.Add(rules.Unless(!succeeded || !failed, conditions, s.Conditions, "Both success and failed conditions cannot be true at the same time"))
	if running := !optional && isTrue(s, storagemigrationv1.MigrationRunning); running {
		errs.Add(rules.Unless(!succeeded, conditions, s.Conditions, "Running condition cannot be true when success condition is true"))
		errs.Add(rules.Unless(!failed, conditions, s.Conditions, "Running condition cannot be true when failed condition is true"))
	}
	errs.Add(rules.Unless(succeeded || !isTrue(old, storagemigrationv1.MigrationSucceeded), conditions, s.Conditions, "Success condition cannot be set to false once it is true"))
	errs.Add(rules.Unless(failed || !isTrue(old, storagemigrationv1.MigrationFailed), conditions, s.Conditions, "Failed condition cannot be set to false once it is true"))
	return errs.List()
}

// storageVersionMigrationV1alpha1 follows pkg/apis/storagemigration of 1.30.
var storageVersionMigrationV1alpha1 = rules.Of[*builtin.StorageVersionMigration]{
	Name:        rules.DNSSubdomain,
	Status:      func(m *builtin.StorageVersionMigration) any { return &m.Status },
	StatusAlone: true,
	Validate: func(m *builtin.StorageVersionMigration, _ rules.Request) field.ErrorList {
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
	ValidateUpdate: func(m, old *builtin.StorageVersionMigration, r rules.Request) field.ErrorList {
		if r.Subresource == "status" {
			return migrationStatusV1alpha1(&m.Status, &old.Status, r)
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

// migrationStatusV1alpha1 is [migrationStatus] as of 1.30:
// kubernetes/kubernetes@v1.30.14:pkg/apis/storagemigration/validation/validation.go,
// ValidateStorageVersionMigrationStatusUpdate.
func migrationStatusV1alpha1(s, old *builtin.StorageVersionMigrationStatus, r rules.Request) field.ErrorList {
	at, conditions := field.NewPath("status", "resourceVersion"), field.NewPath("status", "conditions")
	var errs rules.Errors
	var version int64
	if s.ResourceVersion != "" {
		var err error
		if version, err = strconv.ParseInt(s.ResourceVersion, 10, 64); err != nil {
			errs.Invalid(at, s.ResourceVersion, fmt.Sprintf("failed to parse resource version %q: %v", s.ResourceVersion, err))
			version = 0
		}
	}
	errs.Add(validation.ValidateNonnegativeField(version, at))
	types := map[string]bool{}
	for i, c := range s.Conditions {
		if types[c.Type] {
			errs.Duplicate(conditions.Index(i).Child("type"), c.Type)
		}
		types[c.Type] = true
		errs.Add(migrationCondition(c, conditions.Index(i)))
	}
	changed := "field is immutable"
	if !r.Release.Has(kubeversion.MigratedVersionImmutable) {
		changed = "resourceVersion cannot be updated"
	}
	errs.Add(rules.Unless(old.ResourceVersion == "" || old.ResourceVersion == s.ResourceVersion, at, s.ResourceVersion, changed))
	is := func(s *builtin.StorageVersionMigrationStatus, t storagemigrationv1.MigrationConditionType) bool {
		i := slices.IndexFunc(s.Conditions, func(c builtin.MigrationCondition) bool { return c.Type == string(t) })
		return i >= 0 && s.Conditions[i].Status == corev1.ConditionTrue
	}
	succeeded, failed, running := is(s, storagemigrationv1.MigrationSucceeded), is(s, storagemigrationv1.MigrationFailed), is(s, storagemigrationv1.MigrationRunning)
	shown := rules.AsInternal(shownConditions(s.Conditions))
	errs.Add(rules.Unless(!succeeded || !failed, conditions, shown, "Both success and failed conditions cannot be true at the same time"))
	errs.Add(rules.Unless(!succeeded || !running, conditions, shown, "Running condition cannot be true when success condition is true"))
	errs.Add(rules.Unless(!failed || !running, conditions, shown, "Running condition cannot be true when failed condition is true"))
	errs.Add(rules.Unless(succeeded || !is(old, storagemigrationv1.MigrationSucceeded), conditions, shown, "Success condition cannot be set to false once it is true"))
	errs.Add(rules.Unless(failed || !is(old, storagemigrationv1.MigrationFailed), conditions, shown, "Failed condition cannot be set to false once it is true"))
	return errs.List()
}

// shownConditions are printed with the name of the server's own type.
type shownConditions []builtin.MigrationCondition

func (c shownConditions) GoString() string {
	return strings.ReplaceAll(fmt.Sprintf("%#v", []builtin.MigrationCondition(c)), "builtin.", "storagemigration.")
}

func migrationCondition(c builtin.MigrationCondition, at *field.Path) field.ErrorList {
	const longestReason, longestMessage = 1024, 32768
	var errs rules.Errors
	errs.Add(metav1validation.ValidateLabelName(c.Type, at.Child("type")))
	errs.Add(rules.Choice(c.Status, at.Child("status"), corev1.ConditionFalse, corev1.ConditionTrue, corev1.ConditionUnknown))
	if c.LastUpdateTime.IsZero() {
		errs.Required(at.Child("lastTransitionTime"), "must be set") // the name that the server uses
	}
	if c.Reason == "" {
		errs.Required(at.Child("reason"), "must be set")
	} else {
		errs.Add(rules.Faults(at.Child("reason"), c.Reason, metav1validation.IsValidConditionReason(c.Reason)))
		if len(c.Reason) > longestReason {
			errs.TooLong(at.Child("reason"), c.Reason, longestReason)
		}
	}
	if len(c.Message) > longestMessage {
		errs.TooLong(at.Child("message"), c.Message, longestMessage)
	}
	return errs.List()
}
