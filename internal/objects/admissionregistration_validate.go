package objects

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/sets"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/semantic"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// The values that fields of admission configurations may have, in the order of messages.
var (
	failurePolicies       = []string{"Fail", "Ignore"}
	matchPolicies         = []string{"Equivalent", "Exact"}
	noSideEffects         = []string{"None", "NoneOnDryRun"}
	allSideEffects        = []string{"None", "NoneOnDryRun", "Some", "Unknown"}
	reinvocationPolicies  = []string{"IfNeeded", "Never"}
	operationTypes        = []string{"*", "CONNECT", "CREATE", "DELETE", "UPDATE"}
	ruleScopes            = []string{"*", "Cluster", "Namespaced"}
	reviewVersions        = []string{"v1", "v1beta1"}
	firstReviewVersions   = []string{"v1beta1"} // before 1.16
	minTimeout            = int32(1)
	maxTimeout            = int32(30)
	webhookURLForm        = "; desired format: https://host[/path]"
	strictLabelValues     = metav1validation.LabelSelectorValidationOptions{}
	tolerantOfLabelValues = metav1validation.LabelSelectorValidationOptions{AllowInvalidLabelValueInSelector: true}
)

// A webhookCheck checks the webhooks of a configuration (W-060 .. W-082). Its fields are
// the rules that are milder for objects that broke them before.
type webhookCheck struct {
	request
	sideEffects         []string
	reviewVersions      []string // those that the server speaks
	knownReviewVersion  bool
	uniqueNames         bool
	selectors           metav1validation.LabelSelectorValidationOptions
	skipMatchConditions bool
	storedConditions    sets.Set[string] // the texts of their expressions
}

func newWebhookCheck(r request) webhookCheck {
	c := webhookCheck{request: r, sideEffects: noSideEffects, reviewVersions: reviewVersions, knownReviewVersion: true, uniqueNames: true}
	if !r.Release.Has(kubeversion.WebhooksV1) {
		c.reviewVersions = firstReviewVersions
	}
	if r.Resource.Version == "v1beta1" {
		c.sideEffects, c.uniqueNames = allSideEffects, false
	}
	return c
}

// onUpdate allows what the old webhooks have wrong already.
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
		return len(metav1validation.ValidateLabelSelector(h.NamespaceSelector, strictLabelValues, nil)) > 0 ||
			len(metav1validation.ValidateLabelSelector(h.ObjectSelector, strictLabelValues, nil)) > 0
	}) {
		c.selectors = tolerantOfLabelValues
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

func validateMutatingWebhooks(c *admissionregistrationv1.MutatingWebhookConfiguration, r request) field.ErrorList {
	return newWebhookCheck(r).webhooks(c.Webhooks)
}

func validateMutatingWebhooksUpdate(c, old *admissionregistrationv1.MutatingWebhookConfiguration, r request) field.ErrorList {
	errs := validateNewMetadata(c, r, dnsSubdomain)
	return append(errs, newWebhookCheck(r).onUpdate(c.Webhooks, old.Webhooks).webhooks(c.Webhooks)...)
}

func validateValidatingWebhooks(c *admissionregistrationv1.ValidatingWebhookConfiguration, r request) field.ErrorList {
	return newWebhookCheck(r).webhooks(mutatingForms(c.Webhooks))
}

func validateValidatingWebhooksUpdate(c, old *admissionregistrationv1.ValidatingWebhookConfiguration, r request) field.ErrorList {
	errs := validateNewMetadata(c, r, dnsSubdomain)
	hooks := mutatingForms(c.Webhooks)
	return append(errs, newWebhookCheck(r).onUpdate(hooks, mutatingForms(old.Webhooks)).webhooks(hooks)...)
}

func mutatingForms(hooks []admissionregistrationv1.ValidatingWebhook) []admissionregistrationv1.MutatingWebhook {
	forms := make([]admissionregistrationv1.MutatingWebhook, len(hooks))
	for i, h := range hooks {
		forms[i] = MutatingForm(h)
	}
	return forms
}

func (c webhookCheck) webhooks(hooks []admissionregistrationv1.MutatingWebhook) field.ErrorList {
	var errs field.ErrorList
	seen := map[string]bool{}
	for i, h := range hooks {
		path := field.NewPath("webhooks").Index(i)
		errs = append(errs, c.webhook(&h, path)...)
		errs = append(errs, c.acceptedVersions(h.AdmissionReviewVersions, path.Child("admissionReviewVersions"))...)
		if c.uniqueNames && h.Name != "" && seen[h.Name] {
			errs = append(errs, field.Duplicate(path.Child("name"), h.Name))
		}
		seen[h.Name] = true
	}
	return errs
}

func (c webhookCheck) webhook(h *admissionregistrationv1.MutatingWebhook, path *field.Path) field.ErrorList {
	errs := utilvalidation.IsFullyQualifiedName(path.Child("name"), h.Name)
	for i, r := range h.Rules {
		errs = append(errs, validateRule(r, path.Child("rules").Index(i))...)
	}
	errs = append(errs, oneOf(h.FailurePolicy, failurePolicies, path.Child("failurePolicy"))...)
	errs = append(errs, oneOf(h.MatchPolicy, matchPolicies, path.Child("matchPolicy"))...)
	if h.SideEffects == nil {
		errs = append(errs, field.Required(path.Child("sideEffects"), "must specify one of "+strings.Join(c.sideEffects, ", ")))
	}
	errs = append(errs, oneOf(h.SideEffects, c.sideEffects, path.Child("sideEffects"))...)
	if t := h.TimeoutSeconds; t != nil && (*t < minTimeout || *t > maxTimeout) {
		errs = append(errs, field.Invalid(path.Child("timeoutSeconds"), *t, fmt.Sprintf("the timeout value must be between %d and %d seconds", minTimeout, maxTimeout)))
	}
	errs = append(errs, metav1validation.ValidateLabelSelector(h.NamespaceSelector, c.selectors, path.Child("namespaceSelector"))...)
	errs = append(errs, metav1validation.ValidateLabelSelector(h.ObjectSelector, c.selectors, path.Child("objectSelector"))...)
	errs = append(errs, oneOf(h.ReinvocationPolicy, reinvocationPolicies, path.Child("reinvocationPolicy"))...)
	errs = append(errs, validateClientConfig(h.ClientConfig, path.Child("clientConfig"))...)
	if !c.skipMatchConditions {
		errs = append(errs, c.CheckMatchConditions(h.MatchConditions, path.Child("matchConditions"), c.storedConditions)...)
	}
	return errs
}

// oneOf checks an optional field that has a fixed set of values.
func oneOf[T ~string](value *T, values []string, path *field.Path) field.ErrorList {
	if value == nil || slices.Contains(values, string(*value)) {
		return nil
	}
	return field.ErrorList{field.NotSupported(path, *value, values)}
}

// validateRule checks the operations and resources of a rule (W-062 .. W-067).
func validateRule(r admissionregistrationv1.RuleWithOperations, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	operations := path.Child("operations")
	if len(r.Operations) == 0 {
		errs = append(errs, field.Required(operations, ""))
	}
	if len(r.Operations) > 1 && slices.Contains(r.Operations, admissionregistrationv1.OperationAll) {
		errs = append(errs, field.Invalid(operations, r.Operations, "if '*' is present, must not specify other operations"))
	}
	for i, o := range r.Operations {
		errs = append(errs, oneOf(&o, operationTypes, operations.Index(i))...)
	}
	errs = append(errs, validateRuleList(r.APIGroups, path.Child("apiGroups"), "API groups")...)
	errs = append(errs, validateRuleList(r.APIVersions, path.Child("apiVersions"), "API versions")...)
	for i, v := range r.APIVersions {
		if v == "" {
			errs = append(errs, field.Required(path.Child("apiVersions").Index(i), ""))
		}
	}
	errs = append(errs, validateRuleResources(r.Resources, path.Child("resources"))...)
	return append(errs, oneOf(r.Scope, ruleScopes, path.Child("scope"))...)
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

// validateRuleResources checks resource/subresource patterns. A wildcard rules out what
// comes after it, not what comes before (W-065); and a plain resource counts beside "*"
// only if it is the last without a subresource (W-066).
func validateRuleResources(resources []string, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if len(resources) == 0 {
		errs = append(errs, field.Required(path, ""))
	}
	allOf, everywhere := map[string]bool{}, map[string]bool{} // pods/*, */status
	plain := false
	for i, both := range resources {
		if both == "" {
			errs = append(errs, field.Required(path.Index(i), ""))
			continue
		}
		resource, sub, isSub := strings.Cut(both, "/")
		if !isSub {
			plain = both != "*"
			continue
		}
		if allOf[resource] {
			errs = append(errs, field.Invalid(path.Index(i), both, fmt.Sprintf("if '%s/*' is present, must not specify %s", resource, both)))
		}
		if everywhere[sub] {
			errs = append(errs, field.Invalid(path.Index(i), both, fmt.Sprintf("if '*/%s' is present, must not specify %s", sub, both)))
		}
		allOf[resource] = allOf[resource] || sub == "*"
		everywhere[sub] = everywhere[sub] || resource == "*"
	}
	if len(resources) > 1 && slices.Contains(resources, "*/*") {
		errs = append(errs, field.Invalid(path, resources, "if '*/*' is present, must not specify other resources"))
	}
	if plain && slices.Contains(resources, "*") {
		errs = append(errs, field.Invalid(path, resources, "if '*' is present, must not specify other resources without subresources"))
	}
	return errs
}

func validateClientConfig(c admissionregistrationv1.WebhookClientConfig, path *field.Path) field.ErrorList {
	switch {
	case (c.URL == nil) == (c.Service == nil):
		return field.ErrorList{field.Required(path, "exactly one of url or service is required")}
	case c.URL != nil:
		return validateWebhookURL(*c.URL, path.Child("url"))
	}
	return validateWebhookService(c.Service, path.Child("service"))
}

// validateWebhookURL checks a URL (W-074).
func validateWebhookURL(text string, path *field.Path) field.ErrorList {
	u, err := url.Parse(text)
	if err != nil {
		return field.ErrorList{field.Required(path, "url must be a valid URL: "+err.Error()+webhookURLForm)}
	}
	var errs field.ErrorList
	if u.Scheme != "https" {
		errs = append(errs, field.Invalid(path, u.Scheme, "'https' is the only allowed URL scheme"+webhookURLForm))
	}
	if u.Host == "" {
		errs = append(errs, field.Invalid(path, u.Host, "host must be specified"+webhookURLForm))
	}
	if u.User != nil {
		errs = append(errs, field.Invalid(path, u.User.String(), "user information is not permitted in the URL"))
	}
	if u.Fragment != "" {
		errs = append(errs, field.Invalid(path, u.Fragment, "fragments are not permitted in the URL"))
	}
	if u.RawQuery != "" {
		errs = append(errs, field.Invalid(path, u.RawQuery, "query parameters are not permitted in the URL"))
	}
	return errs
}

// validateWebhookService checks a service. The server mixes up the fields in which name
// and namespace are missing (W-075).
func validateWebhookService(s *admissionregistrationv1.ServiceReference, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if s.Namespace == "" {
		errs = append(errs, field.Required(path.Child("name"), ""))
	}
	if s.Name == "" {
		errs = append(errs, field.Required(path.Child("namespace"), ""))
	}
	if s.Port != nil {
		if wrong := utilvalidation.IsValidPortNum(int(*s.Port)); wrong != nil {
			errs = append(errs, field.Invalid(path.Child("port"), *s.Port, "port is not valid: "+strings.Join(wrong, ", ")))
		}
	}
	if s.Path != nil {
		errs = append(errs, validateWebhookPath(*s.Path, path.Child("path"))...)
	}
	return errs
}

// validateWebhookPath checks a path (W-077).
func validateWebhookPath(text string, path *field.Path) field.ErrorList {
	switch text {
	case "", "/":
		return nil
	case "//":
		return field.ErrorList{field.Invalid(path, text, "segment[0] may not be empty")}
	}
	var errs field.ErrorList
	if !strings.HasPrefix(text, "/") {
		errs = append(errs, field.Invalid(path, text, "must start with a '/'"))
	}
	// The first character is cut off whether it is a slash or not.
	for i, segment := range strings.Split(strings.TrimSuffix(text[1:], "/"), "/") {
		if segment == "" {
			errs = append(errs, field.Invalid(path, text, fmt.Sprintf("segment[%d] may not be empty", i)))
			continue
		}
		for _, wrong := range dns1123Subdomain(segment) {
			errs = append(errs, field.Invalid(path, text, fmt.Sprintf("segment[%d]: %v", i, wrong)))
		}
	}
	return errs
}

func qualifiedName(name string, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for _, wrong := range utilvalidation.IsQualifiedName(name) {
		errs = append(errs, field.Invalid(path, name, wrong))
	}
	return errs
}

// acceptedVersions checks the versions that a webhook understands (W-079).
func (c webhookCheck) acceptedVersions(versions []string, path *field.Path) field.ErrorList {
	if len(versions) == 0 {
		return field.ErrorList{field.Required(path, "must specify one of "+strings.Join(c.reviewVersions, ", "))}
	}
	var errs field.ErrorList
	for i, v := range versions {
		if slices.Contains(versions[:i], v) {
			errs = append(errs, field.Invalid(path.Index(i), v, "duplicate version"))
			continue
		}
		for _, wrong := range utilvalidation.IsDNS1035Label(v) {
			errs = append(errs, field.Invalid(path.Index(i), v, wrong))
		}
	}
	if c.knownReviewVersion && !slices.ContainsFunc(versions, c.isReviewVersion) {
		errs = append(errs, field.Invalid(path, versions, "must include at least one of "+strings.Join(c.reviewVersions, ", ")))
	}
	return errs
}
