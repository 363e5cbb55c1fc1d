// kubernetes/kubernetes:pkg/registry/admissionregistration/mutatingwebhookconfiguration/strategy.go
// kubernetes/kubernetes:pkg/registry/admissionregistration/validatingwebhookconfiguration/strategy.go
// kubernetes/kubernetes:pkg/apis/admissionregistration/v1/defaults.go

package admissionregistration

import (
	"fmt"
	"slices"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	admissionregistrationv1beta1 "k8s.io/api/admissionregistration/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/pkg/kubeversion"
)

var mutatingWebhookConfiguration = rules.Of[*admissionregistrationv1.MutatingWebhookConfiguration]{
	Name:         rules.DNSSubdomain,
	AnyFinalizer: true,
	Spec:         func(c *admissionregistrationv1.MutatingWebhookConfiguration) any { return &c.Webhooks },
	ExactSpec:    true,
	Defaults: func(c *admissionregistrationv1.MutatingWebhookConfiguration) {
		for i := range c.Webhooks {
			defaultWebhook(&c.Webhooks[i])
			rules.SetDefault(&c.Webhooks[i].ReinvocationPolicy, admissionregistrationv1.NeverReinvocationPolicy)
		}
	},
	Validate:       validateMutatingWebhooks,
	ValidateUpdate: validateMutatingWebhooksUpdate,
	OnUpdate:       rules.CheckNothing,
	Warnings: func(c, old *admissionregistrationv1.MutatingWebhookConfiguration, r rules.Request) []string {
		return append(staticNameWarnings(c, old, r), reviewRuleWarnings(c.Webhooks, r)...)
	},
}

var validatingWebhookConfiguration = rules.Of[*admissionregistrationv1.ValidatingWebhookConfiguration]{
	Name:         rules.DNSSubdomain,
	AnyFinalizer: true,
	Spec:         func(c *admissionregistrationv1.ValidatingWebhookConfiguration) any { return &c.Webhooks },
	ExactSpec:    true,
	Defaults: func(c *admissionregistrationv1.ValidatingWebhookConfiguration) {
		for i := range c.Webhooks {
			hook := MutatingForm(c.Webhooks[i])
			defaultWebhook(&hook)
			c.Webhooks[i] = rules.ValidatingForm(hook)
		}
	},
	Validate:       validateValidatingWebhooks,
	ValidateUpdate: validateValidatingWebhooksUpdate,
	OnUpdate:       rules.CheckNothing,
	Warnings: func(c, old *admissionregistrationv1.ValidatingWebhookConfiguration, r rules.Request) []string {
		return append(staticNameWarnings(c, old, r), reviewRuleWarnings(mutatingForms(c.Webhooks), r)...)
	},
}

// staticSuffix ends the names that are reserved for objects which the server reads from files:
// kubernetes/kubernetes:pkg/apis/admissionregistration/validation/static_suffix.go.
const staticSuffix = ".static.k8s.io"

const reservedName = "names ending with %q are reserved for static manifest-based configurations and cannot be managed via the API"

// staticNameWarnings warns about such names where they are not refused.
func staticNameWarnings[T metav1.Object](object, old T, r rules.Request) []string {
	var none T
	isNew := any(old) == any(none)
	refused := isNew && r.Release.Has(kubeversion.StaticNamesRefused)
	if !r.Release.Has(kubeversion.StaticNamesReserved) || refused || !strings.HasSuffix(object.GetName(), staticSuffix) {
		return nil
	}
	return []string{"metadata.name: " + fmt.Sprintf(reservedName, staticSuffix)}
}

// staticName refuses such a name for a new object.
func staticName(name string, isNew bool, r rules.Request) field.ErrorList {
	if !isNew || r.Static || !r.Release.Has(kubeversion.StaticNamesRefused) || !strings.HasSuffix(name, staticSuffix) {
		return nil
	}
	return field.ErrorList{field.Invalid(rules.MetadataPath.Child("name"), name, fmt.Sprintf(reservedName, staticSuffix))}
}

// reviewRuleWarnings warns about rules for resources that no webhook sees:
// kubernetes/kubernetes:pkg/apis/admissionregistration/validation/warnings.go.
func reviewRuleWarnings(hooks []admissionregistrationv1.MutatingWebhook, r rules.Request) []string {
	if !r.Release.Has(kubeversion.WarnsOfReviewRules) {
		return nil
	}
	var warnings []string
	for i, h := range hooks {
		for j, rule := range h.Rules {
			if slices.Contains(rule.APIGroups, "*") || slices.Contains(rule.Resources, "*") {
				continue
			}
			var named []schema.GroupResource
			for _, group := range rule.APIGroups {
				for _, resource := range rule.Resources {
					if gr := (schema.GroupResource{Group: group, Resource: resource}); kubeversion.IsReview(gr) && !slices.Contains(named, gr) {
						named = append(named, gr)
					}
				}
			}
			for _, gr := range named {
				warnings = append(warnings, fmt.Sprintf("webhooks[%d].rules[%d]: %s is excluded from admission webhooks; this rule will have no effect", i, j, gr))
			}
		}
	}
	return warnings
}

// defaultWebhook sets the defaults that v1 has for both kinds of webhooks (W-055).
func defaultWebhook(h *admissionregistrationv1.MutatingWebhook) {
	rules.SetDefault(&h.FailurePolicy, admissionregistrationv1.Fail)
	rules.SetDefault(&h.MatchPolicy, admissionregistrationv1.Equivalent)
	rules.SetDefault(&h.NamespaceSelector, metav1.LabelSelector{})
	rules.SetDefault(&h.ObjectSelector, metav1.LabelSelector{})
	rules.SetDefault(&h.TimeoutSeconds, 10)
	for i := range h.Rules {
		rules.SetDefault(&h.Rules[i].Scope, admissionregistrationv1.AllScopes)
	}
	if s := h.ClientConfig.Service; s != nil {
		rules.SetDefault(&s.Port, 443)
	}
}

// MutatingForm returns a validating webhook as a mutating one without a reinvocation policy.
func MutatingForm(h admissionregistrationv1.ValidatingWebhook) admissionregistrationv1.MutatingWebhook {
	return admissionregistrationv1.MutatingWebhook{
		Name: h.Name, ClientConfig: h.ClientConfig, Rules: h.Rules, FailurePolicy: h.FailurePolicy,
		MatchPolicy: h.MatchPolicy, NamespaceSelector: h.NamespaceSelector, ObjectSelector: h.ObjectSelector,
		SideEffects: h.SideEffects, TimeoutSeconds: h.TimeoutSeconds,
		AdmissionReviewVersions: h.AdmissionReviewVersions, MatchConditions: h.MatchConditions,
	}
}

// The defaults of v1beta1 that differ from v1 (W-055).

func defaultMutatingWebhooksV1beta1(c *admissionregistrationv1beta1.MutatingWebhookConfiguration) {
	for i := range c.Webhooks {
		h := &c.Webhooks[i]
		defaultWebhookV1beta1(&h.FailurePolicy, &h.MatchPolicy, &h.SideEffects, &h.TimeoutSeconds, &h.AdmissionReviewVersions)
	}
}

func defaultValidatingWebhooksV1beta1(c *admissionregistrationv1beta1.ValidatingWebhookConfiguration) {
	for i := range c.Webhooks {
		h := &c.Webhooks[i]
		defaultWebhookV1beta1(&h.FailurePolicy, &h.MatchPolicy, &h.SideEffects, &h.TimeoutSeconds, &h.AdmissionReviewVersions)
	}
}

func defaultWebhookV1beta1(
	failure **admissionregistrationv1beta1.FailurePolicyType, match **admissionregistrationv1beta1.MatchPolicyType,
	effects **admissionregistrationv1beta1.SideEffectClass, timeout **int32, versions *[]string,
) {
	rules.SetDefault(failure, admissionregistrationv1beta1.Ignore)
	rules.SetDefault(match, admissionregistrationv1beta1.Exact)
	rules.SetDefault(effects, admissionregistrationv1beta1.SideEffectClassUnknown)
	rules.SetDefault(timeout, 30)
	if len(*versions) == 0 {
		*versions = []string{admissionregistrationv1beta1.SchemeGroupVersion.Version}
	}
}
