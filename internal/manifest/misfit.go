package manifest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/admsim/admsim/internal/builtin"
	"github.com/admsim/admsim/internal/endless"
	"github.com/admsim/admsim/internal/objects"
)

// Mistakes returns an error for each mistake in m that text, an answer of the server, is about, sorted by line. A decoder
// ends at the first value that it cannot read, and then says nothing about the others and about unknown fields; these are
// mistakes, too. ignored is how to have unknown fields ignored: see [Manifest.StrictErrors].
func (m Manifest) Mistakes(text, ignored string, types *objects.Types) Errors {
	all := m.StrictErrors(text, ignored, types)
	if _, _, err := types.Decode(m.JSON, m.GroupVersionKind, objects.Ignore); err != nil && strings.Contains(text, err.Error()) {
		unread, rest := m.misfits(types)
		all = append(all, unread...)
		if _, _, err := types.Decode(rest.JSON, rest.GroupVersionKind, objects.Strict); err != nil && len(unread) > 0 {
			all = append(all, rest.StrictErrors(err.Error(), ignored, types)...)
		}
	}
	return all.Sorted()
}

// mostMisfits is how many values that cannot be read are looked for in one object.
const mostMisfits = 20

// misfits returns an error for each value that its type in Go cannot hold. rest is m without them.
func (m Manifest) misfits(types *objects.Types) (all Errors, rest Manifest) {
	var whole any
	d := json.NewDecoder(bytes.NewReader(m.JSON))
	d.UseNumber()
	if d.Decode(&whole) != nil {
		return nil, m
	}
	t := m.goType(types)
	if t == nil || len(builtin.Fields(t)) == 0 {
		t = reflect.TypeFor[metav1.PartialObjectMetadata]() // all that is typed in a custom resource
	}
	f := fitting{of: m}
	f.value("", whole, t, func() { whole = nil })
	rest = m
	rest.JSON = Encode(whole)
	return f.misfits, rest
}

// A fitting tries which values of a manifest their types can hold.
type fitting struct {
	of      Manifest
	misfits Errors
}

// value tries a value, and all values in it. clear replaces it by null.
func (f *fitting) value(path string, v any, t reflect.Type, clear func()) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if v == nil || len(f.misfits) >= mostMisfits || t.Kind() == reflect.Interface {
		return
	}
	if reflect.PointerTo(t).Implements(reflect.TypeFor[json.Unmarshaler]()) || t == reflect.TypeFor[[]byte]() {
		f.special(path, v, t, clear)
		return
	}
	is, want, unquoted, fits := TypeName(v), inWords(t), false, false
	switch v := v.(type) {
	case map[string]any:
		switch {
		case t.Kind() == reflect.Struct:
			fields := builtin.Fields(t)
			for _, key := range slices.Sorted(maps.Keys(v)) {
				if field := fields[key]; field != nil {
					f.value(strings.TrimPrefix(path+"."+key, "."), v[key], field, func() { v[key] = nil })
				}
			}
			fits = true
		case t.Kind() == reflect.Map:
			for _, key := range slices.Sorted(maps.Keys(v)) {
				f.value(fmt.Sprintf("%s[%s]", path, key), v[key], t.Elem(), func() { v[key] = nil })
			}
			fits = true
		}
	case []any:
		if fits = t.Kind() == reflect.Slice; fits {
			for i, item := range v {
				f.value(fmt.Sprintf("%s[%d]", path, i), item, t.Elem(), func() { v[i] = nil })
			}
		}
	case string:
		fits = t.Kind() == reflect.String
		unquoted = v != "null" && json.Unmarshal([]byte(v), reflect.New(t).Interface()) == nil
	case bool:
		fits = t.Kind() == reflect.Bool
	case json.Number:
		number := reflect.New(t)
		if err := json.Unmarshal([]byte(v), number.Interface()); err == nil {
			fits = true
		} else if number.Elem().CanInt() || number.Elem().CanUint() || number.Elem().CanFloat() {
			is = v.String()
		}
	}
	if !fits {
		message, hint := instead(path, is, want)
		if unquoted {
			hint = "remove the quotes"
		}
		f.misfit(path, message, hint, clear)
	}
}

// inWords describes a Go type in the words of a manifest, by what it consists of: an enumeration is a string.
func inWords(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Struct, reflect.Map:
		return "a mapping"
	case reflect.Slice:
		return "a list"
	}
	return GoTypeName(t.Kind().String())
}

// instead says that the value at a path does not have the wanted type. is is its type, or the number that it is.
func instead(path, is, want string) (message, hint string) {
	switch {
	case !strings.HasPrefix(is, "a ") && !strings.ContainsAny(is, ".eE"):
		return fmt.Sprintf("%s: %s does not fit", path, is), ""
	case want == "a string" && (is == "a boolean" || is == "a number"):
		hint = "put it in quotes" // YAML reads n, no and off as booleans, too
	}
	return fmt.Sprintf("%s: %s instead of %s", path, is, want), hint
}

// special tries a value whose type reads it itself.
func (f *fitting) special(path string, v any, t reflect.Type, clear func()) {
	text, isText := v.(string)
	if t == reflect.TypeFor[resource.Quantity]() && endless.CheckInExpression(text) != nil {
		return
	}
	err := json.Unmarshal(Encode(v), reflect.New(t).Interface())
	if err == nil {
		return
	}
	want, hint := "", ""
	switch t {
	case reflect.TypeFor[resource.Quantity]():
		want, hint = "a quantity", quantityHint(text)
	case reflect.TypeFor[metav1.Time](), reflect.TypeFor[metav1.MicroTime]():
		want, hint = "a time", "such as 2026-01-02T15:04:05Z"
		if t == reflect.TypeFor[metav1.MicroTime]() {
			hint = "such as 2026-01-02T15:04:05.000000Z"
		}
	case reflect.TypeFor[metav1.Duration]():
		want, hint = "a duration", "such as 30s or 1h30m"
	case reflect.TypeFor[intstr.IntOrString]():
		want = "a whole number or a string"
	case reflect.TypeFor[[]byte]():
		want, hint = "a string in base64", base64Hint(text)
	default:
		f.forms(path, v, t, clear, err)
		return
	}
	message := fmt.Sprintf("%s: %q is not %s", path, text, want)
	switch {
	case !isText:
		is := TypeName(v)
		if number, isNumber := v.(json.Number); isNumber && t == reflect.TypeFor[intstr.IntOrString]() {
			is = number.String()
		}
		message, hint = instead(path, is, want)
	case t == reflect.TypeFor[[]byte]():
		message = path + ": not in base64" // the value may be a secret
	}
	f.misfit(path, message, hint, clear)
}

// forms finds what is wrong with a value that may have one of several forms, such as a schema or a list of schemas. err
// is what its type says about it.
func (f *fitting) forms(path string, v any, t reflect.Type, clear func(), err error) {
	found := len(f.misfits)
	want := reflect.Invalid
	switch v.(type) {
	case map[string]any:
		want = reflect.Struct
	case []any:
		want = reflect.Slice
	}
	if t.Kind() == reflect.Struct {
		for field := range t.Fields() {
			form := field.Type
			for form.Kind() == reflect.Pointer {
				form = form.Elem()
			}
			if field.IsExported() && form.Kind() == want {
				f.value(path, v, form, clear)
			}
		}
	}
	if len(f.misfits) == found {
		f.misfit(path, fmt.Sprintf("%s: %v", path, err), "", clear)
	}
}

func (f *fitting) misfit(path, message, hint string, clear func()) {
	clear()
	f.misfits.Add(f.of.Position(path), hint, "%s: %s", f.of, message)
}

// base64Hint says how to write a value that is not in base64.
func base64Hint(text string) string {
	switch {
	case strings.Contains(text, "<"), strings.Contains(text, "..."): // base64 has neither
		return "this stands for a value that somebody has to fill in; if a mock answers, leave the field out"
	case strings.Contains(text, "-----BEGIN"):
		return "the certificate itself is in base64, with its BEGIN and END lines: base64 -w0 FILE"
	}
	return "encode it: base64 -w0 FILE"
}

// quantityHint says how to write a quantity: units of other tools, such as MB, are not those of Kubernetes.
func quantityHint(text string) string {
	number := strings.TrimRight(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ ")
	unit := strings.TrimSpace(text[len(number):])
	letter := strings.TrimSuffix(strings.ToLower(unit), "b") // for bytes
	letter = strings.TrimSuffix(letter, "i")
	var meant []string
	if len(letter) == 1 && strings.Contains("kmgtpe", letter) {
		decimal := strings.ToUpper(letter)
		if letter == "k" {
			decimal = "k"
		}
		for _, suffix := range []string{strings.ToUpper(letter) + "i", decimal} {
			if q := strings.ReplaceAll(number, ",", ".") + suffix; len(q) < 20 && parses(q) {
				meant = append(meant, strconv.Quote(q))
			}
		}
	}
	if len(meant) > 0 {
		return "did you mean " + strings.Join(meant, " or ") + "?"
	}
	return "such as 500m, 2 or 64Mi"
}

func parses(quantity string) bool {
	_, err := resource.ParseQuantity(quantity)
	return err == nil
}
