package expression

import (
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/semantic"
)

// CheckMutatingPolicy validates the expressions of a MutatingAdmissionPolicy: matchConditions, variables and mutations,
// each with the fields next to the expression (W-321). old is the policy before an update, nil on create.
func (c *Compiler) CheckMutatingPolicy(policy, old *admissionregistrationv1.MutatingAdmissionPolicy) field.ErrorList {
	spec, path := &policy.Spec, field.NewPath("spec")
	check := c.policyCheck(spec.ParamKind != nil, spec.Variables, c.written.compileBare)
	conditions, mutations := sets.New[string](), sets.New[string]()
	unchanged := false
	if old != nil {
		conditions = conditionTexts(old.Spec.MatchConditions)
		mutations = mutationTexts(old.Spec.Mutations)
		unchanged = semantic.DeepEqual(spec.ParamKind, old.Spec.ParamKind) &&
			semantic.DeepEqual(spec.MatchConditions, old.Spec.MatchConditions)
	}

	var errs field.ErrorList
	if !unchanged {
		errs = append(errs, check.conditions(spec.MatchConditions, path, conditions)...)
	}
	errs = append(errs, check.allVariables(spec.Variables, path, nil)...)
	if len(spec.Mutations) == 0 {
		errs = append(errs, field.Required(path.Child("mutations"), "mutations must contain at least one item"))
	}
	for i := range spec.Mutations {
		errs = append(errs, check.mutation(&spec.Mutations[i], mutations, path.Child("mutations").Index(i))...)
	}
	return errs
}

func mutationTexts(list []admissionregistrationv1.Mutation) sets.Set[string] {
	texts := sets.New[string]()
	for _, m := range list {
		if m.ApplyConfiguration != nil {
			texts.Insert(m.ApplyConfiguration.Expression)
		}
		if m.JSONPatch != nil {
			texts.Insert(m.JSONPatch.Expression)
		}
	}
	return texts
}

func (k *policyCheck) mutation(m *admissionregistrationv1.Mutation, stored sets.Set[string], path *field.Path) field.ErrorList {
	const apply, patch = "applyConfiguration", "jsonPatch"
	switch m.PatchType {
	case "":
		return field.ErrorList{field.Required(path.Child("patchType"), "")}
	case admissionregistrationv1.PatchTypeJSONPatch:
		var text *string
		if m.JSONPatch != nil {
			text = &m.JSONPatch.Expression
		}
		errs := k.mutationExpression(text, wantPatch, m.PatchType, stored, path.Child(patch))
		return append(errs, unwanted(m.ApplyConfiguration != nil, apply, m.PatchType, path)...)
	case admissionregistrationv1.PatchTypeApplyConfiguration:
		var text *string
		if m.ApplyConfiguration != nil {
			text = &m.ApplyConfiguration.Expression
		}
		errs := k.mutationExpression(text, wantObject, m.PatchType, stored, path.Child(apply))
		return append(errs, unwanted(m.JSONPatch != nil, patch, m.PatchType, path)...)
	}
	return field.ErrorList{field.NotSupported(path.Child("patchType"), m.PatchType, []admissionregistrationv1.PatchType{
		admissionregistrationv1.PatchTypeApplyConfiguration,
		admissionregistrationv1.PatchTypeJSONPatch,
	})}
}

func (k *policyCheck) mutationExpression(text *string, w want, t admissionregistrationv1.PatchType, stored sets.Set[string], path *field.Path) field.ErrorList {
	if text == nil {
		return field.ErrorList{field.Required(path, "must be specified when patchType is "+string(t))}
	}
	at := path.Child("expression")
	trimmed := strings.TrimSpace(*text)
	if trimmed == "" {
		return field.ErrorList{field.Required(at, "")}
	}
	p := k.compile(trimmed, w, declarations{HasAuthorizer: true, HasPatchTypes: true}, stored.Has(*text))
	return invalid(at, trimmed, p)
}

// unwanted returns an error for the field that belongs to the other patch type, if it is set.
func unwanted(there bool, member string, t admissionregistrationv1.PatchType, path *field.Path) field.ErrorList {
	if !there {
		return nil
	}
	return field.ErrorList{field.Invalid(path.Child(member), "{"+member+"}", "must not be specified when patchType is "+string(t))}
}
