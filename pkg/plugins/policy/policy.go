// Package policy has the two plugins that evaluate the admission policies of a cluster: ValidatingAdmissionPolicy,
// which validates requests, and MutatingAdmissionPolicy, which changes their objects.
//
// Start with [NewValidating] and [NewMutating], which compile the policies and bindings of a cluster. Package matcher
// decides whether a policy applies to a request, package expression evaluates its expressions, and package patch merges
// changes. This package decides with which bindings and params a policy is evaluated, what follows from the results,
// and which policies are evaluated again.
package policy

import (
	"cmp"
	"fmt"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/authorization/authorizer"

	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/internal/params"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/discovery"
	"github.com/admsim/admsim/pkg/expression"
	"github.com/admsim/admsim/pkg/trace"
)

// Options are the settings of the plugins. All up to Authorizer must be set.
type Options struct {
	Types       *objects.Types
	Resources   *discovery.Resources
	Expressions *expression.Compiler
	Authorizer  authorizer.UnconditionalAuthorizer

	// Static has objects of manifests that the server reads from its own folders. Their policies are evaluated before
	// those of the cluster, and for policies and bindings, too (W-047).
	Static []cluster.Object

	// Explain lists skipped policies and bindings in a step, too, and says why for each. This takes time in proportion
	// to the number of policies.
	Explain bool

	// AuditsAll audits all failures of a request, not only the first.
	AuditsAll bool

	// LooksUpParams asks the server for a param that a binding names before it believes that the param does not exist.
	LooksUpParams bool

	// Namespaces is whether expressions see the namespace of a request, and LooksUpNamespaces whether the server is asked
	// for a namespace that its cache lacks.
	Namespaces, LooksUpNamespaces bool

	// Variables lists the variables of the evaluated policies in a step, each with its value. Otherwise only variables
	// that an expression uses are evaluated.
	Variables bool
}

// params returns the params with which a policy is evaluated under one of its bindings, in the version of the paramKind.
func (o Options) params(step *trace.Step, s *cluster.State, p *policy, b *binding, req admission.Request) ([]runtime.Object, error) {
	stored, err := params.World{State: s, Resources: o.Resources}.Find(p.paramKind, b.params, req.Namespace)
	if resource, namespace, name, missed := params.Missed(err); missed && o.LooksUpParams {
		step.LookUp(req.Elapsed, resource, namespace, name, false)
	}
	found := make([]runtime.Object, len(stored))
	for i, param := range stored {
		if param == nil {
			continue
		}
		if found[i], err = o.Types.Convert(param, *p.paramKind); err != nil {
			return nil, err
		}
	}
	return found, err
}

// exempt returns the step of a request for which no policy is ever evaluated.
func exempt(req admission.Request, because string) trace.Step {
	return trace.Step{Outcome: trace.Skipped, Because: because, Before: req.Object, After: req.Object}
}

// summarize sets the outcome and reason of a step whose hooks are known, unless they are set already.
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
