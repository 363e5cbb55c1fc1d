package expression_test

import (
	"context"
	"fmt"

	admissionv1 "k8s.io/api/admission/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/expression"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// The match conditions of a webhook share one budget.
func ExampleConditions_Evaluate() {
	compiler := expression.New(kubeversion.Default())
	conditions := compiler.Conditions([]admissionregistrationv1.MatchCondition{
		{Name: "created", Expression: "request.operation == 'CREATE'"},
		{Name: "owned", Expression: "'owner' in object.metadata.labels"},
	})
	said := conditions.Evaluate(context.Background(), expression.Input{
		Request: admission.Request{Operation: admissionv1.Create},
		Kind:    corev1.SchemeGroupVersion.WithKind("ConfigMap"),
		Object:  &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "settings", Labels: map[string]string{"team": "shop"}}},
	})
	for _, r := range said.Results {
		fmt.Println(r.Name, r.Value, r.Err)
	}
	decisive, _ := said.False()
	fmt.Println("it does not apply because of:", decisive.Name)
	// Output:
	// created true <nil>
	// owned false <nil>
	// it does not apply because of: owned
}

// The error of an expression that does not compile shows the place of each mistake.
func ExampleCompileError() {
	_, err := expression.New(kubeversion.Default()).Predicate("request.operation == 'CREATE' && objekt != null")
	fmt.Println(err)
	// Output:
	// 1:34: undeclared reference to 'objekt' (in container '')
	//   | request.operation == 'CREATE' && objekt != null
	//   |                                  ^
}
