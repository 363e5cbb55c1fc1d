package dispatch_test

import (
	"context"
	"fmt"
	"log"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/dispatch"
	"github.com/admsim/admsim/pkg/trace"
)

// Two validating webhooks are called concurrently. The mocks answer at once: their delays only pass by the simulated
// clock.
func ExampleDispatcher_CallAll() {
	slow, err := dispatch.NewMock(nil, dispatch.Answer{Delay: metav1.Duration{Duration: time.Minute}})
	if err != nil {
		log.Fatal(err)
	}
	strict, err := dispatch.NewMock(nil, dispatch.Answer{Deny: &metav1.Status{Message: "no label owner"}})
	if err != nil {
		log.Fatal(err)
	}
	backends, err := dispatch.NewBackends(
		dispatch.Route{Webhook: "slow.*", Backend: slow},
		dispatch.Route{Webhook: "*", Backend: strict},
	)
	if err != nil {
		log.Fatal(err)
	}

	var hooks []dispatch.Hook
	var reviews []*dispatch.Review
	review := &dispatch.Review{
		Request:    admission.Request{Operation: admissionv1.Create, Name: "a"},
		Kind:       corev1.SchemeGroupVersion.WithKind("ConfigMap"),
		Resource:   corev1.SchemeGroupVersion.WithResource("configmaps"),
		ObjectJSON: dispatch.Text([]byte(`{"metadata": {"name": "a"}}`)),
	}
	for _, name := range []string{"slow.shop.example", "strict.shop.example"} {
		url := "https://" + name + "/"
		hooks = append(hooks, dispatch.Hook{
			Configuration: "shop", Name: name, ID: name, Phase: trace.Validating,
			Client: admissionregistrationv1.WebhookClientConfig{URL: &url}, ReviewVersions: []string{"v1"},
			Backend: backends.Backend("shop", name),
		})
		reviews = append(reviews, review)
	}
	outcomes, err := dispatch.New(func() types.UID { return "uid" }).CallAll(context.Background(), hooks, reviews)
	if err != nil {
		log.Fatal(err)
	}
	for _, o := range outcomes {
		fmt.Println(o.Hook.Name, o.Hook.Outcome, o.Hook.Duration)
	}
	first := dispatch.ByCompletion(outcomes)[0]
	fmt.Println(first.Hook.Denial.Message)
	// Output:
	// slow.shop.example failed 30s
	// strict.shop.example denied 0s
	// admission webhook "strict.shop.example" denied the request: no label owner
}
