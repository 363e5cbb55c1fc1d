package wire_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/encoding/protowire"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	resourcev1 "k8s.io/api/resource/v1"
	resourcev1alpha3 "k8s.io/api/resource/v1alpha3"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/wire"
)

type encoded interface{ Marshal() ([]byte, error) }

// fields writes a message: numbers with texts, or with other messages.
func fields(of ...any) (data []byte) {
	for i := 0; i < len(of); i += 2 {
		data = protowire.AppendTag(data, protowire.Number(of[i].(int)), protowire.BytesType)
		switch value := of[i+1].(type) {
		case string:
			data = protowire.AppendString(data, value)
		case []byte:
			data = protowire.AppendBytes(data, value)
		case encoded:
			text, err := value.Marshal()
			if err != nil {
				panic(err)
			}
			data = protowire.AppendBytes(data, text)
		}
	}
	return data
}

// A released is an encoder of a release, which writes an object as this text.
type released struct {
	text []byte
	has  bool // the release has the lost fields
}

func (r released) Encode(runtime.Object) ([]byte, error) { return r.text, nil }

func (r released) Lost(schema.GroupVersionKind) func(string, string) bool {
	return func(string, string) bool { return r.has }
}

// Fields that the Go types no longer have are read and written where the release has them (CV-10b, CV-11a).
func TestLostFields(t *testing.T) {
	two := resource.MustParse("2")
	mapping := fields(1, "cpu", 2, fields(1, "memory", 2, &two))
	for name, tt := range map[string]struct {
		kind schema.GroupVersionKind
		raw  []byte
		part func(map[string]any) any
		want any
	}{
		"a device of a slice": {
			kind: resourcev1.SchemeGroupVersion.WithKind("ResourceSlice"),
			raw:  fields(1, &metav1.ObjectMeta{Name: "s"}, 2, fields(1, "d", 6, fields(1, "a"), 6, fields(1, "b", 13, mapping))),
			part: func(o map[string]any) any {
				return o["spec"].(map[string]any)["devices"].([]any)[1].(map[string]any)["nodeAllocatableResourceMappings"]
			},
			want: map[string]any{"cpu": map[string]any{"capacityKey": "memory", "allocationMultiplier": "2"}},
		},
		"a claim of a pod": {
			kind: corev1.SchemeGroupVersion.WithKind("Pod"),
			raw:  fields(1, &metav1.ObjectMeta{Name: "p"}, 3, fields(21, fields(1, "claim", 3, fields(1, "cpu", 2, &two)))),
			part: func(o map[string]any) any {
				return o["status"].(map[string]any)["nodeAllocatableResourceClaimStatuses"].([]any)[0].(map[string]any)["resources"]
			},
			want: map[string]any{"cpu": "2"},
		},
		"a workload": {
			kind: corev1.SchemeGroupVersion.WithKind("Pod"),
			raw:  fields(1, &metav1.ObjectMeta{Name: "p"}, 2, fields(10, "node", 42, fields(1, "w", 2, "g"))),
			part: func(o map[string]any) any { return o["spec"].(map[string]any)["workloadRef"] },
			want: map[string]any{"name": "w", "podGroup": "g"},
		},
		"claims of a claim": {
			kind: corev1.SchemeGroupVersion.WithKind("PersistentVolumeClaim"),
			raw:  fields(1, &metav1.ObjectMeta{Name: "c"}, 2, fields(2, fields(3, fields(1, "gpu")), 3, "volume"), 3, fields(6, "NodeExpansionPending")),
			part: func(o map[string]any) any {
				return []any{o["spec"].(map[string]any)["resources"], o["status"].(map[string]any)["resizeStatus"]}
			},
			want: []any{map[string]any{"claims": []any{map[string]any{"name": "gpu"}}}, "NodeExpansionPending"},
		},
		"metadata of an object and its template": {
			kind: appsv1.SchemeGroupVersion.WithKind("Deployment"),
			raw: fields(1, fields(1, "d", 15, "c", 16, fields(1, fields(1, "a.b.c"), 1, fields(1, "d.e.f"), 2, &metav1.Status{Status: "Failure"})),
				2, fields(3, fields(1, fields(15, "t")))),
			part: func(o map[string]any) any {
				m := o["metadata"].(map[string]any)
				template := o["spec"].(map[string]any)["template"].(map[string]any)["metadata"].(map[string]any)
				return []any{m["clusterName"], m["initializers"], template["clusterName"]}
			},
			want: []any{"c", map[string]any{"pending": []any{map[string]any{"name": "a.b.c"}, map[string]any{"name": "d.e.f"}},
				"result": map[string]any{"status": "Failure", "metadata": map[string]any{}}}, "t"},
		},
		"the template of a claim, in a struct that a volume embeds": {
			kind: corev1.SchemeGroupVersion.WithKind("Pod"),
			raw: fields(1, &metav1.ObjectMeta{Name: "p"}, 2, fields(1, fields(1, "v", 2, fields(29, fields(1,
				fields(1, fields(1, "t", 15, "c"), 2, fields(2, fields(3, fields(1, "gpu"))))))))),
			part: func(o map[string]any) any {
				volume := o["spec"].(map[string]any)["volumes"].([]any)[0].(map[string]any)
				template := volume["ephemeral"].(map[string]any)["volumeClaimTemplate"].(map[string]any)
				return []any{template["metadata"].(map[string]any)["clusterName"], template["spec"].(map[string]any)["resources"]}
			},
			want: []any{"c", map[string]any{"claims": []any{map[string]any{"name": "gpu"}}}},
		},
		"the state of a series": {
			kind: corev1.SchemeGroupVersion.WithKind("Event"),
			raw:  fields(1, &metav1.ObjectMeta{Name: "e"}, 11, fields(3, "Ongoing")),
			part: func(o map[string]any) any { return o["series"].(map[string]any)["state"] },
			want: "Ongoing",
		},
		"topologies of a service": {
			kind: corev1.SchemeGroupVersion.WithKind("Service"),
			raw:  fields(1, &metav1.ObjectMeta{Name: "s"}, 2, fields(4, "ClusterIP", 16, "a", 16, "*")),
			part: func(o map[string]any) any { return o["spec"].(map[string]any)["topologyKeys"] },
			want: []any{"a", "*"},
		},
		"the address family of a service": {
			kind: corev1.SchemeGroupVersion.WithKind("Service"),
			raw:  fields(1, &metav1.ObjectMeta{Name: "s"}, 2, fields(4, "ClusterIP", 15, "IPv6")),
			part: func(o map[string]any) any { return o["spec"].(map[string]any)["ipFamily"] },
			want: "IPv6",
		},
		"the status of a policy": {
			kind: networkingv1.SchemeGroupVersion.WithKind("NetworkPolicy"),
			raw:  fields(1, &metav1.ObjectMeta{Name: "p"}, 2, fields(1, ""), 3, fields(1, &metav1.Condition{Type: "Ready"})),
			part: func(o map[string]any) any { return o["status"] },
			want: map[string]any{"conditions": []any{map[string]any{"type": "Ready", "status": "", "lastTransitionTime": nil, "reason": "", "message": ""}}},
		},
		"what is tainted": {
			kind: resourcev1alpha3.SchemeGroupVersion.WithKind("DeviceTaintRule"),
			raw:  fields(1, &metav1.ObjectMeta{Name: "r"}, 2, fields(1, fields(1, "class", 2, "driver", 5, fields(1, fields(1, "true")), 5, fields(1, fields(1, "false"))))),
			part: func(o map[string]any) any { return o["spec"].(map[string]any)["deviceSelector"] },
			want: map[string]any{"deviceClassName": "class", "driver": "driver", "selectors": []any{
				map[string]any{"cel": map[string]any{"expression": "true"}}, map[string]any{"cel": map[string]any{"expression": "false"}}}},
		},
	} {
		unknown := runtime.Unknown{Raw: tt.raw}
		unknown.APIVersion, unknown.Kind = tt.kind.ToAPIVersionAndKind()
		data, err := unknown.Marshal()
		if err != nil {
			t.Fatal(err)
		}
		body := append([]byte("k8s\x00"), data...)
		text, err := wire.Protobuf.Body(body, tt.kind, func(string, string) bool { return true })
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var object map[string]any
		if err := json.Unmarshal(text, &object); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.want, tt.part(object)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		writeLost(t, name, tt.kind, text)
		if plain, err := wire.Protobuf.Body(body, tt.kind, func(string, string) bool { return false }); err != nil || len(plain) >= len(text) {
			t.Errorf("%s, in a release without the field: %s, %v", name, plain, err)
		}
	}
}

// Fields that are no pointers are also written where they are empty, in all metadata.
func TestEmptyLostFields(t *testing.T) {
	pod := &corev1.Pod{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}, ObjectMeta: metav1.ObjectMeta{Name: "p"}}
	pod.Spec.Volumes = []corev1.Volume{{Name: "v", VolumeSource: corev1.VolumeSource{Ephemeral: &corev1.EphemeralVolumeSource{
		VolumeClaimTemplate: &corev1.PersistentVolumeClaimTemplate{ObjectMeta: metav1.ObjectMeta{Name: "t"}},
	}}}}
	template := `{"metadata": {"name": "t", "clusterName": "c"}, "spec": {"resources": {}}}`
	text := []byte(`{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": {"containers": null, "volumes": [{"name": "v", "ephemeral": {"volumeClaimTemplate": ` + template + `}}]}, "status": {}}`)
	data, err := wire.Media{Format: wire.Protobuf}.Encode(released{text, true}, pod)
	if err != nil {
		t.Fatal(err)
	}
	raw := rawOf(t, data)
	for _, want := range [][]byte{fields(15, ""), fields(15, "c")} {
		if !bytes.Contains(raw, want) {
			t.Errorf("%q is not in %q", want, raw)
		}
	}
	plain, err := wire.Media{Format: wire.Protobuf}.Encode(released{text, false}, pod)
	if err != nil {
		t.Fatal(err)
	}
	// An empty clusterName, and another one with a byte more.
	if more := len(raw) - len(rawOf(t, plain)); more != 2+3 {
		t.Errorf("lost fields need %d bytes, want 5", more)
	}

	// Without a value in the JSON, the object is not read again, with the same result.
	quick, err := wire.Media{Format: wire.Protobuf}.Encode(released{bytes.Replace(text, []byte(`, "clusterName": "c"`), nil, 1), true}, pod)
	if err != nil {
		t.Fatal(err)
	}
	slow, err := wire.Media{Format: wire.Protobuf}.Encode(released{bytes.Replace(text, []byte(`"clusterName": "c"`), []byte(`"clusterName": ""`), 1), true}, pod)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(quick, slow) || len(quick) != len(data)-1 {
		t.Errorf("without a value: %q, want %q", rawOf(t, quick), rawOf(t, slow))
	}
}

// writeLost writes an object, alone and in a list, and checks that its lost fields can be read again.
func writeLost(t *testing.T, name string, kind schema.GroupVersionKind, text []byte) {
	t.Helper()
	object := wire.Empty(kind, false)
	if err := json.Unmarshal(text, object); err != nil {
		t.Fatal(err)
	}
	list, err := wire.List(kind.GroupVersion().WithKind(kind.Kind+"List"), metav1.ListMeta{ResourceVersion: "7"}, []runtime.Object{object, object})
	if err != nil {
		t.Fatal(err)
	}
	media := wire.Media{Format: wire.Protobuf}
	data, err := media.Encode(released{text, true}, object)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	back, err := wire.Protobuf.Body(data, schema.GroupVersionKind{}, func(string, string) bool { return true })
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if diff := cmp.Diff(parsed(t, text), parsed(t, back)); diff != "" {
		t.Errorf("%s, written and read (-text +read):\n%s", name, diff)
	}
	item := rawOf(t, data)
	items, err := media.Encode(released{text, true}, list)
	if err != nil {
		t.Fatalf("%s, in a list: %v", name, err)
	}
	if want := fields(1, &metav1.ListMeta{ResourceVersion: "7"}, 2, item, 2, item); !bytes.Equal(want, rawOf(t, items)) {
		t.Errorf("%s, in a list: %q, want %q", name, rawOf(t, items), want)
	}
	if plain, err := media.Encode(released{text, false}, object); err != nil || len(plain) >= len(data) {
		t.Errorf("%s: a release without the field writes %q, %v", name, plain, err)
	}
}

func parsed(t *testing.T, text []byte) (object map[string]any) {
	t.Helper()
	if err := json.Unmarshal(text, &object); err != nil {
		t.Fatal(err)
	}
	return object
}

// rawOf returns the message in a body.
func rawOf(t *testing.T, body []byte) []byte {
	t.Helper()
	var unknown runtime.Unknown
	if err := unknown.Unmarshal(body[len("k8s\x00"):]); err != nil {
		t.Fatal(err)
	}
	return unknown.Raw
}
