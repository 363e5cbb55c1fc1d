package rest

import (
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/trace"
)

// invalid refuses an object because of its content, and records the reason in the trace, with the rules of the CRD that
// caused it.
func (x *exchange) invalid(object runtime.Object, errs field.ErrorList, rules ...trace.Hook) error {
	name := x.req.Name
	if m, err := meta.Accessor(object); err == nil {
		name = m.GetName()
	}
	errs = x.server.Types.Worded(errs)
	status := objects.NewInvalid(x.kindInErrors(object), name, errs)
	if objects.Panicked(errs) {
		status.ErrStatus = *admission.StatusOf(admission.ErrPanicked)
	}
	step := trace.Step{
		Plugin:  "validation",
		Outcome: trace.Denied,
		Because: objects.Joined(errs),
		Denial:  &status.ErrStatus,
		Hint:    x.hintForDropped(errs),
		Hooks:   rules,
	}
	for i := range rules {
		rules[i].Denial = step.Denial
	}
	if len(rules) > 0 {
		step.Source = rules[0].Source
	}
	refused := refuseWith(step.Denial)
	refused.by = new(x.serverStep(step))
	return refused
}

// refuseInvalid refuses something other than the object of a request, such as its options.
func (x *exchange) refuseInvalid(kind schema.GroupKind, name string, errs field.ErrorList) error {
	return refuse(objects.NewInvalid(kind, name, x.server.Types.Worded(errs)))
}

// kindInErrors returns the kind that the server names in errors about an object: the kind that is stored, or for a
// custom resource the kind in the object.
func (x *exchange) kindInErrors(object runtime.Object) schema.GroupKind {
	if x.resource.CRD != nil {
		return object.GetObjectKind().GroupVersionKind().GroupKind()
	}
	kind := x.resource.Storage.GroupKind()
	r := x.server.Types.Release()
	if first, ok := extensionsFirst[kind]; ok && first(r) {
		kind.Group = "extensions"
	}
	return kind
}

// extensionsFirst lists kinds whose internal type the server also registers for the group extensions, and says in which
// releases it does so first: kubernetes/kubernetes@v1.24.17:pkg/apis/extensions/register.go.
var extensionsFirst = map[schema.GroupKind]func(*kubeversion.Release) bool{
	{Group: "apps", Kind: "DaemonSet"}:                  extensionsBeforeApps,
	{Group: "apps", Kind: "Deployment"}:                 extensionsBeforeApps,
	{Group: "apps", Kind: "ReplicaSet"}:                 extensionsBeforeApps,
	{Group: "networking.k8s.io", Kind: "Ingress"}:       extensionsBeforeNetworking,
	{Group: "networking.k8s.io", Kind: "NetworkPolicy"}: extensionsBeforeNetworking,
	{Group: "policy", Kind: "PodSecurityPolicy"}: func(r *kubeversion.Release) bool {
		return !r.Has(kubeversion.ExtensionsBeforeNetworking) && !r.Has(kubeversion.GroupsOfKinds)
	},
}

func extensionsBeforeNetworking(r *kubeversion.Release) bool {
	return r.Has(kubeversion.ExtensionsBeforeNetworking) && !r.Has(kubeversion.GroupsOfKinds)
}

func extensionsBeforeApps(r *kubeversion.Release) bool {
	return r.Has(kubeversion.ExtensionsBeforeApps) && !r.Has(kubeversion.AppsBeforeExtensions)
}
