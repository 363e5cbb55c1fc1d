package linter

import (
	"errors"
	"slices"
	"strings"

	"github.com/admsim/admsim/internal/lint"
	"github.com/admsim/admsim/internal/manifest"
	"github.com/admsim/admsim/internal/redact"
	"github.com/admsim/admsim/internal/scenario"
)

const (
	invalidObject        = "ADM100"
	unreadableFile       = "ADM101"
	ignoredConfiguration = "ADM102"
)

// admissionConfiguration is the kind of the file whose parts are the configurations of plugins.
const admissionConfiguration = "AdmissionConfiguration"

func invalidRules() []lint.Rule {
	const theme = "What cannot be installed"
	return []lint.Rule{
		{
			ID: invalidObject, Name: "not-valid", Theme: theme, Severity: lint.Error,
			Title:  "The API server would not accept an object.",
			Why:    "It is refused when it is applied, mostly with all that comes after it. With an invalid static manifest or configuration of a plugin, the API server does not start. No other rule looks at the object, or concludes anything from its absence.",
			Remedy: "correct the field; admsim run -f shows the whole answer of the server",
		},
		{
			ID: unreadableFile, Name: "not-readable", Theme: theme, Severity: lint.Error,
			Title:  "Something in a file is no manifest that can be read.",
			Why:    "kubectl apply refuses it, or understands something else than what is meant. An API server does not start if it is part of its configuration. No other rule looks at it, or concludes anything from the absence of what it may contain.",
			Remedy: "correct it; --exclude leaves out files that are no manifests",
		},
		{
			ID: ignoredConfiguration, Name: "configuration-ignored", Theme: theme, Severity: lint.Warning,
			Title:  "The API server ignores a part of the admission configuration.",
			Why:    "Nothing reports that a plugin or a field does not exist in this release. What it configures has no effect.",
			Remedy: "correct the name, or remove it; --kubernetes-version selects the release of the API server",
		},
	}
}

// An Invalid is a mistake because of which something is not checked.
type Invalid struct {
	Wrong  *scenario.Error
	Object string // the object that has it, or the file
	Plugin string // whose configuration has it; empty: it is elsewhere

	rule string
}

// Ignored returns the mistakes that warnings about an admission configuration report.
func Ignored(warnings []*scenario.Error) (found []Invalid) {
	for _, w := range warnings {
		found = append(found, Invalid{Wrong: w, Object: admissionConfiguration, rule: ignoredConfiguration})
	}
	return found
}

// Misconfigured returns the mistakes in the configuration of plugins. The rest is about none of them.
func Misconfigured(err error) (found []Invalid, rest error) {
	return sorted(err, func(wrong *scenario.Error) (Invalid, bool) {
		of := (*scenario.PluginError)(nil)
		if !errors.As(wrong, &of) {
			return Invalid{}, false
		}
		return Invalid{Wrong: wrong, Object: admissionConfiguration, Plugin: of.Plugin, rule: invalidObject}, true
	})
}

// Unreadable returns the mistakes in err that have a line in a file. The rest has no such place, or prevents whole
// folders from being read.
func Unreadable(err error) (found []Invalid, rest error) {
	return sorted(err, func(wrong *scenario.Error) (Invalid, bool) {
		unbuilt := (*manifest.BuildError)(nil)
		return Invalid{Wrong: wrong, Object: wrong.File, rule: unreadableFile}, wrong.Line > 0 && !errors.As(wrong, &unbuilt)
	})
}

// LeaveOut removes the manifests that err is about. The rest is about none of them.
func LeaveOut(manifests []scenario.Manifest, err error) (left []scenario.Manifest, found []Invalid, rest error) {
	left = slices.Clone(manifests)
	found, rest = sorted(err, func(wrong *scenario.Error) (Invalid, bool) {
		m, ok := holding(manifests, wrong.Source)
		if !ok {
			return Invalid{}, false
		}
		left = slices.DeleteFunc(left, func(one scenario.Manifest) bool {
			return one.Source == m.Source && one.GroupVersionKind == m.GroupVersionKind && one.Name == m.Name && one.Namespace == m.Namespace
		})
		return Invalid{Wrong: wrong, Object: lint.NameOf(m), rule: invalidObject}, true
	})
	return left, found, rest
}

// sorted returns the errors that fit, and the others.
func sorted(err error, fits func(*scenario.Error) (Invalid, bool)) (found []Invalid, rest error) {
	var others []error
	for _, one := range apart(err) {
		wrong := (*scenario.Error)(nil)
		if errors.As(one, &wrong) {
			if invalid, ok := fits(wrong); ok {
				found = append(found, invalid)
				continue
			}
		}
		others = append(others, one)
	}
	return found, errors.Join(others...)
}

// apart returns the single errors that err consists of.
func apart(err error) (all []error) {
	var many scenario.Errors
	switch joined := err.(type) {
	case nil:
		return nil
	case interface{ Unwrap() []error }:
		for _, one := range joined.Unwrap() {
			all = append(all, apart(one)...)
		}
		return all
	default:
		if errors.As(err, &many) {
			return many.Unwrap()
		}
	}
	return []error{err}
}

// holding returns the manifest that contains a place: the last one in its file that begins before it.
func holding(manifests []scenario.Manifest, at scenario.Source) (m scenario.Manifest, ok bool) {
	for _, one := range manifests {
		if one.Source.File == at.File && one.Source.Line <= at.Line && (!ok || one.Source.Line >= m.Source.Line) {
			m, ok = one, true
		}
	}
	return m, ok
}

// invalid returns the findings about what is not checked.
func (in Input) invalid() (all []lint.Finding) {
	for _, one := range in.Invalid {
		if in.isConsequence(one) {
			continue
		}
		rule, _ := ruleOf(one.rule)
		f := lint.Finding{Rule: rule, Severity: rule.Severity, Source: one.Wrong.Source, Object: one.Object, Message: redact.Credentials(one.Wrong.Message), Remedy: rule.Remedy}
		if one.Plugin != "" {
			f.Remedy = "correct it: the API server does not start with this configuration"
		}
		if one.Wrong.Hint != "" {
			f.Remedy = redact.Credentials(one.Wrong.Hint)
		}
		all = append(all, f)
	}
	return all
}

// isConsequence reports whether a mistake is only that a static binding does not find its policy, which is not checked.
func (in Input) isConsequence(one Invalid) bool {
	var without interface{ MissingPolicy() string }
	return errors.As(one.Wrong, &without) && without.MissingPolicy() != "" && in.leftOut(without.MissingPolicy())
}

// leftOut reports whether a policy, as Kind/name, may be among what is not checked.
func (in Input) leftOut(policy string) bool {
	return slices.ContainsFunc(in.Invalid, func(one Invalid) bool { return one.rule == unreadableFile || one.Object == policy })
}

// kindsLeftOut returns the kinds of what is not checked.
func (in Input) kindsLeftOut() (kinds []string) {
	for _, one := range in.Invalid {
		kind, _, _ := strings.Cut(one.Object, "/")
		switch {
		case one.rule == unreadableFile || strings.HasPrefix(one.Plugin, "ValidatingAdmission"): // it may have webhooks or policies of its own
			kind = lint.AnyKind
		case one.rule == ignoredConfiguration || one.Plugin != "":
			continue
		}
		if !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}
