package objects_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/internal/objects/kinds"
)

// The errors about objects of removed kinds: about a new object, and, if there is an old body, about a change.
func TestChecksOfRemovedKinds(t *testing.T) {
	for _, test := range []struct {
		reason, groupVersion, kind, before, body, subresource string
		want                                                  []string
	}{
		{
			reason: "a sink has one destination", groupVersion: "auditregistration.k8s.io/v1alpha1", kind: "AuditSink",
			body: `{"spec":{"policy":{"level":"Most","stages":["Panic","Later"]},"webhook":{"throttle":{"qps":0},"clientConfig":{}}}}`,
			want: []string{
				`spec.policy.stages[1]: Invalid value: "Later": allowed stages are Panic,RequestReceived,ResponseComplete,ResponseStarted`,
				`spec.policy.level: Unsupported value: "Most": supported values: "Metadata", "None", "Request", "RequestResponse"`,
				`spec.webhook.throttle.qps: Invalid value: 0: qps must be a positive number`,
				`spec.webhook.clientConfig: Required value: exactly one of url or service is required`,
			},
		},
		{
			reason: "a sink with the defaults", groupVersion: "auditregistration.k8s.io/v1alpha1", kind: "AuditSink",
			body: `{"spec":{"policy":{"level":"None","stages":[]},"webhook":{"clientConfig":{"service":{"namespace":"a","name":"b"}}}}}`,
		},
		{
			reason: "a node gets no more than the range", groupVersion: "networking.k8s.io/v1alpha1", kind: "ClusterCIDR",
			body: `{"spec":{"perNodeHostBits":9,"ipv4":"10.0.0.0/24","ipv6":"10.0.0.0/8"}}`,
			want: []string{
				`spec.perNodeHostBits: Invalid value: 9: must be less than or equal to 8`,
				`spec.IPv6: Invalid value: "10.0.0.0/8": must be a valid IPv6 CIDR`,
			},
		},
		{
			reason: "a range cannot change", groupVersion: "networking.k8s.io/v1alpha1", kind: "ClusterCIDR",
			before: `{"spec":{"perNodeHostBits":8,"ipv4":"10.0.0.0/16"}}`, body: `{"spec":{"perNodeHostBits":8,"ipv4":"10.1.0.0/16"}}`,
			want: []string{`spec.ipv4: Invalid value: "10.1.0.0/16": field is immutable`},
		},
		{
			reason: "a migration names a version", groupVersion: "storagemigration.k8s.io/v1alpha1", kind: "StorageVersionMigration",
			body: `{"spec":{"resource":{"resource":"pods"}}}`,
			want: []string{`spec.resource.version: Required value: version is required`},
		},
		{
			reason: "a migration ends once", groupVersion: "storagemigration.k8s.io/v1alpha1", kind: "StorageVersionMigration", subresource: "status",
			before: `{"spec":{"resource":{"resource":"pods","version":"v1"}},"status":{"resourceVersion":"1"}}`,
			body: `{"spec":{"resource":{"resource":"pods","version":"v1"}},"status":{"resourceVersion":"-1","conditions":[{"type":"Running","status":"No"},` +
				`{"type":"Running","status":"True","reason":"1","lastUpdateTime":"2026-01-01T00:00:00Z"}]}}`,
			want: []string{
				`status.resourceVersion: Invalid value: -1: must be greater than or equal to 0`,
				`status.conditions[0].status: Unsupported value: "No": supported values: "False", "True", "Unknown"`,
				`status.conditions[0].lastTransitionTime: Required value: must be set`,
				`status.conditions[0].reason: Required value: must be set`,
				`status.conditions[1].type: Duplicate value: "Running"`,
				`status.conditions[1].reason: Invalid value: "1": a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName',  or 'ReasonA,ReasonB',  or 'ReasonA:ReasonB', regex used for validation is '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?')`,
				`status.resourceVersion: Invalid value: "-1": field is immutable`,
			},
		},
		{
			reason: "the instances of a slice have names and values", groupVersion: "resource.k8s.io/v1alpha2", kind: "ResourceSlice",
			body: `{"driverName":"d","namedResources":{"instances":[{"name":"a","attributes":[{"name":"x","bool":true,"int":1},{"name":"x","version":"1"},{"name":"y"}]},{"name":"a"}]}}`,
			want: []string{
				`namedResources.instances[0].attributes[0]: Invalid value: ["bool","int"]: exactly one field must be set, not several`,
				`namedResources.instances[0].attributes[1].name: Duplicate value: "x"`,
				`namedResources.instances[0].attributes[1].version: Invalid value: "1": must be a string compatible with semver.org spec 2.0.0`,
				`namedResources.instances[0].attributes[2]: Required value: exactly one value must be set`,
				`namedResources.instances[1].name: Duplicate value: "a"`,
			},
		},
		{
			reason: "a request has a selector", groupVersion: "resource.k8s.io/v1alpha2", kind: "ResourceClaimParameters",
			body: `{"driverRequests":[{"driverName":"d","requests":[{"namedResources":{"selector":""}},{}]}]}`,
			want: []string{
				`driverRequests[0].requests[0].namedResources.selector: Required value`,
				`driverRequests[0].requests[1]: Required value: exactly one structured model field must be set`,
			},
		},
		{
			reason: "a candidate cannot change its lease", groupVersion: "coordination.k8s.io/v1alpha1", kind: "LeaseCandidate",
			before: `{"spec":{"leaseName":"a"}}`, body: `{"spec":{"leaseName":"b","binaryVersion":"one"}}`,
			want: []string{
				`spec.binaryVersion: Invalid value: "one": must be a valid semantic version`,
				`spec.leaseName: Invalid value: "b": field is immutable`,
			},
		},
		{
			reason: "groups of a workload have one policy", groupVersion: "scheduling.k8s.io/v1alpha1", kind: "Workload",
			body: `{"spec":{"podGroups":[{"name":"a","policy":{}},{"name":"a","policy":{"gang":{"minCount":0}}}]}}`,
			want: []string{
				"spec.podGroups[0].policy: Required value: exactly one of `basic`, `gang` is required",
				`spec.podGroups[1].name: Duplicate value: "a"`,
				`spec.podGroups[1].policy.gang.minCount: Invalid value: 0: must be greater than zero`,
			},
		},
		{
			reason: "a claim needs a class and an allocation mode", groupVersion: "resource.k8s.io/v1alpha2", kind: "ResourceClaim",
			body: `{"spec":{"resourceClassName":"a_b","allocationMode":"Later","parametersRef":{"kind":"X"}}}`,
			want: []string{
				`spec.resourceClassName: Invalid value: "a_b": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
				`spec.parametersRef.name: Required value`,
				`spec.allocationMode: Unsupported value: "Later": supported values: "Immediate", "WaitForFirstConsumer"`,
			},
		},
		{
			reason: "an unshared claim has one consumer", groupVersion: "resource.k8s.io/v1alpha2", kind: "ResourceClaim", subresource: "status",
			before: `{"spec":{"resourceClassName":"a"}}`,
			body:   `{"spec":{"resourceClassName":"a"},"status":{"driverName":"d","allocation":{},"reservedFor":[{"resource":"pods","name":"a","uid":"1"},{"resource":"pods","name":"b","uid":"2"}]}}`,
			want:   []string{"status.reservedFor: Forbidden: may not be reserved more than once"},
		},
		{
			reason: "nodes are unique", groupVersion: "resource.k8s.io/v1alpha1", kind: "PodScheduling",
			body: `{"spec":{"potentialNodes":["a","a"]}}`,
			want: []string{`spec.potentialNodes[1]: Duplicate value: "a"`},
		},
	} {
		gv, err := schema.ParseGroupVersion(test.groupVersion)
		if err != nil {
			t.Fatal(err)
		}
		types, gvk := kinds.New(nil, objects.Options{}), gv.WithKind(test.kind)
		object := func(body string) runtime.Object {
			head := `{"apiVersion":"` + test.groupVersion + `","kind":"` + test.kind + `","metadata":{"name":"x","namespace":"y","resourceVersion":"1"},`
			obj, _, err := types.Decode([]byte(head+strings.TrimPrefix(body, "{")), gvk, objects.Strict)
			if err != nil {
				t.Fatalf("%s: %v", test.reason, err)
			}
			return obj
		}
		w := objects.Write{Kind: gvk, Subresource: test.subresource}
		errs := types.Validate(object(test.body), w)
		if test.before != "" {
			old := object(test.before)
			errs = types.ValidateUpdate(types.PrepareForUpdate(object(test.body), old, w), old, w)
		}
		var got []string
		for _, e := range errs {
			if !strings.HasPrefix(e.Field, "metadata") {
				got = append(got, e.Error())
			}
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.reason, diff)
		}
	}
}
