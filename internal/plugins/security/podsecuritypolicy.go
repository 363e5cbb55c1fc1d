package security

import (
	"context"
	"fmt"
	"maps"
	"slices"

	admissionv1 "k8s.io/api/admission/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/authentication/serviceaccount"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"

	"github.com/admsim/admsim/internal/builtin"
	"github.com/admsim/admsim/internal/plugins/plugin"
	"github.com/admsim/admsim/internal/semantic"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/trace"
)

var podSecurityPolicyKind = schema.GroupKind{Group: builtin.PolicyV1beta1.Group, Kind: "PodSecurityPolicy"}

const podSecurityPolicyAnnotation = "kubernetes.io/psp"

// PodSecurityPolicy admits pods that conform to one of the policies that their account or the user may use, and fills
// in what that policy requires (PSP-01 to PSP-08). It existed up to 1.24.
//
// podsecuritypolicy_defaults.go holds what a policy fills in, the other podsecuritypolicy_*.go files what it refuses.
type PodSecurityPolicy struct {
	authorizer authorizer.UnconditionalAuthorizer
	release    *kubeversion.Release
}

func NewPodSecurityPolicy(r *kubeversion.Release, by authorizer.UnconditionalAuthorizer) PodSecurityPolicy {
	return PodSecurityPolicy{by, r}
}

func (p PodSecurityPolicy) Mutate(ctx context.Context, s *cluster.State, req admission.Request, _ *trace.Step) (trace.Step, error) {
	pod, step, err := p.podOf(req)
	if err != nil || step.Outcome == trace.Skipped {
		return step, err
	}
	if req.Operation != admissionv1.Create {
		return plugin.Skip(step, "an update is not changed"), nil // PSP-02
	}
	chosen, step := p.choose(ctx, s, req, pod, step, true)
	if step.Outcome.Ends() {
		return step, nil
	}
	step.Annotate(trace.Annotation{Key: "podsecuritypolicy.policy.k8s.io/admit-policy", Value: chosen.name})
	if chosen.pod.Annotations[podSecurityPolicyAnnotation] != chosen.name { // PSP-06
		annotations := maps.Clone(chosen.pod.Annotations)
		if annotations == nil {
			annotations = map[string]string{}
		}
		annotations[podSecurityPolicyAnnotation] = chosen.name
		chosen.pod.Annotations = annotations
	}
	if semantic.DeepEqual(chosen.pod, pod) {
		return plugin.Allow(step, fmt.Sprintf("the pod is as policy %q wants it", chosen.name)), nil
	}
	return plugin.Change(step, chosen.pod, fmt.Sprintf("the pod becomes as policy %q wants it", chosen.name)), nil
}

func (p PodSecurityPolicy) Validate(ctx context.Context, s *cluster.State, req admission.Request) (trace.Step, error) {
	pod, step, err := p.podOf(req)
	if err != nil || step.Outcome == trace.Skipped {
		return step, err
	}
	chosen, step := p.choose(ctx, s, req, pod, step, false)
	if step.Outcome.Ends() {
		return step, nil
	}
	step.Annotate(trace.Annotation{Key: "podsecuritypolicy.policy.k8s.io/validate-policy", Value: chosen.name})
	return plugin.Allow(step, fmt.Sprintf("the pod is as policy %q wants it", chosen.name)), nil
}

// podOf returns the pod of a request that the plugin has to check (PSP-01).
func (p PodSecurityPolicy) podOf(req admission.Request) (*corev1.Pod, trace.Step, error) {
	step := plugin.Begin(req)
	if !plugin.Concerns(req, "", "pods") {
		return nil, plugin.Skip(step, "not a pod"), nil
	}
	if req.Operation == admissionv1.Update {
		same, err := plugin.SameButForCollection(req.Object, req.OldObject)
		if err != nil || same {
			return nil, plugin.Skip(step, "the update is about garbage collection only"), err
		}
	}
	pod, err := plugin.ObjectOf[*corev1.Pod](req)
	return pod, step, err
}

// A policyChoice is a policy, and the pod with what the policy fills in.
type policyChoice struct {
	name   string
	pod    *corev1.Pod
	object cluster.Object
}

// A violatedPolicy does not accept the pod.
type violatedPolicy struct {
	name   string
	object cluster.Object
	wrong  []string
}

// choose finds the policy for the pod, or refuses it. A policy that changes the pod counts only if the pod may change
// and no policy accepts it unchanged (PSP-04, PSP-05).
func (p PodSecurityPolicy) choose(ctx context.Context, s *cluster.State, req admission.Request, pod *corev1.Pod, step trace.Step, mayChange bool) (policyChoice, trace.Step) {
	policies := policiesFor(s, pod, mayChange)
	if len(policies) == 0 { // PSP-03
		step.Hint = "add a PodSecurityPolicy to the manifests, and a role that lets somebody use it"
		return policyChoice{}, plugin.Forbid(step, req, p.prefix()+"no providers available to validate pod request")
	}
	var changed *policyChoice
	var violated []violatedPolicy
	var missed cluster.Object // a policy that would match
	var hint string
	for _, o := range policies {
		policy := o.Object.(*builtin.PodSecurityPolicy)
		filled := filledIn(policy, pod, p.release)
		if wrong := violationsOf(policy, filled, p.release); len(wrong) > 0 {
			violated = append(violated, violatedPolicy{policy.Name, o, wrong})
			continue
		}
		same := semantic.DeepEqual(filled, pod)
		if !same && !mayChange {
			missed, hint = o, fmt.Sprintf("policy %q would have to change the pod, which is done on create only, before webhooks are asked", policy.Name)
			continue
		}
		if !p.authorized(ctx, req, pod, policy.Name) {
			missed, hint = o, fmt.Sprintf("policy %q would do, but neither user %q nor the pod's service account may use it: bind a role with the verb use on podsecuritypolicies %q",
				policy.Name, req.User.Username, policy.Name)
			continue
		}
		choice := policyChoice{policy.Name, filled, o}
		if same {
			return choice, plugin.DecidedBy(step, o)
		}
		if changed == nil {
			changed = &choice
		}
	}
	if changed != nil {
		return *changed, plugin.DecidedBy(step, changed.object)
	}
	// Who may use the policies that do not accept the pod is only asked now.
	var refused []string
	for _, v := range violated {
		if p.authorized(ctx, req, pod, v.name) {
			refused = append(refused, v.wrong...)
			step = plugin.DecidedBy(step, v.object)
		}
	}
	if step.Hint = hint; len(refused) == 0 {
		step = plugin.DecidedBy(step, missed)
	}
	return policyChoice{}, plugin.Forbid(step, req, fmt.Sprintf("%s: %v", p.refusal(mayChange), refused))
}

// policiesFor returns the policies to try, in order: first the one that accepted the pod before, then by name.
// Incomplete policies are ignored, as the server does.
func policiesFor(s *cluster.State, pod *corev1.Pod, mayChange bool) []cluster.Object {
	var all []cluster.Object
	for o := range s.List(podSecurityPolicyKind, "") {
		if policy, ok := o.Object.(*builtin.PodSecurityPolicy); ok && isComplete(&policy.Spec) {
			all = append(all, o)
		}
	}
	if hint := pod.Annotations[podSecurityPolicyAnnotation]; hint != "" && !mayChange {
		first := func(o cluster.Object) bool { return o.Object.(*builtin.PodSecurityPolicy).Name == hint }
		if i := slices.IndexFunc(all, first); i > 0 {
			o := all[i]
			all = slices.Insert(slices.Delete(all, i, i+1), 0, o)
		}
	}
	return all
}

// isComplete reports whether the server can build rules from a policy. Validation ensures that, but a manifest may
// contain an incomplete policy.
func isComplete(spec *builtin.PodSecurityPolicySpec) bool {
	ids := []builtin.IDStrategyOptions{spec.RunAsUser, spec.FSGroup, spec.SupplementalGroups}
	if spec.RunAsGroup != nil {
		ids = append(ids, *spec.RunAsGroup)
	}
	for _, o := range ids {
		needsRanges := o.Rule == builtin.MustRunAs || o.Rule == builtin.MayRunAs
		if o.Rule == "" || needsRanges && len(o.Ranges) == 0 {
			return false
		}
	}
	return spec.SELinux.Rule == builtin.RunAsAny || spec.SELinux.Rule == builtin.MustRunAs && spec.SELinux.Options != nil
}

// authorized reports whether the pod's account or the user may use a policy, in its current API group or its former one
// (PSP-08).
func (p PodSecurityPolicy) authorized(ctx context.Context, req admission.Request, pod *corev1.Pod, name string) bool {
	users := []user.Info{req.Asker()}
	if account := pod.Spec.ServiceAccountName; account != "" {
		users = slices.Insert(users, 0, serviceaccount.UserInfo(req.Namespace, account, ""))
	}
	for _, u := range users {
		for _, gv := range []schema.GroupVersion{builtin.PolicyV1beta1, builtin.ExtensionsV1beta1} {
			decision, _, _ := p.authorizer.Authorize(ctx, authorizer.AttributesRecord{
				User: u, Verb: "use", Namespace: req.Namespace, ResourceRequest: true,
				APIGroup: gv.Group, APIVersion: "*", Resource: "podsecuritypolicies", Name: name,
			})
			if decision == authorizer.DecisionAllow {
				return true
			}
		}
	}
	return false
}

// refusal returns the beginning of the message, whose wording changed in 1.19 (PSP-07).
func (p PodSecurityPolicy) refusal(mayChange bool) string {
	switch {
	case !p.release.Has(kubeversion.PodSecurityPolicyNamed):
		return "unable to validate against any pod security policy"
	case mayChange:
		return p.prefix() + "unable to admit pod"
	}
	return p.prefix() + "unable to validate pod"
}

func (p PodSecurityPolicy) prefix() string {
	if p.release.Has(kubeversion.PodSecurityPolicyNamed) {
		return "PodSecurityPolicy: "
	}
	return ""
}
