package matcher

import (
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/pkg/admission"
)

var bad = selectsBy("env", "Is", "prod")

func everything() namedRule { return ruleOf("*", "*", "*", "*/*") }

func namespaceRequest(op admissionv1.Operation, subresource string, obj, old *corev1.Namespace) admission.Request {
	r := admission.Request{
		Operation: op, Resource: namespaceResource, Subresource: subresource,
		Kind: gvk("", "v1", "Namespace"), Namespace: "shop", Name: "shop",
	}
	if obj != nil {
		r.Object = obj
	}
	if old != nil {
		r.OldObject = old
	}
	return r
}

func TestNamespaceSelector(t *testing.T) {
	stored := namespaceWith("shop", map[string]string{"env": "prod", "team": "a"})
	w := worldOf(stored, namespaceWith("plain", nil))

	bare := namespaceWith("shop", nil)
	prod := hookOf(everything()).inNamespaces(selects("env", "prod"))
	dev := hookOf(everything()).inNamespaces(selects("env", "dev"))
	several := hookOf(everything()).inNamespaces(&metav1.LabelSelector{
		MatchLabels:      map[string]string{"team": "a"},
		MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "env", Operator: "In", Values: []string{"test", "dev"}}},
	})
	services := hookOf(ruleOf("*", "", "v1", "services")).inNamespaces(selects("env", "prod"))

	exec := onSubresource(podRequest(admissionv1.Connect, "gone"), "exec")
	node := admission.Request{Operation: admissionv1.Create, Resource: gvr("", "v1", "nodes"), Kind: gvk("", "v1", "Node"), Name: "n"}
	tenant := admission.Request{
		Operation: admissionv1.Create, Resource: gvr("tenants.io", "v1", "namespaces"),
		Kind: gvk("tenants.io", "v1", "Namespace"), Name: "t", Object: namespaceWith("t", map[string]string{"env": "dev"}),
	}
	tenantGone := tenant
	tenantGone.Operation, tenantGone.Object, tenantGone.OldObject = admissionv1.Delete, nil, tenant.Object
	noMetadata := namespaceRequest(admissionv1.Create, "", nil, nil)
	noMetadata.Object = &corev1.PodExecOptions{}

	check(t, w, []row{
		{"W-093 the stored labels match", prod, podRequest(admissionv1.Create, "shop"),
			`applies: rule 0 matches, namespaceSelector matches: namespace "shop" has env=prod`, ""},
		{"W-093 another value", dev, podRequest(admissionv1.Create, "shop"),
			`skipped: namespaceSelector: env=dev: namespace "shop" has env=prod`, ""},
		{"W-093 no such label", dev, podRequest(admissionv1.Create, "plain"),
			`skipped: namespaceSelector: namespace "plain" has no label env`, ""},
		{"W-102 all requirements count", several, podRequest(admissionv1.Create, "shop"),
			`skipped: namespaceSelector: env in (dev,test): namespace "shop" has env=prod`, ""},
		{"W-102 NotIn matches an absent label", hookOf(everything()).inNamespaces(selectsBy("env", "NotIn", "prod")),
			podRequest(admissionv1.Create, "plain"), `applies: rule 0 matches, namespaceSelector matches: namespace "plain" has no label env`, ""},
		{"W-102 NotIn", hookOf(everything()).inNamespaces(selectsBy("env", "NotIn", "prod")), podRequest(admissionv1.Create, "shop"),
			`skipped: namespaceSelector: env notin (prod): namespace "shop" has env=prod`, ""},
		{"W-102 DoesNotExist", hookOf(everything()).inNamespaces(selectsBy("env", "DoesNotExist")), podRequest(admissionv1.Create, "shop"),
			`skipped: namespaceSelector: !env: namespace "shop" has env=prod`, ""},
		{"a null selector matches nothing", hookOf(everything()).inNamespaces(nil), podRequest(admissionv1.Create, "shop"),
			"skipped: namespaceSelector: null selects nothing", ""},

		{"W-090 an empty selector, and a missing namespace", hookOf(everything()), exec,
			"applies: rule 0 matches", ""},
		{"W-091 cluster-scoped objects are never exempted", dev, node,
			"applies: rule 0 matches", ""},
		{"W-091 not even by a bad selector", hookOf(everything()).inNamespaces(bad), node,
			"applies: rule 0 matches", ""},

		{"W-092 updating a namespace: the new labels", prod, namespaceRequest(admissionv1.Update, "", bare, stored),
			"skipped: namespaceSelector: the namespace in the request has no label env", ""},
		{"W-092 creating a namespace: its labels", prod, namespaceRequest(admissionv1.Create, "", stored, nil),
			"applies: rule 0 matches, namespaceSelector matches: the namespace in the request has env=prod", ""},
		{"W-093 deleting a namespace: the stored labels", prod, namespaceRequest(admissionv1.Delete, "", nil, stored),
			`applies: rule 0 matches, namespaceSelector matches: namespace "shop" has env=prod`, ""},
		{"W-093 namespaces/status: the stored labels", prod, namespaceRequest(admissionv1.Update, "status", bare, bare),
			`applies: rule 0 matches, namespaceSelector matches: namespace "shop" has env=prod`, ""},
		{"W-093 namespaces/finalize: the stored labels", dev, namespaceRequest(admissionv1.Update, "finalize", bare, bare),
			`skipped: namespaceSelector: env=dev: namespace "shop" has env=prod`, ""},
		{"W-096 anything called namespaces", dev, tenant,
			"applies: rule 0 matches, namespaceSelector matches: the namespace in the request has env=dev", ""},
		{"W-096 even if cluster-scoped", prod, tenant,
			"skipped: namespaceSelector: env=prod: the namespace in the request has env=dev", ""},
		{"W-096 which cannot be looked up when deleted", prod, tenantGone,
			"refused 500: namespaceSelector: Internal error occurred: resource name may not be empty", ""},

		{"W-094 a missing namespace", prod, exec,
			`refused 404: namespaceSelector: namespaces "gone" not found`, ""},
		{"W-127 missing, but the rules do not match", services, exec,
			"skipped: rules: resource pods/exec not in services", ""},
		{"W-127 missing, but the objectSelector does not match", prod.ofObjects(selects("app", "x")), exec,
			"skipped: objectSelector: the request has no object", ""},
		{"W-095 a bad selector", hookOf(everything()).inNamespaces(bad), podRequest(admissionv1.Create, "shop"),
			`refused 500: namespaceSelector: Internal error occurred: "Is" is not a valid label selector operator`, ""},
		{"W-127 bad, but the rules do not match", hookOf(ruleOf("*", "", "v1", "services")).inNamespaces(bad), podRequest(admissionv1.Create, "shop"),
			"skipped: rules: resource pods not in services", ""},
		{"W-095 an object without metadata", prod, noMetadata,
			"refused 500: namespaceSelector: Internal error occurred: object does not implement the Object interfaces", ""},
	})
}

func TestObjectSelector(t *testing.T) {
	x, y, bare := podWith(map[string]string{"app": "x"}), podWith(map[string]string{"app": "y"}), podWith(nil)
	request := func(op admissionv1.Operation, obj, old runtime.Object) admission.Request {
		r := podRequest(op, "shop")
		r.Object, r.OldObject = obj, old
		return r
	}
	appX := hookOf(everything()).ofObjects(selects("app", "x"))
	noApp := hookOf(everything()).ofObjects(selectsBy("app", "DoesNotExist"))
	exec := onSubresource(request(admissionv1.Connect, &corev1.PodExecOptions{}, nil), "exec")
	exec.Kind = gvk("", "v1", "PodExecOptions")

	check(t, worldOf(namespaceWith("shop", nil)), []row{
		{"W-098 the new object", appX, request(admissionv1.Create, x, nil),
			"applies: rule 0 matches, objectSelector matches: object has app=x", ""},
		{"W-098 the old object", appX, request(admissionv1.Update, bare, x),
			"applies: rule 0 matches, objectSelector matches: old object has app=x", ""},
		{"W-098 the new one is enough", appX, request(admissionv1.Update, x, y),
			"applies: rule 0 matches, objectSelector matches: object has app=x", ""},
		{"W-098 neither", appX, request(admissionv1.Update, y, bare),
			"skipped: objectSelector: app=x: object has app=y, old object has no label app", ""},
		{"W-098 neither has the label", appX, request(admissionv1.Update, bare, bare),
			"skipped: objectSelector: object has no label app, old object has no label app", ""},
		{"W-098 an absent object is not one without labels", noApp, request(admissionv1.Delete, nil, x),
			"skipped: objectSelector: !app: old object has app=x", ""},
		{"W-098 no object at all", noApp, request(admissionv1.Delete, nil, nil),
			"skipped: objectSelector: the request has no object", ""},
		{"W-100 a subresource has the labels of its own body", noApp, onSubresource(request(admissionv1.Create, &policyv1.Eviction{}, nil), "eviction"),
			"applies: rule 0 matches, objectSelector matches: object has no label app", ""},
		{"W-100 not those of its parent", appX, onSubresource(request(admissionv1.Create, &policyv1.Eviction{}, nil), "eviction"),
			"skipped: objectSelector: object has no label app", ""},
		{"W-099 no labels are an empty set", noApp, request(admissionv1.Create, bare, nil),
			"applies: rule 0 matches, objectSelector matches: object has no label app", ""},
		{"W-099 options have no metadata", appX, exec,
			"skipped: objectSelector: object PodExecOptions has no metadata", ""},
		{"W-099 not even the absence of labels", noApp, exec,
			"skipped: objectSelector: object PodExecOptions has no metadata", ""},
		{"W-099 but an empty selector matches", hookOf(everything()), exec,
			"applies: rule 0 matches", ""},
		{"W-101 the object as it is now", appX, request(admissionv1.Create, x, nil),
			"applies: rule 0 matches, objectSelector matches: object has app=x", ""},
		{"a null selector matches nothing", hookOf(everything()).ofObjects(nil), request(admissionv1.Create, x, nil),
			"skipped: objectSelector: null selects nothing", ""},
		{"W-127 a bad selector", hookOf(everything()).ofObjects(bad), request(admissionv1.Create, x, nil),
			`refused 500: objectSelector: Internal error occurred: "Is" is not a valid label selector operator`, ""},
		{"W-127 bad, but the rules do not match", hookOf(ruleOf("*", "", "v1", "services")).ofObjects(bad), request(admissionv1.Create, x, nil),
			"skipped: rules: resource pods not in services", ""},
		{"W-127 the namespace is checked first", appX.inNamespaces(selects("env", "prod")), request(admissionv1.Create, y, nil),
			`skipped: namespaceSelector: namespace "shop" has no label env`, ""},
		{"W-127 the error of the namespace comes first", hookOf(everything()).ofObjects(bad).inNamespaces(selectsBy("env", "Of", "prod")),
			request(admissionv1.Create, y, nil),
			`refused 500: namespaceSelector: Internal error occurred: "Of" is not a valid label selector operator`, ""},
		{"W-127 a bad namespaceSelector does not hide the objectSelector", appX.inNamespaces(bad), request(admissionv1.Create, y, nil),
			"skipped: objectSelector: app=x: object has app=y", ""},
	})
}

// Of several invalid requirements, the same one is reported every time.
func TestBadSelectorIsDeterministic(t *testing.T) {
	s := &metav1.LabelSelector{MatchLabels: map[string]string{"b c": "", "a b": "", "c d": "", "d e": ""}}
	want := compileSelector(s).err
	if want == nil {
		t.Fatal("compileSelector does not report a bad key")
	}
	for range 50 {
		if got := compileSelector(s).err; got.Error() != want.Error() {
			t.Fatalf("compileSelector reports %v, want %v as before", got, want)
		}
	}
}
