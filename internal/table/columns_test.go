package table_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/admsim/admsim/internal/builtin"
	"github.com/admsim/admsim/internal/golden"
	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/internal/objects/kinds"
	"github.com/admsim/admsim/internal/table"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/discovery"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// The columns of every kind that the oldest release serves, and of those that differ in each later release.
func TestColumnsOfReleases(t *testing.T) {
	var b strings.Builder
	last := map[schema.GroupKind]string{}
	for _, version := range slices.Backward(kubeversion.Versions()) {
		release := releaseOf(t, version)
		fmt.Fprintf(&b, "%s\n", version)
		var lines []string
		for _, resource := range everythingOf(t, release).All() {
			kind := resource.Storage.GroupKind()
			object, ok := builtin.New(resource.Storage)
			if _, named := object.(metav1.Object); !ok || !named {
				continue
			}
			var names []string
			for _, c := range table.New(resource, kinds.New(nil, objects.Options{}), release, now).Table().ColumnDefinitions {
				name := strings.TrimSuffix(c.Name+":"+c.Type, ":string")
				if c.Priority > 0 {
					name = "+" + name
				}
				names = append(names, name)
			}
			if text := strings.Join(names, ", "); last[kind] != text {
				last[kind] = text
				lines = append(lines, fmt.Sprintf("  %s: %s\n", kind, text))
			}
		}
		slices.Sort(lines)
		b.WriteString(strings.Join(lines, ""))
	}
	golden.File(t, "testdata/columns.golden", b.String())
}

func releaseOf(t *testing.T, version string) *kubeversion.Release {
	t.Helper()
	release, err := kubeversion.Parse(version)
	if err != nil {
		t.Fatal(err)
	}
	return release
}

func everythingOf(t *testing.T, release *kubeversion.Release) *discovery.Resources {
	t.Helper()
	return discovery.New(everything(t, release), cluster.New())
}

// What cells say in the first release that says so, and in the one before.
func TestCellsOfReleases(t *testing.T) {
	for _, tt := range []struct{ release, words, object, want string }{
		{"1.37", "pods", `{spec: {containers: [{name: c}, {name: d}]}, status: {phase: Failed, containerStatuses: [{name: c, state: {terminated: {reason: Completed}}}, {name: d, state: {terminated: {reason: Error, exitCode: 1}}}]}}`, "Status=Error"},
		{"1.34", "pods", `{spec: {containers: [{name: c}, {name: d}]}, status: {phase: Failed, containerStatuses: [{name: c, state: {terminated: {reason: Completed}}}, {name: d, state: {terminated: {reason: Error, exitCode: 1}}}]}}`, "Status=Completed"},
		{"1.31", "pods", `{metadata: {deletionTimestamp: "2026-01-01T23:00:00Z"}, status: {phase: Succeeded}}`, "Status=Succeeded"},
		{"1.30", "pods", `{metadata: {deletionTimestamp: "2026-01-01T23:00:00Z"}, status: {phase: Succeeded}}`, "Status=Terminating"},
		{"1.28", "pods", `{spec: {initContainers: [{name: s, restartPolicy: Always}], containers: [{name: c}]}}`, "Ready=0/2"},
		{"1.27", "pods", `{spec: {initContainers: [{name: s, restartPolicy: Always}], containers: [{name: c}]}}`, "Ready=0/1"},
		{"1.28", "pods", `{status: {initContainerStatuses: [{name: i, restartCount: 2, state: {terminated: {}}, lastState: {terminated: {finishedAt: "2026-01-01T23:55:00Z"}}}]}}`, "Restarts=0 "},
		{"1.27", "pods", `{status: {initContainerStatuses: [{name: i, restartCount: 2, state: {terminated: {}}, lastState: {terminated: {finishedAt: "2026-01-01T23:55:00Z"}}}]}}`, "Restarts=0 (5m ago)"},
		{"1.26", "pods", `{status: {phase: Pending, conditions: [{type: PodScheduled, reason: SchedulingGated}]}}`, "Status=SchedulingGated"},
		{"1.25", "pods", `{status: {phase: Pending, conditions: [{type: PodScheduled, reason: SchedulingGated}]}}`, "Status=Pending"},
		{"1.22", "pods", `{status: {containerStatuses: [{name: c, restartCount: 2, lastState: {terminated: {finishedAt: "2026-01-01T23:55:00Z"}}}]}}`, "Restarts=2 (5m ago)"},
		{"1.21", "pods", `{status: {containerStatuses: [{name: c, restartCount: 2, lastState: {terminated: {finishedAt: "2026-01-01T23:55:00Z"}}}]}}`, "Restarts=2 "},
		{"1.18", "pods", `{status: {containerStatuses: [{name: c, state: {terminated: {reason: Completed}}}, {name: d, ready: true, state: {running: {}}}]}}`, "Status=NotReady"},
		{"1.17", "pods", `{status: {containerStatuses: [{name: c, state: {terminated: {reason: Completed}}}, {name: d, ready: true, state: {running: {}}}]}}`, "Status=Running"},
		{"1.10", "pods", `{status: {containerStatuses: [{name: c, state: {terminated: {reason: Completed}}}, {name: d, ready: true, state: {running: {}}}]}}`, "Status=Completed"},
		{"1.11", "pods", `{spec: {nodeName: m}, status: {nominatedNodeName: o}}`, "Node=m Nominated Node=o"},
		{"1.10", "pods", `{spec: {nodeName: m}, status: {nominatedNodeName: o}}`, "Node=m o"},
		{"1.36", "nodes", `{status: {nodeInfo: {kernelVersion: k, architecture: arm64}}}`, "Kernel-Version=k (arm64)"},
		{"1.35", "nodes", `{status: {nodeInfo: {kernelVersion: k, architecture: arm64}}}`, "Kernel-Version=k "},
		{"1.36", "ingressclasses", `{metadata: {annotations: {ingressclass.kubernetes.io/is-default-class: "true"}}}`, "Name=a (default)"},
		{"1.35", "ingressclasses", `{metadata: {annotations: {ingressclass.kubernetes.io/is-default-class: "true"}}}`, "Name=a "},
		{"1.36", "storageclasses", `{metadata: {annotations: {storageclass.kubernetes.io/is-default-class: "true"}}}`, "Name=a (default)"},
		{"1.37", "storageclasses", `{metadata: {annotations: {storageclass.kubernetes.io/is-default-class: "true"}}}`, "Name=a "},
		{"1.34", "volumeattributesclasses", `{metadata: {annotations: {volumeattributesclass.alpha.kubernetes.io/is-default-class: "true"}}}`, "Name=a "},
		{"1.33", "volumeattributesclasses", `{metadata: {annotations: {volumeattributesclass.alpha.kubernetes.io/is-default-class: "true"}}}`, "Name=a (default)"},
		{"1.34", "jobs.batch", `{status: {conditions: [{type: SuccessCriteriaMet, status: "True"}]}}`, "Status=SuccessCriteriaMet"},
		{"1.33", "jobs.batch", `{status: {conditions: [{type: SuccessCriteriaMet, status: "True"}]}}`, "Status=Running"},
		{"1.11", "jobs.batch", `{spec: {completions: 2}, status: {succeeded: 1}}`, "Name=a Desired=2 Successful=1 Age=1h"},
		{"1.30", "hpa", `{spec: {metrics: [{type: Resource, resource: {name: cpu, target: {averageUtilization: 80}}}]}}`, "Targets=cpu: <unknown>/80%"},
		{"1.29", "hpa", `{spec: {metrics: [{type: Resource, resource: {name: cpu, target: {averageUtilization: 80}}}]}}`, "Targets=<unknown>/80%"},
		{"1.26", "horizontalpodautoscalers", `{spec: {targetCPUUtilizationPercentage: 50}}`, "Targets=<unknown>/50%"}, // stored as v1
		{"1.28", "validatingadmissionpolicybindings", `{spec: {policyName: p, paramRef: {name: p}}}`, "ParamRef=*/p"},
		{"1.27", "validatingadmissionpolicybindings", `{spec: {policyName: p, paramRef: {name: p}}}`, "ParamRef=p"},
		{"1.23", "events", `{count: 0, reportingComponent: r, series: {count: 3, lastObservedTime: "2026-01-01T23:55:00.000000Z"}}`, "Source=r Message= First Seen=<unknown> Count=3"},
		{"1.22", "events", `{series: {count: 3, lastObservedTime: "2026-01-01T23:55:00.000000Z"}}`, "Count=4"},
		{"1.18", "events", `{reportingComponent: r, series: {count: 3, lastObservedTime: "2026-01-01T23:55:00.000000Z"}}`, "Source= Message= First Seen=<unknown> Count=0"},
		{"1.16", "events", `{eventTime: "2026-01-01T23:55:00.000000Z"}`, "Last Seen=5m "},
		{"1.15", "events", `{eventTime: "2026-01-01T23:55:00.000000Z"}`, "Last Seen=<unknown> "},
		{"1.13", "events", `{involvedObject: {kind: Pod, name: p}, message: " m "}`, "Kind=Pod Source= Message=m "},
		{"1.11", "events", `{involvedObject: {kind: Pod, name: p}, message: " m "}`, "Message= m "},
		{"1.16", "configmaps", `{binaryData: {k: ""}}`, "Data=1"},
		{"1.15", "configmaps", `{binaryData: {k: ""}}`, "Data=0"},
		{"1.11", "endpoints", `{subsets: [{addresses: [{ip: 10.0.0.1}]}]}`, "Endpoints=10.0.0.1"},
		{"1.10", "endpoints", `{subsets: [{addresses: [{ip: 10.0.0.1}]}]}`, "Endpoints= "},
		{"1.12", "secrets", `{data: {k: ""}}`, "Age=60m"},
		{"1.11", "secrets", `{data: {k: ""}}`, "Age=1h"},
		{"1.12", "deployments.apps", `{spec: {replicas: 3}, status: {replicas: 2}}`, "Name=a Desired=3 Current=2 Up-to-date=0"},
		{"1.36", "podgroups", `{spec: {podGroupTemplateRef: {workload: {workloadName: w}}, schedulingPolicy: {gang: {}}}, status: {conditions: [{type: PodGroupScheduled, status: "True"}]}}`, "Policy=Gang Workload=w Status=Scheduled"},
		{"1.34", "storageversionmigrations", `{spec: {resource: {group: g, version: v1, resource: r}}}`, "Name=a Resource=r.v1.g"},
		{"1.28", "clustercidrs", `{spec: {perNodeHostBits: 8, ipv4: 10.0.0.0/8, nodeSelector: {nodeSelectorTerms: [{matchFields: [{key: k, operator: Exists}]}]}}}`, "PerNodeHostBits=8 IPv4=10.0.0.0/8 IPv6=<none> Age=60m NodeSelector=MatchFields: [{k Exists []}]"},
		{"1.24", "podsecuritypolicies", `{spec: {privileged: true, allowedCapabilities: [X, Z], seLinux: {rule: RunAsAny}, volumes: [secret]}}`, "Name=a Priv=true Caps=X,Z SELinux=RunAsAny RunAsUser= FsGroup= SupGroup= ReadOnlyRootFs=false Volumes=secret"},
		{"1.25", "prioritylevelconfigurations", `{spec: {limited: {nominalConcurrencyShares: 5}}}`, "AssuredConcurrencyShares=5"},
		{"1.24", "deployments.apps", `{spec: {selector: {matchExpressions: [{key: k, operator: odd}]}}}`, "Selector=<invalid>"},
		{"1.24", "deployments.apps", `{spec: {selector: {}}}`, "Selector= "},
		{"1.30", "endpointslices", `{ports: [{name: ""}]}`, "Ports=<unset> Endpoints=<unset>"},
		{"1.34", "serviceaccounts", `{secrets: [{name: s}]}`, "Name=a Secrets=1 Age=60m"},
	} {
		release := releaseOf(t, tt.release)
		resource, _, err := everythingOf(t, release).Find(tt.words)
		if err != nil {
			t.Fatal(err)
		}
		kind := resource.Storage
		if tt.words == "hpa" {
			kind.Version = "v2"
		}
		object, _ := builtin.New(kind)
		if err := yaml.Unmarshal([]byte(tt.object), object); err != nil {
			t.Fatal(err)
		}
		resource.Kind = kind
		if got := shown(t, release, resource, object) + " "; !strings.Contains(got, tt.want) {
			t.Errorf("%s of %s:\n got %s\nwant %s", tt.words, tt.release, got, tt.want)
		}
	}
}

// Years and days of an age.
func TestAgesOfYears(t *testing.T) {
	for release, want := range map[string]string{"1.27": "3y", "1.26": "3y0d", "1.11": "3y"} {
		r := releaseOf(t, release)
		resource, _, err := everythingOf(t, r).Find("secrets")
		if err != nil {
			t.Fatal(err)
		}
		b := table.New(resource, kinds.New(nil, objects.Options{}), r, now)
		secret := &corev1.Secret{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Secret"}}
		secret.CreationTimestamp = metav1.NewTime(now.AddDate(0, 0, -3*365))
		if err := b.Add(secret); err != nil {
			t.Fatal(err)
		}
		if got := b.Table().Rows[0].Cells[3]; got != want {
			t.Errorf("%s: %v, want %s", release, got, want)
		}
	}
}

// In a list, the newest default StorageClass is the default.
func TestDefaultOfList(t *testing.T) {
	release := kubeversion.Default()
	resource, _, err := everythingOf(t, release).Find("storageclasses")
	if err != nil {
		t.Fatal(err)
	}
	b := table.New(resource, kinds.New(nil, objects.Options{}), release, now)
	b.OfList = true
	for i, name := range []string{"a", "c", "b", "d"} {
		class := &storagev1.StorageClass{TypeMeta: metav1.TypeMeta{APIVersion: "storage.k8s.io/v1", Kind: "StorageClass"}}
		class.Name = name
		class.CreationTimestamp = metav1.NewTime(now)
		if i == 0 {
			class.CreationTimestamp = metav1.NewTime(now.AddDate(-1, 0, 0))
		}
		if name != "d" {
			class.Annotations = map[string]string{"storageclass.kubernetes.io/is-default-class": "true"}
		}
		if err := b.Add(class); err != nil {
			t.Fatal(err)
		}
	}
	var names []string
	for _, row := range b.Table().Rows {
		names = append(names, fmt.Sprint(row.Cells[0]))
	}
	if got, want := strings.Join(names, ","), "a,c,b (default),d"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// The row of a pod that has ended says so.
func TestCompletedPods(t *testing.T) {
	resource, _, err := everythingOf(t, kubeversion.Default()).Find("pods")
	if err != nil {
		t.Fatal(err)
	}
	for phase, want := range map[corev1.PodPhase]string{corev1.PodSucceeded: "The pod has completed successfully.", corev1.PodFailed: "The pod failed.", corev1.PodRunning: ""} {
		b := table.New(resource, kinds.New(nil, objects.Options{}), kubeversion.Default(), now)
		if err := b.Add(&corev1.Pod{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}, Status: corev1.PodStatus{Phase: phase}}); err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, c := range b.Table().Rows[0].Conditions {
			got += c.Message
		}
		if got != want {
			t.Errorf("%s: %q, want %q", phase, got, want)
		}
	}
}

// The scale of a custom resource has its own columns.
func TestCustomScale(t *testing.T) {
	version := apiextensionsv1.CustomResourceDefinitionVersion{
		Name:         "v1",
		Subresources: &apiextensionsv1.CustomResourceSubresources{Scale: &apiextensionsv1.CustomResourceSubresourceScale{}},
	}
	resource := discovery.Resource{CRD: &apiextensionsv1.CustomResourceDefinition{Spec: apiextensionsv1.CustomResourceDefinitionSpec{
		Versions: []apiextensionsv1.CustomResourceDefinitionVersion{version},
	}}}
	resource.Version = "v1"
	resource.Kind = autoscalingv1.SchemeGroupVersion.WithKind("Scale")
	scale := &autoscalingv1.Scale{Spec: autoscalingv1.ScaleSpec{Replicas: 3}}
	if got, want := shown(t, kubeversion.Default(), resource, scale), "Name=a Desired=3 Available=0 Age=60m"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// Before 1.11, custom resources had the same columns, whatever their definition says.
func TestCustomColumnsOfOldReleases(t *testing.T) {
	resource := discovery.Resource{CRD: &apiextensionsv1.CustomResourceDefinition{Spec: apiextensionsv1.CustomResourceDefinitionSpec{
		Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{Name: "v1", AdditionalPrinterColumns: []apiextensionsv1.CustomResourceColumnDefinition{{Name: "Size", Type: "integer", JSONPath: ".spec.size"}}}},
	}}}
	resource.Version = "v1"
	for release, want := range map[string]string{"1.11": "Name=a Size=3", "1.10": "Name=a Created At=1h"} {
		widget := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"size": int64(3)}}}
		if got := shown(t, releaseOf(t, release), resource, widget); got != want {
			t.Errorf("%s: got %s, want %s", release, got, want)
		}
	}
}

// An empty table of a kind without columns of its own has no list of rows.
func TestEmptyTables(t *testing.T) {
	for words, want := range map[string]bool{"pods": true, "apiservices": true, "limitranges": false, "crd": false} {
		resource, _, err := everythingOf(t, kubeversion.Default()).Find(words)
		if err != nil {
			t.Fatal(err)
		}
		rows := table.New(resource, kinds.New(nil, objects.Options{}), kubeversion.Default(), now).Table().Rows
		if (rows != nil) != want || len(rows) > 0 {
			t.Errorf("%s: %#v", words, rows)
		}
	}
}
