package access

import (
	"context"
	"fmt"
	"slices"
	"strings"

	admissionv1 "k8s.io/api/admission/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/authorization/authorizer"

	"github.com/admsim/admsim/internal/builtin"
	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/internal/plugins/plugin"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/trace"
)

var initializerConfigurationKind = schema.GroupKind{Group: builtin.AdmissionRegistrationV1alpha1.Group, Kind: "InitializerConfiguration"}

// Initializers lists on new objects the controllers that have to initialize them, and keeps everybody else from
// touching the objects until then (IN-01 to IN-05). It existed up to 1.13.
type Initializers struct {
	release    *kubeversion.Release
	authorizer authorizer.UnconditionalAuthorizer
}

func NewInitializers(r *kubeversion.Release, by authorizer.UnconditionalAuthorizer) Initializers {
	return Initializers{r, by}
}

func (p Initializers) Mutate(ctx context.Context, s *cluster.State, req admission.Request, _ *trace.Step) (trace.Step, error) {
	step := plugin.Begin(req)
	if _, err := meta.Accessor(req.Object); err != nil || req.Subresource != "" {
		return plugin.Skip(step, "not an object that can have initializers"), nil
	}
	now := rules.InitializersOf(req.Object)
	if req.Operation == admissionv1.Update {
		return p.update(ctx, req, step, now)
	}
	if now == nil {
		return assign(s, req, step)
	}
	step, err := p.mayInitialize(ctx, req, step, "create with initializers denied") // IN-03
	if err != nil || step.Outcome.Ends() || !isEmpty(now) {
		return step, err
	}
	return without(step, req, "the list of initializers is empty")
}

// assign lists on a new object the initializers that are configured for it (IN-01).
func assign(s *cluster.State, req admission.Request, step trace.Step) (trace.Step, error) {
	if pod, ok := req.Object.(*corev1.Pod); ok && plugin.IsMirror(pod) {
		return plugin.Skip(step, "mirror pods have no initializers"), nil
	}
	in := &builtin.Initializers{}
	var names []string
	for o := range s.List(initializerConfigurationKind, "") {
		c, ok := o.Object.(*builtin.InitializerConfiguration)
		if !ok {
			continue
		}
		for _, one := range c.Initializers {
			if initializes(one, req.Resource) {
				step = plugin.DecidedBy(step, o)
				in.Pending = append(in.Pending, builtin.Initializer{Name: one.Name})
				names = append(names, one.Name)
			}
		}
	}
	if len(names) == 0 {
		return plugin.Allow(step, "no initializer is configured for it"), nil
	}
	return given(step, req, in, "to be initialized by "+strings.Join(names, ", "))
}

// initializes reports whether an initializer applies to a resource. All of its rules have to match, due to a bug in the
// server, which looked for the first rule that does not (IN-02).
func initializes(one builtin.ConfiguredInitializer, r schema.GroupVersionResource) bool {
	for _, rule := range one.Rules {
		if !listed(rule.APIGroups, r.Group) || !listed(rule.APIVersions, r.Version) || !listedResource(rule.Resources, r.Resource) {
			return false
		}
	}
	return len(one.Rules) > 0
}

func listed(list []string, value string) bool {
	return len(list) > 0 && list[0] == "*" || slices.Contains(list, value)
}

func listedResource(list []string, resource string) bool {
	return len(list) > 0 && (list[0] == "*" || list[0] == "*/*") || slices.Contains(list, resource)
}

// update keeps other users from changing an object that is not initialized (IN-04).
func (p Initializers) update(ctx context.Context, req admission.Request, step trace.Step, now *builtin.Initializers) (trace.Step, error) {
	before := rules.InitializersOf(req.OldObject)
	emptied := isEmpty(now)
	if emptied {
		now = nil
	}
	if now == nil && before == nil {
		if emptied {
			return without(step, req, "the list of initializers is empty")
		}
		return plugin.Allow(step, "the object is initialized"), nil
	}
	if errs := rules.ValidateInitializersUpdate(now, before); len(errs) > 0 {
		err := apierrors.NewInvalid(req.Kind.GroupKind(), req.Name, rules.Worded(p.release, errs))
		return plugin.Deny(step, "the initializers cannot change in that way", admission.StatusOf(err)), nil
	}
	step, err := p.mayInitialize(ctx, req, step, "update to uninitialized resource denied")
	if err != nil || step.Outcome.Ends() || !emptied {
		return step, err
	}
	return without(step, req, "the last initializer is done")
}

// mayInitialize checks whether the user may write objects that are not initialized.
func (p Initializers) mayInitialize(ctx context.Context, req admission.Request, step trace.Step, text string) (trace.Step, error) {
	q := plugin.Question(req, "initialize")
	q.Namespace, q.Name = req.Namespace, req.Name
	q.APIGroup, q.APIVersion, q.Resource = req.Resource.Group, req.Resource.Version, req.Resource.Resource
	decision, reason, err := p.authorizer.Authorize(ctx, q)
	if err != nil {
		return plugin.Deny(step, "it is not known whether the user may initialize it", admission.StatusOf(err)), nil
	}
	if decision != authorizer.DecisionAllow {
		denied := apierrors.NewForbidden(req.Resource.GroupResource(), req.Name, fmt.Errorf("%s: %s", text, reason))
		step.Hint = fmt.Sprintf("user %q needs the verb initialize for %s", req.User.Username, req.Resource.GroupResource())
		return plugin.Deny(step, text, admission.StatusOf(denied)), nil
	}
	return plugin.Allow(step, "the user may initialize it"), nil
}

func isEmpty(in *builtin.Initializers) bool {
	return in != nil && len(in.Pending) == 0 && in.Result == nil
}

func without(step trace.Step, req admission.Request, because string) (trace.Step, error) {
	return given(step, req, nil, because)
}

// given gives the object these initializers, or none if in is nil.
func given(step trace.Step, req admission.Request, in *builtin.Initializers, because string) (trace.Step, error) {
	object := req.Object.DeepCopyObject()
	if err := rules.SetInitializers(object, in); err != nil {
		return step, err
	}
	return plugin.Change(step, object, because), nil
}
