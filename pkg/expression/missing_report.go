package expression

import (
	"fmt"
	"slices"
	"strings"

	celcommon "github.com/google/cel-go/common"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/missing"
)

// A missingReport collects the issues of an expression that are to be reported.
type missingReport struct {
	of    parsedUse
	types []typedKind
	all   [][]issue // for each of the types, also what is not reported

	issues []issue
}

// add adds an issue, unless another kind has the same about the same params.
func (r *missingReport) add(one issue) {
	if !slices.ContainsFunc(r.issues, func(o issue) bool { return o.kind == one.kind && o.isLike(one) }) {
		r.issues = append(r.issues, one)
	}
}

// isLike reports whether two issues say the same about the same part of an expression.
func (one issue) isLike(other issue) bool {
	return one.ExprID == other.ExprID && one.Message == other.Message
}

func (r *missingReport) fields() missing.Fields {
	fields := missing.Fields{Expression: r.of.path, Warning: r.warning()}
	for i, one := range r.issues {
		if slices.ContainsFunc(r.issues[:i], one.isLike) {
			continue
		}
		p := missing.Problem{Message: strings.ReplaceAll(one.Message, ofParams, ""), At: r.place(one)}
		for _, other := range r.issues[i:] {
			if one.isLike(other) {
				p.Kinds = append(p.Kinds, other.kind)
			}
		}
		if one.missing != nil {
			p.Path, p.Having = one.missing.Path, r.having(one)
		}
		fields.Problems = append(fields.Problems, p)
	}
	return fields
}

// place returns where an issue is, the zero value if that is not known.
func (r *missingReport) place(one issue) missing.Place {
	text, ok := celcommon.NewTextSource(r.of.text).Snippet(one.Location.Line())
	if !ok {
		return missing.Place{}
	}
	return missing.Place{Line: one.Location.Line(), Column: one.Location.Column() + 1, Text: text}
}

// having returns the kinds that have the field that others lack.
func (r *missingReport) having(lacking issue) (kinds []schema.GroupVersionKind) {
	path := r.of.uses.paths[lacking.ExprID]
	for i, t := range r.types {
		lacks := slices.ContainsFunc(r.all[i], func(o issue) bool {
			return o.missing != nil && (strings.HasPrefix(path+".", r.of.uses.paths[o.ExprID]+".") ||
				r.of.uses.isAfter(lacking.ExprID, func(part int64) bool { return part == o.ExprID }))
		})
		if !lacks {
			kinds = append(kinds, t.kind)
		}
	}
	return kinds
}

// warning returns the issues in the words of the server's type checker, kind by kind.
func (r *missingReport) warning() string {
	var kinds []schema.GroupVersionKind
	by := map[schema.GroupVersionKind]*celcommon.Errors{}
	for _, one := range r.issues {
		if by[one.kind] == nil {
			kinds = append(kinds, one.kind)
			by[one.kind] = celcommon.NewErrors(celcommon.NewTextSource(r.of.text))
		}
		by[one.kind].ReportErrorAtID(one.ExprID, one.Location, "%s", one.Message)
	}
	var warnings []string
	for _, kind := range kinds {
		warnings = append(warnings, fmt.Sprintf("%v: %s\n", kind, strings.ReplaceAll(by[kind].ToDisplayString(), ofParams, "")))
	}
	return strings.Join(warnings, "\n")
}
