package openapi

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

const definitionPrefix = "#/definitions/"

// V2 returns the document of everything that is served, in the older format.
func (d *Documents) V2() ([]byte, error) { return d.v2() }

func (d *Documents) makeV2() ([]byte, error) {
	s := d.schemas()
	paths, definitions := node{}, node{}
	for _, name := range d.services() {
		itsPaths, used, err := d.parts(s, name)
		if err != nil {
			return nil, err
		}
		for path, item := range itsPaths {
			paths[path] = v2Path(item.(node))
		}
		for name, schema := range used {
			if _, known := definitions[name]; !known {
				definitions[name] = v2Schema(schema)
			}
		}
	}
	return json.Marshal(node{
		"swagger":             "2.0",
		"info":                node{"title": "Kubernetes", "version": d.version()},
		"paths":               paths,
		"definitions":         definitions,
		"securityDefinitions": node{"BearerToken": bearerToken()},
		"security":            []any{node{"BearerToken": []any{}}},
	})
}

// v2Schema returns a schema in the older format, which knows fewer keywords.
func v2Schema(v any) any {
	switch v := v.(type) {
	case []any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = v2Schema(v[i])
		}
		return list
	case node:
		return v2Node(v)
	}
	return v
}

func v2Node(v node) node {
	next := node{}
	if all, ok := v["allOf"].([]any); ok && len(all) == 1 {
		if referred, ok := all[0].(node); ok && referred["$ref"] != nil {
			next["$ref"] = v2Ref(referred["$ref"])
		}
	}
	for name, member := range v {
		switch name {
		case "$ref":
			next[name] = v2Ref(member)
		case "default", "nullable", "anyOf", "oneOf", "not":
		case "allOf":
			if next["$ref"] == nil {
				continue // a condition
			}
		case "properties", "patternProperties", "definitions":
			members := node{}
			given, _ := member.(node)
			for field, schema := range given {
				members[field] = v2Schema(schema)
			}
			next[name] = members
		default:
			next[name] = v2Schema(member)
		}
	}
	if _, choice := v["oneOf"]; choice && next["type"] == nil && next["$ref"] == nil {
		next["type"] = "string" // a number or a string
	}
	return next
}

func v2Ref(to any) any {
	text, _ := to.(string)
	return strings.Replace(text, schemaPrefix, definitionPrefix, 1)
}

// v2Path returns a path in the older format: bodies are parameters, and parameters have no schemas.
func v2Path(item node) node {
	next := node{}
	for method, operation := range item {
		if method == "parameters" {
			next[method] = v2Parameters(operation)
			continue
		}
		o := maps.Clone(operation.(node))
		parameters := v2Parameters(o["parameters"])
		if body, ok := o["requestBody"].(node); ok {
			media := body["content"].(node)
			parameter := node{"name": "body", "in": "body", "schema": schemaOfContent(media)}
			if body["required"] == true {
				parameter["required"] = true
			}
			parameters = append(parameters, parameter)
			o["consumes"] = slices.Sorted(maps.Keys(media))
			delete(o, "requestBody")
		}
		o["parameters"] = parameters
		responses := node{}
		for code, response := range o["responses"].(node) {
			r := node{"description": response.(node)["description"]}
			if media, ok := response.(node)["content"].(node); ok {
				r["schema"] = schemaOfContent(media)
				o["produces"] = slices.Sorted(maps.Keys(media))
			}
			responses[code] = r
		}
		o["responses"] = responses
		next[method] = o
	}
	return next
}

// schemaOfContent returns the schema of a content, which is the same for all its media types.
func schemaOfContent(content node) any {
	for _, media := range content {
		return v2Schema(media.(node)["schema"])
	}
	return nil
}

func v2Parameters(list any) []any {
	given, _ := list.([]any)
	converted := []any{}
	for _, item := range given {
		p := maps.Clone(item.(node))
		if v, ok := p["schema"].(node); ok {
			maps.Copy(p, v)
			delete(p, "schema")
		}
		converted = append(converted, p)
	}
	return converted
}
