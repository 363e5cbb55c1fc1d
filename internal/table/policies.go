package table

import (
	"strconv"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/admsim/admsim/internal/builtin"
	"github.com/admsim/admsim/pkg/kubeversion"
)

func policyPrinters() map[schema.GroupKind]printer {
	admission := func(kind string) schema.GroupKind {
		return schema.GroupKind{Group: admissionregistrationv1.GroupName, Kind: kind}
	}
	return map[schema.GroupKind]printer{
		admission("MutatingWebhookConfiguration"): newPrinter("Name, Webhooks, Age", func(o *admissionregistrationv1.MutatingWebhookConfiguration, now moment) []any {
			return []any{o.Name, int64(len(o.Webhooks)), age(o.CreationTimestamp, now)}
		}),
		admission("ValidatingWebhookConfiguration"): newPrinter("Name, Webhooks, Age", func(o *admissionregistrationv1.ValidatingWebhookConfiguration, now moment) []any {
			return []any{o.Name, int64(len(o.Webhooks)), age(o.CreationTimestamp, now)}
		}),
		admission("ValidatingAdmissionPolicy"): newPrinter("Name, Validations, ParamKind, Age", func(o *admissionregistrationv1.ValidatingAdmissionPolicy, now moment) []any {
			return []any{o.Name, int64(len(o.Spec.Validations)), paramKind(o.Spec.ParamKind), age(o.CreationTimestamp, now)}
		}),
		admission("ValidatingAdmissionPolicyBinding"): newPrinter("Name, PolicyName, ParamRef, Age", func(o *admissionregistrationv1.ValidatingAdmissionPolicyBinding, now moment) []any {
			return []any{o.Name, o.Spec.PolicyName, paramRef(o.Spec.ParamRef, now.release), age(o.CreationTimestamp, now)}
		}),
		admission("MutatingAdmissionPolicy"): newPrinter("Name, Mutations, ParamKind, Age", func(o *admissionregistrationv1.MutatingAdmissionPolicy, now moment) []any {
			return []any{o.Name, int64(len(o.Spec.Mutations)), paramKind(o.Spec.ParamKind), age(o.CreationTimestamp, now)}
		}),
		admission("MutatingAdmissionPolicyBinding"): newPrinter("Name, PolicyName, ParamRef, Age", func(o *admissionregistrationv1.MutatingAdmissionPolicyBinding, now moment) []any {
			return []any{o.Name, o.Spec.PolicyName, paramRef(o.Spec.ParamRef, now.release), age(o.CreationTimestamp, now)}
		}),
		{Group: rbacv1.GroupName, Kind: "RoleBinding"}: newPrinter("Name, Role, Age, Users, Groups, ServiceAccounts", func(o *rbacv1.RoleBinding, now moment) []any {
			users, groups, accounts := subjects(o.Subjects)
			return []any{o.Name, o.RoleRef.Kind + "/" + o.RoleRef.Name, age(o.CreationTimestamp, now), users, groups, accounts}
		}),
		{Group: rbacv1.GroupName, Kind: "ClusterRoleBinding"}: newPrinter("Name, Role, Age, Users, Groups, ServiceAccounts", func(o *rbacv1.ClusterRoleBinding, now moment) []any {
			users, groups, accounts := subjects(o.Subjects)
			return []any{o.Name, o.RoleRef.Kind + "/" + o.RoleRef.Name, age(o.CreationTimestamp, now), users, groups, accounts}
		}),
		{Group: policyv1.GroupName, Kind: "PodSecurityPolicy"}: newPrinter("Name, Priv, Data, Caps, SELinux, RunAsUser, FsGroup, SupGroup, ReadOnlyRootFs, Volumes", func(o *builtin.PodSecurityPolicy, _ moment) []any {
			var capabilities []string
			for _, c := range o.Spec.AllowedCapabilities {
				capabilities = append(capabilities, string(c))
			}
			privileged := strconv.FormatBool(o.Spec.Privileged)
			return []any{
				o.Name, privileged, privileged, strings.Join(capabilities, ","), o.Spec.SELinux.Rule, o.Spec.RunAsUser.Rule, o.Spec.FSGroup.Rule,
				o.Spec.SupplementalGroups.Rule, o.Spec.ReadOnlyRootFilesystem, strings.Join(o.Spec.Volumes, ","),
			}
		}),
		{Group: policyv1.GroupName, Kind: "PodDisruptionBudget"}: newPrinter("Name, Min Available, Max Unavailable, Allowed Disruptions, Age", func(o *policyv1.PodDisruptionBudget, now moment) []any {
			return []any{o.Name, orNA(o.Spec.MinAvailable), orNA(o.Spec.MaxUnavailable), int64(o.Status.DisruptionsAllowed), age(o.CreationTimestamp, now)}
		}),
	}
}

func orNA(n *intstr.IntOrString) string {
	if n == nil {
		return "N/A"
	}
	return n.String()
}

func paramKind(k *admissionregistrationv1.ParamKind) string {
	if k == nil {
		return "<unset>"
	}
	return k.APIVersion + "/" + k.Kind
}

func paramRef(r *admissionregistrationv1.ParamRef, release *kubeversion.Release) string {
	if r != nil && !release.Has(kubeversion.TableParamRefs) {
		return strings.TrimPrefix(r.Namespace+"/"+r.Name, "/")
	}
	switch {
	case r == nil, r.Name == "" && r.Selector == nil:
		return "<unset>"
	case r.Name == "":
		return r.Selector.String()
	case r.Namespace != "":
		return r.Namespace + "/" + r.Name
	}
	return "*/" + r.Name
}

func subjects(all []rbacv1.Subject) (users, groups, accounts string) {
	add := func(to *string, name string) {
		if *to != "" {
			*to += ", "
		}
		*to += name
	}
	for _, s := range all {
		switch s.Kind {
		case rbacv1.UserKind:
			add(&users, s.Name)
		case rbacv1.GroupKind:
			add(&groups, s.Name)
		case rbacv1.ServiceAccountKind:
			add(&accounts, s.Namespace+"/"+s.Name)
		}
	}
	return users, groups, accounts
}
