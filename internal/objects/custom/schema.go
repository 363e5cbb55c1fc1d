// kubernetes/apiextensions-apiserver:pkg/apiserver/customresource_handler.go

package custom

import (
	"errors"
	"fmt"
	"sync"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/objects/customrules"
	"github.com/admsim/admsim/internal/objects/customschema"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// A customVersion has the compiled schema and rules of one version of a CRD. It does not change, and may be used
// concurrently.
type customVersion struct {
	gvk        schema.GroupVersionKind
	release    *kubeversion.Release
	namespaced bool

	structural *structuralschema.Structural // nil without a schema
	schema     *customschema.Schema         // an empty one without a schema
	status     *customschema.Schema         // for the field status; nil if it is not checked alone
	rules      func() *customrules.Rules    // x-kubernetes-validations; nil if there are none

	path      string // of the schema in its CRD
	hasStatus bool
	scale     *apiextensionsv1.CustomResourceSubresourceScale
}

func compileVersion(crd *apiextensionsv1.CustomResourceDefinition, number int, r *kubeversion.Release) (*customVersion, error) {
	v := &crd.Spec.Versions[number]
	props, err := internalSchema(v)
	if err != nil {
		return nil, err
	}
	c := &customVersion{
		gvk:        schema.GroupVersionKind{Group: crd.Spec.Group, Version: v.Name, Kind: crd.Spec.Names.Kind},
		release:    r,
		namespaced: crd.Spec.Scope == apiextensionsv1.NamespaceScoped,
	}
	if sub := v.Subresources; sub != nil {
		c.hasStatus, c.scale = sub.Status != nil, sub.Scale
	}
	if c.structural, err = structuralOf(crd, props); err != nil {
		return nil, err
	}
	if !r.Has(kubeversion.NullsPruned) {
		keepNulls(c.structural)
	}
	if c.schema, err = customschema.New(props, r); err != nil {
		return nil, fmt.Errorf("compiling its schema: %w", err)
	}
	if err := c.compileStatus(props); err != nil {
		return nil, err
	}
	c.path = fmt.Sprintf("spec.versions[%d].schema.openAPIV3Schema", number)
	c.rules = sync.OnceValue(func() *customrules.Rules { return customrules.New(c.structural, c.path, true, r) })
	return c, nil
}

// keepNulls changes a schema so that neither pruning nor defaulting touches nulls. Whether they are valid is up to the
// schema's validator.
func keepNulls(s *structuralschema.Structural) {
	all := structuralschema.Visitor{Structural: func(s *structuralschema.Structural) bool {
		changed := !s.Nullable
		s.Nullable = true
		return changed
	}}
	if s != nil {
		all.Visit(s)
	}
}

// compileStatus compiles the schema of the field status: since [kubeversion.CustomStatusAlone], writes of that subresource
// are only checked against it.
func (c *customVersion) compileStatus(props *apiextensions.JSONSchemaProps) error {
	if !c.hasStatus || props == nil || !c.release.Has(kubeversion.CustomStatusAlone) {
		return nil
	}
	status, ok := props.Properties["status"]
	if !ok {
		return nil
	}
	var err error
	if c.status, err = customschema.New(&status, c.release); err != nil {
		return fmt.Errorf("compiling the schema of its status: %w", err)
	}
	return nil
}

func internalSchema(v *apiextensionsv1.CustomResourceDefinitionVersion) (*apiextensions.JSONSchemaProps, error) {
	if v.Schema == nil {
		return nil, nil
	}
	var internal apiextensions.CustomResourceValidation
	if err := apiextensionsv1.Convert_v1_CustomResourceValidation_To_apiextensions_CustomResourceValidation(v.Schema, &internal, nil); err != nil {
		return nil, fmt.Errorf("reading its schema: %w", err)
	}
	return internal.OpenAPIV3Schema, nil
}

// structuralOf returns the schema in the form used for pruning and defaulting. Only CRDs from before v1, which preserve
// unknown fields, may have a schema that has no such form.
func structuralOf(crd *apiextensionsv1.CustomResourceDefinition, props *apiextensions.JSONSchemaProps) (*structuralschema.Structural, error) {
	if props == nil {
		return nil, nil
	}
	s, err := structuralschema.NewStructural(props)
	switch {
	case crd.Spec.PreserveUnknownFields:
		return s, nil
	case err != nil:
		return nil, fmt.Errorf("its schema is not structural: %w", err)
	case s == nil:
		return nil, errors.New("its schema is not structural")
	}
	// The defaults are shared with the CRD until they are copied.
	s = s.DeepCopy()
	if err := defaulting.PruneDefaults(s); err != nil {
		return nil, fmt.Errorf("pruning the defaults of its schema: %w", err)
	}
	return s, nil
}
