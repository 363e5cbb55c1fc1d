package kubeversion

import (
	"maps"
	"slices"
	"testing"

	"k8s.io/client-go/kubernetes/scheme"
)

// lifecycleExceptions are the resources whose first or last release differs from what the
// lifecycle methods of their Go types in k8s.io/api say, and why that is so.
var lifecycleExceptions = map[string]lifecycleException{
	"authorization.k8s.io/v1/localsubjectaccessreviews": {span{15, 36}, "its type says 1.19, the release that brought the methods; it is from 1.6"},
	"authorization.k8s.io/v1/selfsubjectaccessreviews":  {span{15, 36}, "the same"},
	"authorization.k8s.io/v1/selfsubjectrulesreviews":   {span{15, 36}, "the same, from 1.8"},
	"certificates.k8s.io/v1alpha1/clustertrustbundles":  {span{27, 36}, "its type says 1.26, for which it was planned"},

	"node.k8s.io/v1alpha1/runtimeclasses":                    {span{15, 24}, "its type is still there but says nothing"},
	"rbac.authorization.k8s.io/v1alpha1/clusterrolebindings": {span{15, 21}, "the same"},
	"rbac.authorization.k8s.io/v1alpha1/clusterroles":        {span{15, 21}, "the same"},
	"rbac.authorization.k8s.io/v1alpha1/rolebindings":        {span{15, 21}, "the same"},
	"rbac.authorization.k8s.io/v1alpha1/roles":               {span{15, 21}, "the same"},
}

// A span is the first and the last minor version that can serve a resource.
type span struct{ first, last int }

type lifecycleException struct {
	span
	because string
}

// The tables serve a resource from the release on in which its type says that it was introduced,
// until the one in which it was removed. Types that say nothing are for good, or older than the
// methods.
func TestLifecycles(t *testing.T) {
	spans := map[string]span{}
	kinds := map[string]Resource{}
	for _, known := range releases {
		r := known.release()
		for _, resource := range r.offered {
			name := resource.GroupVersion().String() + "/" + resource.Resource
			s, ok := spans[name]
			if !ok {
				s = span{r.Minor, r.Minor}
			}
			spans[name] = span{min(s.first, r.Minor), max(s.last, r.Minor)}
			kinds[name] = resource
		}
	}
	oldest, newest := minorOf(releases[len(releases)-1].version), minorOf(releases[0].version)
	for _, name := range slices.Sorted(maps.Keys(spans)) {
		object, err := scheme.Scheme.New(kinds[name].GroupVersionKind())
		if err != nil {
			continue // a type that k8s.io/api no longer has
		}
		want := span{oldest, newest}
		if i, ok := object.(interface{ APILifecycleIntroduced() (int, int) }); ok {
			_, minor := i.APILifecycleIntroduced()
			want.first = max(oldest, minor)
		} else {
			want.first = spans[name].first // it does not say
		}
		if r, ok := object.(interface{ APILifecycleRemoved() (int, int) }); ok {
			_, minor := r.APILifecycleRemoved()
			want.last = min(newest, minor-1)
		}
		exception, isOne := lifecycleExceptions[name]
		switch {
		case isOne && spans[name] == want:
			t.Errorf("%s is as its type says, and no exception: %s", name, exception.because)
		case isOne:
			want = exception.span
		}
		if spans[name] != want {
			t.Errorf("%s is served from 1.%d to 1.%d, want 1.%d to 1.%d", name, spans[name].first, spans[name].last, want.first, want.last)
		}
	}
	for name := range lifecycleExceptions {
		if _, ok := spans[name]; !ok {
			t.Errorf("nobody serves the exception %s", name)
		}
	}
}
