package matcher

import (
	"testing"

	admissionv1 "k8s.io/api/admission/v1"

	"github.com/admsim/admsim/pkg/admission"
)

func TestMatchPolicy(t *testing.T) {
	widgetRule := func(version, resource string) namedRule {
		return ruleOf("CREATE", "example.com", version, resource)
	}
	scaleRequest := onSubresource(widgetRequest("v1"), "scale")
	scaleRequest.Kind = gvk("autoscaling", "v1", "Scale")
	unset := hookOf(widgetRule("v1beta1", "widgets"))
	unset.MatchPolicy = nil
	both := widgetRule("v0", "widgets")
	both.APIVersions = []string{"v0", "v1beta1"}
	hpa := admission.Request{
		Operation: admissionv1.Create,
		Resource:  gvr("autoscaling", "v1", "horizontalpodautoscalers"),
		Kind:      gvk("autoscaling", "v1", "HorizontalPodAutoscaler"),
		Namespace: "shop", Name: "h",
	}
	event := admission.Request{
		Operation: admissionv1.Create, Resource: gvr("events.k8s.io", "v1", "events"),
		Kind: gvk("events.k8s.io", "v1", "Event"), Namespace: "shop", Name: "e",
	}

	check(t, worldOf(), []row{
		{"W-103 Exact", hookOf(widgetRule("v1beta1", "widgets")), widgetRequest("v1"),
			"skipped: matchPolicy Exact: rule 0 matches only example.com/v1beta1 widgets", ""},
		{"W-103 nil is Exact", unset, widgetRequest("v1"),
			"skipped: matchPolicy Exact: rule 0 matches only example.com/v1beta1 widgets", ""},
		{"W-103 Exact, and no version would match", hookOf(widgetRule("v2", "widgets")), widgetRequest("v1"),
			"skipped: rules: version v1 not in v2; nothing is served as widgets in version v2", ""},
		{"W-104 Equivalent", hookOf(widgetRule("v1beta1", "widgets")).equivalent(), widgetRequest("v1"),
			"applies: rule 0 matches the equivalent example.com/v1beta1 widgets", "example.com/v1beta1 widgets as Widget"},
		{"W-104 the request's own is not tried again", hookOf(widgetRule("v1", "widgets")).equivalent(), widgetRequest("v1"),
			"applies: rule 0 matches", ""},
		{"W-104 rules in order, then resources in registry order",
			hookOf(both, widgetRule("v1beta1", "widgets")).equivalent(), widgetRequest("v1"),
			"applies: rule 0 matches the equivalent example.com/v1beta1 widgets", "example.com/v1beta1 widgets as Widget"},
		{"W-104 an earlier rule beats an earlier resource",
			hookOf(widgetRule("v0", "widgets"), widgetRule("v1beta1", "widgets")).equivalent(), widgetRequest("v1"),
			"applies: rule 0 matches the equivalent example.com/v0 widgets", "example.com/v0 widgets as Widget"},
		{"W-104 the operation stays", hookOf(ruleOf("DELETE", "example.com", "v1beta1", "widgets")).equivalent(), widgetRequest("v1"),
			"skipped: rules: operation CREATE not in DELETE", ""},
		{"W-104 the scope stays", hookOf(scoped(widgetRule("v1beta1", "widgets"), "Cluster")).equivalent(), widgetRequest("v1"),
			"skipped: rules: scope Cluster but the request is namespaced", ""},
		{"W-105 the kind is that of the subresource", hookOf(widgetRule("v1beta1", "widgets/scale")).equivalent(), scaleRequest,
			"applies: rule 0 matches the equivalent example.com/v1beta1 widgets/scale", "example.com/v1beta1 widgets as Scale"},
		{"W-106 a later direct match wins",
			hookOf(widgetRule("v1beta1", "widgets"), widgetRule("v1", "widgets")).equivalent(), widgetRequest("v1"),
			"applies: rule 1 matches", ""},
		{"W-107 built-in versions", hookOf(ruleOf("CREATE", "autoscaling", "v2", "*")).equivalent(), hpa,
			"applies: rule 0 matches the equivalent autoscaling/v2 horizontalpodautoscalers", "autoscaling/v2 horizontalpodautoscalers as HorizontalPodAutoscaler"},
		{"W-107 across groups", hookOf(ruleOf("CREATE", "", "v1", "events")).equivalent(), event,
			"applies: rule 0 matches the equivalent v1 events", "v1 events as Event"},
		{"W-107 only where the subresource is registered", hookOf(widgetRule("v1beta1", "widgets/status")).equivalent(), onSubresource(widgetRequest("v1"), "status"),
			"skipped: rules: version v1 not in v1beta1", ""},
		{"W-110 a version that is not served", hookOf(widgetRule("v0", "widgets")).equivalent(), widgetRequest("v1"),
			"applies: rule 0 matches the equivalent example.com/v0 widgets", "example.com/v0 widgets as Widget"},
	})
}
