package main

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/admsim/admsim/internal/builtin"
)

// A field is one of a type in internal/builtin.
type field struct{ of, name string }

// renumbered lists fields of k8s.io/api that have another number in a version that shares their type here:
// autoscaling/v2beta1 has the container of a metric as number 4, but the server forgets it (VI-02).
var renumbered = map[field]bool{{"v1.ContainerResourceMetricSource", "Container"}: true}

// A pair is a Go type and the type that it stands for.
type pair struct {
	t  reflect.Type
	is typeName
}

// numbers finds the tags of the fields of types in internal/builtin.
type numbers struct {
	published published
	seen      map[pair]bool
	tags      map[field]string
	problems  []error
}

// compare finds the tags of the fields of a type, and of all types in it. Types of k8s.io/api have tags, which have to be
// those of the type that they stand for.
func (n *numbers) compare(t reflect.Type, is typeName) {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Map {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || is.pkg == "" || n.seen[pair{t, is}] {
		return
	}
	n.seen[pair{t, is}] = true
	fields, err := n.published.fields(is)
	if err != nil {
		n.problems = append(n.problems, err)
		return
	}
	if fields == nil {
		n.problems = append(n.problems, fmt.Errorf("no release has the type %s of %s, for %v", is.name, is.pkg, t))
	}
	for f := range t.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" && f.Name == "TypeMeta" {
			continue
		}
		if name == "" {
			name = f.Type.Name()
		}
		was, ok := fields[name]
		if !ok || f.Tag.Get("protobuf") == "-" {
			continue // another version has it, or package wire reads and writes it
		}
		n.note(t, f, was)
		n.compare(f.Type, was.of)
	}
}

func (n *numbers) note(t reflect.Type, f reflect.StructField, was publishedField) {
	tag := f.Tag.Get("protobuf")
	if builtin.Declares(t) {
		key := field{t.Name(), f.Name}
		if tag = n.tags[key]; tag == "" {
			n.tags[key], tag = was.protobuf, was.protobuf
		}
	}
	if !sameField(tag, was.protobuf) && !renumbered[field{t.String(), f.Name}] {
		n.problems = append(n.problems, fmt.Errorf("%v.%s is %q, but was %q", t, f.Name, tag, was.protobuf))
	}
}
