package matcher_test

import (
	"fmt"

	admissionv1 "k8s.io/api/admission/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/discovery"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/matcher"
)

// A result names the condition that decided, and Explain also shows the value that did not match.
func Example() {
	m := matcher.Compile(matcher.Webhook(admissionregistrationv1.ValidatingWebhook{
		Rules: []admissionregistrationv1.RuleWithOperations{{
			Operations: []admissionregistrationv1.OperationType{admissionregistrationv1.Create},
			Rule:       admissionregistrationv1.Rule{APIGroups: []string{""}, APIVersions: []string{"v1"}, Resources: []string{"configmaps"}},
		}},
		NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"env": "prod"}},
		ObjectSelector:    &metav1.LabelSelector{},
	}, nil))

	state := cluster.New(cluster.Object{Object: &corev1.Namespace{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"},
		ObjectMeta: metav1.ObjectMeta{Name: "shop"},
	}})
	world := matcher.World{State: state, Resources: discovery.New(kubeversion.Default(), state)}
	req := admission.Request{
		Operation: admissionv1.Create,
		Resource:  corev1.SchemeGroupVersion.WithResource("configmaps"),
		Kind:      corev1.SchemeGroupVersion.WithKind("ConfigMap"),
		Namespace: "shop",
		Object:    &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "settings"}},
	}
	result := m.Match(req, world)
	fmt.Println(result.Applies, result.Decided)
	fmt.Println(m.Explain(req, world, result))
	// Output:
	// false namespaceSelector
	// namespaceSelector: namespace "shop" has no label env
}
