package report

import (
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/pkg/plugins/policy"
)

// A PolicyExplanation is about one policy under one of its bindings, with one of its params.
type PolicyExplanation struct {
	Policy        string `json:"policy"`
	Binding       string `json:"binding,omitempty"` // none where the policy alone decides
	Param         string `json:"param,omitempty"`   // as kind and name
	Source        string `json:"source,omitempty"`
	BindingSource string `json:"bindingSource,omitempty"`
	Index         int    `json:"index"` // of the policy among all

	Asked   string `json:"asked"` // yes, no, or depends on an object that is not known
	Because string `json:"because"`

	Resource *metav1.GroupVersionResource `json:"resource,omitempty"`
	Kind     *metav1.GroupVersionKind     `json:"kind,omitempty"`

	FailurePolicy     string   `json:"failurePolicy"`
	ValidationActions []string `json:"validationActions,omitempty"`
	Reinvocable       bool     `json:"reinvocable,omitempty"`
}

func policies(list []policy.Explanation) []PolicyExplanation {
	all := make([]PolicyExplanation, len(list))
	for i, p := range list {
		all[i] = PolicyExplanation{
			Policy:        p.Policy,
			Binding:       p.Binding,
			Param:         p.Param,
			Source:        p.Source,
			BindingSource: p.BindingSource,
			Index:         p.Index,
			Asked:         string(p.Asked),
			Because:       p.Because,
			FailurePolicy: string(p.FailurePolicy),
			Reinvocable:   p.Reinvocable,
		}
		for _, a := range p.Actions {
			all[i].ValidationActions = append(all[i].ValidationActions, string(a))
		}
		if p.Asked == policy.Yes {
			all[i].Resource, all[i].Kind = new(metav1.GroupVersionResource(p.Resource)), new(metav1.GroupVersionKind(p.Kind))
		}
	}
	return all
}

// What text says of a policy, in place of the word on the wire.
var askedWords = map[policy.Asked]string{
	policy.Yes:     "asked",
	policy.No:      "not asked",
	policy.Depends: "depends",
}

func (e PolicyExplanation) name() string { return nameOf(e.Policy, e.Binding) }

// policies are left out where a cluster has none.
func (p *page) policies(title string, list []PolicyExplanation, names int) {
	if len(list) == 0 {
		return
	}
	p.line(0, "")
	p.line(phaseIndent, p.paint(p.bold, title))
	for _, e := range list {
		p.policy(e, names)
	}
}

func (p *page) policy(e PolicyExplanation, names int) {
	asked := policy.Asked(e.Asked)
	colour := map[policy.Asked]string{policy.Yes: p.good, policy.Depends: p.changed, policy.No: p.faint}[asked]
	p.hook(e.name(), names, p.paint(colour, padded(askedWords[asked], calledColumns)), join(e.Source, e.BindingSource), e.Because)
	if asked != policy.No {
		p.paragraph(changeIndent, p.faint, e.terms())
	}
}

// terms are the conditions under which the policy is asked.
func (e PolicyExplanation) terms() string {
	terms := []string{"failurePolicy " + e.FailurePolicy}
	if len(e.ValidationActions) > 0 {
		terms = append(terms, "validationActions "+strings.Join(e.ValidationActions, ", "))
	}
	if e.Param != "" {
		terms = append(terms, "params "+e.Param)
	}
	if e.Reinvocable {
		terms = append(terms, "asked again if needed")
	}
	return strings.Join(terms, ", ")
}
