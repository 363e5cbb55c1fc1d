package kubeversion

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

func TestTable(t *testing.T) {
	got := table(`
# A comment.
apps/v1beta2 off
  things  Thing  namespaced  all-deletecollection  short=th,t  status[More] scale=apps/v1beta2.Scale  hub=apps/v1  prefix=old/things  gate=Things
v1
  looks  Look  cluster  get,list
`).parse()
	want := []Resource{
		{
			Group: "apps", Version: "v1beta2", Resource: "things", Kind: "Thing", Singular: "thing",
			ShortNames: []string{"th", "t"},
			Namespaced: true,
			Verbs:      []string{"create", "delete", "get", "list", "patch", "update", "watch"},
			Subresources: map[string]Subresource{
				"status": {Name: "status", Kind: gvk("apps", "v1beta2", "Thing"), Verbs: []string{"get", "patch", "update"}, gate: "More"},
				"scale":  {Name: "scale", Kind: gvk("apps", "v1beta2", "Scale"), Verbs: []string{"get", "patch", "update"}},
			},
			Storage:       gvk("apps", "v1", "Thing"),
			StoragePrefix: "old/things",
			off:           true,
			gate:          "Things",
		},
		{
			Version: "v1", Resource: "looks", Kind: "Look", Singular: "look",
			Verbs:         []string{"get", "list"},
			Storage:       gvk("", "v1", "Look"),
			StoragePrefix: "looks",
		},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(Resource{}, Subresource{})); diff != "" {
		t.Errorf("parse (-want +got):\n%s", diff)
	}
}

func TestTableMistakes(t *testing.T) {
	for _, test := range []struct{ table, want string }{
		{"v1\n  pods Pod namespaced", "needs a kind, a scope and verbs"},
		{"v1\n  pods Pod everywhere all", "no such scope: everywhere"},
		{"v1\n  pods Pod namespaced all explode", "no body is known for pods/explode"},
		{"a/b/c\n", "unexpected GroupVersion"},
	} {
		func() {
			defer func() {
				if text, _ := recover().(string); !strings.Contains(text, test.want) {
					t.Errorf("parsing %q panics with %q, want %q", test.table, text, test.want)
				}
			}()
			table(test.table).parse()
		}()
	}
}

// The kinds of bodies are those that a 1.36 server sent to webhooks (W-326).
func TestBodies(t *testing.T) {
	const bodies = `
v1 bindings                                          v1 Binding
v1 endpoints                                         v1 Endpoints
v1 events                                            v1 Event
v1 namespaces/finalize                               v1 Namespace
v1 namespaces/status                                 v1 Namespace
v1 nodes/proxy                                       v1 NodeProxyOptions
v1 nodes/status                                      v1 Node
v1 persistentvolumeclaims/status                     v1 PersistentVolumeClaim
v1 pods                                              v1 Pod
v1 pods/attach                                       v1 PodAttachOptions
v1 pods/binding                                      v1 Binding
v1 pods/ephemeralcontainers                          v1 Pod
v1 pods/eviction                                     policy/v1 Eviction
v1 pods/exec                                         v1 PodExecOptions
v1 pods/portforward                                  v1 PodPortForwardOptions
v1 pods/proxy                                        v1 PodProxyOptions
v1 pods/resize                                       v1 Pod
v1 pods/status                                       v1 Pod
v1 replicationcontrollers/scale                      autoscaling/v1 Scale
v1 resourcequotas/status                             v1 ResourceQuota
v1 serviceaccounts/token                             authentication.k8s.io/v1 TokenRequest
v1 services/proxy                                    v1 ServiceProxyOptions
v1 services/status                                   v1 Service
apps/v1 deployments/scale                            autoscaling/v1 Scale
apps/v1 deployments/status                           apps/v1 Deployment
apps/v1 statefulsets/scale                           autoscaling/v1 Scale
authentication.k8s.io/v1 tokenreviews                authentication.k8s.io/v1 TokenReview
authorization.k8s.io/v1 localsubjectaccessreviews    authorization.k8s.io/v1 LocalSubjectAccessReview
autoscaling/v1 horizontalpodautoscalers              autoscaling/v1 HorizontalPodAutoscaler
autoscaling/v2 horizontalpodautoscalers              autoscaling/v2 HorizontalPodAutoscaler
batch/v1 jobs/status                                 batch/v1 Job
certificates.k8s.io/v1 certificatesigningrequests/approval  certificates.k8s.io/v1 CertificateSigningRequest
certificates.k8s.io/v1 certificatesigningrequests/status    certificates.k8s.io/v1 CertificateSigningRequest
coordination.k8s.io/v1 leases                        coordination.k8s.io/v1 Lease
discovery.k8s.io/v1 endpointslices                   discovery.k8s.io/v1 EndpointSlice
events.k8s.io/v1 events                              events.k8s.io/v1 Event
networking.k8s.io/v1 ipaddresses                     networking.k8s.io/v1 IPAddress
networking.k8s.io/v1 networkpolicies                 networking.k8s.io/v1 NetworkPolicy
networking.k8s.io/v1 servicecidrs                    networking.k8s.io/v1 ServiceCIDR
policy/v1 poddisruptionbudgets/status                policy/v1 PodDisruptionBudget
rbac.authorization.k8s.io/v1 clusterroles            rbac.authorization.k8s.io/v1 ClusterRole
storage.k8s.io/v1 volumeattributesclasses            storage.k8s.io/v1 VolumeAttributesClass
`
	for line := range strings.Lines(strings.TrimSpace(bodies)) {
		w := strings.Fields(line)
		resource, subresource, _ := strings.Cut(w[1], "/")
		got, ok := Default().KindFor(mustGroupVersion(w[0]).WithResource(resource), subresource)
		if want := mustGroupVersion(w[2]).WithKind(w[3]); !ok || got != want {
			t.Errorf("KindFor(%s %s) = %v, %v, want %v", w[0], w[1], got, ok, want)
		}
	}
	for _, missing := range []string{"explode", "scale"} {
		if kind, ok := Default().KindFor(schema.GroupVersionResource{Version: "v1", Resource: "pods"}, missing); ok {
			t.Errorf("KindFor(pods/%s) = %v, want none", missing, kind)
		}
	}
}

func TestConnectSubresources(t *testing.T) {
	for _, r := range Default().Resources {
		for name, sub := range r.Subresources {
			options := strings.HasSuffix(sub.Kind.Kind, "Options")
			if connect := cmp.Equal(sub.Verbs, []string{"connect"}); connect != options {
				t.Errorf("%s/%s has the kind %s and the verbs %v", r.Resource, name, sub.Kind.Kind, sub.Verbs)
			}
		}
	}
}

func gvk(group, version, kind string) schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: group, Version: version, Kind: kind}
}
