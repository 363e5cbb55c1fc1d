package manifest

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	kjson "sigs.k8s.io/json"

	"github.com/admsim/admsim/internal/yamldoc"
)

// A Value is one value in a form of admsim's own, with the path to it. Its methods read it as the type it should have.
// For another type they report an error and return the zero value, so that a form is read to its end, and all its
// errors are reported.
type Value struct {
	Of   *Manifest
	Errs *Errors
	Path string
	Is   any // nil: absent
}

// Form returns a manifest as a whole.
func Form(m *Manifest, errs *Errors) Value {
	v := Value{Of: m, Errs: errs}
	if err := kjson.UnmarshalCaseSensitivePreserveInts(m.JSON, &v.Is); err != nil {
		panic(fmt.Sprintf("the JSON of a manifest does not parse: %v", err))
	}
	return v
}

func (v Value) Source() Source { return v.Of.Position(v.Path) }

func (v Value) Errorf(hint, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if v.Path != "" {
		text = v.Path + ": " + text
	}
	v.Errs.Add(v.Source(), hint, "%s", text)
}

func (v Value) Given() bool { return v.Is != nil }

// Saying returns v, and reports an error if it is empty: whoever writes `called: []` may mean that nothing is called,
// which would not be checked.
func (v Value) Saying(hint string) Value {
	switch is := v.Is.(type) {
	case []any:
		if len(is) > 0 {
			return v
		}
	case map[string]any:
		if len(is) > 0 {
			return v
		}
	default:
		return v
	}
	v.Errorf(hint, "nothing is expected")
	return v
}

// Mapping reports whether v is a mapping. It reports unknown keys, and keys without a value: whoever writes `deny:`
// does not mean to leave it out. The value of an unknown key that is probably a misspelling of one of keys is read as
// the value of that key.
func (v Value) Mapping(keys ...string) bool { return v.MappingExcept(nil, keys...) }

// A Misplaced key belongs elsewhere. Text and Hint are for those who write it here.
type Misplaced struct{ Key, Text, Hint string }

// MappingExcept is [Value.Mapping] with special words for some of the unknown keys.
func (v Value) MappingExcept(misplaced []Misplaced, keys ...string) bool {
	m, ok := v.Is.(map[string]any)
	if !ok {
		if v.Given() {
			v.Wrong("a mapping")
		}
		return false
	}
	for _, key := range slices.Sorted(maps.Keys(m)) {
		if slices.Contains(keys, key) {
			if m[key] == nil {
				v.Errs.Add(v.At(key).Source(), "give it a value, or leave it out", "%s has no value", v.At(key).Path)
			}
			continue
		}
		if i := slices.IndexFunc(misplaced, func(one Misplaced) bool { return one.Key == key }); i >= 0 {
			v.At(key).Errorf(misplaced[i].Hint, "%s", misplaced[i].Text)
			continue
		}
		meant := meantKey(key, keys)
		hint := "known here: " + strings.Join(keys, ", ")
		if meant != "" {
			hint = fmt.Sprintf("did you mean %q?", meant)
		}
		v.Errs.Add(v.At(key).Source(), hint, "unknown key %q", strings.TrimPrefix(v.Path+"."+key, "."))
		if _, there := m[meant]; meant != "" && !there {
			m[meant] = misspeltKey{key, m[key]}
		}
	}
	return true
}

// A misspeltKey is a value under a misspelt key.
type misspeltKey struct {
	key string
	is  any
}

// At returns the value of a key, which is absent if it is null or v is not a mapping.
func (v Value) At(key string) Value {
	m, _ := v.Is.(map[string]any)
	v.Is = m[key]
	if one, ok := v.Is.(misspeltKey); ok {
		key, v.Is = one.key, one.is
	}
	v.Path = strings.TrimPrefix(v.Path+"."+key, ".")
	return v
}

// Lacks reports whether a key is missing. Mapping reports a key without a value.
func (v Value) Lacks(key string) bool {
	m, _ := v.Is.(map[string]any)
	_, there := m[key]
	return !there
}

// NoText reports whether a key is missing or has an empty text. A value that is not a text is reported when it is read.
func (v Value) NoText(key string) bool { return v.Lacks(key) || v.At(key).Is == "" }

func (v Value) List() []Value {
	items, ok := v.Is.([]any)
	if !ok && v.Given() {
		v.Wrong("a list")
	}
	all := make([]Value, len(items))
	for i, item := range items {
		all[i] = v
		all[i].Is, all[i].Path = item, fmt.Sprintf("%s[%d]", v.Path, i)
	}
	return all
}

func (v Value) Text() string {
	s, ok := v.Is.(string)
	if !ok && v.Given() {
		hint := ""
		switch v.Is.(type) {
		case bool:
			hint = "put it in quotes: without them, y, yes and on mean true, and n, no and off mean false"
		case int64, float64:
			hint = "put it in quotes"
		}
		v.Errorf(hint, "%s instead of a string", TypeName(v.Is))
	}
	return s
}

// Scalar returns a text, and a number or a boolean as text.
func (v Value) Scalar() string {
	switch v.Is.(type) {
	case bool, int64, float64:
		return string(Encode(v.Is))
	}
	return v.Text()
}

// ListOfTexts is List, with a hint if there is a single text instead of a list.
func (v Value) ListOfTexts() []Value {
	if text, isText := v.Is.(string); isText {
		v.Errorf(fmt.Sprintf("write [%q]", text), "a string instead of a list")
		return nil
	}
	return v.List()
}

func (v Value) Texts() []string {
	var all []string
	for _, item := range v.ListOfTexts() {
		if !item.Given() {
			item.Wrong("a string")
		}
		all = append(all, item.Text())
	}
	return all
}

func (v Value) TextMap() map[string]string {
	m, ok := v.Is.(map[string]any)
	if !ok {
		if v.Given() {
			v.Wrong("a mapping")
		}
		return nil
	}
	all := make(map[string]string, len(m))
	for _, key := range slices.Sorted(maps.Keys(m)) {
		one := v.Key(key)
		if !one.Given() {
			one.Wrong("a string")
		}
		all[key] = one.Text()
	}
	return all
}

// Key is At for keys that users choose, which may contain dots.
func (v Value) Key(key string) Value {
	one := v.At(key)
	one.Path = fmt.Sprintf("%s[%s]", v.Path, key)
	return one
}

func (v Value) Flag() bool {
	b, ok := v.Is.(bool)
	if !ok && v.Given() {
		v.unquoted("true or false")
	}
	return b
}

// unquoted reports a value of the wrong type. The hint is for a text that would be right without its quotes.
func (v Value) unquoted(want string) {
	hint := ""
	if text, isText := v.Is.(string); isText && (text == "true" || text == "false" || isNumber(text)) {
		hint = "remove the quotes"
	}
	v.Errorf(hint, "%s instead of %s", TypeName(v.Is), want)
}

func isNumber(text string) bool {
	_, err := strconv.ParseInt(text, 10, 64)
	return err == nil
}

func (v Value) Number(least, most int64) int64 {
	n, ok := v.Is.(int64)
	switch {
	case !v.Given():
	case !ok:
		v.unquoted("a whole number")
	case n < least || n > most:
		v.Errorf("", "%d is not between %d and %d", n, least, most)
		return 0
	}
	return n
}

func (v Value) Duration() time.Duration {
	const hint = `such as 20ms or 1m30s`
	s, ok := v.Is.(string)
	if !ok {
		if v.Given() {
			v.Errorf(hint, "%s instead of a duration", TypeName(v.Is))
		}
		return 0
	}
	d, err := time.ParseDuration(s)
	if err != nil || d < 0 || d == math.MaxInt64 {
		v.Errorf(hint, "%q is not a duration", s)
		return 0
	}
	return d
}

// OneOf reads one of a few words.
func (v Value) OneOf(words ...string) string {
	s := v.Text()
	if s == "" || slices.Contains(words, s) {
		return s
	}
	hint := DidYouMean(s, words)
	if hint == "" {
		hint = "one of " + strings.Join(words, ", ")
	}
	v.Errorf(hint, "%q is unknown", s)
	return ""
}

// Raw returns v as JSON, nil if it is absent.
func (v Value) Raw() json.RawMessage {
	if !v.Given() {
		return nil
	}
	return Encode(v.Is)
}

func (v Value) Wrong(want string) {
	v.Errorf("", "%s instead of %s", TypeName(v.Is), want)
}

// Document returns v as a document of its own.
func (v Value) Document() yamldoc.Document {
	return yamldoc.Document{Value: v.Is, Places: v.Of.Layout().Lookup(v.Path), Source: v.Source(), Text: v.Of.Text}
}

// AnyMapping reports whether v is a mapping, with any keys.
func AnyMapping(v Value) bool {
	if _, ok := v.Is.(map[string]any); ok {
		return true
	}
	if v.Given() {
		v.Wrong("a mapping")
	}
	return false
}

// FormOf returns a document that needs no apiVersion and no kind as a form.
func FormOf(d yamldoc.Document, errs *Errors) Value {
	return Form(&Manifest{Source: d.Source, Places: d.Places, JSON: Encode(d.Value)}, errs)
}
