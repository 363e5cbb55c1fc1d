package objects_test

import (
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/internal/objects/kinds"
	"github.com/admsim/admsim/pkg/kubeversion"
)

func TestEncodeOfReleases(t *testing.T) {
	d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: "d"}}
	for _, test := range []struct {
		reason string
		old    bool
		want   string
	}{{
		reason: "since 1.34 a missing creationTimestamp is not written",
		want:   `{"metadata":{"name":"d"},"spec":{"selector":null,"template":{"metadata":{},"spec":{"containers":null}},"strategy":{}},"status":{}}`,
	}, {
		reason: "before, it is null, in templates as well (W-138)",
		old:    true,
		want:   `{"metadata":{"name":"d","creationTimestamp":null},"spec":{"selector":null,"template":{"metadata":{"creationTimestamp":null},"spec":{"containers":null}},"strategy":{}},"status":{}}`,
	}} {
		release := kubeversion.Default()
		if test.old {
			release, _ = kubeversion.Parse("1.33")
		}
		got, err := kinds.New(nil, objects.Options{Release: release}).Encode(d)
		if err != nil || string(got) != test.want {
			t.Errorf("%s: Encode = %s, %v, want %s", test.reason, got, err, test.want)
		}
	}
}

// Fields that today's Go types do not have are where those of the release have them (W-138).
func TestOrderOfReleases(t *testing.T) {
	for _, test := range []struct{ release, apiVersion, kind, body, want string }{
		{"1.15", "v1", "ConfigMap", `{"metadata":{"name":"a","clusterName":"c","finalizers":["a.b/c"],"initializers":{"pending":[{"name":"a.b.c"}],"result":{"message":"m","status":"Failure"}},"managedFields":[{"manager":"m"}]}}`,
			`"initializers":{"pending":[{"name":"a.b.c"}],"result":{"metadata":{},"status":"Failure","message":"m"}},"finalizers":["a.b/c"],"clusterName":"c","managedFields":[`},
		{"1.19", "v1", "Service", `{"spec":{"ipFamily":"IPv4","sessionAffinity":"None","topologyKeys":["*"]}}`,
			`"sessionAffinity":"None","ipFamily":"IPv4","topologyKeys":["*"]}`},
		{"1.21", "v1", "Service", `{"spec":{"ipFamilies":["IPv4"],"sessionAffinity":"None","topologyKeys":["*"]}}`,
			`"sessionAffinity":"None","topologyKeys":["*"],"ipFamilies":["IPv4"]`},
		{"1.26", "networking.k8s.io/v1", "NetworkPolicy", `{"status":{"conditions":[{"lastTransitionTime":null,"message":"c","reason":"b","status":"True","type":"a"}]}}`,
			`"status":{"conditions":[{"type":"a","status":"True","lastTransitionTime":null,"reason":"b","message":"c"}]}}`},
		{"1.30", "v1", "Pod", `{"spec":{"resourceClaims":[{"source":{"resourceClaimName":"b"},"name":"a"}]}}`,
			`"resourceClaims":[{"name":"a","source":{"resourceClaimName":"b"}}]`},
		{"1.36", "resource.k8s.io/v1", "ResourceSlice", `{"spec":{"devices":[{"allowMultipleAllocations":true,"name":"a","nodeAllocatableResourceMappings":{"cpu":{"allocationMultiplier":"2","capacityKey":"b"}}}]}}`,
			`"devices":[{"name":"a","allowMultipleAllocations":true,"nodeAllocatableResourceMappings":{"cpu":{"capacityKey":"b","allocationMultiplier":"2"}}}]`},
	} {
		release, err := kubeversion.Parse(test.release)
		if err != nil {
			t.Fatal(err)
		}
		types := kinds.New(nil, objects.Options{Release: release})
		obj, _, err := types.Decode([]byte(test.body), schema.FromAPIVersionAndKind(test.apiVersion, test.kind), objects.Ignore)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := types.Encode(obj); err != nil || !strings.Contains(string(got), test.want) {
			t.Errorf("%s in %s: %s (%v), want %s", test.kind, test.release, got, err, test.want)
		}
	}
}

// A custom resource has the null after it was read.
func TestCustomTimesOfReleases(t *testing.T) {
	const body = `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w"},"spec":{}}`
	for version, want := range map[string]bool{"1.33": true, "1.34": false} {
		release, err := kubeversion.Parse(version)
		if err != nil {
			t.Fatal(err)
		}
		types := kinds.New(serving(parseCRD(t, widgets)), objects.Options{Release: release})
		obj, _, err := types.Decode([]byte(body), widgetV1, objects.Ignore)
		if err != nil {
			t.Fatal(err)
		}
		got, err := types.Encode(obj)
		if err != nil || strings.Contains(string(got), `"creationTimestamp":null`) != want {
			t.Errorf("in %s %s (%v), want null: %v", version, got, err, want)
		}
	}
}
