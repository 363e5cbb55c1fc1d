// Package chance changes the scenarios of recordings at random, to find answers that no recording has.
//
// Start with [Learn], which collects the values that recordings have in each place, and then [Values.Change] for each
// recording that is to be changed. Most values are replaced by others that are valid in the same place, so that requests
// get past the first check. The package does not know who answers the requests.
package chance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/admsim/admsim/internal/conformance"
)

// Values are the values that recordings have in each place.
type Values struct {
	seed    uint64
	fields  map[place][]any
	within  map[string][]string // the names that objects of a field have, sorted
	queries map[string][]string // of the requests with a verb
}

// A place is a field of the objects that another field holds. Elements of a list belong to the field of the list.
type place struct{ parent, name string }

// Learn collects the values of recordings. The seed decides which changes are made.
func Learn(recordings []conformance.Recording, seed uint64) *Values {
	v := &Values{seed: seed, fields: map[place][]any{}, within: map[string][]string{}, queries: map[string][]string{}}
	for i := range recordings {
		for _, raw := range slices.Concat(recordings[i].Cluster, recordings[i].Configs) {
			v.learn("", decode(raw))
		}
		for _, r := range recordings[i].Requests {
			if object, ok := decode(r.Object).(map[string]any); ok && object["kind"] != nil {
				v.learn("", object)
			}
			if r.Query != "" && !slices.Contains(v.queries[r.Verb], r.Query) {
				v.queries[r.Verb] = append(v.queries[r.Verb], r.Query)
			}
		}
	}
	names := map[string]map[string]bool{}
	for p := range v.fields {
		if names[p.parent] == nil {
			names[p.parent] = map[string]bool{}
		}
		names[p.parent][p.name] = true
	}
	for parent := range names {
		v.within[parent] = slices.Sorted(maps.Keys(names[parent]))
	}
	return v
}

// enough is how many values of a place are kept.
const enough = 200

func (v *Values) learn(field string, value any) {
	switch value := value.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(value)) {
			p := place{field, name}
			if len(v.fields[p]) < enough {
				v.fields[p] = append(v.fields[p], value[name])
			}
			v.learn(name, value[name])
		}
	case []any:
		for _, element := range value {
			v.learn(field, element)
		}
	}
}

// Change returns a recording with the same cluster and changed requests, without answers. Half of the recordings also get
// changed configurations. The same seed always makes the same changes.
func (v *Values) Change(r conformance.Recording) conformance.Recording {
	hash := fnv.New64a()
	hash.Write([]byte(r.ID))
	c := change{v, rand.New(rand.NewPCG(v.seed, hash.Sum64()))}
	if c.one(2) {
		r.Configs = slices.Clone(r.Configs)
		for i, raw := range r.Configs {
			if c.one(2) {
				r.Configs[i] = encode(c.configuration(decode(raw)))
			}
		}
	}
	var requests []conformance.Request
	for _, request := range r.Requests {
		request.Expect, request.Vary = nil, ""
		if !c.one(4) {
			c.request(&request)
		}
		requests = append(requests, request)
	}
	r.Requests = requests
	return r
}

// A change draws the changes of one recording.
type change struct {
	*Values
	random *rand.Rand
}

// one reports true once in n times.
func (c change) one(n int) bool { return c.random.IntN(n) == 0 }

// settings are the fields of a configuration that may be changed without its being refused.
var settings = []string{
	"failurePolicy", "matchPolicy", "reinvocationPolicy", "objectSelector", "namespaceSelector", "operations", "scope",
	"matchConditions", "validationActions", "excludeResourceRules",
}

// configuration changes settings of a webhook configuration, a policy or a binding.
func (c change) configuration(of any) any {
	c.each("", of, func(field string, object map[string]any) {
		for _, name := range settings {
			known := c.fields[place{field, name}]
			if _, has := object[name]; len(known) > 0 && (has && c.one(2) || c.one(8)) {
				object[name] = clone(pick(c, known))
			}
		}
	})
	return of
}

// each calls do with each object in a value, and the field that holds it.
func (c change) each(field string, value any, do func(string, map[string]any)) {
	switch value := value.(type) {
	case map[string]any:
		do(field, value)
		for _, name := range slices.Sorted(maps.Keys(value)) {
			c.each(name, value[name], do)
		}
	case []any:
		for _, element := range value {
			c.each(field, element, do)
		}
	}
}

// request changes a request in one to three places.
func (c change) request(r *conformance.Request) {
	if known := c.queries[r.Verb]; len(known) > 0 && c.one(4) {
		r.Query = pick(c, known)
	}
	if r.Object == nil {
		return
	}
	value := decode(r.Object)
	for range 1 + c.random.IntN(3) {
		value = c.body(r.PatchType, value)
	}
	r.Object = encode(value)
	if object, ok := value.(map[string]any); ok && r.PatchType == "merge" && object["kind"] != nil && c.one(3) {
		r.PatchType = []string{"strategic", "apply"}[c.random.IntN(2)]
	}
}

// body changes one place of an object or patch.
func (c change) body(patchType string, of any) any {
	type spot struct {
		field  string
		object map[string]any
	}
	var spots []spot
	c.each("", of, func(field string, object map[string]any) { spots = append(spots, spot{field, object}) })
	if len(spots) == 0 {
		return of
	}
	at := pick(c, spots)
	if patchType == "json" {
		c.operation(at.object)
		return of
	}
	names := slices.Sorted(maps.Keys(at.object))
	if at.field == "" {
		names = slices.DeleteFunc(names, func(name string) bool { return name == "apiVersion" || name == "kind" })
	}
	if known := c.within[at.field]; len(known) > 0 && c.one(4) {
		name := pick(c, known)
		if at.field != "" || name != "kind" && name != "apiVersion" {
			at.object[name] = c.known(at.field, name)
		}
		return of
	}
	if len(names) == 0 {
		return of
	}
	name := pick(c, names)
	switch c.random.IntN(8) {
	case 0:
		delete(at.object, name)
	case 1:
		at.object[name] = nil
	case 2, 3, 4:
		at.object[name] = c.known(at.field, name)
	case 5:
		at.object[name] = clone(pick(c, odd))
	default:
		at.object[name] = c.near(at.object[name])
	}
	return of
}

// operation changes an operation of a JSON patch, or an object in its value.
func (c change) operation(object map[string]any) {
	if _, ok := object["op"]; !ok {
		return
	}
	switch c.random.IntN(3) {
	case 0:
		object["op"] = pick(c, []string{"add", "remove", "replace", "move", "copy", "test"})
	case 1:
		if path, ok := object["path"].(string); ok {
			object["path"] = path + pick(c, []string{"/-", "/0", "/", "/x", ""})
		}
	default:
		object["value"] = c.near(object["value"])
	}
}

// odd are values that are wrong in most places.
var odd = []any{"", "x", " ", "-", "A", json.Number("0"), json.Number("-1"), json.Number("1.5"), json.Number("99999999999"), true, []any{}, map[string]any{}}

// known returns a value that some recording has in a place.
func (c change) known(parent, name string) any {
	if known := c.fields[place{parent, name}]; len(known) > 0 {
		return clone(pick(c, known))
	}
	return clone(pick(c, odd))
}

// near returns a value that differs a little.
func (c change) near(value any) any {
	switch value := value.(type) {
	case string:
		return pick(c, []string{value + "x", value + "-", "X" + value, value + "." + value, value + "/" + value, value + " "})
	case json.Number:
		n, _ := value.Int64()
		return json.Number(fmt.Sprint(pick(c, []int64{n - 1, n + 1, -n, 2*n + 1, n * 1000})))
	case bool:
		return !value
	case []any:
		if len(value) == 0 {
			return append(value, clone(pick(c, odd)))
		}
		i := c.random.IntN(len(value))
		if c.one(2) {
			return slices.Delete(value, i, i+1)
		}
		return append(value, clone(value[i]))
	}
	return value
}

func pick[T any](c change, from []T) T { return from[c.random.IntN(len(from))] }

func clone(value any) any { return decode(encode(value)) }

// decode returns the value of JSON that is known to be valid, with the digits of its numbers; no JSON is nil.
func decode(raw json.RawMessage) (value any) {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	_ = decoder.Decode(&value)
	return value
}

func encode(value any) json.RawMessage {
	raw, _ := json.Marshal(value) // values that were decoded
	return raw
}
