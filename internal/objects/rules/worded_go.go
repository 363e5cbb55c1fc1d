package rules

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/gocmp"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// asGo returns a value that is shown as Go prints it, unless it has a form of its own.
func asGo(value any, r *kubeversion.Release) any {
	if v, ok := value.(interface{ InGo() any }); ok {
		value = v.InGo()
	}
	if value == nil || value == any(field.OmitValueType{}) {
		return orNull(value)
	}
	if v := reflect.ValueOf(value); v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return "null"
		}
		value = v.Elem().Interface()
	}
	switch value.(type) {
	case int64, int32, float64, float32, bool, string:
		return value
	}
	return goValue{value, r}
}

// A TypedName is the name of a resource in an error to which the server has always passed its own type of such names, so
// that the name is shown without quotes as long as values are shown as Go prints them.
type TypedName corev1.ResourceName

func (n TypedName) String() string { return string(n) }

func orNull(value any) any {
	if value == nil {
		return "null"
	}
	return value
}

// A goValue cannot be marshaled as JSON, so that it is shown by its String method (ER-06): as the verb %#v prints it in
// the internal types of a release.
type goValue struct {
	value   any
	release *kubeversion.Release
}

func (v goValue) String() string {
	if s, ok := v.value.(fmt.Stringer); ok {
		return s.String()
	}
	if bytes, ok := v.value.([]byte); ok { // whose type has another name within other values
		return fmt.Sprintf("%#v", bytes)
	}
	var b strings.Builder
	writeGo(&b, internalDescriber{release: v.release}.value(reflect.ValueOf(v.value)))
	return b.String()
}

func (v goValue) MarshalJSON() ([]byte, error) { return nil, errors.ErrUnsupported }

// addresses matches the addresses in pointers, which differ in each run, as they do on the server.
var addresses = regexp.MustCompile(`\(0x[0-9a-f]+\)`)

// writeGo writes a value as Go does, with the same address in all pointers.
func writeGo(b *strings.Builder, v *gocmp.Value) {
	s, hasOwn := v.Origin.(fmt.GoStringer)
	switch {
	case hasOwn && v.Nil:
		b.WriteString("<nil>")
	case hasOwn:
		b.WriteString(addresses.ReplaceAllString(s.GoString(), "(0xc000000000)"))
	case v.Kind == gocmp.Pointer && !v.Nil:
		fmt.Fprintf(b, "(%s)(0xc000000000)", v.Type)
	case v.Kind == gocmp.Pointer:
		fmt.Fprintf(b, "(%s)(nil)", v.Type)
	case v.Nil:
		b.WriteString(v.Type + "(nil)")
	case v.Kind == gocmp.String:
		b.WriteString(strconv.Quote(v.Text))
	case v.Kind == gocmp.Plain && v.Origin != nil:
		fmt.Fprintf(b, "%#v", v.Origin)
	case v.Kind == gocmp.Plain:
		b.WriteString(v.Text)
	default:
		b.WriteString(v.Type + "{")
		for i, m := range v.Members {
			if i > 0 {
				b.WriteString(", ")
			}
			switch v.Kind {
			case gocmp.Struct:
				b.WriteString(m.Key + ":")
			case gocmp.Map:
				b.WriteString(strconv.Quote(m.Key) + ":")
			}
			writeGo(b, m.Value)
		}
		b.WriteString("}")
	}
}
