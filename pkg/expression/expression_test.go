package expression_test

import (
	admissionv1 "k8s.io/api/admission/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/internal/rbac"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/expression"
	"github.com/admsim/admsim/pkg/kubeversion"
)

func compiler(release string) *expression.Compiler {
	known, err := kubeversion.Parse(release)
	if err != nil {
		panic(err) // the release is written in a test
	}
	return expression.New(known)
}

func configMap(name string, data map[string]string) *corev1.ConfigMap {
	c := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: name}, Data: data}
	c.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("ConfigMap"))
	return c
}

// create returns the input for creating obj, a config map in namespace shop, by user ann.
func create(obj runtime.Object) expression.Input {
	kind := corev1.SchemeGroupVersion.WithKind("ConfigMap")
	resource := corev1.SchemeGroupVersion.WithResource("configmaps")
	return expression.Input{
		Request: admission.Request{
			Operation: admissionv1.Create,
			Resource:  resource,
			Kind:      kind,
			Namespace: "shop",
			Name:      "c",
			Object:    obj,
			Options: &metav1.CreateOptions{
				TypeMeta:     metav1.TypeMeta{Kind: "CreateOptions", APIVersion: "meta.k8s.io/v1"},
				FieldManager: "me",
			},
			User: authenticationv1.UserInfo{
				Username: "ann",
				UID:      "7",
				Groups:   []string{"cooks", "system:masters"},
				Extra:    map[string]authenticationv1.ExtraValue{"shift": {"late"}},
			},
		},
		Resource:   resource,
		Kind:       kind,
		Object:     obj,
		Authorizer: rbac.New(cluster.New()),
	}
}

// conditions returns match conditions named a, b, c and so on.
func conditions(expressions ...string) []admissionregistrationv1.MatchCondition {
	list := make([]admissionregistrationv1.MatchCondition, len(expressions))
	for i, e := range expressions {
		list[i] = admissionregistrationv1.MatchCondition{Name: string(rune('a' + i)), Expression: e}
	}
	return list
}

// costing returns an expression that is true and costs about 10 to the power of n.
func costing(n int) string {
	text := "true"
	for range n {
		text = "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9].all(x, " + text + ")"
	}
	return text
}
