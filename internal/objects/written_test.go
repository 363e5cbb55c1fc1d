package objects_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/internal/objects/kinds"
)

const (
	podHead    = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"},"spec":{"containers":[{"name":"c","image":"i"}],`
	setHead    = `{"apiVersion":"apps/v1","kind":"StatefulSet","metadata":{"name":"a"},"spec":{"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}},`
	quotaHead  = `{"apiVersion":"v1","kind":"ResourceQuota","metadata":{"name":"a"},"spec":{"hard":{`
	scalerHead = `{"apiVersion":"autoscaling/v2","kind":"HorizontalPodAutoscaler","metadata":{"name":"a"},"spec":{"maxReplicas":2,`
)

// Rules of single kinds, as in kubernetes/kubernetes 1.36: pkg/apis/*/validation, pkg/api/*/warnings.go and
// pkg/registry/*/*/strategy.go.
func TestWritten(t *testing.T) {
	types := kinds.New(nil, objects.Options{})
	for _, test := range []struct {
		reason, old, body, subresource string
		errors, warnings               []string
	}{
		{
			reason: "pkg/apis/core/validation: a topology key of a spread need not be a label's",
			body:   podHead + `"topologySpreadConstraints":[{"maxSkew":1,"topologyKey":"Bad_Value!","whenUnsatisfiable":"DoNotSchedule","labelSelector":{}}]}}`,
		},
		{
			reason:   "pkg/api/pod/warnings.go: what is only preferred may ask for values that no label has",
			body:     podHead + `"affinity":{"nodeAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[{"weight":1,"preference":{"matchExpressions":[{"key":"beta.kubernetes.io/os","operator":"In","values":["` + longName + `"]}]}}]}}}}`,
			warnings: []string{`spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].preference.matchExpressions[0].key: beta.kubernetes.io/os is deprecated since v1.14; use "kubernetes.io/os" instead`, `spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].preference.matchExpressions[0].values[0]: ` + longName + ` is invalid, must be no more than 63 bytes`},
		},
		{
			reason:   "pkg/registry/core/pod/strategy.go: names with dots are no host names",
			body:     `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a.b"},"spec":{"containers":[{"name":"c","image":"i"}]}}`,
			warnings: []string{"metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended: [must not contain dots]"},
		},
		{
			reason: "pkg/registry/core/pod/strategy.go: updates of pods are not warned of",
			old:    podHead + `"imagePullSecrets":[{"name":"s"},{"name":"s"}]}}`,
			body:   podHead + `"imagePullSecrets":[{"name":"s"},{"name":"s"}]}}`,
		},
		{
			reason:   "pkg/api/pod/warnings.go: files of a volume meet",
			body:     podHead + `"volumes":[{"name":"v","configMap":{"name":"c","items":[{"key":"k","path":"a/b"},{"key":"l","path":"a"}]}}]}}`,
			warnings: []string{`volume "v" (ConfigMap "c"): overlapping paths: "a" with "a/b"`},
		},
		{
			reason: "pkg/apis/core/validation: addresses are read strictly",
			body:   podHead + `"hostAliases":[{"ip":"::ffff:1.2.3.4"}]}}`,
			errors: []string{`spec.hostAliases[0].ip: Invalid value: "::ffff:1.2.3.4": must not be an IPv4-mapped IPv6 address`},
		},
		{
			reason: "pkg/apis/core/validation: a resource of a container has two faults",
			body:   `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"},"spec":{"containers":[{"name":"c","image":"i","resources":{"requests":{"a":"1"}}}]}}`,
			errors: []string{`spec.containers[0].resources.requests[a]: Invalid value: "a": must be a standard resource type or fully qualified`, `spec.containers[0].resources.requests[a]: Invalid value: "a": must be a standard resource for containers`},
		},
		{
			reason:   "pkg/registry/apps/statefulset/strategy.go: a negative limit keeps all",
			body:     setHead + `"revisionHistoryLimit":-1}}`,
			warnings: []string{"spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended"},
		},
		{
			reason: "pkg/registry/core/resourcequota/strategy.go: more may be asked for than limits allow",
			body:   quotaHead + `"requests.cpu":"2","limits.cpu":"1500m","memory":"2Gi","limits.memory":"1Gi","limits.ephemeral-storage":"1","requests.ephemeral-storage":"1"}}}`,
			warnings: []string{
				"ResourceQuota requests.cpu (2) should be less than limits.cpu (1500m)",
				"ResourceQuota memory (2Gi) should be less than limits.memory (1Gi)",
			},
		},
		{
			reason: "pkg/registry/core/resourcequota/strategy.go: updates are not warned of",
			old:    quotaHead + `"cpu":"2","limits.cpu":"1"}}}`,
			body:   quotaHead + `"cpu":"3","limits.cpu":"1"}}}`,
		},
		{
			reason:   "pkg/registry/batch/cronjob/strategy.go: a zone that was in the schedule is warned of, by a path of its own",
			old:      cronJobOf("TZ=UTC * * * * *"),
			body:     cronJobOf("TZ=UTC 1 * * * *"),
			warnings: []string{"cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details"},
		},
		{
			reason: "pkg/apis/autoscaling/validation: a container is a name, and of a resource that containers have",
			body:   scalerHead + `"scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"d"},"metrics":[{"type":"ContainerResource","containerResource":{"name":"cpus","container":"-","target":{"type":"Utilization","averageUtilization":5}}}]}}`,
			errors: []string{
				`spec.metrics[0].containerResource.name: Invalid value: "cpus": must be a standard resource type or fully qualified`,
				`spec.metrics[0].containerResource.name: Invalid value: "cpus": must be a standard resource for containers`,
				`spec.metrics[0].containerResource.container: Invalid value: "-": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')`,
			},
		},
		{
			reason:      "pkg/apis/core/validation: without its type, a service is not for a load balancer, and its address has no default",
			subresource: "status",
			old:         `{"apiVersion":"v1","kind":"Service","metadata":{"name":"a"},"spec":{"type":"LoadBalancer","ports":[{"port":80}]}}`,
			body:        `{"apiVersion":"v1","kind":"Service","metadata":{"name":"a"},"status":{"loadBalancer":{"ingress":[{"ip":"1.2.3.4"}]}}}`,
			errors:      []string{"status.loadBalancer.ingress[0].ipMode: Required value: must be specified when `ip` is set"},
		},
		{
			reason: "pkg/apis/batch/validation: a new schedule has no zone",
			body:   cronJobOf("TZ=UTC * * * * *"),
			errors: []string{`spec.schedule: Invalid value: "TZ=UTC * * * * *": cannot use TZ or CRON_TZ in schedule, use timeZone field instead`},
		},
		{
			reason: "pkg/registry/storage/csidriver/strategy.go: tokens that stay are not warned of again",
			old:    `{"apiVersion":"storage.k8s.io/v1","kind":"CSIDriver","metadata":{"name":"a"},"spec":{"tokenRequests":[{"audience":"x"}]}}`,
			body:   `{"apiVersion":"storage.k8s.io/v1","kind":"CSIDriver","metadata":{"name":"a"},"spec":{"tokenRequests":[{"audience":"x"}],"podInfoOnMount":false}}`,
		},
		{
			reason: "pkg/apis/rbac/validation: a selector that is none has a fault of its own",
			body:   `{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRole","metadata":{"name":"a"},"aggregationRule":{"clusterRoleSelectors":[{"matchLabels":{"a":"` + longName + `"}}]}}`,
			errors: []string{"aggregationRule.clusterRoleSelectors[0].matchLabels: Invalid value: \"" + longName + "\": must be no more than 63 bytes", "aggregationRule.clusterRoleSelectors[0]: Invalid value: null: invalid label selector."},
		},
		{
			reason:      "pkg/registry/core/pod/strategy.go: the quality of service stays",
			subresource: "status",
			old:         podHead + `"restartPolicy":"Never"}}`,
			body:        `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"},"status":{"qosClass":"Guaranteed","containerStatuses":[{"name":"c","image":"i","imageID":"","ready":true,"restartCount":0,"user":{"linux":{"uid":-1,"gid":1}}}]}}`,
			errors:      []string{`status.qosClass: Invalid value: "Guaranteed": field is immutable`, `status.containerStatuses[0].user.linux.uid: Invalid value: -1: must be between 0 and 4294967295, inclusive`},
		},
	} {
		write := objects.Write{Name: "a", Namespace: "n", Subresource: test.subresource}
		decode := func(body string) runtime.Object {
			var head struct{ APIVersion, Kind string }
			if err := json.Unmarshal([]byte(body), &head); err != nil {
				t.Fatal(test.reason, err)
			}
			obj, _, err := types.Decode([]byte(body), schema.FromAPIVersionAndKind(head.APIVersion, head.Kind), objects.Strict)
			if err != nil {
				t.Fatal(test.reason, err)
			}
			m, err := meta.Accessor(obj)
			if err != nil {
				t.Fatal(test.reason, err)
			}
			if m.SetNamespace("n"); head.Kind == "CSIDriver" || head.Kind == "ClusterRole" {
				m.SetNamespace("")
			}
			return obj
		}
		var errors, warnings []string
		obj := decode(test.body)
		faults := func() (list []string) {
			if test.old == "" {
				obj = types.PrepareForCreate(obj, write)
				warnings = types.WarningsOnCreate(obj, write)
				for _, err := range types.Validate(obj, write) {
					list = append(list, err.Error())
				}
				return list
			}
			old := types.PrepareForCreate(decode(test.old), objects.Write{Name: "a", Namespace: "n"})
			for _, o := range []runtime.Object{obj, old} {
				if m, err := meta.Accessor(o); err == nil {
					m.SetResourceVersion("1")
				}
			}
			obj = types.PrepareForUpdate(obj, old, write)
			warnings = types.WarningsOnUpdate(obj, old, write)
			for _, err := range types.ValidateUpdate(obj, old, write) {
				list = append(list, err.Error())
			}
			return list
		}
		if errors = faults(); len(errors) > 0 {
			warnings = nil // there are no warnings about a refused object
		}
		if diff := cmp.Diff(test.errors, errors); diff != "" {
			t.Errorf("%s: errors (-want +got):\n%s", test.reason, diff)
		}
		if diff := cmp.Diff(test.warnings, warnings); diff != "" {
			t.Errorf("%s: warnings (-want +got):\n%s", test.reason, diff)
		}
	}
}

// A field whose feature is off, as maxUnavailable was up to 1.36, does not count as a change of the object from which
// it is dropped.
func TestDroppedFieldIsNoChange(t *testing.T) {
	types := kinds.New(nil, objects.Options{Release: parseRelease(t, "1.36")})
	set := func(body string) runtime.Object {
		obj, _, err := types.Decode([]byte(body), schema.FromAPIVersionAndKind("apps/v1", "StatefulSet"), objects.Strict)
		if err != nil {
			t.Fatal(err)
		}
		return obj
	}
	old := types.PrepareForCreate(set(setHead+`"updateStrategy":{"type":"RollingUpdate","rollingUpdate":{"partition":1}}}}`), objects.Write{})
	obj := types.PrepareForUpdate(set(setHead+`"updateStrategy":{"type":"RollingUpdate","rollingUpdate":{"partition":1,"maxUnavailable":2}}}}`), old, objects.Write{})
	m, err := meta.Accessor(obj)
	if err != nil {
		t.Fatal(err)
	}
	if got := m.GetGeneration(); got != 1 {
		t.Errorf("the generation is %d, want 1", got)
	}
}

func cronJobOf(schedule string) string {
	return `{"apiVersion":"batch/v1","kind":"CronJob","metadata":{"name":"a"},"spec":{"schedule":"` + schedule + `","jobTemplate":{"spec":{"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}}}}}}`
}

const longName = "a2345678901234567890123456789012345678901234567890123456789012345"
