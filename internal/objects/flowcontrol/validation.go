// kubernetes/kubernetes:pkg/apis/flowcontrol/validation/validation.go

package flowcontrol

import (
	"fmt"
	"slices"
	"strings"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/util/shufflesharding"

	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/internal/semantic"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// Flow control is checked as in kubernetes/kubernetes:pkg/apis/flowcontrol/validation.

var flowVerbs = []string{"create", "delete", "deletecollection", "get", "list", "patch", "proxy", "update", "watch"}

func validateFlowSchema(s *flowcontrolv1.FlowSchema, _ rules.Request) field.ErrorList {
	var errs rules.Errors
	errs.Add(flowSpec(s))
	if fixed, ok := fixedFlowSchema(s.Name); ok && !semantic.DeepEqual(fixed, s.Spec) {
		errs.Invalid(rules.SpecPath, rules.AsInternal(s.Spec), fmt.Sprintf("spec of '%s' must equal the fixed value", s.Name))
	}
	errs.Add(flowSchemaConditions(s))
	return errs.List()
}

func validateFlowSchemaUpdate(s, _ *flowcontrolv1.FlowSchema, r rules.Request) field.ErrorList {
	if r.Subresource == "status" {
		return flowSchemaConditions(s)
	}
	var errs rules.Errors
	errs.Add(rules.ValidateNewMetadata(s, r, rules.DNSSubdomain))
	errs.Add(rules.ValidateFinalizers(s))
	errs.Add(validateFlowSchema(s, r))
	return errs.List()
}

func flowSchemaConditions(s *flowcontrolv1.FlowSchema) field.ErrorList {
	return typesOnce(s.Status.Conditions, func(c flowcontrolv1.FlowSchemaCondition) string { return string(c.Type) })
}

// typesOnce requires the conditions in a status to have types without duplicates.
func typesOnce[T any](conditions []T, typeOf func(T) string) field.ErrorList {
	var errs rules.Errors
	seen := map[string]bool{}
	for i, c := range conditions {
		t, at := typeOf(c), field.NewPath("status", "conditions").Index(i).Child("type")
		if seen[t] {
			errs.Duplicate(at, t)
		}
		seen[t] = true
		if t == "" {
			errs.Required(at, "")
		}
	}
	return errs.List()
}

func flowSpec(s *flowcontrolv1.FlowSchema) field.ErrorList {
	at, n := rules.SpecPath.Child("matchingPrecedence"), s.Spec.MatchingPrecedence
	var errs rules.Errors
	errs.Add(rules.Unless(n > 0, at, n, "must be a positive value"))
	errs.Add(rules.Unless(n <= flowcontrolv1.FlowSchemaMaxMatchingPrecedence, at, n, fmt.Sprintf("must not be greater than %d", flowcontrolv1.FlowSchemaMaxMatchingPrecedence)))
	errs.Add(rules.Unless(n != 1 || s.Name == "exempt", at, n, "only the schema named 'exempt' may have matchingPrecedence 1"))
	if m := s.Spec.DistinguisherMethod; m != nil && len(rules.OneOf(&m.Type, []string{"ByNamespace", "ByUser"}, nil)) > 0 {
		errs.Append(field.NotSupported(rules.SpecPath.Child("distinguisherMethod", "type"), rules.AsInternal(m), []string{"ByNamespace", "ByUser"}))
	}
	level, name := rules.SpecPath.Child("priorityLevelConfiguration", "name"), s.Spec.PriorityLevelConfiguration.Name
	if name == "" {
		errs.Required(level, "must reference a priority level")
	} else {
		errs.Add(rules.Faults(level, name, rules.DNSSubdomain(name, false)))
	}
	errs.Add(rules.EachOf(s.Spec.Rules, -1, rules.SpecPath.Child("rules"), flowRule))
	return errs.List()
}

func flowRule(r flowcontrolv1.PolicyRulesWithSubjects, at *field.Path) field.ErrorList {
	var errs rules.Errors
	if len(r.Subjects) == 0 {
		errs.Required(at.Child("subjects"), "subjects must contain at least one value")
	}
	errs.Add(rules.EachOf(r.Subjects, -1, at.Child("subjects"), flowSubject))
	if len(r.ResourceRules) == 0 && len(r.NonResourceRules) == 0 {
		errs.Required(at, "at least one of resourceRules and nonResourceRules has to be non-empty")
	}
	errs.Add(rules.EachOf(r.ResourceRules, -1, at.Child("resourceRules"), flowResources))
	errs.Add(rules.EachOf(r.NonResourceRules, -1, at.Child("nonResourceRules"), flowURLs))
	return errs.List()
}

func flowSubject(s flowcontrolv1.Subject, at *field.Path) field.ErrorList {
	if errs := rules.OneOf(&s.Kind, []string{"Group", "ServiceAccount", "User"}, at.Child("kind")); len(errs) > 0 {
		return errs
	}
	members := []struct {
		kind, name string
		given      bool
		check      func(*field.Path) field.ErrorList
	}{
		{"ServiceAccount", "serviceAccount", s.ServiceAccount != nil, func(at *field.Path) field.ErrorList { return flowAccount(s.ServiceAccount, at) }},
		{"User", "user", s.User != nil, func(at *field.Path) field.ErrorList { return anyName(s.User.Name, at) }},
		{"Group", "group", s.Group != nil, func(at *field.Path) field.ErrorList { return anyName(s.Group.Name, at) }},
	}
	var errs, others rules.Errors
	for _, m := range members {
		at := at.Child(m.name)
		switch mine := m.kind == string(s.Kind); {
		case mine && m.given:
			errs.Add(m.check(at))
		case mine:
			errs.Required(at, fmt.Sprintf("%s is required when subject kind is '%s'", m.name, m.kind))
		case m.given:
			others.Forbidden(at, fmt.Sprintf("%s is forbidden when subject kind is not '%s'", m.name, m.kind))
		}
	}
	errs.Add(others.List())
	return errs.List()
}

func anyName(name string, at *field.Path) field.ErrorList {
	if name == "" {
		return field.ErrorList{field.Required(at.Child("name"), "")}
	}
	return nil
}

func flowAccount(s *flowcontrolv1.ServiceAccountSubject, at *field.Path) field.ErrorList {
	var errs rules.Errors
	errs.Add(anyName(s.Name, at))
	if s.Name != "" && s.Name != flowcontrolv1.NameAll {
		errs.Add(rules.Faults(at.Child("name"), s.Name, validation.ValidateServiceAccountName(s.Name, false)))
	}
	if s.Namespace == "" {
		errs.Required(at.Child("namespace"), "must specify namespace for service account")
		return errs.List()
	}
	errs.Add(rules.Faults(at.Child("namespace"), s.Namespace, validation.ValidateNamespaceName(s.Namespace, false)))
	return errs.List()
}

// starAlone checks a list in which * stands for everything, and therefore must be the only item.
func starAlone(list []string, missing, notAlone string, at *field.Path) field.ErrorList {
	if len(list) == 0 {
		return field.ErrorList{field.Required(at, missing)}
	}
	return rules.Unless(len(list) == 1 || !slices.Contains(list, "*"), at, list, "if '*' is present, must not specify other "+notAlone)
}

func verbsOfFlow(verbs []string, at *field.Path) field.ErrorList {
	var errs rules.Errors
	errs.Add(starAlone(verbs, "verbs must contain at least one value", "verbs", at))
	unknown := func(v string) bool { return !slices.Contains(flowVerbs, v) }
	if !slices.Contains(verbs, "*") && slices.ContainsFunc(verbs, unknown) {
		errs.Append(field.NotSupported(at, verbs, flowVerbs))
	}
	return errs.List()
}

func flowResources(r flowcontrolv1.ResourcePolicyRule, at *field.Path) field.ErrorList {
	var errs rules.Errors
	errs.Add(verbsOfFlow(r.Verbs, at.Child("verbs")))
	errs.Add(starAlone(r.APIGroups, "resource rules must supply at least one api group", "api groups", at.Child("apiGroups")))
	errs.Add(starAlone(r.Resources, "resource rules must supply at least one resource", "resources", at.Child("resources")))
	at = at.Child("namespaces")
	if len(r.Namespaces) > 0 || !r.ClusterScope {
		errs.Add(starAlone(r.Namespaces, "resource rules that are not cluster scoped must supply at least one namespace", "namespaces", at))
	}
	if slices.Contains(r.Namespaces, "*") {
		return errs.List()
	}
	for i, name := range r.Namespaces {
		for _, wrong := range validation.ValidateNamespaceName(name, false) {
			errs.Invalid(at.Index(i), name, "each member of this list must be '*' or a DNS-1123 label; "+wrong)
		}
	}
	return errs.List()
}

func flowURLs(r flowcontrolv1.NonResourcePolicyRule, at *field.Path) field.ErrorList {
	var errs rules.Errors
	errs.Add(verbsOfFlow(r.Verbs, at.Child("verbs")))
	at = at.Child("nonResourceURLs")
	errs.Add(starAlone(r.NonResourceURLs, "nonResourceURLs must contain at least one value", "non-resource URLs", at))
	if slices.Contains(r.NonResourceURLs, "*") {
		return errs.List()
	}
	errs.Add(rules.EachOf(r.NonResourceURLs, -1, at, flowURL))
	return errs.List()
}

func flowURL(path string, at *field.Path) field.ErrorList {
	stars := strings.Count(path, "*")
	switch {
	case path == "":
		return field.ErrorList{field.Invalid(at, path, "must not be empty")}
	case !strings.HasPrefix(path, "/"):
		return field.ErrorList{field.Invalid(at, path, "must start with slash")}
	case strings.Contains(path, " "):
		return field.ErrorList{field.Invalid(at, path, "must not contain white-space")}
	case strings.Contains(path, "//"):
		return field.ErrorList{field.Invalid(at, path, "must not contain double slash")}
	}
	return rules.Unless(stars == 0 || stars == 1 && strings.HasSuffix(path, "/*"), at, path, "wildcard can only do suffix matching")
}

func validatePriorityLevel(c *flowcontrolv1.PriorityLevelConfiguration, r rules.Request) field.ErrorList {
	var errs rules.Errors
	if rules.Has(c.Annotations, keepsZeroShares) && r.Release.Has(kubeversion.ZeroSharesAnnotated) {
		errs.Forbidden(rules.MetadataPath.Child("annotations"), fmt.Sprintf("annotation '%s' is forbidden", keepsZeroShares))
	}
	errs.Add(priorityLevel(c, r))
	errs.Add(unlikeFixed(c, r.Release))
	errs.Add(priorityLevelConditions(c))
	return errs.List()
}

// keepsZeroShares is only for conversions to v1beta3.
const keepsZeroShares = "flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares"

func validatePriorityLevelUpdate(c, _ *flowcontrolv1.PriorityLevelConfiguration, r rules.Request) field.ErrorList {
	if r.Subresource == "status" {
		return priorityLevelConditions(c)
	}
	var errs rules.Errors
	errs.Add(rules.ValidateNewMetadata(c, r, rules.DNSSubdomain))
	errs.Add(rules.ValidateFinalizers(c))
	errs.Add(validatePriorityLevel(c, r))
	return errs.List()
}

func priorityLevelConditions(c *flowcontrolv1.PriorityLevelConfiguration) field.ErrorList {
	return typesOnce(c.Status.Conditions, func(c flowcontrolv1.PriorityLevelConfigurationCondition) string { return string(c.Type) })
}

// unlikeFixed checks the two levels that every cluster has.
func unlikeFixed(c *flowcontrolv1.PriorityLevelConfiguration, r *kubeversion.Release) field.ErrorList {
	fixed, ok := fixedPriorityLevel(c.Name)
	if !ok {
		return nil
	}
	spec, message := c.Spec, "spec of '%s' must equal the fixed value"
	if c.Name == flowcontrolv1.PriorityLevelConfigurationNameExempt {
		spec.Exempt = fixed.Exempt
		if r.Has(kubeversion.ExemptLevelsShare) {
			message = "spec of '%s' except the 'spec.exempt' field must equal the fixed value"
		}
	}
	return rules.Unless(semantic.DeepEqual(fixed, spec), rules.SpecPath, rules.AsInternal(c.Spec), fmt.Sprintf(message, c.Name))
}

func priorityLevel(c *flowcontrolv1.PriorityLevelConfiguration, r rules.Request) field.ErrorList {
	s := &c.Spec
	exempt, limited := s.Type == flowcontrolv1.PriorityLevelEnablementExempt, s.Type == flowcontrolv1.PriorityLevelEnablementLimited
	var errs rules.Errors
	errs.Add(rules.Unless((c.Name == flowcontrolv1.PriorityLevelConfigurationNameExempt) == exempt, rules.SpecPath.Child("type"), s.Type, "must be 'Exempt' if and only if `name` is 'exempt'"))
	switch {
	case exempt:
		if s.Limited != nil {
			errs.Forbidden(rules.SpecPath.Child("limited"), "must be nil if the type is not Limited")
		}
		if e, at := s.Exempt, rules.SpecPath.Child("exempt"); e != nil {
			errs.Add(rules.Unless(*e.NominalConcurrencyShares >= 0, at.Child("nominalConcurrencyShares"), *e.NominalConcurrencyShares, "must be a non-negative integer"))
			errs.Add(percentOf(e.LendablePercent, at.Child("lendablePercent")))
		}
	case limited:
		if s.Exempt != nil {
			errs.Forbidden(rules.SpecPath.Child("exempt"), "must be nil if the type is Limited")
		}
		if s.Limited == nil {
			errs.Required(rules.SpecPath.Child("limited"), "must not be empty when type is Limited")
			return errs.List()
		}
		errs.Add(limitedLevel(s.Limited, r, rules.SpecPath.Child("limited")))
	case s.Type == "" && r.Release.Has(kubeversion.MissingIsRequired):
		errs.Required(rules.SpecPath.Child("type"), "")
	default:
		errs.Append(field.NotSupported(rules.SpecPath.Child("type"), s.Type, []string{"Exempt", "Limited"}))
	}
	return errs.List()
}

func percentOf(n *int32, at *field.Path) field.ErrorList {
	if n == nil {
		return nil
	}
	return rules.Unless(*n >= 0 && *n <= 100, at, *n, "must be between 0 and 100, inclusive")
}

func limitedLevel(l *flowcontrolv1.LimitedPriorityLevelConfiguration, r rules.Request, at *field.Path) field.ErrorList {
	shares := "nominalConcurrencyShares"
	if v := r.Resource.Version; v == "v1beta1" || v == "v1beta2" {
		shares = "assuredConcurrencyShares"
	}
	var errs rules.Errors
	errs.Add(rules.Unless(*l.NominalConcurrencyShares >= 0, at.Child(shares), *l.NominalConcurrencyShares, "must be a non-negative integer"))
	errs.Add(limitResponse(l.LimitResponse, r.Release, at.Child("limitResponse")))
	errs.Add(percentOf(l.LendablePercent, at.Child("lendablePercent")))
	if n := l.BorrowingLimitPercent; n != nil {
		errs.Add(rules.Unless(*n >= 0, at.Child("borrowingLimitPercent"), *n, "if specified, must be a non-negative integer"))
	}
	return errs.List()
}

func limitResponse(l flowcontrolv1.LimitResponse, r *kubeversion.Release, at *field.Path) field.ErrorList {
	queuing := at.Child("queuing")
	switch {
	case l.Type == flowcontrolv1.LimitResponseTypeReject && l.Queuing != nil:
		return field.ErrorList{field.Forbidden(queuing, "must be nil if limited.limitResponse.type is not Limited")}
	case l.Type == flowcontrolv1.LimitResponseTypeReject:
		return nil
	case l.Type == flowcontrolv1.LimitResponseTypeQueue && l.Queuing == nil:
		return field.ErrorList{field.Required(queuing, "must not be empty if limited.limitResponse.type is Limited")}
	case l.Type == flowcontrolv1.LimitResponseTypeQueue:
		return queues(l.Queuing, queuing)
	case l.Type == "" && r.Has(kubeversion.MissingIsRequired):
		return field.ErrorList{field.Required(at.Child("type"), "")}
	}
	return field.ErrorList{field.NotSupported(at.Child("type"), l.Type, []string{"Queue", "Reject"})}
}

const mostQueues = 10_000_000

func queues(q *flowcontrolv1.QueuingConfiguration, at *field.Path) field.ErrorList {
	var errs rules.Errors
	errs.Add(rules.Unless(q.QueueLengthLimit > 0, at.Child("queueLengthLimit"), q.QueueLengthLimit, "must be positive"))
	errs.Add(rules.Unless(q.Queues > 0, at.Child("queues"), q.Queues, "must be positive"))
	errs.Add(rules.Unless(q.Queues <= mostQueues, at.Child("queues"), q.Queues, fmt.Sprintf("must not be greater than %d", mostQueues)))
	at = at.Child("handSize")
	bits := shufflesharding.RequiredEntropyBits(int(q.Queues), int(q.HandSize))
	switch {
	case q.HandSize <= 0:
		errs.Invalid(at, q.HandSize, "must be positive")
	case q.HandSize > q.Queues:
		errs.Invalid(at, q.HandSize, fmt.Sprintf("should not be greater than queues (%d)", q.Queues))
	case bits > shufflesharding.MaxHashBits:
		errs.Invalid(at, q.HandSize, fmt.Sprintf("required entropy bits of deckSize %d and handSize %d should not be greater than %d", q.Queues, q.HandSize, shufflesharding.MaxHashBits))
	}
	return errs.List()
}
