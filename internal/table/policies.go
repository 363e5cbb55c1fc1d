package table

import (
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/intstr"
)

func policyPrinters() map[schema.GroupKind]printer {
	admission := func(kind string) schema.GroupKind {
		return schema.GroupKind{Group: admissionregistrationv1.GroupName, Kind: kind}
	}
	return map[schema.GroupKind]printer{
		admission("MutatingWebhookConfiguration"): newPrinter("Name, Webhooks:integer, Age", func(o *admissionregistrationv1.MutatingWebhookConfiguration, now time.Time) []any {
			return []any{o.Name, int64(len(o.Webhooks)), age(o.CreationTimestamp, now)}
		}),
		admission("ValidatingWebhookConfiguration"): newPrinter("Name, Webhooks:integer, Age", func(o *admissionregistrationv1.ValidatingWebhookConfiguration, now time.Time) []any {
			return []any{o.Name, int64(len(o.Webhooks)), age(o.CreationTimestamp, now)}
		}),
		admission("ValidatingAdmissionPolicy"): newPrinter("Name, Validations:integer, ParamKind, Age", func(o *admissionregistrationv1.ValidatingAdmissionPolicy, now time.Time) []any {
			return []any{o.Name, int64(len(o.Spec.Validations)), paramKind(o.Spec.ParamKind), age(o.CreationTimestamp, now)}
		}),
		admission("ValidatingAdmissionPolicyBinding"): newPrinter("Name, PolicyName, ParamRef, Age", func(o *admissionregistrationv1.ValidatingAdmissionPolicyBinding, now time.Time) []any {
			return []any{o.Name, o.Spec.PolicyName, paramRef(o.Spec.ParamRef), age(o.CreationTimestamp, now)}
		}),
		admission("MutatingAdmissionPolicy"): newPrinter("Name, Mutations:integer, ParamKind, Age", func(o *admissionregistrationv1.MutatingAdmissionPolicy, now time.Time) []any {
			return []any{o.Name, int64(len(o.Spec.Mutations)), paramKind(o.Spec.ParamKind), age(o.CreationTimestamp, now)}
		}),
		admission("MutatingAdmissionPolicyBinding"): newPrinter("Name, PolicyName, ParamRef, Age", func(o *admissionregistrationv1.MutatingAdmissionPolicyBinding, now time.Time) []any {
			return []any{o.Name, o.Spec.PolicyName, paramRef(o.Spec.ParamRef), age(o.CreationTimestamp, now)}
		}),
		{Group: rbacv1.GroupName, Kind: "RoleBinding"}: newPrinter("Name, Role, Age, +Users, +Groups, +ServiceAccounts", func(o *rbacv1.RoleBinding, now time.Time) []any {
			users, groups, accounts := subjects(o.Subjects)
			return []any{o.Name, o.RoleRef.Kind + "/" + o.RoleRef.Name, age(o.CreationTimestamp, now), users, groups, accounts}
		}),
		{Group: rbacv1.GroupName, Kind: "ClusterRoleBinding"}: newPrinter("Name, Role, Age, +Users, +Groups, +ServiceAccounts", func(o *rbacv1.ClusterRoleBinding, now time.Time) []any {
			users, groups, accounts := subjects(o.Subjects)
			return []any{o.Name, o.RoleRef.Kind + "/" + o.RoleRef.Name, age(o.CreationTimestamp, now), users, groups, accounts}
		}),
		{Group: policyv1.GroupName, Kind: "PodDisruptionBudget"}: newPrinter("Name, Min Available, Max Unavailable, Allowed Disruptions:integer, Age", func(o *policyv1.PodDisruptionBudget, now time.Time) []any {
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

func paramRef(r *admissionregistrationv1.ParamRef) string {
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
