package fields

import (
	"cmp"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
)

func pod(change func(*corev1.Pod)) *corev1.Pod {
	p := &corev1.Pod{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
		ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "shop", UID: "1", ResourceVersion: "5"},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "web", Image: "nginx:1"}}},
	}
	if change != nil {
		change(p)
	}
	return p
}

// job returns a Job with a label that repeats its uid, or has another one.
func job(uid, label string) *batchv1.Job {
	return &batchv1.Job{
		TypeMeta:   metav1.TypeMeta{APIVersion: "batch/v1", Kind: "Job"},
		ObjectMeta: metav1.ObjectMeta{Name: "job", UID: types.UID(uid), Labels: map[string]string{"controller-uid": cmp.Or(label, uid)}},
	}
}

// What differs by chance is not a difference. Where Same already says so, Diff agrees.
func TestDiff(t *testing.T) {
	custom := func(uid string) runtime.Object {
		return &unstructured.Unstructured{Object: map[string]any{"apiVersion": "example.com/v1", "kind": "Widget", "metadata": map[string]any{"name": "w", "uid": uid}}}
	}
	service := func(ip string) runtime.Object {
		return &corev1.Service{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Service"}, Spec: corev1.ServiceSpec{ClusterIP: ip, ClusterIPs: []string{ip}}}
	}
	for _, tt := range []struct {
		reason    string
		a, b      runtime.Object
		generated bool
		same      bool
		want      string // the path of the only difference; empty: none
	}{
		{"nothing differs", pod(nil), pod(nil), false, true, ""},
		{"what a server makes up", pod(nil), pod(func(p *corev1.Pod) {
			p.UID, p.ResourceVersion, p.CreationTimestamp = "2", "9", metav1.Unix(1, 0)
			p.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: "a"}}
		}), false, true, ""},
		{"an image", pod(nil), pod(func(p *corev1.Pod) { p.Spec.Containers[0].Image = "nginx:2" }), false, false, "/spec/containers/*/image"},
		{"a name", pod(nil), pod(func(p *corev1.Pod) { p.Name = "other" }), false, false, "/metadata/name"},
		{"a generated name", pod(nil), pod(func(p *corev1.Pod) { p.Name = "other" }), true, false, ""},
		{"the uid of an owner", pod(func(p *corev1.Pod) { p.OwnerReferences = []metav1.OwnerReference{{Name: "o", UID: types.UID("1")}} }),
			pod(func(p *corev1.Pod) { p.OwnerReferences = []metav1.OwnerReference{{Name: "o", UID: types.UID("2")}} }), false, false, ""},
		{"the uid, repeated in a label", job("00000000-0000-4000-8000-000000000001", ""), job("00000000-0000-4000-8000-000000000002", ""), false, false, ""},
		{"the uid of another object in a label", job("00000000-0000-4000-8000-000000000001", ""), job("00000000-0000-4000-8000-000000000002", "00000000-0000-4000-8000-000000000009"), false, false, "/metadata/labels/controller-uid"},
		{"the volume of a token", pod(func(p *corev1.Pod) { p.Spec.Volumes = []corev1.Volume{{Name: "kube-api-access-abcde"}} }),
			pod(func(p *corev1.Pod) { p.Spec.Volumes = []corev1.Volume{{Name: "kube-api-access-fghij"}} }), false, false, ""},
		{"the address of a Service", service("10.0.0.1"), service("10.0.0.2"), false, false, ""},
		{"a custom resource, whose metadata is a map", custom("1"), custom("2"), false, false, ""},
	} {
		if got := Same(tt.a, tt.b); got != tt.same {
			t.Errorf("%s: Same = %v, want %v", tt.reason, got, tt.same)
		}
		operations, err := Diff(tt.a, tt.b, tt.generated)
		if err != nil {
			t.Errorf("%s: %v", tt.reason, err)
			continue
		}
		switch {
		case tt.want == "" && len(operations) > 0, tt.want != "" && len(operations) != 1:
			t.Errorf("%s: the differences are %v, want %q", tt.reason, operations, tt.want)
		case tt.want != "" && Anywhere(operations[0].Path) != tt.want:
			t.Errorf("%s: the difference is at %s, want %s", tt.reason, operations[0].Path, tt.want)
		}
	}
}

func TestGenerated(t *testing.T) {
	for _, tt := range []struct {
		sent, stored runtime.Object
		want         bool
	}{
		{pod(nil), pod(nil), false},
		{pod(func(p *corev1.Pod) { p.Name, p.GenerateName = "", "web-" }), pod(func(p *corev1.Pod) { p.Name = "web-x2z" }), true},
		{nil, pod(nil), true}, // unknown
	} {
		if got := Generated(tt.sent, tt.stored); got != tt.want {
			t.Errorf("Generated(%v, %v) = %v, want %v", tt.sent, tt.stored, got, tt.want)
		}
	}
}

func TestUnhashed(t *testing.T) {
	ofDeployment := pod(func(p *corev1.Pod) { p.Labels = map[string]string{"pod-template-hash": "5d4f8"} })
	for about, want := range map[*corev1.Pod]string{ofDeployment: "pod web-*-x2z", pod(nil): "pod web-5d4f8-x2z"} {
		if got := Unhashed("pod web-5d4f8-x2z", runtime.Object(about)); got != want {
			t.Errorf("Unhashed about a pod with the labels %v = %q, want %q", about.Labels, got, want)
		}
	}
}

func TestAnywhere(t *testing.T) {
	for pointer, want := range map[string]string{
		"":                          "",
		"/spec/containers/0/image":  "/spec/containers/*/image",
		"/spec/containers/-":        "/spec/containers/*",
		"/metadata/labels/a~1b":     "/metadata/labels/a~1b",
		"/spec/containers/12/env/3": "/spec/containers/*/env/*",
	} {
		if got := Anywhere(pointer); got != want {
			t.Errorf("Anywhere(%q) = %q, want %q", pointer, got, want)
		}
	}
}
