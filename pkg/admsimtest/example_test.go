package admsimtest_test

import (
	"context"
	"fmt"
	"net/http"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	"github.com/admsim/admsim/pkg/admsimtest"
	"github.com/admsim/admsim/pkg/dispatch"
)

// In a project the handler is the mux of its webhook server, and the manifests are its config/crd/bases and
// config/webhook.
func Example() {
	var t testing.TB = quiet{} // in a real test, t is its parameter

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

// Policies can be tested without any webhook.
func ExampleResult_Violates() {
	var t testing.TB = quiet{}

	c := admsimtest.New(t, admsimtest.Options{Manifests: []string{"testdata/policies"}})
	many := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "a"}, Data: map[string]string{"workers": "9"}}
	result := c.Create(many).Violates("workers", "too many").Admitted() // the binding only warns
	fmt.Println(result.Warnings[0])
	// Output:
	// Validation failed for ValidatingAdmissionPolicy 'workers' with binding 'warn': too many workers
}

// A request can change a part of an object only; its field manager then manages that part.
func ExampleSubresource() {
	var t testing.TB = quiet{}

	c := admsimtest.New(t, admsimtest.Options{Objects: []runtime.Object{&appsv1.Deployment{
		TypeMeta:   metav1.TypeMeta{APIVersion: "apps/v1", Kind: "Deployment"},
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "web"},
		Spec: appsv1.DeploymentSpec{
			Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": "web"}},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "web", Image: "nginx"}}},
			},
		},
	}}})
	web := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "web"}}
	threeReplicas := []byte(`{"spec": {"replicas": 3}}`)
	c.Patch(web, types.MergePatchType, threeReplicas, admsimtest.Subresource("scale"), admsimtest.DryRun()).Admitted()
	c.Get(web).Into(web)
	fmt.Println("after the dry run:", *web.Spec.Replicas)

	c.Patch(web, types.MergePatchType, threeReplicas, admsimtest.Subresource("scale"), admsimtest.FieldManager("autoscaler")).Admitted()
	c.Get(web).Into(web)
	fmt.Println("afterwards:", *web.Spec.Replicas)
	for _, entry := range web.ManagedFields {
		if entry.Subresource == "scale" {
			fmt.Println("managed by:", entry.Manager)
		}
	}
	// Output:
	// after the dry run: 1
	// afterwards: 3
	// managed by: autoscaler
}

// A handler breaks the protocol, and a server does not answer in time. Neither takes real time.
func ExampleHandler() {
	var t testing.TB = quiet{}

	broken := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { http.Error(w, "out of order", http.StatusTeapot) })
	settings := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "a"}}
	for _, answer := range []admsimtest.Webhook{admsimtest.Handler(broken), admsimtest.Fault(dispatch.Hang)} {
		c := admsimtest.New(t, admsimtest.Options{
			Manifests: []string{"testdata/webhook"},
			Webhooks:  map[string]admsimtest.Webhook{"label.*": answer, "names.*": answer},
		})
		fmt.Println(c.Create(settings).Denied().Message())
	}
	// Output:
	// Internal error occurred: failed calling webhook "label.shop.example": failed to call webhook: the server responded with the status code 418 but did not return more information
	// Internal error occurred: failed calling webhook "label.shop.example": failed to call webhook: Post "https://webhook-service.system.svc:443/mutate?timeout=10s": context deadline exceeded
}

// quiet implements the part of testing.TB that examples need.
type quiet struct{ testing.TB }

func (quiet) Helper()                           {}
func (quiet) Cleanup(func())                    {}
func (quiet) Context() context.Context          { return context.Background() }
func (quiet) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }
func (quiet) Errorf(format string, args ...any) { fmt.Printf(format, args...) }
func (quiet) Logf(string, ...any)               {}

// A test that uses envtest, run with KUBEBUILDER_ASSETS=$(admsim envtest), shows what the server did if the test fails.
func ExampleExplain() {
	var t testing.TB = quiet{}
	config := &rest.Config{Host: "https://127.0.0.1:6443"} // returned by Start of an envtest.Environment
	admsimtest.Explain(t, config)
}
