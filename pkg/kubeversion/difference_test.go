package kubeversion

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSince(t *testing.T) {
	for _, test := range []struct {
		reason, now, before string
		want                func(Difference) any
		is                  any
	}{
		{"a new plugin", "1.27", "1.26", func(d Difference) any { return d.Plugins }, Changes{Added: []string{"ClusterTrustBundleAttest"}}},
		{"a removed plugin", "1.30", "1.29", func(d Difference) any { return d.Plugins }, Changes{Removed: []string{"SecurityContextDeny"}}},
		{"a plugin switched on", "1.23", "1.22", func(d Difference) any { return d.Defaults }, Changes{Added: []string{"PodSecurity"}}},
		{"a moved plugin", "1.18", "1.17", func(d Difference) any { return d.Moved }, []string{"RuntimeClass"}},
		{"warnings", "1.19", "1.18", func(d Difference) any { return d.Features }, Changes{Added: []string{"warnings"}}},
		{"a gate switched on", "1.28", "1.27", func(d Difference) any { return d.Gates }, Changes{Added: []string{"AdmissionWebhookMatchConditions"}}},
		{"the feature of that gate", "1.28", "1.27", func(d Difference) any { return d.Features.Added }, []string{"match conditions of webhooks"}},
		{"removed resources", "1.32", "1.31", func(d Difference) any { return d.Served.Removed },
			[]string{"flowcontrol.apiserver.k8s.io/v1beta3/flowschemas", "flowcontrol.apiserver.k8s.io/v1beta3/prioritylevelconfigurations"}},
		{"nothing differs from itself", "1.36", "1.36", func(d Difference) any { return d }, Difference{}},
	} {
		now, _ := Parse(test.now)
		before, _ := Parse(test.before)
		if diff := cmp.Diff(test.is, test.want(now.Since(before))); diff != "" {
			t.Errorf("%s, %s since %s (-want +got):\n%s", test.reason, test.now, test.before, diff)
		}
	}
}
