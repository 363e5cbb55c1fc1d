package redact

import (
	"encoding/json"

	"github.com/admsim/admsim/internal/jsonpointer"
)

// Value returns the JSON value at a place in an object of a kind, without secrets. Text that is not JSON is returned as
// it is.
func (p *Pass) Value(group, kind, path string, value json.RawMessage) json.RawMessage {
	var v any
	if len(value) == 0 || json.Unmarshal(value, &v) != nil {
		return value
	}
	operation, _ := p.Patch(group, kind, []any{map[string]any{"path": path, "value": v}})[0].(map[string]any)
	text, err := json.Marshal(operation["value"])
	if err != nil {
		return value // it was JSON before
	}
	return text
}

// Patch returns the operations of a JSON patch for objects of a kind, without secrets.
func (p *Pass) Patch(group, kind string, operations []any) []any {
	rules := p.redactor.rulesFor(group, kind)
	redacted := make([]any, len(operations))
	for i, one := range operations {
		redacted[i] = one
		operation, ok := one.(map[string]any)
		if !ok {
			continue
		}
		value, ok := operation["value"]
		pointer, isText := operation["path"].(string)
		if ok && isText && len(rules) > 0 {
			at := jsonpointer.Keys(pointer)
			redacted[i] = with(operation, "value", p.textsAt(at, p.patched(rules, group, kind, at, value)))
		}
	}
	return redacted
}

// patched redacts a value that is written to the path at.
func (p *Pass) patched(rules []rule, group, kind string, at []string, value any) any {
	for _, rule := range rules {
		value = editAt(at, value, rule.steps, func(key string, v any) any { return p.hide(rule, key, v) })
	}
	return editAt(at, value, lastAppliedSteps, func(_ string, v any) any { return p.applied(v, group, kind) })
}

// editAt is like edit for a value that is not at the root. If steps end above the value, all of it is changed.
func editAt(at []string, value any, steps []step, change func(key string, value any) any) any {
	key := ""
	for i, token := range at {
		if i == len(steps) {
			break
		}
		if !steps[i].matches(token) && token != "-" { // it may be any index
			return value
		}
	}
	if len(at) > 0 {
		key = at[min(len(at), max(len(steps), 1))-1]
	}
	return edit(key, value, steps[min(len(at), len(steps)):], change)
}
