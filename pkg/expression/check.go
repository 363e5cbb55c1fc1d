package expression

import (
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	apiservercel "k8s.io/apiserver/pkg/cel"
)

const maxConditions = 64

// CheckConditions validates the match conditions of a webhook that is being written (W-081). stored has the expressions
// of all webhooks that the object had before: they may still use what only the newest release knows (W-325).
//
// On update the server does not check match conditions if every webhook, by its index, keeps its own. The caller makes
// that comparison.
func (c *Compiler) CheckConditions(list []admissionregistrationv1.MatchCondition, path *field.Path, stored sets.Set[string]) field.ErrorList {
	return c.checkConditions(list, path, declarations{HasAuthorizer: true}, stored)
}

func conditionTexts(list []admissionregistrationv1.MatchCondition) sets.Set[string] {
	texts := sets.New[string]()
	for _, condition := range list {
		texts.Insert(condition.Expression)
	}
	return texts
}

func (c *Compiler) checkConditions(list []admissionregistrationv1.MatchCondition, path *field.Path, declares declarations, stored sets.Set[string]) field.ErrorList {
	var errs field.ErrorList
	if len(list) > maxConditions {
		errs = append(errs, field.TooMany(path, len(list), maxConditions))
	}
	names := sets.New[string]()
	for i, condition := range list {
		at := path.Index(i)
		if text := strings.TrimSpace(condition.Expression); text == "" {
			errs = append(errs, field.Required(at.Child("expression"), ""))
		} else {
			p := c.written.compile(source{text: text, want: wantBool}, declares, modeFor(stored.Has(text)))
			errs = append(errs, invalid(at.Child("expression"), text, p)...)
		}
		if condition.Name == "" {
			errs = append(errs, field.Required(at.Child("name"), ""))
			continue
		}
		errs = append(errs, checkQualifiedName(condition.Name, at.Child("name"))...)
		if names.Has(condition.Name) {
			errs = append(errs, field.Duplicate(at.Child("name"), condition.Name))
		}
		names.Insert(condition.Name)
	}
	return errs
}

// checkQualifiedName validates a name that may have a prefix before a slash.
func checkQualifiedName(name string, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for _, text := range validation.IsQualifiedName(name) {
		errs = append(errs, field.Invalid(path, name, text))
	}
	return errs
}

// invalid returns the validation error of a program that does not compile.
func invalid(path *field.Path, text string, p program) field.ErrorList {
	switch {
	case p.err == nil:
		return nil
	case p.err.Type == apiservercel.ErrorTypeInvalid:
		return field.ErrorList{field.Invalid(path, text, p.err.Detail)}
	case p.err.Type == apiservercel.ErrorTypeRequired:
		return field.ErrorList{field.Required(path, p.err.Detail)}
	}
	return field.ErrorList{field.InternalError(path, p.err)}
}

// modeFor returns the mode in which an expression that is being written is checked.
func modeFor(stored bool) mode {
	if stored {
		return ofNewest
	}
	return ofRelease
}
