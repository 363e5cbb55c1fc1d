package admsimtest_test

import (
	"context"
	"fmt"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/pkg/admsimtest"
)

// In a project the handler is the mux of its webhook server, and the manifests are its
// config/crd/bases and config/webhook.
func Example() {
	var t testing.TB = quiet{} // in a test it is the t of the test

	c := admsimtest.New(t, admsimtest.Options{
		Manifests: []string{"testdata/webhook"},
		Webhooks: map[string]admsimtest.Webhook{
			"label.shop.example": admsimtest.Func(func(context.Context, *admissionv1.AdmissionRequest) *admissionv1.AdmissionResponse {
				return &admissionv1.AdmissionResponse{Allowed: true}
			}),
			"names.shop.example": admsimtest.Func(func(_ context.Context, r *admissionv1.AdmissionRequest) *admissionv1.AdmissionResponse {
				return &admissionv1.AdmissionResponse{
					Allowed: r.Name != "bad",
					Result:  &metav1.Status{Message: r.Name + " is no name for a " + r.Kind.Kind},
				}
			}),
		},
	})
	settings := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "bad"}}
	result := c.Create(settings).Denied("no name").DeniedByWebhook("names.shop.example").Called("label.shop.example")
	fmt.Println(result.Message())

	settings.Name = "good"
	c.Create(settings).Admitted()
	c.Delete(settings, admsimtest.As("alice", "dev")).Admitted().NotCalled("names.shop.example")
	// Output:
	// admission webhook "names.shop.example" denied the request: bad is no name for a ConfigMap
}

// A policy is tested without any webhook.
func ExampleResult_Violates() {
	var t testing.TB = quiet{}

	c := admsimtest.New(t, admsimtest.Options{Manifests: []string{"testdata/policies"}})
	many := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "a"}, Data: map[string]string{"workers": "9"}}
	result := c.Create(many).Violates("workers", "too many").Admitted() // the binding only warns
	fmt.Println(result.Warnings[0])
	// Output:
	// Validation failed for ValidatingAdmissionPolicy 'workers' with binding 'warn': too many workers
}

// quiet is the part of a test that examples need.
type quiet struct{ testing.TB }

func (quiet) Helper()                           {}
func (quiet) Cleanup(func())                    {}
func (quiet) Context() context.Context          { return context.Background() }
func (quiet) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }
func (quiet) Errorf(format string, args ...any) { fmt.Printf(format, args...) }
func (quiet) Logf(string, ...any)               {}
