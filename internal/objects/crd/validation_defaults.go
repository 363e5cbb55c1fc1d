// kubernetes/apiextensions-apiserver:pkg/apiserver/schema/defaulting/validation.go

package crd

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"

	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/objects/customrules"
	"github.com/admsim/admsim/internal/objects/customschema"
	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// defaults returns the errors about the defaults in the schema of a resource, which is at path (ER-08c).
func (c crdCheck) defaults(schema *structuralschema.Structural, path *field.Path) field.ErrorList {
	root := *schema
	root.XEmbeddedResource = true
	d := defaultCheck{release: c.release, pruned: c.prunedDefaults, budget: customrules.NewBudget(c.release)}
	errs, err := d.check(&root, defaultPlace{path: path})
	if err != nil {
		return field.ErrorList{field.Invalid(path, "", err.Error())}
	}
	return errs
}

// A defaultCheck checks the defaults of a schema.
type defaultCheck struct {
	release *kubeversion.Release
	pruned  bool // refuse fields that the schema does not know
	budget  customrules.Budget
}

// A defaultPlace is where a schema is that may have a default.
type defaultPlace struct {
	path       *field.Path
	resource   *structuralschema.Structural // the innermost one around it
	object     defaulting.SurroundingObjectFunc
	inMetadata bool // of that resource
}

func (p defaultPlace) child(path *field.Path, object defaulting.SurroundingObjectFunc) defaultPlace {
	p.path, p.object = path, object
	return p
}

// check returns the errors about the default of a schema and of those within it, until the evaluation of rules has ended.
func (d *defaultCheck) check(s *structuralschema.Structural, at defaultPlace) (field.ErrorList, error) {
	if s.XEmbeddedResource {
		at.resource, at.inMetadata = s, false
		at.object = defaulting.NewRootObjectFunc().WithTypeMeta(metav1.TypeMeta{APIVersion: "validation/v1", Kind: "Validation"})
	}
	errs, err := d.value(s, at)
	below := func(s *structuralschema.Structural, at defaultPlace) {
		if err != nil || d.budget.Ended() {
			return
		}
		var more field.ErrorList
		more, err = d.check(s, at)
		errs = append(errs, more...)
	}
	if s.Items != nil {
		below(s.Items, at.child(at.path.Child("items"), at.object.Index()))
	}
	for name, property := range rules.Sorted(s.Properties) {
		inside := at.child(at.path.Child("properties").Key(name), at.object.Child(name))
		inside.inMetadata = at.inMetadata || s.XEmbeddedResource && (name == "metadata" || name == "apiVersion" || name == "kind")
		below(&property, inside)
	}
	return errs, err
}

// value returns the errors about the default of one schema.
func (d *defaultCheck) value(s *structuralschema.Structural, at defaultPlace) (field.ErrorList, error) {
	value, path := s.Default.Object, at.path.Child("default")
	if value == nil {
		return nil, nil
	}
	if !d.release.Has(kubeversion.CustomErrorsByField) {
		return d.alphaValue(s, at), nil
	}
	var errs field.ErrorList
	if at.inMetadata {
		object, _, err := at.object(runtime.DeepCopyJSONValue(value))
		if err != nil {
			return nil, fmt.Errorf("failed to validate default value inside metadata: %w", err)
		}
		if wrong := d.metadata(nil, object, at.resource, true); len(wrong) > 0 {
			return field.ErrorList{field.Invalid(path, value, fmt.Sprintf("must result in valid metadata: %v", wrong.ToAggregate()))}, nil
		}
	} else {
		if d.pruned && !isPruned(value, s) {
			errs = append(errs, field.Invalid(path, value, "must not have unknown fields"))
		}
		if wrong := d.metadata(path, value, s, s.XEmbeddedResource); len(wrong) > 0 {
			return append(errs, wrong...), nil
		}
	}
	if wrong := customschema.OfDefault(s, d.release).Validate(path, value); len(wrong) > 0 {
		return append(errs, rules.Ordered(wrong)...), nil
	}
	return append(errs, d.rules(s, at)...), nil
}

// rules returns the errors about rules that the default of the schema at a place breaks (W-353a).
func (d *defaultCheck) rules(s *structuralschema.Structural, at defaultPlace) (errs field.ErrorList) {
	isResource := s == at.resource
	if !d.release.Has(kubeversion.DefaultRulesTyped) {
		isResource = true
		if s.Type == "array" { // resources have no items, so there is no type for which its own rules could be compiled
			ofItems := *s
			ofItems.XValidations = nil
			s, isResource = &ofItems, false
		}
	}
	of := customrules.New(s, at.path.String(), isResource, d.release)
	if of == nil {
		return nil
	}
	path := at.path.Child("default")
	customrules.Limited(path.String(), func(ctx context.Context) {
		var faults []customrules.Fault
		faults, d.budget = of.FaultsOfDefault(ctx, s.Default.Object, path, d.budget)
		for _, fault := range faults {
			errs = append(errs, fault.Error)
		}
	})
	return errs
}

// alphaValue returns the errors about the default of one schema before [kubeversion.CustomErrorsByField]
// (kubernetes/apiextensions-apiserver@v0.15.12:pkg/apis/apiextensions/validation/validation.go).
func (d *defaultCheck) alphaValue(s *structuralschema.Structural, at defaultPlace) field.ErrorList {
	value, path := s.Default.Object, at.path.Child("default")
	var errs field.ErrorList
	changed := runtime.DeepCopyJSONValue(value)
	if !at.inMetadata {
		pruning.Prune(changed, s, s.XEmbeddedResource)
	}
	if err := objectmeta.Coerce(at.path, changed, s, s.XEmbeddedResource, false); err != nil {
		errs = append(errs, err)
	}
	if !reflect.DeepEqual(changed, value) {
		errs = append(errs, field.Invalid(path, value, "must not have unknown fields"))
	}
	found := customschema.OfDefault(s, d.release).Validate(path, withFloats(value))
	if rules.Panicked(found) {
		return found
	}
	for _, wrong := range found {
		errs = append(errs, field.Invalid(path, value, "must validate: "+wrong.Detail))
	}
	return errs
}

// metadata returns the errors about the metadata of the resources in a value, which may be one itself.
func (d *defaultCheck) metadata(path *field.Path, value any, s *structuralschema.Structural, isResource bool) field.ErrorList {
	if err := objectmeta.Coerce(path, value, s, isResource, false); err != nil {
		return field.ErrorList{err}
	}
	return customschema.ValidateMetadata(path, value, s, isResource, d.release)
}

func isPruned(value any, s *structuralschema.Structural) bool {
	pruned := runtime.DeepCopyJSONValue(value)
	pruning.Prune(pruned, s, s.XEmbeddedResource)
	return reflect.DeepEqual(pruned, value)
}

// withFloats returns a value whose numbers are all floats.
func withFloats(value any) (floats any) {
	text, err := json.Marshal(value)
	if err == nil {
		err = json.Unmarshal(text, &floats)
	}
	if err != nil {
		panic(fmt.Sprintf("a default does not encode: %v", err)) // it was decoded before
	}
	return floats
}
