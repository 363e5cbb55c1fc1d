package matcher

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	admissionv1 "k8s.io/api/admission/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/discovery"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// A row is one call of Match. want is "applies", "skipped" or "refused" with its code, then the reason; shown is the
// resource and kind that the hook gets, if they differ from those of the request.
type row struct {
	reason  string
	hook    Criteria
	request admission.Request
	want    string
	shown   string
}

func check(t *testing.T, w World, rows []row) {
	t.Helper()
	for _, r := range rows {
		t.Run(r.reason, func(t *testing.T) {
			t.Helper()
			m := Compile(r.hook)
			got := m.Match(r.request, w)
			if diff := cmp.Diff(r.want, answer(m, r.request, w, got)); diff != "" {
				t.Errorf("Match(%s) (-want +got):\n%s", requestText(r.request), diff)
			}
			if !got.Applies {
				return
			}
			wantShown := r.shown
			if wantShown == "" {
				wantShown = shown(r.request.Resource, r.request.Kind)
			}
			if s := shown(got.Resource, got.Kind); s != wantShown {
				t.Errorf("Match(%s) passes the hook %s, want %s", requestText(r.request), s, wantShown)
			}
		})
	}
}

func answer(m *Matcher, req admission.Request, w World, r Result) string {
	switch because := m.Explain(req, w, r); {
	case r.Applies:
		return "applies: " + because
	case r.Denial != nil:
		return fmt.Sprintf("refused %d: %s", r.Denial.Code, because)
	default:
		return "skipped: " + because
	}
}

func shown(r schema.GroupVersionResource, k schema.GroupVersionKind) string {
	return fmt.Sprintf("%s as %s", resourceText(r, ""), k.Kind)
}

func requestText(r admission.Request) string {
	return fmt.Sprintf("%s %s %s/%s", r.Operation, resourceText(r.Resource, r.Subresource), r.Namespace, r.Name)
}

func gvr(group, version, resource string) schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: group, Version: version, Resource: resource}
}

func gvk(group, version, kind string) schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: group, Version: version, Kind: kind}
}

// empty selects everything.
func empty() *metav1.LabelSelector { return &metav1.LabelSelector{} }

func selects(key, value string) *metav1.LabelSelector {
	return &metav1.LabelSelector{MatchLabels: map[string]string{key: value}}
}

func selectsBy(key string, op metav1.LabelSelectorOperator, values ...string) *metav1.LabelSelector {
	return &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{
		{Key: key, Operator: op, Values: values},
	}}
}

type namedRule = admissionregistrationv1.NamedRuleWithOperations

// ruleOf returns a rule with one operation, group, version and resource, of any scope.
func ruleOf(operation, group, version, resource string) namedRule {
	return namedRule{RuleWithOperations: admissionregistrationv1.RuleWithOperations{
		Operations: []admissionregistrationv1.OperationType{admissionregistrationv1.OperationType(operation)},
		Rule: admissionregistrationv1.Rule{
			APIGroups:   []string{group},
			APIVersions: []string{version},
			Resources:   []string{resource},
		},
	}}
}

func scoped(r namedRule, s admissionregistrationv1.ScopeType) namedRule {
	r.Scope = &s
	return r
}

// hookOf returns a webhook as the API server stores it, but with matchPolicy Exact.
func hookOf(rules ...namedRule) Criteria {
	exact := admissionregistrationv1.Exact
	return Criteria{
		Rules:             rules,
		MatchPolicy:       &exact,
		NamespaceSelector: empty(),
		ObjectSelector:    empty(),
	}
}

func (c Criteria) equivalent() Criteria {
	equivalent := admissionregistrationv1.Equivalent
	c.MatchPolicy = &equivalent
	return c
}

func (c Criteria) inNamespaces(s *metav1.LabelSelector) Criteria { c.NamespaceSelector = s; return c }
func (c Criteria) ofObjects(s *metav1.LabelSelector) Criteria    { c.ObjectSelector = s; return c }

var podsResource, podKind = gvr("", "v1", "pods"), gvk("", "v1", "Pod")

func podRequest(op admissionv1.Operation, namespace string) admission.Request {
	return admission.Request{
		Operation: op,
		Resource:  podsResource,
		Kind:      podKind,
		Namespace: namespace,
		Name:      "p",
	}
}

func onSubresource(r admission.Request, subresource string) admission.Request {
	r.Subresource = subresource
	return r
}

func podWith(labels map[string]string) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p", Labels: labels}}
}

func namespaceWith(name string, labels map[string]string) *corev1.Namespace {
	return &corev1.Namespace{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"},
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels},
	}
}

// worldOf returns a cluster with these namespaces and a CRD of widgets.
func worldOf(namespaces ...*corev1.Namespace) World {
	objs := []cluster.Object{{Object: widgets()}}
	for _, ns := range namespaces {
		objs = append(objs, cluster.Object{Object: ns})
	}
	s := cluster.New(objs...)
	return World{State: s, Resources: discovery.New(kubeversion.Default(), s)}
}

// widgets has versions v1, v1beta1 and v0, which is not served. It has the subresource status in v1 and v0, and scale
// in v1 and v1beta1 (W-110).
func widgets() *apiextensionsv1.CustomResourceDefinition {
	status, scale := &apiextensionsv1.CustomResourceSubresourceStatus{}, &apiextensionsv1.CustomResourceSubresourceScale{}
	return &apiextensionsv1.CustomResourceDefinition{
		TypeMeta:   metav1.TypeMeta{APIVersion: "apiextensions.k8s.io/v1", Kind: "CustomResourceDefinition"},
		ObjectMeta: metav1.ObjectMeta{Name: "widgets.example.com"},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: "example.com",
			Scope: apiextensionsv1.NamespaceScoped,
			Names: apiextensionsv1.CustomResourceDefinitionNames{Plural: "widgets", Kind: "Widget"},
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{
				{Name: "v1", Served: true, Storage: true, Subresources: &apiextensionsv1.CustomResourceSubresources{Status: status, Scale: scale}},
				{Name: "v1beta1", Served: true, Subresources: &apiextensionsv1.CustomResourceSubresources{Scale: scale}},
				{Name: "v0", Subresources: &apiextensionsv1.CustomResourceSubresources{Status: status}},
			},
		},
	}
}

func widgetRequest(version string) admission.Request {
	return admission.Request{
		Operation: admissionv1.Create,
		Resource:  gvr("example.com", version, "widgets"),
		Kind:      gvk("example.com", version, "Widget"),
		Namespace: "shop",
		Name:      "w",
	}
}
