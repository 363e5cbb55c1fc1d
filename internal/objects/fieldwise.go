package objects

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// A fieldwise conversion is what servers up to 1.18 try with a body of another kind than the URL's (RT-10): they convert
// it to the internal type of that kind, field by field. Types of the same name have a conversion of their own, which never
// fails: kubernetes/apimachinery@v0.18.19:pkg/conversion/converter.go.
type fieldwise struct {
	release *kubeversion.Release
	places  []place
}

// A place is a value on the way from the body to a field that cannot be converted.
type place struct {
	from, to string // types
	key      string // the field or item that was last looked at
}

func (p place) describe(of string) string {
	if p.key == "" {
		return of
	}
	return p.key
}

// refuse returns an error that says where the conversion is.
func (c *fieldwise) refuse(format string, values ...any) error {
	from, to := "("+c.places[0].from+")", "("+c.places[0].to+")"
	for _, p := range c.places[1:] {
		from, to = from+"."+p.describe(p.from), to+"."+p.describe(p.to)
	}
	return fmt.Errorf("converting %s to %s: %s", from, to, fmt.Sprintf(format, values...))
}

// convert returns the error of a conversion of from to the internal counterpart of a type.
func (c *fieldwise) convert(from reflect.Value, to reflect.Type) error {
	if t := from.Type(); len(c.places) > 0 && (t == to || t.Name() != "" && t.Name() == to.Name()) {
		return nil
	}
	switch from.Kind() {
	case reflect.Map, reflect.Pointer, reflect.Slice, reflect.Struct:
	default:
		if from.Type().ConvertibleTo(to) {
			return nil
		}
	}
	c.places = append(c.places, place{from: from.Type().String(), to: rules.InternalType(c.release, to)})
	if err := c.convertParts(from, to); err != nil {
		return err
	}
	c.places = c.places[:len(c.places)-1]
	return nil
}

func (c *fieldwise) convertParts(from reflect.Value, to reflect.Type) error {
	if from.Kind() != to.Kind() {
		return c.refuse("couldn't copy '%v' into '%v'; didn't understand types", from.Type(), rules.InternalType(c.release, to))
	}
	if from.Kind() != reflect.Struct && from.IsNil() {
		return nil
	}
	switch from.Kind() {
	case reflect.Struct:
		for _, name := range rules.InternalFields(c.release, to) {
			field, _ := to.FieldByName(name)
			if !rules.HasGoField(c.release, from.Type(), name) {
				return c.refuse("%s not present in src", name)
			}
			if err := c.convertPart(name, from.FieldByName(name), field.Type); err != nil {
				return err
			}
		}
	case reflect.Pointer:
		return c.convert(from.Elem(), to.Elem())
	case reflect.Slice:
		for i := range from.Len() {
			if err := c.convertPart(fmt.Sprintf("[%d]", i), from.Index(i), to.Elem()); err != nil {
				return err
			}
		}
	case reflect.Map: // in any order
		keys := from.MapKeys()
		slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
		for _, key := range keys {
			if err := c.convertPart(fmt.Sprintf("[%q]", key.String()), from.MapIndex(key), to.Elem()); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *fieldwise) convertPart(key string, from reflect.Value, to reflect.Type) error {
	c.places[len(c.places)-1].key = key
	return c.convert(from, to)
}
