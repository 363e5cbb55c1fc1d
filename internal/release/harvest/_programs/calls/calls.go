// Package calls records the arguments of validating functions while upstream's tests run. It is compiled into these
// tests, and therefore must not depend on any API group.
package calls

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	goruntime "runtime"
	"strings"
	"sync"

	"admsim.example/harvest/lines"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/kube-openapi/pkg/validation/spec"
)

// A call is a line in the file that a test process writes.
type call struct {
	Function    string
	Type        string `json:",omitempty"` // of the objects, as package.Name
	Object, Old json.RawMessage
	Schema      json.RawMessage `json:",omitempty"` // of custom resources, as OpenAPI or as the internal type
	Internal    bool            `json:",omitempty"` // whether it is the internal type
	Resource    string          `json:",omitempty"` // the resource of the request in the context
	Subresource string          `json:",omitempty"`
	Lost        string          `json:",omitempty"` // why the objects cannot be encoded
}

// Given is the first statement of a function. It gets the function's name and the names and values of its parameters.
func Given(function string, names string, values ...any) {
	if lines.Folder == "" {
		return
	}
	c := call{Function: function}
	var objects []any
	old := -1
	for i, name := range strings.Split(names, ",") {
		if ctx, ok := values[i].(context.Context); ok {
			if info, ok := request.RequestInfoFrom(ctx); ok {
				c.Resource, c.Subresource = info.Resource, info.Subresource
			}
			continue
		}
		if !internal(values[i]) {
			continue
		}
		if strings.HasPrefix(strings.ToLower(name), "old") {
			old = len(objects)
		}
		objects = append(objects, values[i])
	}
	// Functions that validate an update take the new object first, whatever the parameters are called.
	if len(objects) == 2 && old < 0 {
		old = 1
	}
	if len(objects) == 0 || len(objects) > 2 || len(objects) == 1 && old == 0 {
		return
	}
	if len(objects) == 2 && reflect.TypeOf(objects[0]) != reflect.TypeOf(objects[1]) {
		return
	}
	for i, object := range objects {
		text, err := encode(object)
		if err != nil {
			c.Lost = err.Error()
		}
		c.Type = typeOf(object)
		if i == old {
			c.Old = text
		} else {
			c.Object = text
		}
	}
	if c.Lost != "" {
		c.Object, c.Old = nil, nil
	}
	c.write()
}

func (c call) write() {
	if err := lines.Write(c); err != nil {
		panic(fmt.Sprintf("harvest: %v", err))
	}
}

// internal reports whether a value is an object of an internal type: a kind as the server validates it.
func internal(v any) bool {
	object, ok := v.(runtime.Object)
	if !ok {
		return false
	}
	t := reflect.TypeOf(object)
	if t.Kind() != reflect.Pointer || reflect.ValueOf(object).IsNil() || t.Elem().Kind() != reflect.Struct {
		return false
	}
	_, group, found := strings.Cut(t.Elem().PkgPath(), "/pkg/apis/")
	return found && !strings.Contains(group, "/")
}

func typeOf(v any) string {
	t := reflect.TypeOf(v).Elem()
	return t.PkgPath() + "." + t.Name()
}

// encode returns the object as JSON with the names of its Go fields: internal types have no others.
func encode(object any) (text json.RawMessage, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%v", p)
		}
	}()
	if text, err = json.Marshal(object); err != nil {
		return nil, err
	}
	again := reflect.New(reflect.TypeOf(object).Elem()).Interface()
	if err := json.Unmarshal(text, again); err != nil {
		return nil, err
	}
	if !equality.Semantic.DeepEqual(object, again) {
		return nil, fmt.Errorf("it is not the same after reading it back")
	}
	return text, nil
}

// OfPod is the first statement of a function that decides about a pod. It gets the metadata and the spec of the pod in
// the version v1.
func OfPod(function string, names string, parts ...any) {
	if lines.Folder == "" {
		return
	}
	text, err := json.Marshal(map[string]any{"apiVersion": "v1", "kind": "Pod", "metadata": parts[0], "spec": parts[1]})
	if err != nil {
		panic(fmt.Sprintf("harvest: %v", err))
	}
	call{Function: function, Type: typeOf(parts[1]), Object: text}.write()
}

var schemas sync.Map // the last schema of each goroutine, for calls without one

// OfSchema is the first statement of a function about a schema or a custom resource. It records calls by tests only:
// most of these functions call themselves for the parts of a schema.
func OfSchema(function string, names string, values ...any) {
	_, caller, _, ok := goruntime.Caller(2)
	if lines.Folder == "" || !ok || !strings.HasSuffix(caller, "_test.go") {
		return
	}
	c := call{Function: function}
	var objects []json.RawMessage
	for _, v := range values {
		schema, internal, isSchema := schemaOf(v)
		if isSchema {
			c.Schema, c.Internal = schema, internal
			continue
		}
		switch v.(type) {
		case map[string]any, []any, string, bool, int64, float64:
			text, err := json.Marshal(v)
			if err != nil {
				return
			}
			objects = append(objects, text)
		}
	}
	id := goroutine()
	if c.Schema == nil {
		last, ok := schemas.Load(id)
		if !ok {
			return
		}
		c.Schema, c.Internal = last.(call).Schema, last.(call).Internal
	} else {
		schemas.Store(id, call{Schema: c.Schema, Internal: c.Internal})
	}
	if len(objects) > 0 {
		c.Object = objects[0]
	}
	if len(objects) > 1 {
		c.Old = objects[1]
	}
	c.write()
}

func schemaOf(v any) (text json.RawMessage, internal, ok bool) {
	if reflect.ValueOf(v).Kind() != reflect.Pointer || reflect.ValueOf(v).IsNil() {
		return nil, false, false
	}
	if structural, ok := v.(interface{ ToKubeOpenAPI() *spec.Schema }); ok {
		text, err := json.Marshal(structural.ToKubeOpenAPI())
		return text, false, err == nil
	}
	if strings.HasSuffix(typeOf(v), "/apis/apiextensions.JSONSchemaProps") {
		text, err := json.Marshal(v)
		return text, true, err == nil
	}
	return nil, false, false
}

// goroutine returns the number of the current goroutine.
func goroutine() string {
	var b [64]byte
	text := string(b[:goruntime.Stack(b[:], false)])
	return strings.Fields(text)[1]
}
