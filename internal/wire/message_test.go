package wire

import (
	"bytes"
	"io"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	resourcev1alpha3 "k8s.io/api/resource/v1alpha3"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/admsim/admsim/internal/builtin"
)

// fill sets everything in a value, with two items in each list and map. Types within themselves stay empty.
func fill(v reflect.Value, n *int, within ...reflect.Type) {
	*n++
	switch of := v.Addr().Interface().(type) {
	case *metav1.Time:
		of.Time = time.Unix(int64(*n), 0)
		return
	case *metav1.MicroTime:
		of.Time = time.UnixMicro(int64(*n))
		return
	case *resource.Quantity:
		*of = *resource.NewQuantity(int64(*n), resource.DecimalSI)
		return
	case *intstr.IntOrString:
		*of = intstr.FromInt32(int32(*n))
		return
	case *runtime.RawExtension:
		of.Raw = []byte("{}")
		return
	case *metav1.TypeMeta: // it is not in messages
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), n, within...)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range v.Len() {
			fill(v.Index(i), n, within...)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for range 2 {
			key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			fill(key, n, within...)
			fill(value, n, within...)
			v.SetMapIndex(key, value)
		}
	case reflect.Struct:
		for _, t := range within {
			if t == v.Type() {
				return
			}
		}
		for i := range v.NumField() {
			fill(v.Field(i), n, append(within, v.Type())...)
		}
	case reflect.String:
		v.SetString(string(rune('a' + *n%26)))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Float64:
		v.SetFloat(float64(*n))
	case reflect.Uint8:
		v.SetUint(uint64(*n % 256))
	case reflect.Int32, reflect.Int64:
		v.SetInt(int64(-*n))
	}
}

// eachStruct calls do for each struct in the types of built-in kinds whose fields have numbers.
func eachStruct(do func(reflect.Type)) {
	seen := map[reflect.Type]bool{}
	var visit func(reflect.Type)
	visit = func(t reflect.Type) {
		for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Map {
			t = t.Elem()
		}
		if t.Kind() != reflect.Struct || seen[t] || len(numberedFields(t)) == 0 {
			return
		}
		seen[t] = true
		do(t)
		for f := range t.Fields() {
			if f.IsExported() {
				visit(f.Type)
			}
		}
	}
	for _, kind := range builtin.Kinds() {
		visit(builtin.Type(kind))
	}
}

// hasNamedList reports whether a struct has lists in a map, or a list with a message of its own, such as ExtraValue. No
// type in package builtin has any.
func hasNamedList(of reflect.Type) bool {
	for f := range of.Fields() {
		t := f.Type
		if t.Kind() == reflect.Map {
			t = t.Elem()
		}
		_, own := reflect.New(t).Interface().(marshaler)
		if t.Kind() == reflect.Slice && (own || t != f.Type) {
			return true
		}
	}
	return false
}

// The messages of types of k8s.io/api are the same if they are written and read by their tags, both empty and with
// everything set.
func TestMessagesAsGenerated(t *testing.T) {
	compared := 0
	eachStruct(func(of reflect.Type) {
		generated, ok := reflect.New(of).Interface().(marshaler)
		switch generated.(type) {
		case *resource.Quantity, *metav1.Time, *metav1.MicroTime, *metav1.FieldsV1:
			return // whose messages do not have their fields
		}
		if !ok || builtin.Declares(of) || hasNamedList(of) {
			return
		}
		for _, full := range []bool{false, true} {
			v := reflect.New(of).Elem()
			if n := 0; full {
				fill(v, &n)
			}
			want, err := v.Addr().Interface().(marshaler).Marshal()
			if err != nil {
				t.Fatalf("%v: %v", of, err)
			}
			got, err := marshalFields(nil, v)
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("%v is written as\n%q, %v; want\n%q", of, got, err, want)
				continue
			}
			read, wanted := reflect.New(of), reflect.New(of)
			if err := wanted.Interface().(marshaler).Unmarshal(want); err != nil {
				t.Fatalf("%v: %v", of, err)
			}
			if err := unmarshalFields(read.Elem(), want); err != nil {
				t.Errorf("%v: %v", of, err)
			} else if !reflect.DeepEqual(read.Interface(), wanted.Interface()) {
				t.Errorf("%v is read back as %+v, want %+v", of, read, wanted)
			}
			compared++
		}
	})
	if compared < 1000 {
		t.Errorf("compared %d messages", compared)
	}
}

// Objects of kinds that k8s.io/api no longer has can be written and read back.
func TestFormerMessages(t *testing.T) {
	for _, kind := range builtin.Kinds() {
		of := builtin.Type(kind)
		if !builtin.Declares(of) || of == reflect.TypeFor[builtin.ReplicationControllerDummy]() {
			continue
		}
		object, _ := builtin.New(kind)
		n := 0
		fill(reflect.ValueOf(object).Elem(), &n)
		if rule, ok := object.(*builtin.DeviceTaintRule); ok {
			rule.Spec.DeviceSelector.DeviceClassName, rule.Spec.DeviceSelector.Selectors = nil, nil // lost fields
		}
		if list, ok := object.(*builtin.DeviceTaintRuleList); ok {
			list.Items = nil
		}
		data, err := marshal(object)
		if err != nil || len(data) < 20 {
			t.Errorf("%v is written as %q, %v", kind, data, err)
			continue
		}
		if size, ok := MessageSize(object); !ok || size != len(data) {
			t.Errorf("the size of %v is %d, %v; want %d", kind, size, ok, len(data))
		}
		read, _ := builtin.New(kind)
		if err := unmarshal(read, data); err != nil {
			t.Errorf("%v: %v", kind, err)
			continue
		}
		again, err := marshal(read)
		if err != nil || !bytes.Equal(again, data) {
			t.Errorf("%v, %v, is read back as\n%+v, want\n%+v", kind, err, read, object)
		}
	}
}

// A DeviceTaintRule is written as k8s.io/api does it.
func TestDeviceTaintRuleMessage(t *testing.T) {
	driver, class := "d", "c"
	rule := builtin.DeviceTaintRule{ObjectMeta: metav1.ObjectMeta{Name: "r"}}
	rule.Spec.Taint.Key = "k"
	rule.Spec.DeviceSelector = &builtin.DeviceTaintSelector{DeviceClassName: &class, Driver: &driver}
	data, err := marshal(&builtin.DeviceTaintRuleList{Items: []builtin.DeviceTaintRule{rule}})
	if err != nil {
		t.Fatal(err)
	}
	published := resourcev1alpha3.DeviceTaintRule{ObjectMeta: rule.ObjectMeta}
	published.Spec.Taint.Key = "k"
	published.Spec.DeviceSelector = &resourcev1alpha3.DeviceTaintSelector{Driver: &driver}
	want := resourcev1alpha3.DeviceTaintRuleList{Items: []resourcev1alpha3.DeviceTaintRule{published}}
	var got resourcev1alpha3.DeviceTaintRuleList
	if err := got.Unmarshal(data); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("client-go reads (-want +got):\n%s", diff)
	}
}

func TestUnreadableFormerMessages(t *testing.T) {
	kind := schema.GroupVersionKind{Group: "policy", Version: "v1beta1", Kind: "PodSecurityPolicy"}
	for data, want := range map[string]string{
		"\x12\x02\x08":         io.ErrUnexpectedEOF.Error(),
		"\x12\x02\x0a\x00":     "proto: wrong wireType = 2 for field Privileged",
		"\x10\x01":             "proto: wrong wireType = 0 for field Spec",
		"\x12\x02\x10\x01":     "proto: wrong wireType = 0 for field DefaultAddCapabilities",
		"\x12\x04\xf2\x3f\x01": io.ErrUnexpectedEOF.Error(),
	} {
		object, _ := builtin.New(kind)
		if err := unmarshal(object, []byte(data)); err == nil || err.Error() != want {
			t.Errorf("reading %q: %v, want %s", data, err, want)
		}
	}
	object, _ := builtin.New(kind)
	if err := unmarshal(object, []byte("\xf2\x3f\x01a\x12\x02\x08\x01")); err != nil || !object.(*builtin.PodSecurityPolicy).Spec.Privileged {
		t.Errorf("with an unknown field, an object is read as %+v, %v", object, err)
	}
}
