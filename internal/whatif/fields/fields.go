// Package fields compares objects field by field, without what differs by chance: uids, the ends of generated names,
// addresses of Services and other generated values.
//
// [Same] is fast, and returns true for most equal objects. [Comparable] returns the JSON to compare, [Diff] the
// difference between two objects.
package fields

import (
	"bytes"
	"encoding/json"
	"reflect"
	"regexp"
	"strconv"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/pkg/patch"
)

// Same reports whether two objects are certainly the same. It is cheap, and sufficient for nearly all requests.
func Same(a, b runtime.Object) bool {
	if a == b {
		return true
	}
	x, y := masked(a), masked(b)
	return x != nil && y != nil && reflect.DeepEqual(x, y)
}

// masked returns a copy of an object of a Go type without the server's own bookkeeping, or nil for other objects. Only
// metadata is copied: everything else is shared.
func masked(o runtime.Object) runtime.Object {
	v := reflect.ValueOf(o)
	if v.Kind() != reflect.Pointer || v.IsNil() || v.Elem().Kind() != reflect.Struct {
		return nil
	}
	shallow := reflect.New(v.Elem().Type())
	shallow.Elem().Set(v.Elem())
	object, ok := shallow.Interface().(runtime.Object)
	if !ok {
		return nil
	}
	if _, custom := object.(runtime.Unstructured); custom {
		return nil // its metadata is a map, which is shared
	}
	m, err := meta.Accessor(object)
	if err != nil {
		return object
	}
	m.SetUID("")
	m.SetResourceVersion("")
	m.SetCreationTimestamp(metav1.Time{})
	m.SetManagedFields(nil)
	return object
}

// Values that the server generates differ from run to run.
var (
	tokenVolume = regexp.MustCompile(`kube-api-access-[a-z0-9]{5}`)
	madeUp      = []string{"uid", "resourceVersion", "creationTimestamp", "managedFields", "generation"}
)

// Generated reports whether the server completed the name of an object. sent may be nil.
func Generated(sent, stored runtime.Object) bool { return nameOf(sent) != nameOf(stored) }

func nameOf(o runtime.Object) string {
	m, err := meta.Accessor(o)
	if err != nil {
		return ""
	}
	return m.GetName()
}

// Comparable returns the JSON of an object without what differs by chance, including its name if that is generated.
func Comparable(o runtime.Object, generated bool) []byte {
	data, err := json.Marshal(o)
	if err != nil {
		return nil
	}
	if uid := uidOf(o); len(uid) == len("00000000-0000-4000-8000-000000000000") {
		data = bytes.ReplaceAll(data, []byte(strconv.Quote(uid)), []byte(`"(uid)"`)) // also where the server repeats it: the labels of a Job
	}
	var fields map[string]any
	d := json.NewDecoder(bytes.NewReader(tokenVolume.ReplaceAll(data, []byte("kube-api-access-xxxxx"))))
	d.UseNumber()
	if d.Decode(&fields) != nil {
		return data
	}
	if m, ok := fields["metadata"].(map[string]any); ok {
		for _, key := range madeUp {
			delete(m, key)
		}
		if generated {
			delete(m, "name")
		}
		owners, _ := m["ownerReferences"].([]any)
		for _, o := range owners {
			if owner, ok := o.(map[string]any); ok {
				delete(owner, "uid")
			}
		}
	}
	if spec, ok := fields["spec"].(map[string]any); ok && fields["kind"] == "Service" {
		delete(spec, "clusterIP") // assigned one after the other
		delete(spec, "clusterIPs")
	}
	data, err = json.Marshal(fields)
	if err != nil {
		return nil
	}
	return data
}

func uidOf(o runtime.Object) string {
	m, err := meta.Accessor(o)
	if err != nil {
		return ""
	}
	return string(m.GetUID())
}

// Diff returns what changes from a to b; generated says whether the server completed their names.
func Diff(a, b runtime.Object, generated bool) ([]patch.Operation, error) {
	return patch.Diff(Comparable(a, generated), Comparable(b, generated))
}

// Unhashed returns a text about an object without the hash that the Deployment controller adds to the names of the
// objects that it creates. The hash differs between releases, because their defaults do.
func Unhashed[T string | []byte](text T, about runtime.Object) T {
	m, err := meta.Accessor(about)
	if err != nil {
		return text
	}
	hash := m.GetLabels()[appsv1.DefaultDeploymentUniqueLabelKey]
	if hash == "" {
		return text
	}
	return T(strings.ReplaceAll(string(text), hash, "*"))
}

// Anywhere returns a JSON pointer with stars for the positions in lists.
func Anywhere(pointer string) string {
	parts := strings.Split(pointer, "/")
	for i, p := range parts {
		if _, err := strconv.Atoi(p); err == nil || p == "-" {
			parts[i] = "*"
		}
	}
	return strings.Join(parts, "/")
}
