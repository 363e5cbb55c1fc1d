package objects_test

import (
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

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
