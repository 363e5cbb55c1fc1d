package wire

import (
	"fmt"
	"iter"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/internal/builtin"
	"github.com/admsim/admsim/internal/memo"
)

// A marshaler is a type with generated code for protocol buffers.
type marshaler interface {
	Marshal() ([]byte, error)
	Unmarshal(data []byte) error
}

// hasMessage reports whether an object can be written in protocol buffers.
func hasMessage(object runtime.Object) bool {
	_, generated := object.(marshaler)
	return generated || builtin.Declares(reflect.TypeOf(object).Elem())
}

// MessageSize returns the size of an object in protocol buffers, without fields that its Go type has lost. ok is false
// if it has no such form.
func MessageSize(object runtime.Object) (n int, ok bool) {
	if !hasMessage(object) {
		return 0, false
	}
	if sized, ok := object.(interface{ Size() int }); ok && !builtin.Declares(reflect.TypeOf(object).Elem()) {
		return sized.Size(), true
	}
	data, err := marshal(object)
	return len(data), err == nil
}

// marshal writes an object in protocol buffers.
func marshal(object runtime.Object) ([]byte, error) {
	if !hasMessage(object) {
		return nil, fmt.Errorf("%T has no form in protocol buffers", object)
	}
	return marshalValue(reflect.ValueOf(object).Elem())
}

// marshalValue writes a message. Types that are declared in package builtin have no generated code, but may embed others
// that have.
func marshalValue(v reflect.Value) ([]byte, error) {
	if m, ok := v.Addr().Interface().(marshaler); ok && !builtin.Declares(v.Type()) {
		return m.Marshal()
	}
	return marshalFields(nil, v)
}

// unmarshal reads an object, which has no fields set, from protocol buffers.
func unmarshal(object runtime.Object, data []byte) error {
	return unmarshalValue(reflect.ValueOf(object).Elem(), data)
}

func unmarshalValue(v reflect.Value, data []byte) error {
	if m, ok := v.Addr().Interface().(marshaler); ok && !builtin.Declares(v.Type()) {
		return m.Unmarshal(data)
	}
	return unmarshalFields(v, data)
}

// A numberedField is a field of a struct that its message has.
type numberedField struct {
	index  int
	number protowire.Number
}

var numbered memo.Map // reflect.Type → []numberedField

// numberedFields returns the fields of a message by their tags, in the order of their numbers. The types in these tags
// are not read: a few are wrong.
func numberedFields(t reflect.Type) []numberedField {
	if known, ok := numbered.Load(t); ok {
		return known.([]numberedField)
	}
	var all []numberedField
	for i := range t.NumField() {
		parts := strings.SplitN(t.Field(i).Tag.Get("protobuf"), ",", 3)
		if len(parts) < 2 {
			continue
		}
		if n, err := strconv.Atoi(parts[1]); err == nil {
			all = append(all, numberedField{i, protowire.Number(n)})
		}
	}
	slices.SortFunc(all, func(a, b numberedField) int { return int(a.number - b.number) })
	numbered.Store(t, all)
	return all
}

// fieldNumbered returns the field of a struct with this number in protocol buffers.
func fieldNumbered(t reflect.Type, n protowire.Number) (f reflect.StructField, known bool) {
	fields := numberedFields(t)
	i := slices.IndexFunc(fields, func(f numberedField) bool { return f.number == n })
	if i < 0 {
		return f, false
	}
	return t.Field(fields[i].index), true
}

// marshalFields writes the fields of a message as the generated code of k8s.io/api does: in the order of their numbers,
// and also those that are empty, except for pointers, lists, maps and bytes that are nil.
func marshalFields(data []byte, message reflect.Value) (_ []byte, err error) {
	for _, f := range numberedFields(message.Type()) {
		v := message.Field(f.index)
		switch {
		case v.Kind() == reflect.Pointer:
			if !v.IsNil() {
				data, err = marshalField(data, f.number, v.Elem())
			}
		case v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Uint8:
			if !v.IsNil() {
				data = appendField(data, f.number, v.Bytes())
			}
		case v.Kind() == reflect.Slice:
			for i := 0; i < v.Len() && err == nil; i++ {
				data, err = marshalField(data, f.number, v.Index(i))
			}
		case v.Kind() == reflect.Map:
			data, err = marshalMap(data, f.number, v)
		default:
			data, err = marshalField(data, f.number, v)
		}
		if err != nil {
			return nil, err
		}
	}
	return data, nil
}

// marshalMap writes a map with the keys in order. They are texts in all maps.
func marshalMap(data []byte, number protowire.Number, entries reflect.Value) ([]byte, error) {
	keys := entries.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
	for _, key := range keys {
		value := reflect.New(entries.Type().Elem()).Elem() // addressable
		value.Set(entries.MapIndex(key))
		entry := appendField(nil, 1, []byte(key.String()))
		entry, err := marshalField(entry, 2, value)
		if err != nil {
			return nil, err
		}
		data = appendField(data, number, entry)
	}
	return data, nil
}

// marshalField writes one occurrence of a field.
func marshalField(data []byte, number protowire.Number, v reflect.Value) ([]byte, error) {
	switch v.Kind() {
	case reflect.Struct:
		text, err := marshalValue(v)
		return appendField(data, number, text), err
	case reflect.String:
		return protowire.AppendString(protowire.AppendTag(data, number, protowire.BytesType), v.String()), nil
	case reflect.Bool:
		return protowire.AppendVarint(protowire.AppendTag(data, number, protowire.VarintType), protowire.EncodeBool(v.Bool())), nil
	case reflect.Int32, reflect.Int64:
		return protowire.AppendVarint(protowire.AppendTag(data, number, protowire.VarintType), uint64(v.Int())), nil
	case reflect.Float64:
		return protowire.AppendFixed64(protowire.AppendTag(data, number, protowire.Fixed64Type), math.Float64bits(v.Float())), nil
	}
	return nil, fmt.Errorf("a %v has no form in protocol buffers", v.Type())
}

// unmarshalFields reads the fields of a message. Those that the type does not have are skipped.
func unmarshalFields(message reflect.Value, data []byte) error {
	for occurrence, err := range fieldsOf(data) {
		if err != nil {
			return err
		}
		f, known := fieldNumbered(message.Type(), occurrence.number)
		if !known {
			continue
		}
		occurrence.name = f.Name
		if err := occurrence.addTo(message.FieldByIndex(f.Index)); err != nil {
			return err
		}
	}
	return nil
}

// An encodedField is one occurrence of a field in a message.
type encodedField struct {
	name   string // in Go, for errors
	number protowire.Number
	kind   protowire.Type
	data   []byte // the value
	whole  []byte // the tag and the value
}

// fieldsOf returns the fields of a message in the order in which they are encoded, and ends at an error.
func fieldsOf(data []byte) iter.Seq2[encodedField, error] {
	return func(yield func(encodedField, error) bool) {
		for len(data) > 0 {
			number, kind, tag := protowire.ConsumeTag(data)
			if tag < 0 {
				yield(encodedField{}, protowire.ParseError(tag))
				return
			}
			size := protowire.ConsumeFieldValue(number, kind, data[tag:])
			if size < 0 {
				yield(encodedField{}, protowire.ParseError(size))
				return
			}
			if !yield(encodedField{number: number, kind: kind, data: data[tag : tag+size], whole: data[:tag+size]}, nil) {
				return
			}
			data = data[tag+size:]
		}
	}
}

// addTo adds the occurrence to the value of the field.
func (f encodedField) addTo(v reflect.Value) error {
	switch {
	case v.Kind() == reflect.Pointer:
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		}
		return f.read(v.Elem())
	case v.Kind() == reflect.Slice && v.Type().Elem().Kind() != reflect.Uint8:
		v.Set(reflect.Append(v, reflect.Zero(v.Type().Elem())))
		return f.read(v.Index(v.Len() - 1))
	case v.Kind() == reflect.Map:
		return f.addEntry(v)
	}
	return f.read(v)
}

// addEntry adds an entry to a map.
func (f encodedField) addEntry(v reflect.Value) error {
	if f.kind != protowire.BytesType {
		return f.wrongType()
	}
	if v.IsNil() {
		v.Set(reflect.MakeMap(v.Type()))
	}
	entry, _ := protowire.ConsumeBytes(f.data)
	key := reflect.New(v.Type().Key()).Elem()
	value := reflect.New(v.Type().Elem()).Elem()
	for part, err := range fieldsOf(entry) {
		if err != nil {
			return err
		}
		part.name = f.name
		switch part.number {
		case 1:
			err = part.read(key)
		case 2:
			err = part.read(value)
		}
		if err != nil {
			return err
		}
	}
	v.SetMapIndex(key, value)
	return nil
}

// read sets a value.
func (f encodedField) read(v reflect.Value) error {
	want := protowire.BytesType
	switch v.Kind() {
	case reflect.Bool, reflect.Int32, reflect.Int64:
		want = protowire.VarintType
	case reflect.Float64:
		want = protowire.Fixed64Type
	}
	if f.kind != want {
		return f.wrongType()
	}
	switch v.Kind() {
	case reflect.Bool:
		n, _ := protowire.ConsumeVarint(f.data)
		v.SetBool(n != 0)
	case reflect.Int32, reflect.Int64:
		n, _ := protowire.ConsumeVarint(f.data)
		v.SetInt(int64(n))
	case reflect.Float64:
		bits, _ := protowire.ConsumeFixed64(f.data)
		v.SetFloat(math.Float64frombits(bits))
	case reflect.String:
		text, _ := protowire.ConsumeBytes(f.data)
		v.SetString(string(text))
	case reflect.Slice: // of bytes
		text, _ := protowire.ConsumeBytes(f.data)
		v.SetBytes(append([]byte{}, text...))
	case reflect.Struct:
		text, _ := protowire.ConsumeBytes(f.data)
		return unmarshalValue(v, text)
	default:
		return fmt.Errorf("a %v has no form in protocol buffers", v.Type())
	}
	return nil
}

func (f encodedField) wrongType() error {
	return fmt.Errorf("proto: wrong wireType = %d for field %s", f.kind, f.name)
}
