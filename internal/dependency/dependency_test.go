package dependency_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/internal/dependency"
	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/internal/objects/kinds"
	"github.com/admsim/admsim/internal/rbac"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/discovery"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// A testWebhook is a webhook of the cluster, answered by the Service of its name in the namespace of its name. It may
// leave out some namespaces.
type testWebhook struct {
	name      string
	resources []string // default: pods
	leavesOut []string
	open      bool // failurePolicy Ignore
	condition string
}

// graph returns the graph of a cluster in which each of these namespaces has a Service of its own name, with these
// Deployments behind it.
func graph(webhooks []testWebhook, deployments map[string][]string) *dependency.Graph {
	state := cluster.New()
	for name, of := range deployments {
		labels := map[string]string{"app": name}
		state = state.With(
			cluster.Object{Object: &corev1.Namespace{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"},
				ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{corev1.LabelMetadataName: name}}}},
			cluster.Object{Object: &corev1.Service{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Service"},
				ObjectMeta: metav1.ObjectMeta{Namespace: name, Name: name}, Spec: corev1.ServiceSpec{Selector: labels}}},
		)
		for _, d := range of {
			state = state.With(cluster.Object{Object: &appsv1.Deployment{TypeMeta: metav1.TypeMeta{APIVersion: "apps/v1", Kind: "Deployment"},
				ObjectMeta: metav1.ObjectMeta{Namespace: name, Name: d},
				Spec:       appsv1.DeploymentSpec{Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": name, "part": d}}}}}})
		}
	}
	for _, w := range webhooks {
		state = state.With(cluster.Object{Object: configuration(w)})
	}
	release := kubeversion.Default()
	return dependency.New(dependency.Cluster{
		State:      state,
		Resources:  discovery.New(release, state),
		Types:      kinds.New(nil, objects.Options{}),
		Release:    release,
		Authorizer: rbac.New(state),
	})
}

func configuration(w testWebhook) *admissionregistrationv1.ValidatingWebhookConfiguration {
	resources := w.resources
	if resources == nil {
		resources = []string{"pods"}
	}
	policy := admissionregistrationv1.Fail
	if w.open {
		policy = admissionregistrationv1.Ignore
	}
	hook := admissionregistrationv1.ValidatingWebhook{
		Name:          w.name,
		ClientConfig:  admissionregistrationv1.WebhookClientConfig{Service: &admissionregistrationv1.ServiceReference{Namespace: w.name, Name: w.name}},
		FailurePolicy: &policy,
		Rules: []admissionregistrationv1.RuleWithOperations{{
			Operations: []admissionregistrationv1.OperationType{"*"},
			Rule:       admissionregistrationv1.Rule{APIGroups: []string{"*"}, APIVersions: []string{"*"}, Resources: resources},
		}},
		NamespaceSelector: &metav1.LabelSelector{},
		ObjectSelector:    &metav1.LabelSelector{},
	}
	if w.leavesOut != nil {
		hook.NamespaceSelector.MatchExpressions = []metav1.LabelSelectorRequirement{{
			Key: corev1.LabelMetadataName, Operator: metav1.LabelSelectorOpNotIn, Values: w.leavesOut}}
	}
	if w.condition != "" {
		hook.MatchConditions = []admissionregistrationv1.MatchCondition{{Name: "c", Expression: w.condition}}
	}
	return &admissionregistrationv1.ValidatingWebhookConfiguration{
		TypeMeta:   metav1.TypeMeta{APIVersion: "admissionregistration.k8s.io/v1", Kind: "ValidatingWebhookConfiguration"},
		ObjectMeta: metav1.ObjectMeta{Name: "c-" + w.name},
		Webhooks:   []admissionregistrationv1.ValidatingWebhook{hook},
	}
}

func TestCycles(t *testing.T) {
	one := map[string][]string{"a": {"server"}}
	two := map[string][]string{"a": {"server"}, "b": {"server"}}
	self := "Service a/a → Deployment a/server → create pods → webhook c-a/a → Service a/a"
	for _, tt := range []struct {
		reason      string
		webhooks    []testWebhook
		deployments map[string][]string
		want        []string
	}{
		{"its own pods", []testWebhook{{name: "a"}}, one, []string{self}},
		{"its own namespace is left out", []testWebhook{{name: "a", leavesOut: []string{"a"}}}, one, nil},
		{"fails open", []testWebhook{{name: "a", open: true}}, one, nil},
		{"no pods are known", []testWebhook{{name: "a"}}, map[string][]string{"a": nil}, nil},
		{"pods do not become ready", []testWebhook{{name: "a", resources: []string{"pods/status"}}}, one,
			[]string{"Service a/a → Deployment a/server → update pods/status → webhook c-a/a → Service a/a"}},
		{"pods get no token", []testWebhook{{name: "a", resources: []string{"serviceaccounts/token"}}}, one,
			[]string{"Service a/a → Deployment a/server → create serviceaccounts/token → webhook c-a/a → Service a/a"}},
		{"the endpoints are not updated", []testWebhook{{name: "a", resources: []string{"endpointslices"}}}, one,
			[]string{"Service a/a → Deployment a/server → update endpointslices → webhook c-a/a → Service a/a"}},
		{"requests that have nothing to do with pods", []testWebhook{{name: "a", resources: []string{"configmaps", "pods/exec"}}}, one, nil},
		{"controllers are left out", []testWebhook{{name: "a", condition: `!("system:serviceaccounts:kube-system" in request.userInfo.groups)`}}, one, nil},
		{"one of two Deployments gets through", []testWebhook{{name: "a", condition: `!("part" in object.metadata.labels) || object.metadata.labels.part != "other"`}},
			map[string][]string{"a": {"server", "other"}}, nil},
		{"both do not", []testWebhook{{name: "a"}}, map[string][]string{"a": {"other", "server"}},
			[]string{"Service a/a → Deployment a/other and Deployment a/server → create pods → webhook c-a/a → Service a/a"}},
		{"each other's pods", []testWebhook{{name: "a", leavesOut: []string{"a"}}, {name: "b", leavesOut: []string{"b"}}}, two,
			[]string{"Service a/a → Deployment a/server → create pods → webhook c-b/b → Service b/b → Deployment b/server → create pods → webhook c-a/a → Service a/a"}},
		{"one after the other", []testWebhook{{name: "a", leavesOut: []string{"a", "b"}}, {name: "b", leavesOut: []string{"b"}}}, two, nil},
		{"through a third", []testWebhook{{name: "a", leavesOut: []string{"a", "b"}}, {name: "b", leavesOut: []string{"b", "c"}}, {name: "c", leavesOut: []string{"a", "c"}}},
			map[string][]string{"a": {"s"}, "b": {"s"}, "c": {"s"}},
			[]string{"Service a/a → Deployment a/s → create pods → webhook c-b/b → Service b/b → Deployment b/s → create pods → webhook c-c/c → Service c/c → Deployment c/s → create pods → webhook c-a/a → Service a/a"}},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			var got []string
			for _, c := range graph(tt.webhooks, tt.deployments).Cycles(context.Background()) {
				got = append(got, c.String())
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}
