package redact

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"

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
}

// Begin begins to redact what belongs together.
func (r *Redactor) Begin() *Pass {
	p := &Pass{redactor: r, words: map[string]string{}}
	maps.Copy(p.words, r.known)
	return p
}

// After is the redactor of what belongs together with what p has redacted: a secret that p found
// has the same word in all its passes. p is to find no more.
func (r *Redactor) After(p *Pass) *Redactor {
	return &Redactor{rules: r.rules, known: p.words}
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
	value = edit("", value, annotationsSteps, func(_ string, v any) any { return p.Texts(v) })
	return value.(map[string]any)
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

var (
	annotationsSteps = []step{{key: "metadata"}, {key: "annotations"}} // to which webhooks like to copy
	lastAppliedSteps = []step{{key: "metadata"}, {key: "annotations"}, {key: lastApplied}}
)

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
	}
	return word
}

// signedWord is what stands for a signed token: the form of one, which nobody has signed.
func (p *Pass) signedWord(token string) string {
	if token == "" || p.words[token] != "" {
		return p.words[token]
	}
	p.words[token] = "eyJhbGciOiJub25lIn0." + p.word(token) + ".unsigned" // {"alg":"none"}
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

// short is up to which length a secret is not looked for in texts: it would be found
// where it is not meant.
const short = 5

// Text returns text without the secrets that were found so far, decoded or not.
func (p *Pass) Text(text string) string {
	for _, secret := range p.longestFirst() {
		text = strings.ReplaceAll(text, secret, p.words[secret])
		text = strings.ReplaceAll(text, base64.StdEncoding.EncodeToString([]byte(secret)), p.words[secret])
	}
	return text
}

func (p *Pass) longestFirst() []string {
	var secrets []string
	for secret := range p.words {
		if len(secret) > short {
			secrets = append(secrets, secret)
		}
	}
	sort.Slice(secrets, func(i, j int) bool {
		if len(secrets[i]) != len(secrets[j]) {
			return len(secrets[i]) > len(secrets[j])
		}
		return secrets[i] < secrets[j]
	})
	return secrets
}

// Texts redacts every string in value by [Pass.Text].
func (p *Pass) Texts(value any) any {
	switch value := value.(type) {
	case string:
		return p.Text(value)
	case map[string]any:
		redacted := make(map[string]any, len(value))
		for key, part := range value {
			redacted[key] = p.Texts(part)
		}
		return redacted
	case []any:
		redacted := make([]any, len(value))
		for i, part := range value {
			redacted[i] = p.Texts(part)
		}
		return redacted
	}
	return value
}
