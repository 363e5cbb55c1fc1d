package main

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// conforms checks JSON against the published schema: conforms FILE, or stdout.
func conforms(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: conforms FILE")
	}
	text, err := os.ReadFile("../../docs/output.schema.json")
	ts.Check(err)
	var root schema
	ts.Check(json.Unmarshal(text, &root))
	documents := 0
	for d := json.NewDecoder(strings.NewReader(ts.ReadFile(args[0]))); d.More(); documents++ {
		var v any
		ts.Check(d.Decode(&v))
		if wrong := root.check(&root, "", v); len(wrong) > 0 {
			ts.Fatalf("%s: %s", args[0], strings.Join(wrong, "\n"))
		}
	}
	if documents == 0 {
		ts.Fatalf("%s: no JSON", args[0])
	}
}

// A schema is the part of JSON Schema that docs/output.schema.json uses.
type schema struct {
	Ref        string             `json:"$ref"`
	Defs       map[string]*schema `json:"$defs"`
	OneOf      []*schema          `json:"oneOf"`
	Type       string             `json:"type"`
	Enum       []any              `json:"enum"`
	Const      any                `json:"const"`
	Properties map[string]*schema `json:"properties"`
	Required   []string           `json:"required"`
	Items      *schema            `json:"items"`
	Additional json.RawMessage    `json:"additionalProperties"`
}

func (s *schema) check(root *schema, at string, v any) (wrong []string) {
	if s.Ref != "" {
		s = root.Defs[strings.TrimPrefix(s.Ref, "#/$defs/")]
	}
	complain := func(format string, args ...any) { wrong = append(wrong, at+": "+fmt.Sprintf(format, args...)) }
	if s.OneOf != nil {
		fits, nearest := 0, []string(nil)
		for _, one := range s.OneOf {
			w := one.check(root, at, v)
			if len(w) == 0 {
				fits++
			}
			if nearest == nil || len(w) < len(nearest) {
				nearest = w
			}
		}
		wrong = append(wrong, nearest...)
		if fits == 1 {
			return nil
		}
		complain("fits %d alternatives", fits)
		return wrong
	}
	if is := typeOf(v); s.Type != "" && s.Type != is && (s.Type != "number" || is != "integer") {
		complain("%s, want %s", is, s.Type)
	}
	if s.Enum != nil && !slices.Contains(s.Enum, v) {
		complain("%v is none of %v", v, s.Enum)
	}
	if s.Const != nil && s.Const != v {
		complain("%v, want %v", v, s.Const)
	}
	switch v := v.(type) {
	case map[string]any:
		wrong = append(wrong, s.checkObject(root, at, v)...)
	case []any:
		for i, item := range v {
			if s.Items != nil {
				wrong = append(wrong, s.Items.check(root, fmt.Sprintf("%s[%d]", at, i), item)...)
			}
		}
	}
	return wrong
}

func (s *schema) checkObject(root *schema, at string, v map[string]any) (wrong []string) {
	for _, key := range s.Required {
		if _, ok := v[key]; !ok {
			wrong = append(wrong, fmt.Sprintf("%s: no %s", at, key))
		}
	}
	for key, value := range v {
		property, known := s.Properties[key]
		switch {
		case known:
			wrong = append(wrong, property.check(root, at+"."+key, value)...)
		case string(s.Additional) == "false":
			wrong = append(wrong, fmt.Sprintf("%s: unknown %s", at, key))
		}
	}
	return wrong
}

func typeOf(v any) string {
	switch v := v.(type) {
	case map[string]any:
		return "object"
	case []any:
		return "array"
	case string:
		return "string"
	case bool:
		return "boolean"
	case float64:
		if v == float64(int64(v)) {
			return "integer"
		}
		return "number"
	}
	return "null"
}
