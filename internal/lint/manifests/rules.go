// Package manifests has the rules of admsim lint about what manifests say of webhooks and
// policies, a file a theme: each is an entry beside the function that checks it.
//
// What webhooks do with requests is judged in package calls.
package manifests

import (
	"slices"

	"github.com/admsim/admsim/internal/lint"
)

// Rules are all of them, theme by theme.
func Rules() []lint.Rule {
	return slices.Concat(
		scopeRules(), selectorRules(), failureRules(), declarationRules(), certificateRules(),
		backendRules(), deadlockRules(), alternativeRules(), policyRules(),
	)
}
