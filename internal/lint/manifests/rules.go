// Package manifests has the rules of admsim lint about what manifests say about webhooks and policies, one file per
// theme: each rule is an entry beside the function that checks it.
//
// Package calls judges what webhooks do with requests.
package manifests

import (
	"slices"

	"github.com/admsim/admsim/internal/lint"
)

// Rules returns all rules, by theme.
func Rules() []lint.Rule {
	return slices.Concat(
		scopeRules(), selectorRules(), failureRules(), declarationRules(), certificateRules(),
		backendRules(), deadlockRules(), alternativeRules(), expressionRules(), policyRules(),
	)
}
