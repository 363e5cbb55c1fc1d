// Command encode reads calls from its input, and writes the objects of each in every version of their kind.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"reflect"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
)

type call struct {
	Function, Type, Resource, Subresource, Lost string
	Object, Old, Schema                         json.RawMessage
	Internal                                    bool
}

type encoded struct {
	Function    string
	Resource    string `json:",omitempty"`
	Subresource string `json:",omitempty"`
	Lost        string `json:",omitempty"`
	Objects     []versioned

	Schema, Object, Old json.RawMessage `json:",omitempty"` // for a custom resource
}

type versioned struct {
	Group, Version, Kind string
	Object, Old          json.RawMessage
}

func main() {
	if err := run(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "encode:", err)
		os.Exit(1)
	}
}

func run(in io.Reader, out io.Writer) error {
	kinds := map[string][]schema.GroupVersionKind{}
	types := map[string]reflect.Type{}
	for gvk, t := range legacyscheme.Scheme.AllKnownTypes() {
		if gvk.Version == runtime.APIVersionInternal {
			name := t.PkgPath() + "." + t.Name()
			kinds[name], types[name] = append(kinds[name], gvk), t
		}
	}
	lines := bufio.NewReaderSize(in, 1<<20)
	writer := bufio.NewWriter(out)
	encoder := json.NewEncoder(writer)
	encoder.SetEscapeHTML(false)
	for {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF {
			return writer.Flush()
		}
		if err != nil {
			return err
		}
		var c call
		if err := json.Unmarshal(line, &c); err != nil {
			return err
		}
		e := encoded{Function: c.Function, Resource: c.Resource, Subresource: c.Subresource, Lost: c.Lost}
		switch {
		case c.Schema != nil:
			e.Object, e.Old = c.Object, c.Old
			if e.Schema, err = schemaOf(c); err != nil {
				e.Lost = err.Error()
			}
		case c.Lost == "":
			if e.Objects, err = versions(c, kinds[c.Type], types[c.Type]); err != nil {
				e.Lost = err.Error()
			}
		}
		if err := encoder.Encode(e); err != nil {
			return err
		}
	}
}

// schemaOf returns a schema as in a definition.
func schemaOf(c call) (json.RawMessage, error) {
	if !c.Internal {
		return c.Schema, nil
	}
	var in apiextensions.JSONSchemaProps
	var out apiextensionsv1.JSONSchemaProps
	if err := json.Unmarshal(c.Schema, &in); err != nil {
		return nil, err
	}
	if err := apiextensionsv1.Convert_apiextensions_JSONSchemaProps_To_v1_JSONSchemaProps(&in, &out, nil); err != nil {
		return nil, err
	}
	return json.Marshal(out)
}

func versions(c call, kinds []schema.GroupVersionKind, t reflect.Type) (all []versioned, err error) {
	if c.Type == "k8s.io/api/core/v1.PodSpec" {
		return []versioned{{Version: "v1", Kind: "Pod", Object: c.Object}}, nil // as the test has it
	}
	if t == nil {
		return nil, fmt.Errorf("no scheme has %s", c.Type)
	}
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%v", p)
		}
	}()
	for _, kind := range kinds {
		for _, gv := range legacyscheme.Scheme.PrioritizedVersionsForGroup(kind.Group) {
			if !legacyscheme.Scheme.Recognizes(gv.WithKind(kind.Kind)) {
				continue
			}
			v := versioned{Group: gv.Group, Version: gv.Version, Kind: kind.Kind}
			if v.Object, err = encode(c.Object, t, gv); err != nil {
				return nil, err
			}
			if len(c.Old) > 0 && string(c.Old) != "null" {
				if v.Old, err = encode(c.Old, t, gv); err != nil {
					return nil, err
				}
			}
			all = append(all, v)
		}
	}
	return all, nil
}

func encode(text json.RawMessage, t reflect.Type, gv schema.GroupVersion) (json.RawMessage, error) {
	object := reflect.New(t).Interface().(runtime.Object)
	if err := json.Unmarshal(text, object); err != nil {
		return nil, err
	}
	object.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
	return runtime.Encode(legacyscheme.Codecs.LegacyCodec(gv), object)
}
