package redact

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// lastApplied is where kubectl keeps an object as it was applied, secrets and all.
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// A Pass redacts what belongs together: within it the same secret gets the same word. It
// is for one goroutine.
type Pass struct {
	redactor *Redactor
	words    map[string]string // of secrets, as they are when decoded
	others   int               // secrets that are no strings

	made     map[string]bool // those of the words that were made of secrets
	public   []string        // what is none
	finder   *finder
	finderOf int // of how many words and public texts it is

	elsewhere *finder // of secrets that are not part of what is redacted; nil: there are none
}

// Begin begins to redact what belongs together.
func (r *Redactor) Begin() *Pass {
	p := &Pass{redactor: r, words: map[string]string{}}
	maps.Copy(p.words, r.known)
	p.made = maps.Clone(r.knownMade)
	return p
}

// After is the redactor of what belongs together with what p has redacted: a secret that p found
// has the same word in all its passes. p is to find no more.
func (r *Redactor) After(p *Pass) *Redactor {
	return &Redactor{rules: r.rules, known: p.words, knownMade: p.made, others: r.others}
}

// BeginBeside begins to redact what belongs together, in a world that has further secrets: those
// are hidden where they stand in a text as a whole. key reports whether they are the same as last time.
func (r *Redactor) BeginBeside(key any, secrets func() []string) *Pass {
	p := r.Begin()
	p.elsewhere = r.others.of(key, secrets)
	return p
}

// elsewhere finds the secrets of a world, as long as that is the same.
type elsewhere struct {
	lock   sync.Mutex
	key    any
	finder *finder
}

func (e *elsewhere) of(key any, secrets func() []string) *finder {
	e.lock.Lock()
	defer e.lock.Unlock()
	if e.finder != nil && e.key == key {
		return e.finder
	}
	e.key, e.finder = key, newWholeFinder(secrets())
	return e.finder
}

// Count is how many secrets were found.
func (p *Pass) Count() int { return len(p.words) + p.others }

// Object returns object without secrets. It does not change object, and shares with it
// what stays. The items of a list are redacted too.
func (p *Pass) Object(object map[string]any) map[string]any {
	gvk := kindOf(object)
	return p.object(object, gvk.Group, gvk.Kind)
}

func kindOf(object map[string]any) schema.GroupVersionKind {
	apiVersion, _ := object["apiVersion"].(string)
	kind, _ := object["kind"].(string)
	return schema.FromAPIVersionAndKind(apiVersion, kind)
}

func (p *Pass) object(object map[string]any, group, kind string) map[string]any {
	if items, ok := object["items"].([]any); ok && strings.HasSuffix(kind, "List") {
		return p.list(object, items, group, strings.TrimSuffix(kind, "List"))
	}
	if rows, ok := object["rows"].([]any); ok && kind == "Table" && group == "meta.k8s.io" {
		return p.table(object, rows)
	}
	rules := p.redactor.rulesFor(group, kind)
	if len(rules) == 0 && kind != "PartialObjectMetadata" {
		return object
	}
	var value any = object
	for _, rule := range rules {
		value = edit("", value, rule.steps, func(key string, v any) any { return p.hide(rule, key, v) })
	}
	value = edit("", value, lastAppliedSteps, func(_ string, v any) any { return p.applied(v, group, kind) })
	return p.repeats(value.(map[string]any))
}

// repeats is an object whose own secrets are hidden, without what else of it repeats one. Webhooks
// like to copy to annotations and labels. What the object is called stays.
func (p *Pass) repeats(object map[string]any) map[string]any {
	hidden := make(map[string]any, len(object))
	for key, value := range object {
		switch key {
		case "apiVersion", "kind", "type", "data", "stringData", "items":
		case "metadata":
			if metadata, ok := value.(map[string]any); ok {
				value = p.metadata(metadata)
			}
		default:
			value = p.Texts(value)
		}
		hidden[key] = value
	}
	return hidden
}

func (p *Pass) metadata(metadata map[string]any) map[string]any {
	hidden := make(map[string]any, len(metadata))
	for key, value := range metadata {
		switch key {
		case "name", "generateName", "namespace", "uid", "creationTimestamp", "managedFields":
		default:
			value = p.Texts(value)
		}
		hidden[key] = value
	}
	return hidden
}

func (p *Pass) list(list map[string]any, items []any, group, kind string) map[string]any {
	redacted := make([]any, len(items))
	for i, item := range items {
		redacted[i] = item
		if object, ok := item.(map[string]any); ok {
			if own := kindOf(object); own.Kind != "" {
				redacted[i] = p.object(object, own.Group, own.Kind)
			} else {
				redacted[i] = p.object(object, group, kind)
			}
		}
	}
	return with(list, "items", redacted)
}

// table redacts what kubectl gets to show: rows with an object each, often no more of it
// than the metadata.
func (p *Pass) table(table map[string]any, rows []any) map[string]any {
	redacted := make([]any, len(rows))
	for i, row := range rows {
		redacted[i] = row
		if row, ok := row.(map[string]any); ok {
			if object, ok := row["object"].(map[string]any); ok {
				row = with(row, "object", p.Object(object))
			}
			if cells, ok := row["cells"]; ok {
				row = with(row, "cells", p.Texts(cells))
			}
			redacted[i] = row
		}
	}
	return with(table, "rows", redacted)
}

var lastAppliedSteps = []step{{key: "metadata"}, {key: "annotations"}, {key: lastApplied}}

// applied redacts an object in an annotation, also where it is of another kind than what is
// annotated, such as metadata alone. Text that is no object is hidden as a whole.
func (p *Pass) applied(value any, group, kind string) any {
	text, ok := value.(string)
	if !ok {
		return value
	}
	var object map[string]any
	if err := decode([]byte(text), &object); err != nil || object == nil {
		return p.word(text)
	}
	own := kindOf(object)
	if own.Kind == "" || own.GroupKind() == (schema.GroupKind{Group: group, Kind: kind}) {
		object = p.object(object, group, kind)
	} else if rules := len(p.redactor.rulesFor(group, kind)) + len(p.redactor.rulesFor(own.Group, own.Kind)); rules > 0 {
		object = p.object(p.object(object, group, kind), own.Group, own.Kind)
	} else {
		return value
	}
	redacted, err := encode(object)
	if err != nil {
		return p.word(text)
	}
	if strings.HasSuffix(text, "\n") { // as kubectl writes it
		return string(redacted) + "\n"
	}
	return string(redacted)
}

// hide replaces everything in v that can be a secret.
func (p *Pass) hide(r rule, key string, v any) any {
	switch v := v.(type) {
	case string:
		switch r.secret {
		case encoded:
			return p.encodedWord(key, v)
		case signed:
			return p.signedWord(v)
		case address:
			hidden := Credentials(v)
			if hidden != v {
				p.others++
			}
			return hidden
		}
		return p.word(v)
	case map[string]any:
		hidden := make(map[string]any, len(v))
		for _, k := range slices.Sorted(maps.Keys(v)) { // in order, for the same words each time
			hidden[k] = p.hide(r, k, v[k])
		}
		return hidden
	case []any:
		hidden := make([]any, len(v))
		for i, part := range v {
			hidden[i] = p.hide(r, key, part)
		}
		return hidden
	case bool:
		p.others++
		return false
	case nil:
		return nil
	default:
		p.others++
		return json.Number("0")
	}
}

// word is what stands for a secret. Nothing is nothing to hide.
func (p *Pass) word(secret string) string {
	if secret == "" {
		return ""
	}
	word, ok := p.words[secret]
	if !ok {
		word = fmt.Sprintf("REDACTED-%d", len(p.words)+1)
		p.words[secret] = word
		p.within(secret)
	}
	return word
}

// within finds the secrets that a longer one holds and that are used by themselves: the lines of a
// text, what is in JSON such as registry credentials, the password of a URL. Unlike parts they may be
// as short as a secret.
func (p *Pass) within(secret string) {
	for _, one := range secretsIn(secret) {
		if one = strings.TrimSpace(one); one != secret && len(one) > short && len(one) < partLength {
			p.word(one)
		}
	}
}

// signedWord replaces a signed token: it has the form of one, without a valid signature.
func (p *Pass) signedWord(token string) string {
	if token == "" || p.words[token] != "" {
		return p.words[token]
	}
	p.words[token] = "eyJhbGciOiJub25lIn0." + p.word(token) + ".unsigned" // {"alg":"none"}
	p.finder = nil
	return p.words[token]
}

// encodedWord is what stands for a secret in base64. The server wants JSON under the keys
// of registry credentials.
func (p *Pass) encodedWord(key, secret string) string {
	decoded, err := base64.StdEncoding.DecodeString(secret)
	if err != nil {
		decoded = []byte(secret)
	}
	word := p.word(string(decoded))
	switch {
	case word == "":
	case key == ".dockerconfigjson":
		word = `{"auths":{"` + word + `":{}}}`
	case key == ".dockercfg":
		word = `{"` + word + `":{}}`
	}
	return base64.StdEncoding.EncodeToString([]byte(word))
}

// Text returns text without the secrets that were found so far, in whatever form, and without parts
// of them.
func (p *Pass) Text(text string) string {
	if text == "" {
		return text
	}
	if len(p.words) > 0 {
		text = p.own().hide(text)
	}
	if p.elsewhere != nil {
		text = p.elsewhere.hide(text)
	}
	return text
}

// own is what finds the secrets of the pass.
func (p *Pass) own() *finder {
	if p.finder == nil || p.finderOf != len(p.words)+len(p.public) {
		p.finder, p.finderOf = newFinder(p.words, p.made, p.public), len(p.words)+len(p.public)
	}
	return p.finder
}

// Public says that texts are no secrets, such as names: a secret that is the same is not looked for,
// nor what a secret has in common with them.
func (p *Pass) Public(texts ...string) {
	for _, text := range texts {
		if text != "" && !slices.Contains(p.public, text) {
			p.public = append(p.public, text)
		}
	}
}

// Part is the value at a place of an object of a kind, without secrets. Steps lead there.
func (p *Pass) Part(group, kind string, steps []string, value any) any {
	return p.Texts(p.patched(p.redactor.rulesFor(group, kind), group, kind, steps, value))
}

// Shown is [Pass.Object] where also no other part of the object repeats a secret that was found.
func (p *Pass) Shown(object map[string]any) map[string]any {
	return p.Texts(p.Object(object)).(map[string]any)
}

// Made is what stands for a text that was made of secrets, such as the message of an expression.
// From now on it is a secret, but parts of it are none. A form of one secret alone has its word.
func (p *Pass) Made(text string) string {
	text = strings.TrimSpace(text)
	if text == "" {
		return ""
	}
	if known := p.Text(text); wordForm.MatchString(known) {
		return known
	}
	if word, ok := p.words[text]; ok {
		return word
	}
	f := p.own()
	word := p.word(text)
	if p.made == nil {
		p.made = map[string]bool{}
	}
	p.made[text] = true
	f.addMade(text, word)
	f.sort()
	p.finderOf = len(p.words) + len(p.public)
	return word
}

// Texts redacts every string in value by [Pass.Text], those that are keys of maps, too.
func (p *Pass) Texts(value any) any {
	switch value := value.(type) {
	case string:
		return p.Text(value)
	case map[string]any:
		redacted := make(map[string]any, len(value))
		for key, part := range value {
			redacted[p.Text(key)] = p.Texts(part)
		}
		return redacted
	case []any:
		redacted := make([]any, len(value))
		for i, part := range value {
			redacted[i] = p.Texts(part)
		}
		return redacted
	case json.Number:
		if text := value.String(); p.Text(text) != text {
			return json.Number("0")
		}
	}
	return value
}
