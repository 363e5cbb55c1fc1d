package whatif

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strconv"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/internal/lazyregexp"
	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/pkg/patch"
	"github.com/admsim/admsim/pkg/simulator"
)

// objectDifferences are the fields that two answers do not have in common.
func objectDifferences(base, head *simulator.Result) []document.Difference {
	a, b := object(base), object(head)
	if a == nil || b == nil || sameObject(a, b) {
		return nil
	}
	x, y := comparables(base, head, a, b)
	if bytes.Equal(x, y) {
		return nil
	}
	operations, err := patch.Diff(x, y)
	if err != nil {
		return []document.Difference{{Change: document.DifferentObject, Base: string(x), Head: string(y)}}
	}
	setters := newSetters(base, head)
	all := make([]document.Difference, len(operations))
	for i, o := range operations {
		all[i] = document.Difference{
			Change: document.DifferentObject,
			What:   anywhere(o.Path),
			By:     setters.of(o),
			Base:   text(o.Old),
			Head:   text(o.Value),
		}
	}
	return all
}

// comparables are the objects a and b of two answers without what differs by chance.
func comparables(base, head *simulator.Result, a, b runtime.Object) (x, y []byte) {
	generated := nameOf(before(base)) != nameOf(a) // the server completed the name
	return unhashed(comparable(a, generated), base), unhashed(comparable(b, generated), head)
}

func text(value json.RawMessage) string { return string(value) }

// before is the object as the author of the request sent it.
func before(r *simulator.Result) runtime.Object {
	if len(r.Admissions) == 1 {
		return r.Admissions[0].Request.Object
	}
	return nil
}

// sameObject compares without what differs by chance: it is cheap, and true for nearly all
// requests.
func sameObject(a, b runtime.Object) bool {
	if a == b {
		return true
	}
	x, y := masked(a), masked(b)
	return x != nil && y != nil && reflect.DeepEqual(x, y)
}

// masked is a copy of an object of a Go type without the server's own bookkeeping; nil for
// other objects. Only metadata is copied: all else is shared.
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

// What the server makes up differs from run to run.
var (
	tokenVolume = lazyregexp.New(`kube-api-access-[a-z0-9]{5}`)
	madeUp      = []string{"uid", "resourceVersion", "creationTimestamp", "managedFields", "generation"}
)

// comparable is the JSON of an object without what differs by chance.
func comparable(o runtime.Object, generated bool) []byte {
	data, err := json.Marshal(o)
	if err != nil {
		return nil
	}
	var fields map[string]any
	d := json.NewDecoder(bytes.NewReader(tokenVolume().ReplaceAll(data, []byte("kube-api-access-xxxxx"))))
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
		delete(spec, "clusterIP") // given out one after the other
		delete(spec, "clusterIPs")
	}
	data, err = json.Marshal(fields)
	if err != nil {
		return nil
	}
	return data
}

// unhashed is a text without the hash that the controller of a Deployment puts into the
// names of what it makes of it. It is another one in another release, whose defaults differ.
func unhashed[T string | []byte](text T, r *simulator.Result) T {
	m, err := meta.Accessor(before(r))
	if err != nil {
		return text
	}
	hash := m.GetLabels()[appsv1.DefaultDeploymentUniqueLabelKey]
	if hash == "" {
		return text
	}
	return T(strings.ReplaceAll(string(text), hash, "*"))
}

// anywhere is a JSON pointer with stars for the positions in lists.
func anywhere(pointer string) string {
	parts := strings.Split(pointer, "/")
	for i, p := range parts {
		if _, err := strconv.Atoi(p); err == nil || p == "-" {
			parts[i] = "*"
		}
	}
	return strings.Join(parts, "/")
}
