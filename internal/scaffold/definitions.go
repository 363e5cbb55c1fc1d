package scaffold

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/smallest"
	"github.com/admsim/admsim/pkg/discovery"
)

// A definition is a CustomResourceDefinition that a suite should have cases for.
type definition struct {
	name, group, kind string
	at                scenario.Source
	converts          bool // by a webhook
}

// definitionsOf returns the CustomResourceDefinitions among manifests.
func definitionsOf(manifests []scenario.Manifest) (all []definition) {
	for _, m := range manifests {
		var crd struct { // the same in v1 and v1beta1
			Spec struct {
				Group      string                                        `json:"group"`
				Names      apiextensionsv1.CustomResourceDefinitionNames `json:"names"`
				Conversion struct {
					Strategy apiextensionsv1.ConversionStrategyType `json:"strategy"`
				} `json:"conversion"`
			} `json:"spec"`
		}
		if m.Kind != "CustomResourceDefinition" || json.Unmarshal(m.JSON, &crd) != nil {
			continue // mistakes are reported when it is loaded
		}
		all = append(all, definition{m.Name, crd.Spec.Group, crd.Spec.Names.Kind, m.Source, crd.Spec.Conversion.Strategy == apiextensionsv1.WebhookConverter})
	}
	return all
}

// define adds an object in each version of a definition for which there is no sample yet: a version that is not stored
// is converted.
func (all *samples) define(d definition) error {
	for _, r := range all.world.Simulator().Resources().All() {
		if r.Kind.Group != d.group || r.Kind.Kind != d.kind || !r.Served || !slices.Contains(r.Verbs, "create") {
			continue
		}
		if slices.ContainsFunc(all.all, func(one *sample) bool { return one.of == r.Kind }) {
			continue
		}
		if err := all.addVersion(d, r); err != nil {
			return err
		}
	}
	return nil
}

func (all *samples) addVersion(d definition, r discovery.Resource) error {
	namespace := ""
	if r.Namespaced {
		namespace = metav1.NamespaceDefault
	}
	one := &sample{kind: strings.ToLower(r.Kind.Kind), key: fmt.Sprint(r.Kind, namespace), of: r.Kind, defined: &d}
	if one.name = one.kind; all.isTaken(one.name) {
		one.name = plainName(one.kind + "-" + r.Kind.Version)
	}
	one.name = freeName(one.name, all.isTaken)
	data, err := manifest(smallest.Object(r.Kind, "sample", namespace, r.CRD))
	if err != nil {
		return err
	}
	all.files[one.file()] = data
	all.all = append(all.all, one)
	return nil
}

// refused returns a warning for a sample of a definition that the server does not accept, such as one that breaks a rule
// in CEL.
func (s *sample) refused(r *result) (warnings []*scenario.Error) {
	if s.defined == nil || r.Allowed() || r.deniedBy().plugin != "" || r.Status() == nil {
		return nil
	}
	return []*scenario.Error{{
		Source:  s.defined.at,
		Message: fmt.Sprintf("%s is not accepted: %s", s.file(), r.Status().Message),
		Hint:    "change that object so that it is, and adapt what its case expects",
	}}
}
