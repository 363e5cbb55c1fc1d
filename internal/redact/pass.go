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

// lastApplied is the annotation in which kubectl keeps an object as it was applied, including secrets.
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// A Pass redacts texts and objects that belong together: within a pass, the same secret is always replaced by the same
// word. It may be used by one goroutine.
type Pass struct {
	redactor *Redactor
	words    map[string]string // by secret, decoded
	others   int               // number of secrets that are not strings

	made     map[string]bool // the words of secrets that were made of other secrets
	public   []string        // texts that are not secret
	finder   *finder
	finderOf int // number of words and public texts that finder knows

	elsewhere *finder // finds secrets that are not part of what is redacted; nil: none

	named  func(text string) bool // whether something in the world is called like this; nil: nothing is
	isName map[string]bool        // what named said
}

// Begin begins a pass.
func (r *Redactor) Begin() *Pass {
	p := &Pass{redactor: r, words: map[string]string{}}
	maps.Copy(p.words, r.known)
	p.made = maps.Clone(r.knownMade)
	return p
}

// After returns a redactor whose passes use the same words as p for the secrets that p found. p must not be used to
// find more.
func (r *Redactor) After(p *Pass) *Redactor {
	return &Redactor{rules: r.rules, known: p.words, knownMade: p.made, others: r.others}
}

// BeginBeside begins a pass in a world with further secrets, which are hidden if a text contains the whole secret. key
// identifies the secrets: while it is the same, they are not read again. No secret is searched for if something in the
// world is named like it, since the name is shown in many places. named reports this; it is only asked about secrets
// that occur in a text.
func (r *Redactor) BeginBeside(key any, secrets func() []string, named func(text string) bool) *Pass {
	p := r.Begin()
	p.elsewhere = r.others.of(key, secrets)
	p.named = named
	return p
}

// isPublic reports whether a secret is not searched for, because it is also the name of something.
func (p *Pass) isPublic(secret string) bool {
	if secret == "" {
		return false
	}
	if slices.ContainsFunc(p.public, func(text string) bool { return strings.EqualFold(text, secret) }) {
		return true
	}
	if p.named == nil {
		return false
	}
	is, known := p.isName[secret]
	if !known {
		is = p.named(secret)
		if p.isName == nil {
			p.isName = map[string]bool{}
		}
		p.isName[secret] = is
	}
	return is
}

// An elsewhere finds the secrets of a world, and is reused as long as the world is the same.
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

// Count returns how many secrets were found.
func (p *Pass) Count() int { return len(p.words) + p.others }

// Object returns object without secrets. It does not change object, and shares unchanged parts with it. The items of a
// list are redacted, too.
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
	p.publicParts(object, group, kind)
	var value any = object
	for _, rule := range rules {
		value = edit("", value, rule.steps, func(key string, v any) any { return p.hide(rule, key, v) })
	}
	value = edit("", value, lastAppliedSteps, func(_ string, v any) any { return p.applied(v, group, kind) })
	return p.repeats(value.(map[string]any))
}

// repeats takes an object whose own secrets are hidden, and hides repetitions of secrets in the rest of it. Webhooks
// often copy secrets to annotations and labels. The name of the object is kept.
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
			value = p.texts(key, value)
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
			value = p.texts(key, value)
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

// table redacts the format that kubectl prints: rows with an object each, often only its metadata.
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

// applied redacts an object in an annotation, even if its kind differs from that of the annotated object, which may be
// metadata alone. Text that is not an object is hidden completely.
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

// hide replaces everything in v that may be a secret.
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
		for _, k := range slices.Sorted(maps.Keys(v)) { // sorted, so that the words are the same each time
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

// word returns the word that replaces a secret. An empty secret needs no word.
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

// within adds the secrets that a longer secret contains and that are used separately: the lines of a text, values in
// JSON such as registry credentials, the password in a URL. Unlike parts, they may be as short as a secret.
func (p *Pass) within(secret string) {
	for _, one := range secretsIn(secret) {
		if one = strings.TrimSpace(one); one != secret && len(one) > shortSecret && len(one) < partLength {
			p.word(one)
		}
	}
}

// signedWord returns the replacement for a signed token: a token without a valid signature.
func (p *Pass) signedWord(token string) string {
	if token == "" || p.words[token] != "" {
		return p.words[token]
	}
	p.words[token] = "eyJhbGciOiJub25lIn0." + p.word(token) + ".unsigned" // {"alg":"none"}
	p.finder = nil
	return p.words[token]
}

// encodedWord returns the replacement for a secret in base64. Under the keys of registry credentials, the server
// requires JSON.
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

// Text returns text without the secrets that were found so far, in any form, and without parts of them.
func (p *Pass) Text(text string) string {
	if text == "" {
		return text
	}
	if len(p.words) > 0 {
		text = p.own().hide(text, p.isPublic)
	}
	if p.elsewhere != nil {
		text = p.elsewhere.hide(text, p.isPublic)
	}
	return text
}

// own returns the finder for the secrets of the pass.
func (p *Pass) own() *finder {
	if p.finder == nil || p.finderOf != len(p.words)+len(p.public) {
		p.finder, p.finderOf = newFinder(p.words, p.made, p.public), len(p.words)+len(p.public)
	}
	return p.finder
}

// Public declares that texts, such as names, are not secret: neither they nor what a secret has in common with them are
// searched for.
func (p *Pass) Public(texts ...string) {
	for _, text := range texts {
		if text != "" && !slices.Contains(p.public, text) {
			p.public = append(p.public, text)
		}
	}
}

// Part returns the value at a place in an object of a kind, without secrets. steps is the path to that place.
func (p *Pass) Part(group, kind string, steps []string, value any) any {
	return p.textsAt(steps, p.patched(p.redactor.rulesFor(group, kind), group, kind, steps, value))
}

// Shown is like [Pass.Object], but also hides repetitions of the found secrets in the rest of the object.
func (p *Pass) Shown(object map[string]any) map[string]any {
	return p.Texts(p.Object(object)).(map[string]any)
}

// Made returns the replacement for a text that was made of secrets, such as the message of an expression. The text is a
// secret from then on, but its parts are not. A form of one secret is replaced by the word of that secret.
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
