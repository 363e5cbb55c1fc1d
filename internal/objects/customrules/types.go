// kubernetes/apiextensions-apiserver:pkg/apiserver/schema/cel/model/schemas.go

package customrules

import (
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	apiservercel "k8s.io/apiserver/pkg/cel"

	"github.com/admsim/admsim/pkg/kubeversion"
)

// TypeOf returns the type that values of a schema have in the CEL of a release, or nil if rules do not see them. resource
// says that they are whole resources.
func TypeOf(s *structuralschema.Structural, resource bool, r *kubeversion.Release) *apiservercel.DeclType {
	if s != nil && !r.Has(kubeversion.RuleNamesBounded) {
		s = s.DeepCopy()
		s.XEmbeddedResource = resource
		all := structuralschema.Visitor{Structural: declareNames}
		all.Visit(s)
	}
	return model.SchemaDeclType(s, resource)
}

// declareNames gives the schema of a resource the fields that every resource has, with names of any length. It reports
// whether the schema has changed. Fields that are declared get no limits later.
func declareNames(s *structuralschema.Structural) bool {
	text := structuralschema.Structural{Generic: structuralschema.Generic{Type: "string"}}
	metadata := s.Properties["metadata"]
	if !s.XEmbeddedResource || s.Properties["kind"].Type == "string" && s.Properties["apiVersion"].Type == "string" && metadata.Type == "object" &&
		metadata.Properties["name"].Type == "string" && metadata.Properties["generateName"].Type == "string" {
		return false
	}
	if s.Properties == nil {
		s.Properties = map[string]structuralschema.Structural{}
	}
	s.Properties["kind"], s.Properties["apiVersion"] = text, text
	s.Properties["metadata"] = structuralschema.Structural{
		Generic:    structuralschema.Generic{Type: "object"},
		Properties: map[string]structuralschema.Structural{"name": text, "generateName": text},
	}
	return true
}
