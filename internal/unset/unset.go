// Package unset writes fields that are not set, as older servers did (W-138). The Go types come from newer releases,
// which omit them.
package unset

import (
	"bytes"
	"io"
	"reflect"
	"strings"

	eventsv1beta1 "k8s.io/api/events/v1beta1"
	networkingv1 "k8s.io/api/networking/v1"
	resourcev1 "k8s.io/api/resource/v1"
	resourcev1beta1 "k8s.io/api/resource/v1beta1"
	resourcev1beta2 "k8s.io/api/resource/v1beta2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// Fields are the unset fields that a release writes.
type Fields struct {
	Times   bool // the creationTimestamp of objects and templates, as null
	Devices bool // the devices of a ResourceSlice, as null or []
	Status  bool // the status of a NetworkPolicy, as {}

	// Of an event of events.k8s.io/v1beta1: the state of its series, and who did what.
	EventState, EventNames bool
}

// In reports whether Write may have anything to do for object, which has a Go type.
func (f Fields) In(object any) bool {
	_, isSlice := devicesOf(object)
	_, isPolicy := object.(*networkingv1.NetworkPolicy)
	if _, isEvent := object.(*eventsv1beta1.Event); isEvent && (f.EventState || f.EventNames) {
		return true
	}
	return f.Times || f.Devices && isSlice || f.Status && isPolicy
}

// Write adds the unset fields of object, which has a Go type, to tree, its decoded JSON.
func (f Fields) Write(object, tree any) {
	if f.Times {
		nullTimestamps(reflect.ValueOf(object), tree)
	}
	if devices, isSlice := devicesOf(object); isSlice && f.Devices {
		writeDevices(devices, tree)
	}
	if _, isPolicy := object.(*networkingv1.NetworkPolicy); isPolicy && f.Status {
		if policy, ok := tree.(map[string]any); ok && policy["status"] == nil {
			policy["status"] = map[string]any{}
		}
	}
	if _, isEvent := object.(*eventsv1beta1.Event); isEvent {
		f.writeEvent(tree)
	}
}

func (f Fields) writeEvent(tree any) {
	event, ok := tree.(map[string]any)
	if !ok {
		return
	}
	empty := func(fields map[string]any, name string, written bool) {
		if _, set := fields[name]; written && !set {
			fields[name] = ""
		}
	}
	empty(event, "reportingInstance", f.EventNames)
	empty(event, "action", f.EventNames)
	if series, ok := event["series"].(map[string]any); ok {
		empty(series, "state", f.EventState)
	}
}

// devicesOf returns the devices of a ResourceSlice of any version.
func devicesOf(object any) (devices reflect.Value, isSlice bool) {
	switch s := object.(type) {
	case *resourcev1.ResourceSlice:
		return reflect.ValueOf(s.Spec.Devices), true
	case *resourcev1beta1.ResourceSlice:
		return reflect.ValueOf(s.Spec.Devices), true
	case *resourcev1beta2.ResourceSlice:
		return reflect.ValueOf(s.Spec.Devices), true
	}
	return devices, false
}

func writeDevices(devices reflect.Value, tree any) {
	slice, _ := tree.(map[string]any)
	spec, _ := slice["spec"].(map[string]any)
	switch {
	case spec == nil || devices.Len() > 0: // written already
	case devices.IsNil():
		spec["devices"] = nil
	default:
		spec["devices"] = []any{}
	}
}

// nullTimestamps walks an object and its JSON side by side.
func nullTimestamps(v reflect.Value, tree any) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			nullTimestamps(v.Elem(), tree)
		}
	case reflect.Slice:
		items, _ := tree.([]any)
		for i := range items {
			nullTimestamps(v.Index(i), items[i])
		}
	case reflect.Struct:
		fields, ok := tree.(map[string]any)
		if !ok {
			return
		}
		if m, ok := v.Interface().(metav1.ObjectMeta); ok {
			if m.CreationTimestamp.IsZero() {
				fields["creationTimestamp"] = nil
			}
			return
		}
		for i := range v.NumField() {
			nullTimestamps(v.Field(i), fieldTree(v.Type().Field(i), fields))
		}
	}
}

// fieldTree returns the JSON of one field of a struct.
func fieldTree(f reflect.StructField, fields map[string]any) any {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	if name == "" {
		return fields // inline
	}
	return fields[name]
}

// A Codec writes a null creationTimestamp into objects without metadata of their own: the reviews that a server sends
// to webhooks.
type Codec struct{ runtime.Codec }

// Encode implements [runtime.Encoder].
func (c Codec) Encode(obj runtime.Object, w io.Writer) error {
	text, err := runtime.Encode(c.Codec, obj)
	if err != nil {
		return err
	}
	_, err = w.Write(bytes.Replace(text, []byte(`"metadata":{}`), []byte(`"metadata":{"creationTimestamp":null}`), 1))
	return err
}
