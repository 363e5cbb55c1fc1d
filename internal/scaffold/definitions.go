package scaffold

import (
	"encoding/json"
	"fmt"
	"maps"
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
	one.object = smallest.Object(r.Kind, "sample", namespace, r.CRD)
	data, err := manifest(one.object)
	if err != nil {
		return err
	}
	all.files[one.file()] = data
	all.all = append(all.all, one)
	return nil
}

// lost returns a warning if fields of a sample are missing in the answer because the mock of its conversion webhook
// converts nothing but apiVersion, so that the server drops what the stored version does not have.
func (s *sample) lost(r *result, definitions []definition) []*scenario.Error {
	isOf := func(d definition) bool { return d.group == s.of.Group && d.kind == s.of.Kind && d.converts }
	i := slices.IndexFunc(definitions, isOf)
	if i < 0 || !r.Allowed() || r.Object == nil {
		return nil
	}
	sent, answered := asJSON(s.object), asJSON(r.Object)
	fields := missing("", sent, answered)
	if len(fields) == 0 {
		return nil
	}
	return []*scenario.Error{{
		Source: definitions[i].at,
		Message: fmt.Sprintf("the answer to %s lacks %s: the mock of the conversion webhook only changes apiVersion, and the stored version has no such field",
			s.file(), strings.Join(fields, ", ")),
		Hint: "put the real conversion webhook into the backends of the suite, then write the golden file again: admsim test --update",
	}}
}

// asJSON returns an object as the values of its JSON.
func asJSON(object any) (value any) {
	data, err := json.Marshal(object)
	if err != nil || json.Unmarshal(data, &value) != nil {
		return nil
	}
	return value
}

// missing returns the outermost fields of one value that another does not have.
func missing(path string, from, in any) (fields []string) {
	switch from := from.(type) {
	case map[string]any:
		in, _ := in.(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(from)) {
			at := strings.TrimPrefix(path+"."+name, ".")
			if value, ok := in[name]; ok {
				fields = append(fields, missing(at, from[name], value)...)
			} else {
				fields = append(fields, at)
			}
		}
	case []any:
		in, _ := in.([]any)
		for i := range min(len(from), len(in)) {
			fields = append(fields, missing(fmt.Sprintf("%s[%d]", path, i), from[i], in[i])...)
		}
	}
	return fields
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
