package objects_test

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/internal/objects/core"
	"github.com/admsim/admsim/internal/objects/kinds"
	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/pkg/kubeversion"
)

const settled = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web","namespace":"shop","labels":{"app":"web"},"annotations":{"a":"b"}},"spec":{
	"serviceAccountName":"web","hostNetwork":false,
	"initContainers":[{"name":"prepare","image":"registry.example/prepare:1"}],
	"containers":[{"name":"web","image":"registry.example/web:1","ports":[{"containerPort":80,"hostPort":80},{"containerPort":81}],
		"env":[{"name":"A","value":"1"},{"name":"IP","valueFrom":{"fieldRef":{"fieldPath":"status.podIP"}}}],
		"resources":{"limits":{"cpu":"1"},"requests":{"memory":"1Gi"}},
		"livenessProbe":{"httpGet":{"port":80}},"readinessProbe":{"exec":{"command":["true"]}},"startupProbe":{"tcpSocket":{"port":80}},
		"volumeMounts":[{"name":"token","mountPath":"/token"}]}],
	"volumes":[{"name":"scratch","emptyDir":{}},{"name":"data","persistentVolumeClaim":{"claimName":"data"}},
		{"name":"secret","secret":{"secretName":"s"}},{"name":"settings","configMap":{"name":"s","items":[{"key":"a","path":"a"}]}},
		{"name":"token","projected":{"sources":[{"serviceAccountToken":{"path":"token"}},{"configMap":{"name":"ca"}},
			{"downwardAPI":{"items":[{"path":"namespace","fieldRef":{"fieldPath":"metadata.namespace"}}]}}]}}]}}`

// A pod that is reported as settled is settled, also after any single change to a settled pod.
func TestSettledPodsHaveTheirDefaults(t *testing.T) {
	types := kinds.New(nil, objects.Options{})
	obj, _, err := types.Decode([]byte(settled), corev1.SchemeGroupVersion.WithKind("Pod"), objects.Strict)
	if err != nil {
		t.Fatal(err)
	}
	p := obj.(*corev1.Pod)
	hubs := core.Kinds().Hubs
	i := slices.IndexFunc(hubs, func(k rules.Kind) bool { return k.GVK().Kind == "Pod" })
	isSettled := func() bool { return hubs[i].Settled(p, kubeversion.Default()) }
	if !isSettled() {
		t.Fatal("a pod with its defaults is not settled: everything that is stored is copied")
	}
	tried, still := 0, 0
	everyChangeOf(reflect.ValueOf(p).Elem(), "", 0, func(where string) {
		if tried++; !isSettled() {
			return
		}
		still++
		if diff := cmp.Diff(p, types.Default(p)); diff != "" {
			t.Errorf("%s: pod.IsSettled() = true, but defaults change (-before +after):\n%s", where, diff)
		}
	})
	if t.Logf("%d of %d changes leave it settled", still, tried); still < tried/4 || tried-still < 50 {
		t.Errorf("%d of %d changes leave the pod settled", still, tried)
	}
}

// A stored object shares nothing with the original that a later write of its metadata, or of its empty lists, could
// change.
func TestStoredLeavesTheObject(t *testing.T) {
	types := kinds.New(nil, objects.Options{})
	for _, empty := range []bool{false, true} {
		obj, _, err := types.Decode([]byte(settled), corev1.SchemeGroupVersion.WithKind("Pod"), objects.Strict)
		if err != nil {
			t.Fatal(err)
		}
		p := obj.(*corev1.Pod)
		if empty {
			p.Spec.Tolerations = []corev1.Toleration{}
		}
		before := p.DeepCopy()
		stored, _, err := types.Stored(p)
		if err != nil {
			t.Fatal(err)
		}
		s := stored.(*corev1.Pod)
		if s.Spec.Tolerations != nil {
			t.Error("an empty list was stored")
		}
		s.SetResourceVersion("7")
		s.SetManagedFields(nil)
		if diff := cmp.Diff(before, p); diff != "" {
			t.Errorf("Stored() changed the object, empty lists: %v (-before +after):\n%s", empty, diff)
		}
	}
}

// everyChangeOf makes each change of a value in turn, calls seen, and reverts it.
func everyChangeOf(v reflect.Value, where string, depth int, seen func(where string)) {
	if depth > 16 {
		return
	}
	try := func(what string, to reflect.Value) {
		before := reflect.New(v.Type()).Elem()
		before.Set(v)
		v.Set(to)
		seen(where + what)
		v.Set(before)
	}
	if !v.IsZero() {
		try(" left out", reflect.Zero(v.Type()))
	}
	switch v.Interface().(type) {
	case resource.Quantity:
		try(" finer than milli", reflect.ValueOf(resource.MustParse("1.0001m")))
		return
	case metav1.Time:
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() {
				everyChangeOf(v.Field(i), where+"."+f.Name, depth+1, seen)
			}
		}
	case reflect.Pointer:
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
			defer v.SetZero()
			seen(where + " without anything in it")
		}
		everyChangeOf(v.Elem(), where, depth+1, seen)
	case reflect.Slice:
		try(" with one more", reflect.Append(v.Slice3(0, v.Len(), v.Len()), reflect.Zero(v.Type().Elem())))
		for i := range v.Len() {
			everyChangeOf(v.Index(i), fmt.Sprintf("%s[%d]", where, i), depth+1, seen)
		}
	case reflect.Map:
		changed := reflect.MakeMap(v.Type())
		for it := v.MapRange(); it.Next(); {
			changed.SetMapIndex(it.Key(), it.Value())
		}
		for _, key := range append(v.MapKeys(), reflect.ValueOf("more").Convert(v.Type().Key())) {
			value := reflect.New(v.Type().Elem()).Elem()
			everyChangeOf(value, fmt.Sprintf("%s[%v]", where, key), depth+1, func(where string) {
				changed.SetMapIndex(key, value)
				try(where, changed)
			})
			changed.SetMapIndex(key, v.MapIndex(key))
		}
	case reflect.String:
		try(" is another", reflect.ValueOf("other").Convert(v.Type()))
	case reflect.Bool:
		try(" is another", reflect.ValueOf(!v.Bool()).Convert(v.Type()))
	case reflect.Int32, reflect.Int64, reflect.Int:
		try(" is another", reflect.ValueOf(v.Int()-7).Convert(v.Type()))
	}
}
