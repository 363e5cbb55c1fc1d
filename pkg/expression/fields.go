package expression

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	kjson "sigs.k8s.io/json"

	"github.com/admsim/admsim/internal/memo"
	"github.com/admsim/admsim/internal/moved"
	"github.com/admsim/admsim/internal/unset"
)

// object returns an object as expressions see it. The result is that of [runtime.DefaultUnstructuredConverter], but the
// latter copies everything it knows about types for each field that it meets, so that the first Pod costs a process
// more than everything else that it does with it. Here a type is inspected once, and only if there is a value of it.
// Fields that the release has in another place than the Go types are moved there (CV-09),
// and those that it writes although they are not set are added (W-138).
func (p *converters) object(object runtime.Object) (map[string]any, error) {
	if u, ok := object.(runtime.Unstructured); ok {
		return u.UnstructuredContent(), nil
	}
	fields, err := p.fields(object)
	if err != nil {
		return nil, err
	}
	if p.moved != nil {
		p.moved(object.GetObjectKind().GroupVersionKind().GroupKind()).ToRelease(fields)
	}
	p.unset.Write(object, fields)
	return fields, nil
}

// fields returns the fields of a struct, given a pointer to it.
func (p *converters) fields(of any) (map[string]any, error) {
	v := reflect.ValueOf(of)
	if v.Kind() != reflect.Pointer || v.IsNil() {
		return nil, fmt.Errorf("no object but a %T", of)
	}
	value, err := p.of(v.Type().Elem())(v.Elem())
	if err != nil {
		return nil, err
	}
	fields, ok := value.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("a %T has no fields", of)
	}
	return fields, nil
}

// A converter converts a value of one Go type to its JSON form, with whole numbers as int64.
type converter func(reflect.Value) (any, error)

// converters holds the converters that were needed so far. They only depend on types.
type converters struct {
	known memo.Map                            // reflect.Type → converter
	moved func(schema.GroupKind) moved.Fields // the fields that a release has in another place than the types; nil for none
	unset *unset.Fields
}

func (p *converters) of(t reflect.Type) converter {
	if known, ok := p.known.Load(t); ok {
		return known.(converter)
	}
	// Types may be parts of themselves, so no type is inspected before there is a value.
	made := sync.OnceValue(func() converter { return p.make(t) })
	known, _ := p.known.LoadOrStore(t, converter(func(v reflect.Value) (any, error) { return made()(v) }))
	return known.(converter)
}

// Times and quantities are selfConverters; other types implement json.Marshaler.
type selfConverter interface{ ToUnstructured() any }

func (p *converters) make(t reflect.Type) converter {
	switch {
	case implements[selfConverter](t):
		return unlessNil(func(v reflect.Value) (any, error) {
			return methodsOf[selfConverter](v).ToUnstructured(), nil
		})
	case implements[json.Marshaler](t):
		return unlessNil(func(v reflect.Value) (any, error) {
			data, err := methodsOf[json.Marshaler](v).MarshalJSON()
			if err != nil {
				return nil, err
			}
			var out any
			return out, kjson.UnmarshalCaseSensitivePreserveInts(data, &out)
		})
	}
	switch t.Kind() {
	case reflect.String:
		return func(v reflect.Value) (any, error) { return v.String(), nil }
	case reflect.Bool:
		return func(v reflect.Value) (any, error) { return v.Bool(), nil }
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return func(v reflect.Value) (any, error) { return v.Int(), nil }
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return convertUnsigned
	case reflect.Float32, reflect.Float64:
		return func(v reflect.Value) (any, error) { return v.Float(), nil }
	case reflect.Pointer:
		of := p.of(t.Elem())
		return unlessNil(func(v reflect.Value) (any, error) { return of(v.Elem()) })
	case reflect.Interface:
		return unlessNil(func(v reflect.Value) (any, error) { return p.of(v.Elem().Type())(v.Elem()) })
	case reflect.Map:
		return unlessNil(p.mapOf(t))
	case reflect.Slice:
		return unlessNil(p.sliceOf(t))
	case reflect.Struct:
		return p.structOf(t)
	}
	return func(reflect.Value) (any, error) { return nil, fmt.Errorf("unrecognized type: %v", t.Kind()) }
}

// implements reports whether values of a type, or pointers to them, have the methods of T.
func implements[T any](t reflect.Type) bool {
	methods := reflect.TypeFor[T]()
	return t.Kind() != reflect.Interface && (t.Implements(methods) || reflect.PointerTo(t).Implements(methods))
}

// methodsOf returns v, or a pointer to it, as a T.
func methodsOf[T any](v reflect.Value) T {
	if with, ok := v.Interface().(T); ok {
		return with
	}
	if !v.CanAddr() {
		at := reflect.New(v.Type()).Elem()
		at.Set(v)
		v = at
	}
	return v.Addr().Interface().(T)
}

func unlessNil(of converter) converter {
	return func(v reflect.Value) (any, error) {
		switch v.Kind() {
		case reflect.Pointer, reflect.Interface, reflect.Map, reflect.Slice:
			if v.IsNil() {
				return nil, nil
			}
		}
		return of(v)
	}
}

func convertUnsigned(v reflect.Value) (any, error) {
	if v.Uint() > math.MaxInt64 {
		return nil, fmt.Errorf("unsigned value %d does not fit into int64 (overflow)", v.Uint())
	}
	return int64(v.Uint()), nil
}

func (p *converters) mapOf(t reflect.Type) converter {
	of := p.of(t.Elem())
	return func(v reflect.Value) (any, error) {
		if t.Key().Kind() != reflect.String {
			return nil, fmt.Errorf("a map with keys of type %v", t.Key())
		}
		out := make(map[string]any, v.Len())
		for entries := v.MapRange(); entries.Next(); {
			value, err := of(entries.Value())
			if err != nil {
				return nil, err
			}
			out[entries.Key().String()] = value
		}
		return out, nil
	}
}

func (p *converters) sliceOf(t reflect.Type) converter {
	if t.Elem().Kind() == reflect.Uint8 {
		return func(v reflect.Value) (any, error) { return base64.StdEncoding.EncodeToString(v.Bytes()), nil }
	}
	of := p.of(t.Elem())
	return func(v reflect.Value) (any, error) {
		out := make([]any, v.Len())
		for i := range out {
			var err error
			if out[i], err = of(v.Index(i)); err != nil {
				return nil, err
			}
		}
		return out, nil
	}
}

// A structField is a field of a struct. A field without a name is a struct whose fields are among those of the outer
// one.
type structField struct {
	index     int
	name      string
	omitEmpty bool
	omitZero  bool
	convert   converter
}

func (p *converters) structOf(t reflect.Type) converter {
	fields := p.fieldsOf(t)
	return func(v reflect.Value) (any, error) {
		out := make(map[string]any, len(fields))
		for _, f := range fields {
			in := v.Field(f.index)
			if f.omitEmpty && isEmpty(in) || f.omitZero && isZero(in) {
				continue
			}
			value, err := f.convert(in)
			if err != nil {
				return nil, err
			}
			if f.name != "" {
				out[f.name] = value
				continue
			}
			inner, _ := value.(map[string]any)
			for name, value := range inner {
				out[name] = value
			}
		}
		return out, nil
	}
}

func (p *converters) fieldsOf(t reflect.Type) []structField {
	var fields []structField
	for i := range t.NumField() {
		f := t.Field(i)
		options := strings.Split(f.Tag.Get("json"), ",")
		name := options[0]
		if name == "" && !f.Anonymous {
			name = f.Name
		}
		if name == "-" {
			continue
		}
		fields = append(fields, structField{
			index: i, name: name, convert: p.of(f.Type),
			omitEmpty: slices.Contains(options[1:], "omitempty"),
			omitZero:  slices.Contains(options[1:], "omitzero"),
		})
	}
	return fields
}

// isEmpty reports whether encoding/json omits a value with omitempty.
func isEmpty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Array, reflect.Map, reflect.Slice, reflect.String:
		return v.Len() == 0
	case reflect.Struct:
		return false
	}
	return v.IsZero()
}

// isZero reports whether it omits a value with omitzero.
func isZero(v reflect.Value) bool {
	type zeroer interface{ IsZero() bool }
	if v.Kind() == reflect.Pointer && v.IsNil() || !implements[zeroer](v.Type()) {
		return v.IsZero()
	}
	return methodsOf[zeroer](v).IsZero()
}
