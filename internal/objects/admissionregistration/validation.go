// kubernetes/kubernetes:pkg/apis/admissionregistration/validation/validation.go

package admissionregistration

import (
	"fmt"
	"slices"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/sets"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/internal/semantic"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// The values that fields of admission configurations may have, in the order of messages.
var failurePolicies = []string{"Fail", "Ignore"}

var matchPolicies = []string{"Equivalent", "Exact"}

var noSideEffects = []string{"None", "NoneOnDryRun"}

var allSideEffects = []string{"None", "NoneOnDryRun", "Some", "Unknown"}

var reinvocationPolicies = []string{"IfNeeded", "Never"}

var operationTypes = []string{"*", "CONNECT", "CREATE", "DELETE", "UPDATE"}

var ruleScopes = []string{"*", "Cluster", "Namespaced"}

var minTimeout = int32(1)

var maxTimeout = int32(30)

// A webhookCheck checks the webhooks of a configuration (W-060 .. W-082). Its fields are the rules that are relaxed for
// objects that broke them before.
type webhookCheck struct {
	rules.Request
	sideEffects         []string
	reviewVersions      []string // those that the server supports
	knownReviewVersion  bool
	uniqueNames         bool
	selectors           metav1validation.LabelSelectorValidationOptions
	skipMatchConditions bool
	storedConditions    sets.Set[string] // their expressions
}

func newWebhookCheck(r rules.Request) webhookCheck {
	c := webhookCheck{Request: r, sideEffects: noSideEffects, reviewVersions: rules.ReviewVersions(r.Release), knownReviewVersion: !r.Stored, uniqueNames: true}
	if r.IsBeta() {
		c.sideEffects, c.uniqueNames = allSideEffects, false
	}
	return c
}

// onUpdate allows the faults that the old webhooks already have.
func (c webhookCheck) onUpdate(hooks, old []admissionregistrationv1.MutatingWebhook) webhookCheck {
	if slices.ContainsFunc(old, func(h admissionregistrationv1.MutatingWebhook) bool {
		return h.SideEffects == nil || !slices.Contains(noSideEffects, string(*h.SideEffects))
	}) {
		c.sideEffects = allSideEffects
	}
	c.knownReviewVersion = !slices.ContainsFunc(old, func(h admissionregistrationv1.MutatingWebhook) bool {
		return len(h.AdmissionReviewVersions) > 0 && !slices.ContainsFunc(h.AdmissionReviewVersions, c.isReviewVersion)
	})
	c.uniqueNames = c.uniqueNames && uniqueNames(old)
	if slices.ContainsFunc(old, func(h admissionregistrationv1.MutatingWebhook) bool {
		return len(metav1validation.ValidateLabelSelector(h.NamespaceSelector, rules.StrictLabelValues, nil)) > 0 ||
			len(metav1validation.ValidateLabelSelector(h.ObjectSelector, rules.StrictLabelValues, nil)) > 0
	}) {
		c.selectors = rules.TolerantOfLabelValues
	}
	c.skipMatchConditions = slices.EqualFunc(hooks, old, func(a, b admissionregistrationv1.MutatingWebhook) bool {
		return semantic.DeepEqual(a.MatchConditions, b.MatchConditions)
	})
	c.storedConditions = sets.New[string]()
	for _, h := range old {
		for _, m := range h.MatchConditions {
			c.storedConditions.Insert(m.Expression)
		}
	}
	return c
}

func uniqueNames(hooks []admissionregistrationv1.MutatingWebhook) bool {
	seen := map[string]bool{}
	for _, h := range hooks {
		if seen[h.Name] {
			return false
		}
		seen[h.Name] = true
	}
	return true
}

func (c webhookCheck) isReviewVersion(v string) bool { return slices.Contains(c.reviewVersions, v) }

func validateMutatingWebhooks(c *admissionregistrationv1.MutatingWebhookConfiguration, r rules.Request) field.ErrorList {
	return append(newWebhookCheck(r).webhooks(c.Webhooks), staticName(c.Name, true, r)...)
}

func validateMutatingWebhooksUpdate(c, old *admissionregistrationv1.MutatingWebhookConfiguration, r rules.Request) field.ErrorList {
	var errs rules.Errors
	errs.Add(rules.ValidateNewMetadata(c, r, rules.DNSSubdomain))
	errs.Add(newWebhookCheck(r).onUpdate(c.Webhooks, old.Webhooks).webhooks(c.Webhooks))
	return errs.List()
}

func validateValidatingWebhooks(c *admissionregistrationv1.ValidatingWebhookConfiguration, r rules.Request) field.ErrorList {
	return append(newWebhookCheck(r).webhooks(mutatingForms(c.Webhooks)), staticName(c.Name, true, r)...)
}

func validateValidatingWebhooksUpdate(c, old *admissionregistrationv1.ValidatingWebhookConfiguration, r rules.Request) field.ErrorList {
	var errs rules.Errors
	errs.Add(rules.ValidateNewMetadata(c, r, rules.DNSSubdomain))
	hooks := mutatingForms(c.Webhooks)
	errs.Add(newWebhookCheck(r).onUpdate(hooks, mutatingForms(old.Webhooks)).webhooks(hooks))
	return errs.List()
}

func mutatingForms(hooks []admissionregistrationv1.ValidatingWebhook) []admissionregistrationv1.MutatingWebhook {
	forms := make([]admissionregistrationv1.MutatingWebhook, len(hooks))
	for i, h := range hooks {
		forms[i] = MutatingForm(h)
	}
	return forms
}

func (c webhookCheck) webhooks(hooks []admissionregistrationv1.MutatingWebhook) field.ErrorList {
	var errs rules.Errors
	seen := map[string]bool{}
	for i, h := range hooks {
		path := field.NewPath("webhooks").Index(i)
		errs.Add(c.webhook(&h, path))
		errs.Add(c.acceptedVersions(h.AdmissionReviewVersions, path.Child("admissionReviewVersions")))
		if c.uniqueNames && h.Name != "" && seen[h.Name] {
			errs.Duplicate(path.Child("name"), h.Name)
		}
		seen[h.Name] = true
	}
	return errs.List()
}

func (c webhookCheck) webhook(h *admissionregistrationv1.MutatingWebhook, path *field.Path) field.ErrorList {
	var errs rules.Errors
	errs.Add(utilvalidation.IsFullyQualifiedName(path.Child("name"), h.Name))
	for i, r := range h.Rules {
		errs.Add(validateRule(r, path.Child("rules").Index(i)))
	}
	errs.Add(rules.OneOf(h.FailurePolicy, failurePolicies, path.Child("failurePolicy")))
	errs.Add(rules.OneOf(h.MatchPolicy, matchPolicies, path.Child("matchPolicy")))
	if h.SideEffects == nil && c.Release.Has(kubeversion.DryRunParameter) {
		errs.Required(path.Child("sideEffects"), "must specify one of "+strings.Join(c.sideEffects, ", "))
	}
	errs.Add(rules.OneOf(h.SideEffects, c.sideEffects, path.Child("sideEffects")))
	if t := h.TimeoutSeconds; t != nil && (*t < minTimeout || *t > maxTimeout) {
		errs.Invalid(path.Child("timeoutSeconds"), *t, fmt.Sprintf("the timeout value must be between %d and %d seconds", minTimeout, maxTimeout))
	}
	errs.Add(metav1validation.ValidateLabelSelector(h.NamespaceSelector, c.selectors, path.Child("namespaceSelector")))
	errs.Add(metav1validation.ValidateLabelSelector(h.ObjectSelector, c.selectors, path.Child("objectSelector")))
	errs.Add(rules.OneOf(h.ReinvocationPolicy, reinvocationPolicies, path.Child("reinvocationPolicy")))
	errs.Add(c.clientConfig(h.ClientConfig, path.Child("clientConfig")))
	if !c.skipMatchConditions {
		errs.Add(c.CheckMatchConditions(h.MatchConditions, path.Child("matchConditions"), c.storedConditions))
	}
	return errs.List()
}

// clientConfig checks the address of a webhook. The error for both a URL and a service, or neither, used to name the
// URL.
func (c webhookCheck) clientConfig(client admissionregistrationv1.WebhookClientConfig, path *field.Path) field.ErrorList {
	if (client.URL == nil) == (client.Service == nil) && !c.Release.Has(kubeversion.WebhookFailureWords) {
		path = path.Child("url")
	}
	return rules.ValidateClientConfig(client, path)
}

// validateRule checks the operations and resources of a rule (W-062 .. W-067).
func validateRule(r admissionregistrationv1.RuleWithOperations, path *field.Path) field.ErrorList {
	var errs rules.Errors
	operations := path.Child("operations")
	if len(r.Operations) == 0 {
		errs.Required(operations, "")
	}
	if len(r.Operations) > 1 && slices.Contains(r.Operations, admissionregistrationv1.OperationAll) {
		errs.Invalid(operations, r.Operations, "if '*' is present, must not specify other operations")
	}
	for i, o := range r.Operations {
		errs.Add(rules.OneOf(&o, operationTypes, operations.Index(i)))
	}
	errs.Add(validateRuleList(r.APIGroups, path.Child("apiGroups"), "API groups"))
	errs.Add(validateRuleList(r.APIVersions, path.Child("apiVersions"), "API versions"))
	for i, v := range r.APIVersions {
		if v == "" {
			errs.Required(path.Child("apiVersions").Index(i), "")
		}
	}
	errs.Add(validateRuleResources(r.Resources, path.Child("resources")))
	errs.Add(rules.OneOf(r.Scope, ruleScopes, path.Child("scope")))
	return errs.List()
}

func validateRuleList(values []string, path *field.Path, what string) field.ErrorList {
	switch {
	case len(values) == 0:
		return field.ErrorList{field.Required(path, "")}
	case len(values) > 1 && slices.Contains(values, "*"):
		return field.ErrorList{field.Invalid(path, values, "if '*' is present, must not specify other "+what)}
	}
	return nil
}

// validateRuleResources checks resource/subresource patterns. A wildcard excludes what comes after it, not what comes
// before (W-065), and a plain resource counts next to "*" only if it is the last one without a subresource (W-066).
func validateRuleResources(resources []string, path *field.Path) field.ErrorList {
	var errs rules.Errors
	if len(resources) == 0 {
		errs.Required(path, "")
	}
	allOf, everywhere := map[string]bool{}, map[string]bool{} // pods/*, */status
	plain := false
	for i, both := range resources {
		if both == "" {
			errs.Required(path.Index(i), "")
			continue
		}
		resource, sub, isSub := strings.Cut(both, "/")
		if !isSub {
			plain = both != "*"
			continue
		}
		if allOf[resource] {
			errs.Invalid(path.Index(i), both, fmt.Sprintf("if '%s/*' is present, must not specify %s", resource, both))
		}
		if everywhere[sub] {
			errs.Invalid(path.Index(i), both, fmt.Sprintf("if '*/%s' is present, must not specify %s", sub, both))
		}
		allOf[resource] = allOf[resource] || sub == "*"
		everywhere[sub] = everywhere[sub] || resource == "*"
	}
	if len(resources) > 1 && slices.Contains(resources, "*/*") {
		errs.Invalid(path, resources, "if '*/*' is present, must not specify other resources")
	}
	if plain && slices.Contains(resources, "*") {
		errs.Invalid(path, resources, "if '*' is present, must not specify other resources without subresources")
	}
	return errs.List()
}

// acceptedVersions checks the versions of reviews that a webhook accepts (W-079).
func (c webhookCheck) acceptedVersions(versions []string, path *field.Path) field.ErrorList {
	if !c.Release.Has(kubeversion.WebhookTimeouts) { // nor lists of versions
		return nil
	}
	if len(versions) == 0 {
		return field.ErrorList{field.Required(path, "must specify one of "+strings.Join(c.reviewVersions, ", "))}
	}
	var errs rules.Errors
	for i, v := range versions {
		if slices.Contains(versions[:i], v) {
			errs.Invalid(path.Index(i), v, "duplicate version")
			continue
		}
		for _, wrong := range utilvalidation.IsDNS1035Label(v) {
			errs.Invalid(path.Index(i), v, wrong)
		}
	}
	if c.knownReviewVersion && !slices.ContainsFunc(versions, c.isReviewVersion) {
		errs.Add(rules.NoReviewVersion(versions, path, c.Release))
	}
	return errs.List()
}
