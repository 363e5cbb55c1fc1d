package semantic

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

const podText = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web","creationTimestamp":"2026-01-01T00:00:00Z","labels":{"app":"web","team":"a"},
	"managedFields":[{"manager":"m","operation":"Update","time":"2026-01-01T00:00:00Z","fieldsV1":{"f:spec":{}}}],
	"ownerReferences":[{"apiVersion":"v1","kind":"Node","name":"n","uid":"1","controller":true}]},
	"spec":{"terminationGracePeriodSeconds":30,"nodeSelector":{"disk":"ssd"},"containers":[{"name":"c","image":"i","command":["/c"],
	"ports":[{"containerPort":80}],"env":[{"name":"A","valueFrom":{"fieldRef":{"fieldPath":"metadata.name"}}}],
	"resources":{"requests":{"cpu":"1","memory":"1Gi"}},"livenessProbe":{"httpGet":{"port":"http"}}}],
	"volumes":[{"name":"v","projected":{"sources":[{"secret":{"name":"s"}}]}}],"tolerations":[{"tolerationSeconds":1}]},
	"status":{"startTime":"2026-01-01T00:00:00Z","qosClass":"Burstable"}}`

func pod(t *testing.T) *corev1.Pod {
	p := &corev1.Pod{}
	if err := json.Unmarshal([]byte(podText), p); err != nil {
		t.Fatal(err)
	}
	return p
}

// DeepEqual agrees with equality.Semantic about every single change to an object.
func TestEveryChangeIsNoticed(t *testing.T) {
	tree := &unstructured.Unstructured{}
	if err := json.Unmarshal([]byte(podText), &tree.Object); err != nil {
		t.Fatal(err)
	}
	deployment := &appsv1.Deployment{Spec: appsv1.DeploymentSpec{Replicas: new(int32(1)), Template: corev1.PodTemplateSpec{Spec: pod(t).Spec}}}
	for _, object := range []runtime.Object{pod(t), tree, deployment} {
		if !DeepEqual(object, object.DeepCopyObject()) {
			t.Errorf("a copy of a %T is not the same", object)
		}
		for n := 0; ; n++ {
			changed := object.DeepCopyObject()
			left := n
			if !change(reflect.ValueOf(changed).Elem(), &left) {
				if n < 60 {
					t.Errorf("a %T was changed in %d ways only", object, n)
				}
				break
			}
			want := equality.Semantic.DeepEqual(object, changed)
			if got := DeepEqual(object, changed); got != want || DeepEqual(changed, object) != want {
				t.Errorf("change %d of a %T: equal %v, want %v", n, object, got, want)
			}
		}
	}
}

// change makes the n-th of the changes that can be made to v.
func change(v reflect.Value, n *int) bool {
	due := func() bool { *n--; return *n == -1 }
	switch v.Kind() {
	case reflect.Struct:
		if v.Type() == quantity && due() {
			v.Set(reflect.ValueOf(resource.MustParse("77")))
			return true
		}
		if v.Type() == someTime && due() {
			v.Set(reflect.ValueOf(metav1.Unix(77, 0)))
			return true
		}
		for i := range v.NumField() {
			if v.Field(i).CanSet() && change(v.Field(i), n) {
				return true
			}
		}
	case reflect.Pointer, reflect.Slice, reflect.Map, reflect.Interface:
		return changeReference(v, n, due)
	case reflect.String:
		if due() {
			v.SetString(v.String() + "x")
			return true
		}
	case reflect.Bool:
		if due() {
			v.SetBool(!v.Bool())
			return true
		}
	case reflect.Int, reflect.Int32, reflect.Int64:
		if due() {
			v.SetInt(v.Int() + 1)
			return true
		}
	}
	return false
}

func changeReference(v reflect.Value, n *int, due func() bool) bool {
	switch {
	case due():
		switch {
		case !v.IsNil():
			v.SetZero()
		case v.Kind() == reflect.Slice:
			v.Set(reflect.MakeSlice(v.Type(), 0, 0))
		case v.Kind() == reflect.Map:
			v.Set(reflect.MakeMap(v.Type()))
		case v.Kind() == reflect.Pointer:
			v.Set(reflect.New(v.Type().Elem()))
		}
		return true
	case v.IsNil():
		return false
	case v.Kind() == reflect.Pointer:
		return change(v.Elem(), n)
	case v.Kind() == reflect.Slice:
		for i := range v.Len() {
			if change(v.Index(i), n) {
				return true
			}
		}
	case v.Kind() == reflect.Map:
		for _, key := range v.MapKeys() {
			member := reflect.New(v.Type().Elem()).Elem()
			member.Set(v.MapIndex(key))
			if change(member, n) {
				v.SetMapIndex(key, member)
				return true
			}
		}
	case v.Kind() == reflect.Interface:
		inner := reflect.New(v.Elem().Type()).Elem()
		inner.Set(v.Elem())
		if change(inner, n) {
			v.Set(inner)
			return true
		}
	}
	return false
}

func TestDeepEqual(t *testing.T) {
	noon := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	elsewhere := noon.In(time.FixedZone("there", 3600))
	one, milli := resource.MustParse("1"), resource.MustParse("1000m")
	for name, tt := range map[string][2]any{
		"a nil and an empty list":  {corev1.PodSpec{}, corev1.PodSpec{Containers: []corev1.Container{}}},
		"a nil and an empty map":   {metav1.ObjectMeta{}, metav1.ObjectMeta{Labels: map[string]string{}}},
		"nil and a pointer":        {corev1.PodSpec{}, corev1.PodSpec{SecurityContext: &corev1.PodSecurityContext{}}},
		"quantities":               {one, milli},
		"quantities in a map":      {corev1.ResourceList{"cpu": one}, corev1.ResourceList{"cpu": milli}},
		"different members":        {corev1.ResourceList{"cpu": one}, corev1.ResourceList{"memory": one}},
		"a quantity that is unset": {resource.Quantity{}, resource.MustParse("0")},
		"times":                    {metav1.NewTime(noon), metav1.NewTime(elsewhere)},
		"pointers to times":        {new(metav1.NewTime(noon)), new(metav1.NewTime(elsewhere))},
		"times with fractions":     {metav1.NewMicroTime(noon), metav1.NewMicroTime(elsewhere)},
		"ports":                    {intstr.FromInt32(1), intstr.FromString("1")},
		"bytes":                    {map[string][]byte{"a": []byte("1")}, map[string][]byte{"a": []byte("2")}},
		"types":                    {corev1.Pod{}, &corev1.Pod{}},
		"nothing":                  {nil, nil},
		"nil and a value":          {nil, ""},
		"numbers in a tree":        {map[string]any{"a": int64(1)}, map[string]any{"a": float64(1)}},
		"fractions in a tree":      {map[string]any{"a": 1.5}, map[string]any{"a": 1.5}},
		"null in a tree":           {map[string]any{"a": nil}, map[string]any{"b": nil}},
	} {
		if got, want := DeepEqual(tt[0], tt[1]), equality.Semantic.DeepEqual(tt[0], tt[1]); got != want {
			t.Errorf("%s: equal %v, want %v", name, got, want)
		}
	}
}

func BenchmarkDeepEqual(b *testing.B) {
	p := &corev1.Pod{}
	if err := json.Unmarshal([]byte(podText), p); err != nil {
		b.Fatal(err)
	}
	other := p.DeepCopy()
	for name, equal := range map[string]func(any, any) bool{"here": DeepEqual, "apimachinery": equality.Semantic.DeepEqual} {
		b.Run("by="+name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if !equal(p, other) {
					b.Fatal("not equal")
				}
			}
		})
	}
}

// Raw JSON is compared byte by byte (RT-11a).
func TestRawJSON(t *testing.T) {
	raw := func(text string) *appsv1.ControllerRevision {
		return &appsv1.ControllerRevision{Data: runtime.RawExtension{Raw: []byte(text)}}
	}
	for _, test := range []struct {
		a, b string
		want bool
	}{
		{`{"a":[1]}`, `{"a":[1]}`, true},
		{`{"a":[1]}`, `{"a": [1]}`, false},
		{`{"a":1,"b":2}`, `{"b":2,"a":1}`, false},
	} {
		if got := DeepEqual(raw(test.a), raw(test.b)); got != test.want {
			t.Errorf("DeepEqual(%s, %s) = %v, want %v", test.a, test.b, got, test.want)
		}
	}
}
