package wire

import (
	"encoding/json"
	"maps"
	"reflect"
	"strconv"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// A Lost reports whether a release has a field that the Go types no longer have. typeName is the name of the message in
// OpenAPI, and name that of the field in JSON.
type Lost func(typeName, name string) bool

// A lostField is a field of protocol buffers that a type of k8s.io/api no longer has.
type lostField struct {
	name  string // in JSON
	value valueType
	shape shape
}

// A shape says how often a field is written.
type shape int

const (
	optional shape = iota // if it is set
	always                // even if it is empty: its Go type was no pointer
	repeated              // for each item of a list
	mapped                // for each entry of a map
)

// A valueType converts values between protocol buffers and JSON.
type valueType interface {
	read(data []byte) any
	write(value any) []byte
}

// lostFields lists these fields by the message that contains them and their numbers: k8s.io/api@v0.26.15:core/v1/types.go,
// networking/v1/types.go, k8s.io/apimachinery@v0.15.12:pkg/apis/meta/v1/types.go, k8s.io/api@v0.34.2:resource/v1alpha3/types.go, k8s.io/api@v0.35.4:core/v1/types.go, and
// k8s.io/api@v0.36.3:core/v1/types.go, resource/v1/types.go.
var lostFields = map[string]map[protowire.Number]lostField{
	"io.k8s.api.core.v1.EventSeries":                 {3: {"state", texts{}, always}},
	"io.k8s.api.events.v1beta1.EventSeries":          {3: {"state", texts{}, always}},
	"io.k8s.api.core.v1.ServiceSpec":                 {15: {"ipFamily", texts{}, optional}, 16: {"topologyKeys", texts{}, repeated}},
	"io.k8s.api.core.v1.PersistentVolumeClaimStatus": {6: {"resizeStatus", texts{}, optional}},
	"io.k8s.api.core.v1.PodSpec":                     {42: {"workloadRef", lostMessage{1: {"name", texts{}, always}, 2: {"podGroup", texts{}, always}, 3: {"podGroupReplicaKey", texts{}, always}}, optional}},
	"io.k8s.api.core.v1.VolumeResourceRequirements":  {3: {"claims", lostMessage{1: {"name", texts{}, always}}, repeated}},
	"io.k8s.api.networking.v1.NetworkPolicy":         {3: {"status", lostMessage{1: {"conditions", conditions, repeated}}, always}},
	"io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta": {
		15: {"clusterName", texts{}, always},
		16: {"initializers", lostMessage{1: {"pending", lostMessage{1: {"name", texts{}, always}}, repeated}, 2: {"result", statuses, optional}}, optional},
	},
	"io.k8s.api.core.v1.NodeAllocatableResourceClaimStatus": {3: {"resources", quantities{}, mapped}},
	"io.k8s.api.resource.v1.Device":                         {13: lostMappings},
	"io.k8s.api.resource.v1beta1.BasicDevice":               {12: lostMappings},
	"io.k8s.api.resource.v1beta2.Device":                    {13: lostMappings},
	"io.k8s.api.resource.v1alpha3.DeviceTaintSelector": {
		1: {"deviceClassName", texts{}, optional},
		5: {"selectors", lostMessage{1: {"cel", lostMessage{1: {"expression", texts{}, always}}, optional}}, repeated},
	},
}

var lostMappings = lostField{"nodeAllocatableResourceMappings", lostMessage{1: {"capacityKey", texts{}, optional}, 2: {"allocationMultiplier", quantities{}, optional}}, mapped}

type texts struct{}

func (texts) read(data []byte) any { return string(data) }

func (texts) write(value any) []byte {
	text, _ := value.(string)
	return []byte(text)
}

type quantities struct{}

func (quantities) read(data []byte) any {
	var q resource.Quantity
	if q.Unmarshal(data) != nil {
		return nil
	}
	return q.String()
}

func (quantities) write(value any) []byte {
	text, _ := value.(string)
	q, err := resource.ParseQuantity(text)
	if err != nil {
		return nil
	}
	data, _ := q.Marshal() // cannot fail
	return data
}

// existing values have the type of a message that still exists.
type existing struct{ of func() marshaler }

func (e existing) read(data []byte) any {
	value := e.of()
	if value.Unmarshal(data) != nil {
		return nil
	}
	return value
}

func (e existing) write(value any) []byte {
	text, _ := json.Marshal(value) // cannot fail, nor can the conversion of a value that was decoded before
	of := e.of()
	_ = json.Unmarshal(text, of)
	data, _ := of.Marshal()
	return data
}

var (
	conditions = existing{func() marshaler { return &metav1.Condition{} }}
	statuses   = existing{func() marshaler { return &metav1.Status{} }}
)

// A lostMessage lists its fields by their numbers.
type lostMessage map[protowire.Number]lostField

func (m lostMessage) read(data []byte) any {
	object := map[string]any{}
	eachField(data, func(n protowire.Number, value []byte) {
		if f, known := m[n]; known {
			f.addTo(object, value)
		}
	})
	return object
}

// addTo adds one occurrence of the field to the JSON of its message.
func (f lostField) addTo(object map[string]any, data []byte) {
	switch f.shape {
	case always:
		if len(data) > 0 {
			object[f.name] = f.value.read(data)
		}
	case repeated:
		list, _ := object[f.name].([]any)
		object[f.name] = append(list, f.value.read(data))
	case mapped:
		entries, _ := object[f.name].(map[string]any)
		if entries == nil {
			entries = map[string]any{}
			object[f.name] = entries
		}
		key, value := entryOf(data)
		entries[key] = f.value.read(value)
	default:
		object[f.name] = f.value.read(data)
	}
}

// entryOf returns the parts of an entry of a map whose keys are strings.
func entryOf(data []byte) (key string, value []byte) {
	eachField(data, func(n protowire.Number, field []byte) {
		switch n {
		case 1:
			key = string(field)
		case 2:
			value = field
		}
	})
	return key, value
}

// eachField calls do for each field of a message that has a length: texts, messages and entries of maps.
func eachField(data []byte, do func(n protowire.Number, value []byte)) {
	for f, err := range fieldsOf(data) {
		if err == nil && f.kind == protowire.BytesType {
			value, _ := protowire.ConsumeBytes(f.data)
			do(f.number, value)
		}
	}
}

// withLost adds the lost fields of a message of a Go type to its JSON.
func withLost(text []byte, t reflect.Type, data []byte, lost Lost) ([]byte, error) {
	found := lost.in(t, data)
	if len(found) == 0 {
		return text, nil
	}
	var tree map[string]any
	if err := json.Unmarshal(text, &tree); err != nil {
		return nil, err
	}
	merge(tree, found)
	return json.Marshal(tree)
}

// in returns the lost fields of a message, at any depth, as JSON that has nothing else.
func (l Lost) in(t reflect.Type, data []byte) map[string]any {
	found := map[string]any{}
	model := modelOf(t)
	seen := map[protowire.Number]int{}
	eachField(data, func(n protowire.Number, value []byte) {
		if f, known := lostFields[model][n]; known && l(model, f.name) {
			f.addTo(found, value)
			return
		}
		f, known := fieldNumbered(t, n)
		if !known {
			return
		}
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		at := strconv.Itoa(seen[n])
		seen[n]++
		of, key := f.Type, ""
		switch of.Kind() {
		case reflect.Map:
			key, value = entryOf(value)
			of, at = of.Elem(), key
		case reflect.Slice:
			of = of.Elem()
		case reflect.Pointer:
			of, at = of.Elem(), ""
		default:
			at = ""
		}
		if of.Kind() != reflect.Struct {
			return
		}
		inner := l.in(of, value)
		switch {
		case len(inner) == 0:
			return
		case name == "": // its fields are among those of the object
			maps.Copy(found, inner)
			return
		case at != "":
			all, _ := found[name].(map[string]any)
			if all == nil {
				all = map[string]any{}
			}
			all[at] = inner
			inner = all
		}
		found[name] = inner
	})
	return found
}

// merge adds JSON to a tree. Items of lists have their index as name.
func merge(tree, more map[string]any) {
	for name, value := range more {
		inner, isObject := value.(map[string]any)
		switch there := tree[name].(type) {
		case map[string]any:
			if isObject {
				merge(there, inner)
			}
		case []any:
			for at, item := range inner {
				i, err := strconv.Atoi(at)
				object, ok := item.(map[string]any)
				if err == nil && ok && i < len(there) {
					if of, ok := there[i].(map[string]any); ok {
						merge(of, object)
					}
				}
			}
		default:
			tree[name] = value
		}
	}
}
