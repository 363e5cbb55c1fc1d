// Package policy is the two plugins that ask the admission policies of a cluster:
// ValidatingAdmissionPolicy, which judges requests, and MutatingAdmissionPolicy, which
// changes their objects.
//
// Start with [NewValidating] and [NewMutating], which compile the policies and bindings of
// a cluster. Whether a policy concerns a request is decided by package matcher, what its
// expressions say by package expression, how a change is merged by package patch; here is
// which bindings and params a policy is asked with, what follows from the answers, and who
// is asked again.
package policy

import (
	"cmp"
	"fmt"

	"k8s.io/apiserver/pkg/authorization/authorizer"

	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/discovery"
	"github.com/admsim/admsim/pkg/expression"
	"github.com/admsim/admsim/pkg/trace"
)

// Options are what the plugins work with. All up to Authorizer must be set.
type Options struct {
	Types       *objects.Types
	Resources   *discovery.Resources
	Expressions *expression.Compiler
	Authorizer  authorizer.UnconditionalAuthorizer

	// Static are objects of manifests that the server reads from its own folders. Their policies are
	// asked before those of the cluster, and about policies and bindings, too (W-047).
	Static []cluster.Object

	// Explain has a step list the policies and bindings that were skipped as well, and say of
	// every one why. It costs as much time as there are policies.
	Explain bool

	// AuditsAll has all failures of a request audited, not the first only.
	AuditsAll bool

	// Variables has a step list the variables of the policies that were asked, each with its
	// value. Else only those are evaluated that an expression uses.
	Variables bool
}

// exempt is the step of a request that no policy is ever asked about.
func exempt(req admission.Request, because string) trace.Step {
	return trace.Step{Outcome: trace.Skipped, Because: because, Before: req.Object, After: req.Object}
}

// summarize gives a step whose hooks are known its outcome and reason, if there are none
// yet.
func summarize(step *trace.Step, total int) {
	asked := map[string]bool{}
	for _, h := range step.Hooks {
		if h.Outcome != trace.Skipped {
			asked[h.Configuration] = true
			step.Outcome = cmp.Or(step.Outcome, trace.Allowed)
		}
	}
	step.Outcome = cmp.Or(step.Outcome, trace.Skipped)
	if by := step.Decider(); by != nil {
		step.Hint = by.Hint
	}
	if step.Because == "" {
		step.Because = fmt.Sprintf("%d of %d policies applied", len(asked), total)
	}
}
