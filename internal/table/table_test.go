package table_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/internal/builtin"
	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/internal/objects/kinds"
	"github.com/admsim/admsim/internal/table"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/discovery"
	"github.com/admsim/admsim/pkg/kubeversion"
	"sigs.k8s.io/yaml"
)

var now = time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)

// The columns that kubectl get -o wide shows for objects of many kinds, each an hour old.
func TestColumns(t *testing.T) {
	for _, tt := range []struct{ words, object, want string }{
		{"pods", `{spec: {nodeName: m, initContainers: [{name: s, restartPolicy: Always}], containers: [{name: c}, {name: d}]}, status: {phase: Running, podIPs: [{ip: 10.0.0.1}], containerStatuses: [
			{name: c, ready: true, restartCount: 2, state: {running: {}}, lastState: {terminated: {finishedAt: "2026-01-01T23:55:00Z"}}}, {name: d, state: {waiting: {reason: CrashLoopBackOff}}}]}}`,
			"Name=a Ready=1/3 Status=CrashLoopBackOff Restarts=2 (5m ago) Age=60m IP=10.0.0.1 Node=m Nominated Node=<none> Readiness Gates=<none>"},
		{"pods", `{spec: {initContainers: [{name: i}], containers: [{name: c}]}, status: {phase: Pending, initContainerStatuses: [{name: i, state: {running: {}}}]}}`,
			"Name=a Ready=0/1 Status=Init:0/1 Restarts=0 Age=60m IP=<none> Node=<none> Nominated Node=<none> Readiness Gates=<none>"},
		{"deployments.apps", `{spec: {replicas: 3, selector: {matchLabels: {app: web}}, template: {spec: {containers: [{name: c, image: i}, {name: d, image: j}]}}}, status: {readyReplicas: 1, updatedReplicas: 2}}`,
			"Name=a Ready=1/3 Up-to-date=2 Available=0 Age=60m Containers=c,d Images=i,j Selector=app=web"},
		{"services", `{spec: {type: NodePort, clusterIPs: [10.0.0.2], ports: [{port: 80, nodePort: 30080, protocol: TCP}, {port: 53, protocol: UDP}], selector: {app: web}}}`,
			"Name=a Type=NodePort Cluster-IP=10.0.0.2 External-IP=<none> Port(s)=80:30080/TCP,53/UDP Age=60m Selector=app=web"},
		{"jobs.batch", `{spec: {completions: 2}, status: {succeeded: 2, startTime: "2026-01-01T23:00:00Z", completionTime: "2026-01-01T23:00:07Z", conditions: [{type: Complete, status: "True"}]}}`,
			"Name=a Status=Complete Completions=2/2 Duration=7s Age=60m Containers= Images= Selector=<none>"},
		{"cronjobs.batch", `{spec: {schedule: "* * * * *", suspend: true}}`,
			"Name=a Schedule=* * * * * Timezone=<none> Suspend=True Active=0 Last Schedule=<none> Age=60m Containers= Images= Selector=<none>"},
		{"ingresses", `{spec: {tls: [{}], rules: [{host: a}, {host: b}, {host: c}, {host: d}]}}`,
			"Name=a Class=<none> Hosts=a,b,c + 1 more... Address= Ports=80, 443 Age=60m"},
		{"hpa", `{spec: {maxReplicas: 3, scaleTargetRef: {kind: Deployment, name: web}, metrics: [{type: Resource, resource: {name: cpu, target: {averageUtilization: 80}}}]}}`,
			"Name=a Reference=Deployment/web Targets=cpu: <unknown>/80% MinPods=<unset> MaxPods=3 Replicas=0 Age=60m"},
		{"nodes", `{metadata: {labels: {node-role.kubernetes.io/control-plane: ""}}, spec: {unschedulable: true}, status: {conditions: [{type: Ready, status: "True"}], nodeInfo: {kubeletVersion: v1.36.0}}}`,
			"Name=a Status=Ready,SchedulingDisabled Roles=control-plane Age=60m Version=v1.36.0 Internal-IP=<none> External-IP=<none> OS-Image=<unknown> Kernel-Version=<unknown> Container-Runtime=<unknown>"},
		{"resourcequotas", `{status: {hard: {pods: "2", limits.cpu: "4"}, used: {pods: "1", limits.cpu: "1"}}}`,
			"Name=a Request=pods: 1/2 Limit=limits.cpu: 1/4 Age=60m"},
		{"rolebindings", `{roleRef: {kind: Role, name: r}, subjects: [{kind: ServiceAccount, namespace: shop, name: s}, {kind: User, name: anna}]}`,
			"Name=a Role=Role/r Age=60m Users=anna Groups= ServiceAccounts=shop/s"},
		{"roles", `{}`, "Name=a Created At=2026-01-01T23:00:00Z"},
		{"validatingadmissionpolicies", `{spec: {validations: [{expression: "true"}], paramKind: {apiVersion: v1, kind: ConfigMap}}}`,
			"Name=a Validations=1 ParamKind=v1/ConfigMap Age=60m"},
		{"crd", `{spec: {scope: Namespaced, group: g, names: {kind: K, shortNames: [k, l]}, versions: [{name: v2, served: true, storage: true}, {name: v1, served: true}, {name: v0}]}, status: {conditions: [{type: Established, status: "True"}]}}`,
			"Name=a Scope=Namespaced Versions=v1,v2(storage) Created At=2026-01-01T23:00:00Z Group=g Kind=K ShortNames=k,l Established=true"},
		{"apiservices", `{spec: {service: {namespace: m, name: s}}, status: {conditions: [{type: Available, status: "False", reason: MissingEndpoints}]}}`,
			"Name=a Service=m/s Available=False (MissingEndpoints) Age=60m"},
		{"apiservices", `{}`, "Name=a Service=Local Available=Unknown Age=60m"},
		{"clustertrustbundles", `{spec: {signerName: s}}`, "Name=a SignerName=s"},
		{"podcertificaterequests", `{spec: {podName: p, serviceAccountName: s, nodeName: m, signerName: k/p, unverifiedUserAnnotations: {b: c}}, status: {conditions: [{type: Issued, status: "True"}]}}`,
			"Name=a PodName=p ServiceAccountName=s NodeName=m SignerName=k/p State=Issued UnverifiedUserAnnotations=b=c"},
		{"leasecandidates", `{spec: {leaseName: l, binaryVersion: 1.37.0, emulationVersion: 1.36.0}}`,
			"Name=a LeaseName=l BinaryVersion=1.37.0 EmulationVersion=1.36.0 Age=60m"},
		{"flowschemas", `{spec: {priorityLevelConfiguration: {name: p}, matchingPrecedence: 100, distinguisherMethod: {type: ByUser}}, status: {conditions: [{type: Dangling, status: "False"}]}}`,
			"Name=a PriorityLevel=p MatchingPrecedence=100 DistinguisherMethod=ByUser Age=60m MissingPL=False"},
		{"prioritylevelconfigurations", `{spec: {type: Limited, limited: {nominalConcurrencyShares: 20, limitResponse: {type: Queue, queuing: {queues: 64, handSize: 6, queueLengthLimit: 50}}}}}`,
			"Name=a Type=Limited NominalConcurrencyShares=20 Queues=64 HandSize=6 QueueLengthLimit=50 Age=60m"},
		{"prioritylevelconfigurations", `{spec: {type: Exempt}}`,
			"Name=a Type=Exempt NominalConcurrencyShares=<none> Queues=<none> HandSize=<none> QueueLengthLimit=<none> Age=60m"},
		{"storageversions", `{status: {storageVersions: [{apiServerID: x, encodingVersion: v1}, {apiServerID: z, encodingVersion: v1}], commonEncodingVersion: v1}}`,
			"Name=a CommonEncodingVersion=v1 StorageVersions=x=v1,z=v1 Age=60m"},
		{"servicecidrs", `{spec: {cidrs: [10.0.0.0/24, "fd00::/64"]}}`, "Name=a CIDRs=10.0.0.0/24,fd00::/64 Age=60m"},
		{"ipaddresses", `{spec: {parentRef: {resource: services, namespace: shop, name: web}}}`, "Name=a ParentRef=services/shop/web 60m"},
		{"csidrivers", `{spec: {tokenRequests: [{audience: x}, {audience: z}], volumeLifecycleModes: [Persistent, Ephemeral], storageCapacity: true}}`,
			"Name=a AttachRequired=true PodInfoOnMount=false StorageCapacity=true TokenRequests=x,z RequiresRepublish=false Modes=Persistent,Ephemeral Age=60m"},
		{"csistoragecapacities", `{storageClassName: s}`, "Name=a Created At=2026-01-01T23:00:00Z"},
		{"volumeattachments", `{spec: {attacher: d, nodeName: m, source: {persistentVolumeName: p}}, status: {attached: true}}`,
			"Name=a Attacher=d PV=p Node=m Attached=true Age=60m"},
		{"storageversionmigrations", `{spec: {resource: {group: apps, resource: deployments}}, status: {conditions: [{type: Running, status: "False"}, {type: Succeeded, status: "True"}]}}`,
			"Name=a Resource=deployments.apps Status=Succeeded"},
		{"workloads", `{}`, "Name=a Age=60m"},
		{"podgroups", `{spec: {schedulingPolicy: {gang: {minCount: 2}}, workloadRef: {workloadName: w}}, status: {conditions: [{type: PodGroupInitiallyScheduled, status: "False"}]}}`,
			"Name=a Policy=Gang Workload=w Status=Unschedulable Age=60m"},
		{"compositepodgroups", `{}`, "Name=a Policy=Basic Workload=<none> Age=60m"},
		{"deviceclasses", `{}`, "Name=a Age=60m"},
		{"devicetaintrules", `{spec: {taint: {key: k, value: v, effect: NoSchedule, timeAdded: "2026-01-01T23:30:00Z"}}}`,
			"Name=a Key=k Value=v Effect=NoSchedule TimeAdded=30m Age=60m"},
		{"resourceclaims", `{status: {allocation: {}, reservedFor: [{name: p}]}}`, "Name=a State=allocated,reserved Age=60m"},
		{"resourceclaims", `{}`, "Name=a State=pending Age=60m"},
		{"resourceclaimtemplates", `{}`, "Name=a Age=60m"},
		{"resourceslices", `{spec: {nodeName: m, driver: d, pool: {name: p}}}`, "Name=a Node=m Driver=d Pool=p Age=60m"},
		{"resourcepoolstatusrequests", `{spec: {driver: d}}`,
			"Name=a Driver=d Total=- Available=- Allocated=- Unavailable=- Errors=- Pools=0 Status=Pending Completed=<none>"},
		{"resourcepoolstatusrequests", `{spec: {driver: d}, status: {poolCount: 3, pools: [{totalDevices: 4, availableDevices: 3, allocatedDevices: 1}, {totalDevices: 1, unavailableDevices: 1, validationError: e}], conditions: [{type: Complete, status: "True", lastTransitionTime: "2026-01-01T23:50:00Z"}]}}`,
			"Name=a Driver=d Total=5 Available=3 Allocated=1 Unavailable=1 Errors=1 Pools=3 Status=Complete (2/3 pools) Completed=10m"},
		{"evictionrequests", `{spec: {target: {pod: {name: p}}, requester: r, intent: Eviction}, status: {observedGeneration: 1}}`,
			"Name=a Target=p Target Type=Pod Status=Progressing Requester=r Intent=Eviction Age=60m"},
		{"evictions.lifecycle.k8s.io", `{spec: {target: {pod: {name: p}}}, status: {conditions: [{type: Failed, status: "True", reason: NoFurtherResponder}], requesters: [{name: z, intent: Eviction}, {name: x, intent: Eviction}, {name: b, intent: Withdrawn}],
			targetResponders: [{name: r, state: Completed}, {name: s, state: Active}, {name: t, state: Inactive}], responders: [{name: s, startTime: "2026-01-01T23:55:00Z", expectedCompletionTime: "2026-01-02T00:05:00Z", heartbeatTime: "2026-01-01T23:59:00Z", message: " soon "}]}}`,
			"Name=a Target=p Target Type=Pod Status=Failed (NoFurtherResponder) Active Responder=s (2/3) Responder Status=Started (5m ago) Responder Expected Finish=in 5m Requesters=x + 1 more... Age=60m Responder Heartbeat=60s ago Responder Status Message=soon"},
	} {
		resources := discovery.New(everything(t, kubeversion.Default()), cluster.New())
		resource, _, err := resources.Find(tt.words)
		if err != nil {
			t.Fatal(err)
		}
		object, _ := builtin.New(resource.Kind)
		if err := yaml.Unmarshal([]byte(tt.object), object); err != nil {
			t.Fatal(err)
		}
		if got := shown(t, kubeversion.Default(), resource, object); got != tt.want {
			t.Errorf("%s:\n got %s\nwant %s", tt.words, got, tt.want)
		}
	}
}

// everything returns a release with all of its APIs enabled.
func everything(t *testing.T, r *kubeversion.Release) *kubeversion.Release {
	t.Helper()
	on := kubeversion.Flags{RuntimeConfig: map[string]bool{"api/all": true}, FeatureGates: map[string]bool{"AllAlpha": true}}
	if r.Minor >= 17 {
		on.FeatureGates["AllBeta"] = true
	}
	if r.Minor >= 35 {
		on.FeatureGates["GenericWorkload"] = true
	}
	all, err := r.With(on)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// Objects have columns in whichever version a release stores them, and so do scales.
func TestAllKinds(t *testing.T) {
	for _, version := range kubeversion.Versions() {
		release, err := kubeversion.Parse(version)
		if err != nil {
			t.Fatal(err)
		}
		for _, resource := range discovery.New(everything(t, release), cluster.New()).All() {
			object, ok := builtin.New(resource.Storage)
			if _, named := object.(metav1.Object); !ok || !named {
				continue
			}
			object.GetObjectKind().SetGroupVersionKind(resource.Storage)
			if err := table.New(resource, kinds.New(nil, objects.Options{}), release, now).Add(object); err != nil {
				t.Errorf("%s: %s: %v", version, resource.Storage, err)
			}
		}
	}
	resource, _, err := discovery.New(kubeversion.Default(), cluster.New()).Find("deployments")
	if err != nil {
		t.Fatal(err)
	}
	resource.Kind = autoscalingv1.SchemeGroupVersion.WithKind("Scale")
	if got, want := shown(t, kubeversion.Default(), resource, &autoscalingv1.Scale{Spec: autoscalingv1.ScaleSpec{Replicas: 3}}), "Name=a Desired=3 Available=0 Age=60m"; got != want {
		t.Errorf("a scale: got %s, want %s", got, want)
	}
}

// A claim of 1.31 that nobody uses any more is being deallocated, if it is deleted or its driver's controller is to do so.
func TestDeallocating(t *testing.T) {
	release, err := kubeversion.Parse("1.31")
	if err != nil {
		t.Fatal(err)
	}
	resource, _, err := discovery.New(everything(t, release), cluster.New()).Find("resourceclaims")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ object, want string }{
		{`{status: {allocation: {}, deallocationRequested: true}}`, "Name=a State=allocated,deallocating Age=60m"},
		{`{metadata: {deletionTimestamp: "2026-01-01T23:00:00Z"}, status: {allocation: {}}}`, "Name=a State=deleted,allocated,deallocating Age=60m"},
		{`{status: {allocation: {}, deallocationRequested: true, reservedFor: [{name: p}]}}`, "Name=a State=allocated,reserved Age=60m"},
		{`{status: {allocation: {}}}`, "Name=a State=allocated Age=60m"},
		{`{status: {deallocationRequested: true}}`, "Name=a State=pending Age=60m"},
	} {
		object, _ := builtin.New(resource.Storage)
		if err := yaml.Unmarshal([]byte(tt.object), object); err != nil {
			t.Fatal(err)
		}
		if got := shown(t, release, resource, object); got != tt.want {
			t.Errorf("%s:\n got %s\nwant %s", tt.object, got, tt.want)
		}
	}
}

// Up to 1.30, claims were for resources of a class.
func TestFormerClaims(t *testing.T) {
	for _, tt := range []struct{ release, resource, object, want string }{
		{"1.30", "resourceclaims", `{spec: {resourceClassName: c, allocationMode: Immediate}, status: {allocation: {}, deallocationRequested: true}}`, "Name=a ResourceClassName=c AllocationMode=Immediate State=allocated,deallocating Age=60m"},
		{"1.26", "resourceclaims", `{spec: {resourceClassName: c}}`, "Name=a ResourceClassName=c AllocationMode= State=pending Age=60m"},
		{"1.30", "resourceclaimtemplates", `{spec: {spec: {resourceClassName: c}}}`, "Name=a ResourceClassName=c AllocationMode= Age=60m"},
		{"1.30", "resourceclasses", `{driverName: d}`, "Name=a DriverName=d Age=60m"},
		{"1.26", "podschedulings", `{spec: {selectedNode: m}}`, "Name=a SelectedNode=m Age=60m"},
		{"1.31", "podschedulingcontexts", `{spec: {selectedNode: m}}`, "Name=a SelectedNode=m Age=60m"},
		{"1.30", "resourceslices", `{nodeName: m, driverName: d}`, "Name=a Node=m Driver=d Age=60m"},
		{"1.30", "resourceclaimparameters", `{generatedFrom: {apiGroup: g, kind: K, name: p}}`, "Name=a GeneratedFrom=K.g p Age=60m"},
		{"1.30", "resourceclassparameters", `{}`, "Name=a GeneratedFrom= Age=60m"},
	} {
		release, err := kubeversion.Parse(tt.release)
		if err != nil {
			t.Fatal(err)
		}
		resource, _, err := discovery.New(everything(t, release), cluster.New()).Find(tt.resource)
		if err != nil {
			t.Fatal(err)
		}
		object, _ := builtin.New(resource.Storage)
		if err := yaml.Unmarshal([]byte(tt.object), object); err != nil {
			t.Fatal(err)
		}
		if got := shown(t, release, resource, object); got != tt.want {
			t.Errorf("%s of %s:\n got %s\nwant %s", tt.resource, tt.release, got, tt.want)
		}
	}
}

// shown returns the columns of a table with one row.
func shown(t *testing.T, release *kubeversion.Release, resource discovery.Resource, object runtime.Object) string {
	t.Helper()
	object.GetObjectKind().SetGroupVersionKind(resource.Kind)
	m := object.(metav1.Object)
	m.SetName("a")
	m.SetCreationTimestamp(metav1.NewTime(now.Add(-time.Hour)))
	b := table.New(resource, kinds.New(nil, objects.Options{}), release, now)
	if err := b.Add(object); err != nil {
		t.Fatal(err)
	}
	made := b.Table()
	var cells []string
	for i, c := range made.ColumnDefinitions {
		cells = append(cells, fmt.Sprintf("%s=%v", c.Name, made.Rows[0].Cells[i]))
	}
	for _, extra := range made.Rows[0].Cells[len(made.ColumnDefinitions):] {
		cells = append(cells, fmt.Sprint(extra))
	}
	return strings.Join(cells, " ")
}

// A custom resource has the columns of its definition, with the right types.
func TestCustomColumns(t *testing.T) {
	resource := discovery.Resource{CRD: &apiextensionsv1.CustomResourceDefinition{Spec: apiextensionsv1.CustomResourceDefinitionSpec{
		Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{Name: "v1", AdditionalPrinterColumns: []apiextensionsv1.CustomResourceColumnDefinition{
			{Name: "Size", Type: "integer", JSONPath: ".spec.size"}, {Name: "Ready", Type: "string", JSONPath: `.status.conditions[?(@.type=="Ready")].status`},
			{Name: "Age", Type: "date", JSONPath: ".metadata.creationTimestamp"}, {Name: "Missing", Type: "string", JSONPath: ".spec.none"},
		}}},
	}}}
	resource.Version = "v1"
	widget := &unstructured.Unstructured{Object: map[string]any{
		"spec":   map[string]any{"size": int64(3)},
		"status": map[string]any{"conditions": []any{map[string]any{"type": "Ready", "status": "True"}}},
	}}
	if got, want := shown(t, kubeversion.Default(), resource, widget), "Name=a Size=3 Ready=True Age=60m Missing=<nil>"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// Rows contain the part of the objects that the client asks for.
func TestInclude(t *testing.T) {
	resource, _, err := discovery.New(kubeversion.Default(), cluster.New()).Find("pods")
	if err != nil {
		t.Fatal(err)
	}
	for policy, want := range map[metav1.IncludeObjectPolicy]string{"": "*v1.PartialObjectMetadata", metav1.IncludeMetadata: "*v1.PartialObjectMetadata", metav1.IncludeObject: "*v1.Pod", metav1.IncludeNone: "<nil>"} {
		b := table.New(resource, kinds.New(nil, objects.Options{}), kubeversion.Default(), now)
		b.Include = policy
		pod := &corev1.Pod{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}}
		if err := b.Add(pod); err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprintf("%T", b.Table().Rows[0].Object.Object); got != want {
			t.Errorf("%q: %s, want %s", policy, got, want)
		}
	}
}
