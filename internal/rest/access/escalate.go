package access

import (
	"context"
	"errors"

	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"

	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/internal/semantic"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// A granter is an authorizer that knows what roles grant.
type granter interface {
	authorizer.UnconditionalAuthorizer
	// IsPrivileged reports whether a user may do everything.
	IsPrivileged(who user.Info) bool
	// RulesOf returns the rules of the role that a binding in a namespace refers to. A NotFound error names the
	// resource missing or, if that is empty, the resource of the role.
	RulesOf(ref rbacv1.RoleRef, namespace string, missing schema.GroupResource) ([]rbacv1.PolicyRule, error)
	// MayGrant returns an error that lists the rules which a user lacks in a namespace, or nil.
	MayGrant(ctx context.Context, who user.Info, namespace string, rules []rbacv1.PolicyRule, missing schema.GroupResource) error
}

// MayGrant refuses a role or a binding that grants more than its author has:
// kubernetes/kubernetes:pkg/registry/rbac/escalation_check.go and the storages in policybased below it. old is nil if
// the object is new.
func (r Request) MayGrant(ctx context.Context, object, old runtime.Object) error {
	if r.Resource.Group != rbacv1.GroupName || r.Subresource != "" {
		return nil
	}
	of, ok := r.authorizerOf(r.Who()).(granter)
	if !ok || of.IsPrivileged(r.Who()) || onlyCollected(object, old) {
		return nil
	}
	g := grant{Request: r, of: of, who: r.Who()}
	gk := r.Kind.GroupKind()
	switch o := r.Types.InV1(object, gk).(type) {
	case *rbacv1.Role:
		return g.role(ctx, o.Name, o.Rules, false)
	case *rbacv1.ClusterRole:
		before, _ := r.Types.InV1(old, gk).(*rbacv1.ClusterRole)
		return g.role(ctx, o.Name, o.Rules, aggregates(o) || aggregates(before))
	case *rbacv1.RoleBinding:
		return g.binding(ctx, o.Name, o.RoleRef)
	case *rbacv1.ClusterRoleBinding:
		return g.binding(ctx, o.Name, o.RoleRef)
	}
	return nil
}

// A grant is what a user wants to grant to others.
type grant struct {
	Request
	of  granter
	who user.Info
}

// everything is what a user needs to let a role aggregate others.
var everything = []rbacv1.PolicyRule{
	{Verbs: []string{"*"}, APIGroups: []string{"*"}, Resources: []string{"*"}},
	{Verbs: []string{"*"}, NonResourceURLs: []string{"*"}},
}

func (g grant) role(ctx context.Context, name string, rules []rbacv1.PolicyRule, aggregates bool) error {
	if g.may(ctx, "escalate", g.Resource.Resource, g.Name) {
		return nil
	}
	if err := g.of.MayGrant(ctx, g.who, g.Namespace, rules, g.missing()); err != nil {
		return g.forbidden(name, err)
	}
	if aggregates && g.of.MayGrant(ctx, g.who, g.Namespace, everything, g.missing()) != nil {
		return g.forbidden(name, errors.New("must have cluster-admin privileges to use the aggregationRule"))
	}
	return nil
}

// bindable are the resources of the kinds that a binding can refer to.
var bindable = map[string]string{"ClusterRole": "clusterroles", "Role": "roles"}

func (g grant) binding(ctx context.Context, name string, ref rbacv1.RoleRef) error {
	if resource, ok := bindable[ref.Kind]; ok {
		if g.may(ctx, "bind", resource, ref.Name) {
			return nil
		}
		if err := objects.CheckKey(ref.Name); err != nil {
			return err
		}
	}
	rules, err := g.of.RulesOf(ref, g.Namespace, g.missing())
	if err != nil {
		return err
	}
	if err := g.of.MayGrant(ctx, g.who, g.Namespace, rules, g.missing()); err != nil {
		return g.forbidden(name, err)
	}
	return nil
}

// may checks for one of the verbs that allow a user to grant what they lack.
func (g grant) may(ctx context.Context, verb, resource, name string) bool {
	decision, _, _ := g.of.Authorize(ctx, authorizer.AttributesRecord{
		User: g.who, Verb: verb, Namespace: g.Namespace,
		APIGroup: rbacv1.GroupName, APIVersion: "*", Resource: resource, Name: name, ResourceRequest: true,
	})
	return decision == authorizer.DecisionAllow
}

func (g grant) forbidden(name string, err error) error {
	return apierrors.NewForbidden(g.Resource.GroupResource(), name, err)
}

// missing returns the resource that NotFound errors about roles name; empty: that of the role.
func (g grant) missing() schema.GroupResource {
	if !g.Release.Has(kubeversion.MissingRolesByRequest) {
		return schema.GroupResource{}
	}
	return g.Resource.GroupResource()
}

func aggregates(r *rbacv1.ClusterRole) bool {
	return r != nil && r.AggregationRule != nil && len(r.AggregationRule.ClusterRoleSelectors) > 0
}

// onlyCollected reports whether a write changes only what the garbage collector changes:
// kubernetes/kubernetes:pkg/registry/rbac/helpers.go.
func onlyCollected(object, old runtime.Object) bool {
	if old == nil {
		return false
	}
	object = object.DeepCopyObject()
	m, err := meta.Accessor(object)
	if err != nil {
		return false
	}
	before, err := meta.Accessor(old)
	if err != nil {
		return false
	}
	m.SetOwnerReferences(before.GetOwnerReferences())
	m.SetFinalizers(before.GetFinalizers())
	m.SetSelfLink(before.GetSelfLink())
	m.SetManagedFields(before.GetManagedFields())
	return semantic.DeepEqual(object, old)
}
