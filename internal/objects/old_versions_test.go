package objects_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/internal/objects/kinds"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// A body in an old version is converted to the stored version with the defaults of the old one (DF-06, CV-01, CV-03 to
// CV-08), and is unchanged when it is converted back.
func TestOldVersions(t *testing.T) {
	for _, test := range []struct{ reason, release, body, to, want string }{
		{
			reason: "extensions promised that nothing is deleted; its selector comes from the template",
			body: `{"apiVersion":"extensions/v1beta1","kind":"Deployment","metadata":{"name":"web"},"spec":{
				"rollbackTo":{"revision":3},"template":{"metadata":{"labels":{"app":"web"}},"spec":{"containers":[]}}}}`,
			to: "apps/v1",
			want: `{"labels":{"app":"web"},"annotations":{"deprecated.deployment.rollback.to":"3"},"spec":{"replicas":1,"revisionHistoryLimit":2147483647,
				"progressDeadlineSeconds":2147483647,"selector":{"matchLabels":{"app":"web"}},
				"strategy":{"type":"RollingUpdate","rollingUpdate":{"maxUnavailable":1,"maxSurge":1}}}}`,
		},
		{
			reason: "a missing limit stood for itself; the stored version has its own default for it", release: "1.12",
			body: `{"apiVersion":"extensions/v1beta1","kind":"Deployment","metadata":{"name":"web"},"spec":{"selector":{"matchLabels":{"app":"web"}},
				"template":{"metadata":{"labels":{"app":"web"}},"spec":{"containers":[]}}}}`,
			to: "apps/v1",
			want: `{"labels":{"app":"web"},"spec":{"replicas":1,"progressDeadlineSeconds":2147483647,"selector":{"matchLabels":{"app":"web"}},
				"strategy":{"type":"RollingUpdate","rollingUpdate":{"maxUnavailable":1,"maxSurge":1}}}}`,
		},
		{
			reason: "and a missing deadline", release: "1.10",
			body: `{"apiVersion":"extensions/v1beta1","kind":"Deployment","metadata":{"name":"web"},"spec":{"selector":{"matchLabels":{"app":"web"}},
				"template":{"metadata":{"labels":{"app":"web"}},"spec":{"containers":[]}}}}`,
			to: "apps/v1",
			want: `{"labels":{"app":"web"},"spec":{"replicas":1,"selector":{"matchLabels":{"app":"web"}},
				"strategy":{"type":"RollingUpdate","rollingUpdate":{"maxUnavailable":1,"maxSurge":1}}}}`,
		},
		{
			reason: "apps/v1beta1 keeps two revisions",
			body: `{"apiVersion":"apps/v1beta1","kind":"Deployment","metadata":{"name":"web"},"spec":{
				"template":{"metadata":{"labels":{"app":"web"}},"spec":{"containers":[]}}}}`,
			to: "apps/v1",
			want: `{"labels":{"app":"web"},"spec":{"replicas":1,"revisionHistoryLimit":2,"progressDeadlineSeconds":600,"selector":{"matchLabels":{"app":"web"}},
				"strategy":{"type":"RollingUpdate","rollingUpdate":{"maxUnavailable":"25%","maxSurge":"25%"}}}}`,
		},
		{
			reason: "apps/v1beta2 has the defaults of v1",
			body: `{"apiVersion":"apps/v1beta2","kind":"Deployment","metadata":{"name":"web"},"spec":{
				"selector":{"matchLabels":{"app":"x"}},"template":{"metadata":{"labels":{"app":"x"}},"spec":{"containers":[]}}}}`,
			to: "apps/v1",
			want: `{"spec":{"replicas":1,"revisionHistoryLimit":10,"progressDeadlineSeconds":600,"selector":{"matchLabels":{"app":"x"}},
				"strategy":{"type":"RollingUpdate","rollingUpdate":{"maxUnavailable":"25%","maxSurge":"25%"}}}}`,
		},
		{
			reason: "daemon sets of extensions are not updated in a rolling way",
			body: `{"apiVersion":"extensions/v1beta1","kind":"DaemonSet","metadata":{"name":"log"},"spec":{
				"templateGeneration":4,"template":{"metadata":{"labels":{"app":"log"}},"spec":{"containers":[]}}}}`,
			to: "apps/v1",
			want: `{"labels":{"app":"log"},"annotations":{"deprecated.daemonset.template.generation":"4"},"spec":{"revisionHistoryLimit":10,
				"selector":{"matchLabels":{"app":"log"}},"updateStrategy":{"type":"OnDelete"}}}`,
		},
		{
			reason: "the backend of an ingress has other names, and its paths had no type",
			body: `{"apiVersion":"extensions/v1beta1","kind":"Ingress","metadata":{"name":"web"},"spec":{"backend":{"serviceName":"a","servicePort":80},
				"rules":[{"host":"x.example","http":{"paths":[{"path":"/","backend":{"serviceName":"b","servicePort":"http"}}]}}]}}`,
			to: "networking.k8s.io/v1",
			want: `{"spec":{"defaultBackend":{"service":{"name":"a","port":{"number":80}}},"rules":[{"host":"x.example","http":{"paths":[
				{"path":"/","pathType":"ImplementationSpecific","backend":{"service":{"name":"b","port":{"name":"http"}}}}]}}]}}`,
		},
		{
			reason: "an empty selector selected no pod",
			body:   `{"apiVersion":"policy/v1beta1","kind":"PodDisruptionBudget","metadata":{"name":"b"},"spec":{"selector":{}}}`,
			to:     "policy/v1",
			want:   `{"spec":{"selector":{"matchExpressions":[{"key":"pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match","operator":"Exists"}]}}}`,
		},
		{
			reason: "a definition with a single version",
			body: `{"apiVersion":"apiextensions.k8s.io/v1beta1","kind":"CustomResourceDefinition","metadata":{"name":"things.x.example"},
				"spec":{"group":"x.example","version":"v1","names":{"plural":"things","kind":"Thing"}}}`,
			to: "apiextensions.k8s.io/v1",
			want: `{"spec":{"group":"x.example","names":{"plural":"things","singular":"thing","kind":"Thing","listKind":"ThingList"},"scope":"Namespaced",
				"versions":[{"name":"v1","served":true,"storage":true}],"conversion":{"strategy":"None"},"preserveUnknownFields":true}}`,
		},
		{
			reason: "metrics of autoscaling/v2beta1 had other names",
			body: `{"apiVersion":"autoscaling/v2beta1","kind":"HorizontalPodAutoscaler","metadata":{"name":"web"},"spec":{"scaleTargetRef":{"kind":"Deployment","name":"web","apiVersion":"apps/v1"},
				"maxReplicas":9,"metrics":[{"type":"Pods","pods":{"metricName":"hits","targetAverageValue":"100"}},{"type":"Resource","resource":{"name":"cpu","targetAverageUtilization":60}}]}}`,
			to: "autoscaling/v2",
			want: `{"spec":{"scaleTargetRef":{"kind":"Deployment","name":"web","apiVersion":"apps/v1"},"minReplicas":1,"maxReplicas":9,"metrics":[
				{"type":"Pods","pods":{"metric":{"name":"hits"},"target":{"type":"AverageValue","averageValue":"100"}}},
				{"type":"Resource","resource":{"name":"cpu","target":{"type":"Utilization","averageUtilization":60}}}]}}`,
		},
		{
			reason: "autoscaling/v2beta1 defaulted to 80 percent of the CPU",
			body:   `{"apiVersion":"autoscaling/v2beta1","kind":"HorizontalPodAutoscaler","metadata":{"name":"web"},"spec":{"scaleTargetRef":{"kind":"D","name":"web"},"maxReplicas":9}}`,
			to:     "autoscaling/v1",
			want:   `{"spec":{"scaleTargetRef":{"kind":"D","name":"web"},"minReplicas":1,"maxReplicas":9,"targetCPUUtilizationPercentage":80}}`,
		},
		{
			reason: "autoscaling/v2beta2 became v2", release: "1.24",
			body: `{"apiVersion":"autoscaling/v2beta2","kind":"HorizontalPodAutoscaler","metadata":{"name":"web"},"spec":{"scaleTargetRef":{"kind":"D","name":"web"},"maxReplicas":9,
				"behavior":{"scaleUp":{"stabilizationWindowSeconds":0,"selectPolicy":"Max","policies":[{"type":"Pods","value":1,"periodSeconds":5}]},
				"scaleDown":{"selectPolicy":"Min","policies":[{"type":"Pods","value":1,"periodSeconds":5}]}}}}`,
			to: "autoscaling/v2beta1",
			want: `{"annotations":{"autoscaling.alpha.kubernetes.io/behavior":"{\"ScaleUp\":{\"StabilizationWindowSeconds\":0,\"SelectPolicy\":\"Max\",\"Policies\":[{\"Type\":\"Pods\",\"Value\":1,\"PeriodSeconds\":5}]},\"ScaleDown\":{\"StabilizationWindowSeconds\":null,\"SelectPolicy\":\"Min\",\"Policies\":[{\"Type\":\"Pods\",\"Value\":1,\"PeriodSeconds\":5}]}}"},
				"spec":{"scaleTargetRef":{"kind":"D","name":"web"},"minReplicas":1,"maxReplicas":9,"metrics":[{"type":"Resource","resource":{"name":"cpu","targetAverageUtilization":80}}]}}`,
		},
		{
			reason: "a behaviour has tolerances since 1.33", release: "1.33",
			body: `{"apiVersion":"autoscaling/v2","kind":"HorizontalPodAutoscaler","metadata":{"name":"web","annotations":{"a":"b"}},"spec":{"scaleTargetRef":{"kind":"D","name":"web"},"maxReplicas":9,
				"behavior":{"scaleDown":{"selectPolicy":"Min","policies":[{"type":"Pods","value":1,"periodSeconds":5}]},"scaleUp":{"stabilizationWindowSeconds":0,"selectPolicy":"Max","policies":[{"type":"Pods","value":1,"periodSeconds":5}]}}}}`,
			to: "autoscaling/v1",
			want: `{"annotations":{"a":"b","autoscaling.alpha.kubernetes.io/behavior":"{\"ScaleUp\":{\"StabilizationWindowSeconds\":0,\"SelectPolicy\":\"Max\",\"Policies\":[{\"Type\":\"Pods\",\"Value\":1,\"PeriodSeconds\":5}],\"Tolerance\":null},\"ScaleDown\":{\"StabilizationWindowSeconds\":null,\"SelectPolicy\":\"Min\",\"Policies\":[{\"Type\":\"Pods\",\"Value\":1,\"PeriodSeconds\":5}],\"Tolerance\":null}}"},
				"spec":{"scaleTargetRef":{"kind":"D","name":"web"},"minReplicas":1,"maxReplicas":9,"targetCPUUtilizationPercentage":80}}`,
		},
		{
			reason: "cron jobs had all their fields from the start",
			body:   `{"apiVersion":"batch/v2alpha1","kind":"CronJob","metadata":{"name":"c"},"spec":{"schedule":"* * * * *","jobTemplate":{"spec":{"template":{"spec":{"containers":[]}}}}}}`,
			to:     "batch/v1",
			want: `{"spec":{"schedule":"* * * * *","concurrencyPolicy":"Allow","suspend":false,"successfulJobsHistoryLimit":3,"failedJobsHistoryLimit":1,"jobTemplate":{"metadata":{},"spec":{"template":{"metadata":{},
				"spec":{"containers":[],"restartPolicy":"Always","dnsPolicy":"ClusterFirst","schedulerName":"default-scheduler","securityContext":{},"terminationGracePeriodSeconds":30}}}}}}`,
		},
		{
			reason: "subjects of rbac/v1alpha1 had a version",
			body: `{"apiVersion":"rbac.authorization.k8s.io/v1alpha1","kind":"ClusterRoleBinding","metadata":{"name":"b"},"roleRef":{"kind":"ClusterRole","name":"view"},
				"subjects":[{"kind":"User","name":"ann"},{"kind":"ServiceAccount","name":"bot","namespace":"shop"},{"kind":"Robot","apiVersion":"x.example/v7","name":"r"}]}`,
			to: "rbac.authorization.k8s.io/v1",
			want: `{"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole","name":"view"},"subjects":[
				{"kind":"User","apiGroup":"rbac.authorization.k8s.io","name":"ann"},{"kind":"ServiceAccount","name":"bot","namespace":"shop"},{"kind":"Robot","apiGroup":"x.example","name":"r"}]}`,
		},
		{
			reason: "the handler of a runtime class was in its spec",
			body:   `{"apiVersion":"node.k8s.io/v1alpha1","kind":"RuntimeClass","metadata":{"name":"fast"},"spec":{"runtimeHandler":"run"}}`,
			to:     "node.k8s.io/v1",
			want:   `{"handler":"run"}`,
		},
		{
			reason: "an API service",
			body:   `{"apiVersion":"apiregistration.k8s.io/v1beta1","kind":"APIService","metadata":{"name":"v1.x.example"},"spec":{"group":"x.example","version":"v1","groupPriorityMinimum":1,"versionPriority":1,"service":{"name":"x","namespace":"y"}}}`,
			to:     "apiregistration.k8s.io/v1",
			want:   `{"spec":{"group":"x.example","version":"v1","groupPriorityMinimum":1,"versionPriority":1,"service":{"name":"x","namespace":"y","port":443}}}`,
		},
		{
			reason: "priority classes of v1alpha1",
			body:   `{"apiVersion":"scheduling.k8s.io/v1alpha1","kind":"PriorityClass","metadata":{"name":"high"},"value":9}`,
			to:     "scheduling.k8s.io/v1",
			want:   `{"value":9,"preemptionPolicy":"PreemptLowerPriority"}`,
		},
		{
			reason: "the shares of a priority level were called assured",
			body: `{"apiVersion":"flowcontrol.apiserver.k8s.io/v1alpha1","kind":"PriorityLevelConfiguration","metadata":{"name":"high"},
				"spec":{"type":"Limited","limited":{"assuredConcurrencyShares":7,"limitResponse":{"type":"Reject"}}}}`,
			to:   "flowcontrol.apiserver.k8s.io/v1",
			want: `{"spec":{"type":"Limited","limited":{"nominalConcurrencyShares":7,"lendablePercent":0,"limitResponse":{"type":"Reject"}}}}`,
		},
		{
			reason: "addresses of 1.16 had no family",
			body: `{"apiVersion":"discovery.k8s.io/v1alpha1","kind":"EndpointSlice","metadata":{"name":"web"},
				"endpoints":[{"addresses":["fd00::1"],"topology":{"topology.kubernetes.io/zone":"a"}}],"ports":[{"port":80}]}`,
			to:   "discovery.k8s.io/v1",
			want: `{"addressType":"IPv6","endpoints":[{"addresses":["fd00::1"],"conditions":{},"zone":"a"}],"ports":[{"name":"","protocol":"TCP","port":80}]}`,
		},
		{
			reason: "requests and devices of v1alpha3 were not nested",
			body: `{"apiVersion":"resource.k8s.io/v1alpha3","kind":"ResourceSlice","metadata":{"name":"s"},"spec":{"driver":"gpu.example","nodeName":"n","pool":{"name":"p","generation":1,"resourceSliceCount":1},
				"devices":[{"name":"gpu-0","basic":{"attributes":{"model":{"string":"a"}},"capacity":{"memory":"80Gi"}}}]}}`,
			to: "resource.k8s.io/v1",
			want: `{"spec":{"driver":"gpu.example","nodeName":"n","pool":{"name":"p","generation":1,"resourceSliceCount":1},
				"devices":[{"name":"gpu-0","attributes":{"model":{"string":"a"}},"capacity":{"memory":{"value":"80Gi"}}}]}}`,
		},
		{
			reason: "a claim of 1.26 was like one of 1.27",
			body:   `{"apiVersion":"resource.k8s.io/v1alpha1","kind":"ResourceClaim","metadata":{"name":"c"},"spec":{"resourceClassName":"gpu"}}`,
			to:     "resource.k8s.io/v1alpha2",
			want:   `{"spec":{"resourceClassName":"gpu","allocationMode":"WaitForFirstConsumer"}}`,
		},
		{
			reason: "the field groups was called group in v1beta1",
			body:   `{"apiVersion":"authorization.k8s.io/v1beta1","kind":"SubjectAccessReview","spec":{"user":"ann","group":["dev"]}}`,
			to:     "authorization.k8s.io/v1",
			want:   `{"spec":{"user":"ann","groups":["dev"]}}`,
		},
		{
			reason: "events of both beta versions are those of core",
			body:   `{"apiVersion":"events.k8s.io/v1beta1","kind":"Event","metadata":{"name":"e"},"note":"hello","regarding":{"kind":"Pod","name":"p"}}`,
			to:     "v1",
			want:   `{"message":"hello","involvedObject":{"kind":"Pod","name":"p"}}`,
		},
	} {
		var release *kubeversion.Release // the default is the newest
		if test.release != "" {
			release = parseRelease(t, test.release)
		}
		types := kinds.New(nil, objects.Options{Release: release})
		var head struct{ APIVersion, Kind string }
		if err := json.Unmarshal([]byte(test.body), &head); err != nil {
			t.Fatal(err)
		}
		from := schema.FromAPIVersionAndKind(head.APIVersion, head.Kind)
		obj, _, err := types.Decode([]byte(test.body), from, objects.Strict)
		if err != nil {
			t.Errorf("%s: %v", test.reason, err)
			continue
		}
		hub, err := types.Convert(obj, schema.FromAPIVersionAndKind(test.to, head.Kind))
		if err != nil {
			t.Errorf("%s: %v", test.reason, err)
			continue
		}
		if diff := cmp.Diff(tree(t, test.want), interesting(t, hub)); diff != "" {
			t.Errorf("%s: in %s (-want +got):\n%s", test.reason, test.to, diff)
		}
		back, err := types.Convert(hub, from)
		if diff := cmp.Diff(obj, back); err != nil || diff != "" {
			t.Errorf("%s: back in %s it differs: %v (-sent +got)\n%s", test.reason, from, err, diff)
		}
	}
}

func tree(t *testing.T, text string) map[string]any {
	t.Helper()
	m := map[string]any{}
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		t.Fatal(err)
	}
	return m
}

// interesting returns an object without its kind, name and template, and without empty values.
func interesting(t *testing.T, obj any) map[string]any {
	t.Helper()
	data, err := json.Marshal(obj)
	if err != nil {
		t.Fatal(err)
	}
	m := tree(t, string(data))
	meta, _ := m["metadata"].(map[string]any)
	for _, shown := range []string{"labels", "annotations"} {
		if v, ok := meta[shown]; ok {
			m[shown] = v
		}
	}
	for _, name := range []string{"apiVersion", "kind", "metadata", "status", "source", "firstTimestamp", "lastTimestamp", "eventTime", "reportingComponent", "reportingInstance"} {
		delete(m, name)
	}
	if spec, ok := m["spec"].(map[string]any); ok {
		delete(spec, "template")
		if s, ok := spec["strategy"].(map[string]any); ok && len(s) == 0 {
			delete(spec, "strategy")
		}
	}
	return m
}
