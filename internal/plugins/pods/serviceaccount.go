package pods

import (
	"context"
	"fmt"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/plugins/plugin"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/trace"
)

const defaultServiceAccount = "default"

// ServiceAccount gives pods an account, its token and its pull secrets, and limits pods of some accounts to the secrets
// that the account lists.
type ServiceAccount struct {
	suffix    func() string
	bound     bool // each pod gets its own token, instead of one for each account
	debuggers bool // ephemeral containers are limited to the secrets, too
	sources   bool // secrets in envFrom are checked, too
	dotless   bool // dots in the name of a token's secret become dashes in the name of its volume
	token     func() *corev1.ProjectedVolumeSource
	named     func(string) bool // for references to secrets
}

func NewServiceAccount(r *kubeversion.Release, suffix func() string) ServiceAccount {
	return ServiceAccount{
		suffix:    suffix,
		bound:     r.Has(kubeversion.BoundTokens),
		debuggers: r.Has(kubeversion.DebuggersChecked),
		sources:   r.Has(kubeversion.EnvironmentSourcesChecked),
		dotless:   r.Has(kubeversion.TokenVolumesWithoutDots),
		token:     sync.OnceValue(func() *corev1.ProjectedVolumeSource { return projectedToken(r) }),
		named:     plugin.NamedIn(r),
	}
}

// Mutate completes new pods (SA-01 to SA-11).
func (p ServiceAccount) Mutate(ctx context.Context, s *cluster.State, req admission.Request, _ *trace.Step) (trace.Step, error) {
	step := plugin.Begin(req)
	if !plugin.Concerns(req, "", "pods") || !isIncomplete(req) {
		return plugin.Skip(step, "not a new pod"), nil
	}
	pod, err := plugin.ObjectOf[*corev1.Pod](req)
	if err != nil {
		return step, err
	}
	if plugin.IsMirror(pod) { // SA-02
		return p.mirrorPod(req, pod, step), nil
	}

	changed := *pod
	if pod.Spec.ServiceAccountName == "" { // SA-03
		changed.Spec.ServiceAccountName = defaultServiceAccount
		changed.Spec.DeprecatedServiceAccount = defaultServiceAccount
	}
	account, step := accountOf(s, req, &changed, step)
	if account == nil {
		return step, nil
	}
	mounted := false
	if automounts(pod, account) {
		source, denial := p.tokenOf(s, req, account, step)
		if denial != nil {
			return *denial, nil
		}
		mounted = source.mount(&changed, func() string { return admission.CourseOf(ctx).Suffix(p.suffix) })
	}
	if len(pod.Spec.ImagePullSecrets) == 0 {
		changed.Spec.ImagePullSecrets = account.ImagePullSecrets // SA-09
	}
	if step := p.limitSecrets(req, &changed, account, step); step.Outcome.Ends() { // SA-10
		return step, nil
	}

	named := pod.Spec.ServiceAccountName != ""
	pulls := len(pod.Spec.ImagePullSecrets) != len(changed.Spec.ImagePullSecrets)
	if named && !mounted && !pulls {
		return plugin.Allow(step, "the pod has all that account "+account.Name+" gives it"), nil
	}
	return plugin.Change(step, &changed, given(account.Name, !named, mounted, pulls)), nil
}

// given describes what the pod got.
func given(account string, named, mounted, pulls bool) string {
	parts := make([]string, 0, 3)
	for _, part := range []struct {
		is   bool
		what string
	}{{named, "the name"}, {mounted, "the token"}, {pulls, "the pull secrets"}} {
		if part.is {
			parts = append(parts, part.what)
		}
	}
	return "the pod got " + strings.Join(parts, " and ") + " of account " + account
}

// Validate checks that the account exists and what it allows (SA-20, SA-21).
func (p ServiceAccount) Validate(_ context.Context, s *cluster.State, req admission.Request) (trace.Step, error) {
	step := plugin.Begin(req)
	isPod := plugin.Concerns(req, "", "pods") && isIncomplete(req)
	isDebugged := p.debuggers && plugin.ConcernsSub(req, "", "pods", "ephemeralcontainers")
	if !isPod && !isDebugged {
		return plugin.Skip(step, "not a new pod, nor a new container in one"), nil
	}
	pod, err := plugin.ObjectOf[*corev1.Pod](req)
	if err != nil {
		return step, err
	}
	if isPod && plugin.IsMirror(pod) {
		return p.mirrorPod(req, pod, step), nil
	}
	account, step := accountOf(s, req, pod, step)
	if account == nil {
		return step, nil
	}
	if isDebugged {
		return p.limitDebuggers(pod, account, step), nil
	}
	return p.limitSecrets(req, pod, account, step), nil
}

// accountOf returns the account that the pod names. If it returns none, the step is the refusal (SA-04, SA-21).
func accountOf(s *cluster.State, req admission.Request, pod *corev1.Pod, step trace.Step) (*corev1.ServiceAccount, trace.Step) {
	name := pod.Spec.ServiceAccountName
	if name == "" {
		return nil, plugin.Forbid(step, req, fmt.Sprintf("no service account specified for pod %v/%v", req.Namespace, req.Name))
	}
	found, _ := s.Live().Find(cluster.Key{GroupKind: plugin.ServiceAccountKind, Namespace: req.Namespace, Name: name})
	account, ok := found.Object.(*corev1.ServiceAccount)
	if !ok {
		step = plugin.Lacking(step, "ServiceAccount", req.Namespace, name)
		if name == defaultServiceAccount {
			step.Hint += ", or use --assume-controllers: in a living cluster a controller makes it"
		}
		why := fmt.Sprintf("serviceaccount %q not found", name)
		if err := checkRequestName(name); err != nil {
			why = err.Error()
		} else {
			lookUpAccount(&step, req, name)
		}
		return nil, plugin.Forbid(step, req, fmt.Sprintf("error looking up service account %s/%s: %s", req.Namespace, name, why))
	}
	return account, plugin.DecidedBy(step, found)
}

// lookUpAccount records that the server asks itself for an account that is missing. It expects a controller to create the
// default one any moment.
func lookUpAccount(step *trace.Step, req admission.Request, name string) {
	attempts := 1
	if name == defaultServiceAccount {
		attempts = 10
	}
	for range attempts {
		step.LookUp(req.Elapsed, schema.GroupVersionResource{Version: "v1", Resource: "serviceaccounts"}, req.Namespace, name, false)
	}
}

// automounts reports whether the pod gets the token. The pod's own setting counts before that of the account (SA-05).
func automounts(pod *corev1.Pod, account *corev1.ServiceAccount) bool {
	if says := pod.Spec.AutomountServiceAccountToken; says != nil {
		return *says
	}
	says := account.AutomountServiceAccountToken
	return says == nil || *says
}
