package rules_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// TestInternalDiff checks how values of the server's internal types are written up to 1.33 (ER-07).
func TestInternalDiff(t *testing.T) {
	noon := metav1.NewTime(time.Date(2026, 1, 1, 13, 0, 0, 0, time.FixedZone("CET", 3600)))
	approved := certificatesv1.CertificateSigningRequestCondition{Type: certificatesv1.CertificateApproved, Status: corev1.ConditionTrue, LastUpdateTime: noon}
	late := approved
	late.Reason = "Late"
	withProjection := func(name string) corev1.PodSpec {
		token := corev1.ServiceAccountTokenProjection{ExpirationSeconds: ptr.To[int64](3607), Path: name}
		return corev1.PodSpec{HostNetwork: true, Volumes: []corev1.Volume{{VolumeSource: corev1.VolumeSource{Projected: &corev1.ProjectedVolumeSource{
			Sources: []corev1.VolumeProjection{{ServiceAccountToken: &token}},
		}}}}}
	}
	withClaim := func(name string) corev1.PodSpec {
		return corev1.PodSpec{ResourceClaims: []corev1.PodResourceClaim{{Name: "gpu", ResourceClaimName: &name}}}
	}
	requests := func(size string) corev1.VolumeResourceRequirements {
		return corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse(size)}}
	}
	exec := corev1.Probe{ProbeHandler: corev1.ProbeHandler{Exec: &corev1.ExecAction{Command: []string{"true"}}}}
	for _, c := range []struct {
		reason   string
		release  string
		old, obj any
		want     string // lines of the difference, without tabs
	}{
		{"a duration that v1 points to is a number", "1.31", withProjection("a"), withProjection("b"), `ExpirationSeconds: 3607,`},
		{"what a pod shares with its host is in its security context", "1.31", corev1.PodSpec{}, corev1.PodSpec{HostIPC: true}, `
  SecurityContext: &core.PodSecurityContext{
  HostNetwork:           false,
  HostPID:               false,
- HostIPC:               false,
+ HostIPC:               true,
  ShareProcessNamespace: nil,
  HostUsers:             nil,
  ... // 12 identical fields
  },
`},
		{"up to 1.30, claims have sources", "1.30", withClaim("a"), withClaim("b"), `
  Source: core.ClaimSource{
- ResourceClaimName:         &"a",
+ ResourceClaimName:         &"b",
  ResourceClaimTemplateName: nil,
`},
		{"since 1.31, they have none", "1.31", withClaim("a"), withClaim("b"), `
  Name:                      "gpu",
- ResourceClaimName:         &"a",
`},
		{"only the fields of the release count, in their internal order", "1.29", corev1.PodSpec{Subdomain: "a"}, corev1.PodSpec{Subdomain: "b"}, `
  ... // 13 identical fields
  ImagePullSecrets:  nil,
  Hostname:          "",
- Subdomain:         "a",
+ Subdomain:         "b",
  SetHostnameAsFQDN: nil,
  Affinity:          nil,
  ... // 15 identical fields
`},
		{"times are shown by their method, in UTC", "1.33", []certificatesv1.CertificateSigningRequestCondition{approved}, []certificatesv1.CertificateSigningRequestCondition{late}, `
- Reason:             "",
+ Reason:             "Late",
  Message:            "",
  LastUpdateTime:     {Time: s"2026-01-01 12:00:00 +0000 UTC"},
  LastTransitionTime: {},
`},
		{"the old quantity has its canonical form", "1.32", requests("1024Mi"), requests("1025Mi"), `- s"storage": {i: resource.int64Amount{value: 1073741824}, s: "1Gi", Format: "BinarySI"},`},
		{"a new quantity is as it was sent", "1.32", requests("1Gi"), requests("2048Mi"), `+ Requests: core.ResourceList{s"storage": {i: resource.int64Amount{value: 2147483648}, Format: "BinarySI"}},`},
		{"a decimal is shown by its method", "1.32", requests("1Gi"), requests("0.5Gi"), `+ Requests: core.ResourceList{s"storage": {d: s"536870912.000000000", Format: "BinarySI"}},`},
		{"the server passes pointers to claims", "1.32", &corev1.PersistentVolumeClaim{}, &corev1.PersistentVolumeClaim{Status: corev1.PersistentVolumeClaimStatus{Phase: "Lost"}}, `
  &core.PersistentVolumeClaim{
  TypeMeta:   {},
  ObjectMeta: {},
  Spec:       {},
  Status: core.PersistentVolumeClaimStatus{
- Phase:       "",
+ Phase:       "Lost",
`},
		{"up to 1.27, the status of a claim said how far a resize is", "1.27", corev1.PersistentVolumeClaimStatus{}, corev1.PersistentVolumeClaimStatus{AllocatedResources: corev1.ResourceList{"storage": resource.MustParse("1Gi")}}, `
+ AllocatedResources: core.ResourceList{
+ s"storage": {i: resource.int64Amount{value: 1073741824}, s: "1Gi", Format: "BinarySI"},
+ },
  ResizeStatus: nil,
`},
		{"up to 1.25, a dataSourceRef has the type of a dataSource", "1.25", corev1.PersistentVolumeClaimSpec{}, corev1.PersistentVolumeClaimSpec{DataSourceRef: &corev1.TypedObjectReference{Kind: "K", Name: "n"}}, `
+ DataSourceRef: &core.TypedLocalObjectReference{Kind: "K", Name: "n"},
`},
		{"up to 1.22, probes and hooks have one type", "1.22", corev1.Container{}, corev1.Container{LivenessProbe: &exec, Lifecycle: &corev1.Lifecycle{PreStop: &corev1.LifecycleHandler{}}}, `
+ LivenessProbe:            &core.Probe{Handler: core.Handler{Exec: &core.ExecAction{Command: []string{...}}}},
  ReadinessProbe:           nil,
  StartupProbe:             nil,
- Lifecycle:                nil,
+ Lifecycle:                &core.Lifecycle{PreStop: &core.Handler{}},
`},
		{"since 1.34, JSON is compared", "1.34", corev1.LocalObjectReference{Name: "a"}, corev1.LocalObjectReference{Name: "b"}, `
- "Name": "a"
+ "Name": "b"
`},
	} {
		release, err := kubeversion.Parse(c.release)
		if err != nil {
			t.Fatal(err)
		}
		got := strings.ReplaceAll(rules.InternalDiff(release, c.old, c.obj), "\t", "")
		if !strings.Contains(got, strings.TrimPrefix(c.want, "\n")) {
			t.Errorf("%s: the difference is\n%s\nwithout\n%s", c.reason, got, c.want)
		}
	}
}

// Up to 1.23, differences between specs go from the new one to the old one (ER-07).
func TestSpecDiff(t *testing.T) {
	for version, want := range map[string]string{"1.23": "- Name: \"new\",\n+ Name: \"old\",", "1.24": "- Name: \"old\",\n+ Name: \"new\","} {
		release, err := kubeversion.Parse(version)
		if err != nil {
			t.Fatal(err)
		}
		got := strings.ReplaceAll(rules.SpecDiff(release, corev1.LocalObjectReference{Name: "old"}, corev1.LocalObjectReference{Name: "new"}), "\t", "")
		if !strings.Contains(got, want) {
			t.Errorf("in %s, the difference is\n%s\nwithout\n%s", version, got, want)
		}
	}
}

// Up to 1.14, the difference is the JSON of both specs in the server's internal types, which begins with what they share
// (ER-07).
func TestSpecDiffAsJSON(t *testing.T) {
	release, err := kubeversion.Parse("1.14")
	if err != nil {
		t.Fatal(err)
	}
	spec := func(port int) corev1.Container {
		return corev1.Container{Name: "c", LivenessProbe: &corev1.Probe{ProbeHandler: corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{Port: intstr.FromInt(port)}}}}
	}
	const same = `{"Name":"c","Image":"","Command":null,"Args":null,"WorkingDir":"","Ports":null,"EnvFrom":null,"Env":null,` +
		`"Resources":{"Limits":null,"Requests":null},"VolumeMounts":null,"VolumeDevices":null,"LivenessProbe":{"Exec":null,"HTTPGet":{"Path":"","Port":8`
	const rest = `,"Host":"","Scheme":"","HTTPHeaders":null},"TCPSocket":null,"InitialDelaySeconds":0,"TimeoutSeconds":0,"PeriodSeconds":0,` +
		`"SuccessThreshold":0,"FailureThreshold":0},"ReadinessProbe":null,"Lifecycle":null,"TerminationMessagePath":"","TerminationMessagePolicy":"",` +
		`"ImagePullPolicy":"","SecurityContext":null,"Stdin":false,"StdinOnce":false,"TTY":false}`
	want := same + "\n\nA: 1" + rest + "\n\nB: 0" + rest + "\n\n"
	if diff := cmp.Diff(want, rules.SpecDiff(release, spec(80), spec(81))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestInternalDiffAsPublished compares the difference between values whose internal types are those of v1 with that
// of go-cmp.
func TestInternalDiffAsPublished(t *testing.T) {
	release, err := kubeversion.Parse("1.33")
	if err != nil {
		t.Fatal(err)
	}
	old := corev1.PersistentVolumeClaimSpec{
		AccessModes:      []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
		Resources:        corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{"storage": resource.MustParse("1Gi")}},
		StorageClassName: ptr.To("fast"),
		DataSource:       &corev1.TypedLocalObjectReference{Kind: "VolumeSnapshot", Name: "s", APIGroup: ptr.To("g")},
	}
	for _, change := range []func(*corev1.PersistentVolumeClaimSpec){
		func(s *corev1.PersistentVolumeClaimSpec) { s.AccessModes = append(s.AccessModes, corev1.ReadOnlyMany) },
		func(s *corev1.PersistentVolumeClaimSpec) { s.Resources.Requests["cpu"] = resource.MustParse("0.1") },
		func(s *corev1.PersistentVolumeClaimSpec) {
			s.Resources.Requests["storage"] = resource.MustParse("0.1Ti")
		},
		func(s *corev1.PersistentVolumeClaimSpec) { s.Resources = corev1.VolumeResourceRequirements{} },
		func(s *corev1.PersistentVolumeClaimSpec) { s.StorageClassName = nil },
		func(s *corev1.PersistentVolumeClaimSpec) { s.VolumeName = strings.Repeat("volume-", 80) },
		func(s *corev1.PersistentVolumeClaimSpec) { s.DataSource.APIGroup = nil },
	} {
		obj := old.DeepCopy()
		change(obj)
		want := strings.NewReplacer("v1.", "core.", "\u00a0", " ").Replace(cmp.Diff(old, *obj))
		if got := rules.InternalDiff(release, old, *obj); got != want {
			t.Errorf("the difference is\n%s\ngo-cmp writes\n%s", got, want)
		}
	}
}
