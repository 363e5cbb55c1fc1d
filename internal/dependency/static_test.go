package dependency_test

import (
	"testing"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/dependency"
	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/internal/objects/kinds"
	"github.com/admsim/admsim/internal/rbac"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/discovery"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// Webhooks of static manifests also see changes of webhooks, which those of the cluster do not see. No webhook sees
// access reviews (W-047).
func TestStaticWebhooks(t *testing.T) {
	all := []string{"*"}
	state := cluster.New().With(cluster.Object{Object: configuration(testWebhook{name: "ordinary", resources: all})})
	release := kubeversion.Default()
	g := dependency.New(dependency.Cluster{
		State:      state,
		Static:     []cluster.Object{{Object: configuration(testWebhook{name: "static", resources: all})}},
		Resources:  discovery.New(release, state),
		Types:      kinds.New(nil, objects.Options{}),
		Release:    release,
		Authorizer: rbac.New(state),
	})
	for _, tt := range []struct {
		of   runtime.Object
		kind schema.GroupVersionKind
		as   string
		want [2]bool // static, ordinary
	}{
		{&metav1.PartialObjectMetadata{}, schema.GroupVersionKind{Version: "v1", Kind: "Namespace"}, "namespaces", [2]bool{true, true}},
		{configuration(testWebhook{name: "new"}), admissionregistrationv1.SchemeGroupVersion.WithKind("ValidatingWebhookConfiguration"), "validatingwebhookconfigurations", [2]bool{true, false}},
		{&authorizationv1.SubjectAccessReview{}, authorizationv1.SchemeGroupVersion.WithKind("SubjectAccessReview"), "subjectaccessreviews", [2]bool{false, false}},
	} {
		req := admission.Request{Operation: "CREATE", Kind: tt.kind, Resource: tt.kind.GroupVersion().WithResource(tt.as), Object: tt.of}
		for i, w := range g.Webhooks() {
			if w.Static != (i == 0) {
				t.Errorf("webhook %d is %s", i, w)
			}
			if got := w.Intercepts(t.Context(), req); got != tt.want[i] {
				t.Errorf("%s is called for %s: %t, want %t", w, tt.as, got, tt.want[i])
			}
		}
	}
}
