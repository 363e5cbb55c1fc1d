package matcher

import (
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"

	"github.com/admsim/admsim/pkg/admission"
)

func TestRules(t *testing.T) {
	var (
		createPod    = podRequest(admissionv1.Create, "shop")
		updateStatus = onSubresource(podRequest(admissionv1.Update, "shop"), "status")
		exec         = onSubresource(podRequest(admissionv1.Connect, "shop"), "exec")
		createNode   = admission.Request{
			Operation: admissionv1.Create, Resource: gvr("", "v1", "nodes"), Kind: gvk("", "v1", "Node"), Name: "n",
		}
		updateNamespace = admission.Request{
			Operation: admissionv1.Update, Resource: namespaceResource, Kind: gvk("", "v1", "Namespace"),
			Namespace: "shop", Name: "shop",
		}
		tenantNamespace = admission.Request{
			Operation: admissionv1.Create, Resource: gvr("tenants.io", "v1", "namespaces"),
			Kind: gvk("tenants.io", "v1", "Namespace"), Namespace: "shop", Name: "n",
		}
	)
	both := ruleOf("CREATE", "", "v1", "pods")
	both.Operations = append(both.Operations, admissionregistrationv1.Update)
	two := ruleOf("*", "", "v1", "pods")
	two.Resources = append(two.Resources, "deployments")

	check(t, worldOf(), []row{
		{"W-083 all aspects match", hookOf(ruleOf("CREATE", "", "v1", "pods")), createPod,
			"applies: rule 0 matches", ""},
		{"W-083 any rule is enough", hookOf(ruleOf("CREATE", "", "v1", "nodes"), ruleOf("CREATE", "", "v1", "pods")), createPod,
			"applies: rule 1 matches", ""},
		{"W-083 case counts", hookOf(ruleOf("CREATE", "", "v1", "Pods")), createPod,
			"skipped: rules: resource pods not in Pods; a rule has to say pods", ""},
		{"W-083 a kind is no resource", hookOf(ruleOf("CREATE", "", "v1", "nodes"), ruleOf("CREATE", "", "v1", "pod")), createPod,
			"skipped: rules: resource pods not in nodes, pod; a rule has to say pods", ""},
		{"W-083 nor is a short name", hookOf(ruleOf("CREATE", "", "v1", "po")), createPod,
			"skipped: rules: resource pods not in po; a rule has to say pods", ""},
		{"W-083 nor a typing error", hookOf(ruleOf("CREATE", "", "v1", "podz/status")), createPod,
			"skipped: rules: resource pods not in podz/status; a rule has to say pods", ""},
		{"W-083 the core group has no name", hookOf(ruleOf("CREATE", "core", "v1", "pods")), createPod,
			`skipped: rules: group "" (core) not in "core"; nothing is served as pods in group "core"`, ""},
		{"W-083 a group that may have such a resource", hookOf(ruleOf("CREATE", "metrics.k8s.io", "v1", "pods")), createPod,
			`skipped: rules: group "" (core) not in "metrics.k8s.io"`, ""},
		{"W-089 the first of several counts", hookOf(ruleOf("*", "", "v1", "pods"), ruleOf("CREATE", "", "v1", "pods")), createPod,
			"applies: rule 0 matches", ""},
		{"W-045 a webhook without rules", hookOf(), createPod,
			"skipped: rules: there are none", ""},

		{"W-084 the wildcard includes CONNECT", hookOf(ruleOf("*", "", "v1", "pods/exec")), exec,
			"applies: rule 0 matches", ""},
		{"W-084 another operation", hookOf(both), podRequest(admissionv1.Delete, "shop"),
			"skipped: rules: operation DELETE not in CREATE, UPDATE", ""},

		{"W-085 any group and version", hookOf(ruleOf("CREATE", "*", "*", "pods")), createPod,
			"applies: rule 0 matches", ""},
		{"W-085 the empty group is only the core group", hookOf(ruleOf("*", "", "*", "namespaces")), tenantNamespace,
			`skipped: rules: group "tenants.io" not in "" (core)`, ""},
		{"W-085 no partial wildcards in groups", hookOf(ruleOf("*", "tenants*", "*", "namespaces")), tenantNamespace,
			`skipped: rules: group "tenants.io" not in "tenants*"; nothing is served as namespaces in group "tenants*"`, ""},
		{"W-085 no partial wildcards in versions", hookOf(ruleOf("*", "", "v*", "pods")), createPod,
			"skipped: rules: version v1 not in v*; nothing is served as pods in version v*", ""},

		{"W-086 pods does not include its subresources", hookOf(two), updateStatus,
			"skipped: rules: resource pods/status not in pods, deployments", ""},
		{"W-086 pods/status is only the subresource", hookOf(ruleOf("*", "", "v1", "pods/status")), updateStatus,
			"applies: rule 0 matches", ""},
		{"W-086 pods/status is not pods", hookOf(ruleOf("*", "", "v1", "pods/status")), createPod,
			"skipped: rules: resource pods not in pods/status", ""},
		{"W-086 pods/* includes pods", hookOf(ruleOf("*", "", "v1", "pods/*")), createPod,
			"applies: rule 0 matches", ""},
		{"W-086 pods/* includes pods/status", hookOf(ruleOf("*", "", "v1", "pods/*")), updateStatus,
			"applies: rule 0 matches", ""},
		{"W-086 * is any main resource", hookOf(ruleOf("*", "", "v1", "*")), createPod,
			"applies: rule 0 matches", ""},
		{"W-086 * does not include subresources", hookOf(ruleOf("*", "", "v1", "*")), updateStatus,
			"skipped: rules: resource pods/status not in *", ""},
		{"W-086 */status is that of any resource", hookOf(ruleOf("*", "", "v1", "*/status")), updateStatus,
			"applies: rule 0 matches", ""},
		{"W-086 */status is no main resource", hookOf(ruleOf("*", "", "v1", "*/status")), createPod,
			"skipped: rules: resource pods not in */status", ""},
		{"W-086 */* is everything", hookOf(ruleOf("*", "*", "*", "*/*")), exec,
			"applies: rule 0 matches", ""},
		{"W-086 pods/a/b never happens", hookOf(ruleOf("*", "", "v1", "pods/status/b")), updateStatus,
			"skipped: rules: resource pods/status not in pods/status/b", ""},

		{"W-087 any scope", hookOf(scoped(ruleOf("*", "", "v1", "pods"), "*")), createPod,
			"applies: rule 0 matches", ""},
		{"W-087 namespaced", hookOf(scoped(ruleOf("*", "", "v1", "pods"), "Namespaced")), createPod,
			"applies: rule 0 matches", ""},
		{"W-087 not cluster-scoped", hookOf(scoped(ruleOf("*", "", "v1", "pods"), "Cluster")), createPod,
			"skipped: rules: scope Cluster but the request is namespaced", ""},
		{"W-087 cluster-scoped", hookOf(scoped(ruleOf("*", "", "v1", "nodes"), "Cluster")), createNode,
			"applies: rule 0 matches", ""},
		{"W-087 not namespaced", hookOf(scoped(ruleOf("*", "", "v1", "nodes"), "Namespaced")), createNode,
			"skipped: rules: scope Namespaced but the request is cluster-scoped", ""},
		{"W-087 an unknown scope matches nothing", hookOf(scoped(ruleOf("*", "", "v1", "pods"), "namespaced")), createPod,
			"skipped: rules: scope namespaced but the request is namespaced", ""},
		{"W-087 only core namespaces are special", hookOf(scoped(ruleOf("*", "*", "v1", "namespaces"), "Namespaced")), tenantNamespace,
			"applies: rule 0 matches", ""},
		{"W-088 a namespace is not namespaced", hookOf(scoped(ruleOf("*", "", "v1", "*"), "Namespaced")), updateNamespace,
			"skipped: rules: scope Namespaced but the request is cluster-scoped", ""},
		{"W-088 a namespace is cluster-scoped", hookOf(scoped(ruleOf("*", "", "v1", "*"), "Cluster")), updateNamespace,
			"applies: rule 0 matches", ""},
		{"W-088 and so are its subresources", hookOf(scoped(ruleOf("*", "", "v1", "*/*"), "Cluster")), onSubresource(updateNamespace, "status"),
			"applies: rule 0 matches", ""},

		{"the closest of several rules is explained",
			hookOf(ruleOf("CREATE", "apps", "v1", "deployments"), ruleOf("UPDATE", "", "v1", "pods")), createPod,
			"skipped: rules: rule 1: operation CREATE not in UPDATE", ""},
		{"another version is closer than another group",
			hookOf(ruleOf("CREATE", "apps", "v1", "pods"), ruleOf("CREATE", "", "v1beta1", "pods")), createPod,
			"skipped: rules: rule 1: version v1 not in v1beta1; nothing is served as pods in version v1beta1", ""},
		{"what all rules lack is explained",
			hookOf(ruleOf("CREATE", "apps", "v1", "deployments"), ruleOf("CREATE", "batch", "v1", "jobs")), createPod,
			`skipped: rules: group "" (core) not in "apps", "batch"`, ""},
	})
}

// The parts of a rule that only policies have (W-272, W-273).
func TestPolicyRules(t *testing.T) {
	named := ruleOf("CREATE", "", "v1", "pods")
	named.ResourceNames = []string{"q", "p"}
	other := ruleOf("CREATE", "", "v1", "pods")
	other.ResourceNames = []string{"q"}
	generated := podRequest(admissionv1.Create, "shop")
	generated.Name = ""

	resources := func(exclude, rules []namedRule) Criteria {
		equivalent := admissionregistrationv1.Equivalent
		return Resources(admissionregistrationv1.MatchResources{
			NamespaceSelector:    empty(),
			ObjectSelector:       empty(),
			MatchPolicy:          &equivalent,
			ExcludeResourceRules: exclude,
			ResourceRules:        rules,
		})
	}
	exact := resources([]namedRule{ruleOf("*", "example.com", "v1beta1", "widgets")}, nil)
	exact.MatchPolicy = nil

	check(t, worldOf(), []row{
		{"W-272 a binding without rules", resources(nil, nil), podRequest(admissionv1.Create, "shop"),
			"applies: there are no rules, any resource matches", ""},
		{"W-272 one of the names", resources(nil, []namedRule{named}), podRequest(admissionv1.Create, "shop"),
			"applies: rule 0 matches", ""},
		{"W-272 none of the names", resources(nil, []namedRule{other}), podRequest(admissionv1.Create, "shop"),
			`skipped: rules: name "p" not in "q"`, ""},
		{"W-272 a later rule has the name", resources(nil, []namedRule{other, named}), podRequest(admissionv1.Create, "shop"),
			"applies: rule 1 matches", ""},
		{"W-272 a generated name is not known yet", resources(nil, []namedRule{named}), generated,
			`skipped: rules: name "" not in "q", "p"`, ""},
		{"W-272 excluded, whatever the rules say",
			resources([]namedRule{ruleOf("*", "apps", "v1", "*"), named}, []namedRule{ruleOf("*", "*", "*", "*")}),
			podRequest(admissionv1.Create, "shop"),
			"skipped: excludeResourceRules: rule 1 matches", ""},
		{"W-272 another name is not excluded", resources([]namedRule{other}, nil), podRequest(admissionv1.Create, "shop"),
			"applies: there are no rules, any resource matches", ""},
		{"W-273 excluded in another version",
			resources([]namedRule{ruleOf("*", "example.com", "v1beta1", "widgets")}, nil), widgetRequest("v1"),
			"skipped: excludeResourceRules: rule 0 matches the equivalent example.com/v1beta1 widgets", ""},
		{"W-273 not excluded in another version, if Exact", exact, widgetRequest("v1"),
			"applies: there are no rules, any resource matches", ""},
	})
}
