package formats

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// The published schema is a valid schema, as far as it uses JSON Schema.
func TestSchemaIsValid(t *testing.T) {
	text, err := os.ReadFile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	var root map[string]any
	if err := json.Unmarshal(text, &root); err != nil {
		t.Fatal(err)
	}
	definitions, _ := root["$defs"].(map[string]any)
	for _, wrong := range invalid("", root, definitions) {
		t.Error(wrong)
	}
	broken := map[string]any{"type": "text", "required": nil, "properties": []any{}, "items": map[string]any{"$ref": "#/$defs/None"}, "requird": true}
	if got := invalid("", broken, definitions); len(got) != 5 {
		t.Errorf("invalid(%v) = %q, want 5 complaints", broken, got)
	}
}

var schemaTypes = []any{"object", "array", "string", "boolean", "integer", "number", "null"}

// invalid returns what is wrong with a schema.
func invalid(at string, v any, definitions map[string]any) (wrong []string) {
	s, ok := v.(map[string]any)
	if !ok {
		return []string{fmt.Sprintf("%s: %v is no schema", at, v)}
	}
	for key, value := range s {
		at, fits := at+"/"+key, true
		switch key {
		case "$schema", "$id", "title", "description", "format":
			_, fits = value.(string)
		case "$ref":
			name, _ := value.(string)
			fits = definitions[strings.TrimPrefix(name, "#/$defs/")] != nil
		case "type":
			fits = slices.Contains(schemaTypes, value)
		case "required":
			list, is := value.([]any)
			fits = is && !slices.ContainsFunc(list, func(one any) bool { _, text := one.(string); return !text })
		case "enum":
			list, is := value.([]any)
			fits = is && len(list) > 0
		case "const":
		case "additionalProperties":
			if _, is := value.(bool); !is {
				wrong = append(wrong, invalid(at, value, definitions)...)
			}
		case "items":
			wrong = append(wrong, invalid(at, value, definitions)...)
		case "oneOf":
			list, is := value.([]any)
			fits = is && len(list) > 0
			for i, one := range list {
				wrong = append(wrong, invalid(fmt.Sprintf("%s/%d", at, i), one, definitions)...)
			}
		case "properties", "$defs":
			var all map[string]any
			all, fits = value.(map[string]any)
			for name, one := range all {
				wrong = append(wrong, invalid(at+"/"+name, one, definitions)...)
			}
		default:
			fits = false
		}
		if !fits {
			wrong = append(wrong, fmt.Sprintf("%s: %v cannot be", at, value))
		}
	}
	return wrong
}
