package scenario

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

	"github.com/admsim/admsim/internal/didyoumean"
	"github.com/admsim/admsim/internal/yamldoc"
)

// A value is one value in a form of admsim's own, with the path to it. Its methods read
// it as what it should be. One that is something else is reported, and the zero value
// returned, so that a form is read to its end, and everything that is wrong with it reported.
type value struct {
	of   *Manifest
	errs *Errors
	path string
	is   any // nil: absent
}

// form is the whole of a manifest.
func form(m *Manifest, errs *Errors) value {
	v := value{of: m, errs: errs}
	if err := kjson.UnmarshalCaseSensitivePreserveInts(m.JSON, &v.is); err != nil {
		panic(fmt.Sprintf("the JSON of a manifest does not parse: %v", err))
	}
	return v
}

func (v value) source() Source { return v.of.Position(v.path) }

func (v value) errorf(hint, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if v.path != "" {
		text = v.path + ": " + text
	}
	v.errs.Add(v.source(), hint, "%s", text)
}

func (v value) given() bool { return v.is != nil }

// saying is v, which is reported where there is nothing in it: who expects `called: []` may mean that nobody
// is to be called, which it would not check.
func (v value) saying(hint string) value {
	switch is := v.is.(type) {
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
	v.errorf(hint, "nothing is expected")
	return v
}

// mapping reports whether v is a mapping, and reports keys other than these, and keys
// without a value: who writes `deny:` does not mean to leave it out. What is under a key that was
// probably meant to be one of these is read as if it was.
func (v value) mapping(keys ...string) bool {
	m, ok := v.is.(map[string]any)
	if !ok {
		if v.given() {
			v.wrong("a mapping")
		}
		return false
	}
	for _, key := range slices.Sorted(maps.Keys(m)) {
		if slices.Contains(keys, key) {
			if m[key] == nil {
				v.errs.Add(v.at(key).source(), "give it a value, or leave it out", "%s has no value", v.at(key).path)
			}
			continue
		}
		hint := didYouMean(key, keys)
		if hint == "" {
			hint = "known here: " + strings.Join(keys, ", ")
		}
		v.errs.Add(v.at(key).source(), hint, "unknown key %q", strings.TrimPrefix(v.path+"."+key, "."))
		meant := didyoumean.Nearest(key, keys)
		if _, there := m[meant]; meant != "" && !there {
			m[meant] = elsewhere{key, m[key]}
		}
	}
	return true
}

// An elsewhere is what stands under another key than the one it was meant for.
type elsewhere struct {
	key string
	is  any
}

// at is the value of a key, absent where it is null or v is no mapping.
func (v value) at(key string) value {
	m, _ := v.is.(map[string]any)
	v.is = m[key]
	if one, ok := v.is.(elsewhere); ok {
		key, v.is = one.key, one.is
	}
	v.path = strings.TrimPrefix(v.path+"."+key, ".")
	return v
}

// lacks reports whether a key is missing; a key without a value is reported by mapping.
func (v value) lacks(key string) bool {
	m, _ := v.is.(map[string]any)
	_, there := m[key]
	return !there
}

// noText reports whether a key lacks, or has an empty text; one that is not a text is reported when it is read.
func (v value) noText(key string) bool { return v.lacks(key) || v.at(key).is == "" }

func (v value) list() []value {
	items, ok := v.is.([]any)
	if !ok && v.given() {
		v.wrong("a list")
	}
	all := make([]value, len(items))
	for i, item := range items {
		all[i] = v
		all[i].is, all[i].path = item, fmt.Sprintf("%s[%d]", v.path, i)
	}
	return all
}

func (v value) text() string {
	s, ok := v.is.(string)
	if !ok && v.given() {
		hint := ""
		switch v.is.(type) {
		case bool, int64, float64:
			hint = "put it in quotes"
		}
		v.errorf(hint, "%s instead of a string", typeName(v.is))
	}
	return s
}

// listOfTexts is list, where a text alone may be meant as the only one.
func (v value) listOfTexts() []value {
	if text, isText := v.is.(string); isText {
		v.errorf(fmt.Sprintf("write [%q]", text), "a string instead of a list")
		return nil
	}
	return v.list()
}

func (v value) texts() []string {
	var all []string
	for _, item := range v.listOfTexts() {
		if !item.given() {
			item.wrong("a string")
		}
		all = append(all, item.text())
	}
	return all
}

func (v value) textMap() map[string]string {
	m, ok := v.is.(map[string]any)
	if !ok {
		if v.given() {
			v.wrong("a mapping")
		}
		return nil
	}
	all := make(map[string]string, len(m))
	for _, key := range slices.Sorted(maps.Keys(m)) {
		one := v.key(key)
		if !one.given() {
			one.wrong("a string")
		}
		all[key] = one.text()
	}
	return all
}

// key is at for the keys that users choose, which may have dots in them.
func (v value) key(key string) value {
	one := v.at(key)
	one.path = fmt.Sprintf("%s[%s]", v.path, key)
	return one
}

func (v value) flag() bool {
	b, ok := v.is.(bool)
	if !ok && v.given() {
		v.unquoted("true or false")
	}
	return b
}

// unquoted reports a value that is not what is wanted; a text that says what would be only has to lose its
// quotes.
func (v value) unquoted(want string) {
	hint := ""
	if text, isText := v.is.(string); isText && (text == "true" || text == "false" || isNumber(text)) {
		hint = "take off the quotes"
	}
	v.errorf(hint, "%s instead of %s", typeName(v.is), want)
}

func isNumber(text string) bool {
	_, err := strconv.ParseInt(text, 10, 64)
	return err == nil
}

func (v value) number(least, most int64) int64 {
	n, ok := v.is.(int64)
	switch {
	case !v.given():
	case !ok:
		v.unquoted("a whole number")
	case n < least || n > most:
		v.errorf("", "%d is not between %d and %d", n, least, most)
		return 0
	}
	return n
}

func (v value) duration() time.Duration {
	const hint = `such as 20ms or 1m30s`
	s, ok := v.is.(string)
	if !ok {
		if v.given() {
			v.errorf(hint, "%s instead of a duration", typeName(v.is))
		}
		return 0
	}
	d, err := time.ParseDuration(s)
	if err != nil || d < 0 || d == math.MaxInt64 {
		v.errorf(hint, "%q is no duration", s)
		return 0
	}
	return d
}

// oneOf reads a word of a given few.
func (v value) oneOf(words ...string) string {
	s := v.text()
	if s == "" || slices.Contains(words, s) {
		return s
	}
	hint := didYouMean(s, words)
	if hint == "" {
		hint = "one of " + strings.Join(words, ", ")
	}
	v.errorf(hint, "%q is unknown", s)
	return ""
}

// raw is v as JSON, nil if it is absent.
func (v value) raw() json.RawMessage {
	if !v.given() {
		return nil
	}
	return encode(v.is)
}

func (v value) wrong(want string) {
	v.errorf("", "%s instead of %s", typeName(v.is), want)
}

// Document is v as a document of its own.
func (v value) document() yamldoc.Document {
	return yamldoc.Document{Value: v.is, Places: v.of.layout().Lookup(v.path), Source: v.source(), Text: v.of.text}
}

// anyMapping reports whether v is a mapping, of any keys.
func anyMapping(v value) bool {
	if _, ok := v.is.(map[string]any); ok {
		return true
	}
	if v.given() {
		v.wrong("a mapping")
	}
	return false
}

// formOf is a document that needs no apiVersion and no kind.
func formOf(d yamldoc.Document, errs *Errors) value {
	return form(&Manifest{Source: d.Source, places: d.Places, JSON: encode(d.Value)}, errs)
}
