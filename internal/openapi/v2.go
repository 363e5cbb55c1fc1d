package openapi

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

const definitionPrefix = "#/definitions/"

// V2 is the document of all that is served, in the older form.
func (d *Documents) V2() ([]byte, error) { return d.v2() }

func (d *Documents) makeV2() ([]byte, error) {
	s := d.schemas()
	paths, definitions := node{}, node{}
	for _, gv := range d.order {
		of, own, err := d.paths(s, gv)
		if err != nil {
			return nil, err
		}
		used := maps.Clone(own)
		s.closure(of, used, own)
		for _, name := range slices.Collect(maps.Keys(own)) {
			s.closure(own[name], used, own)
		}
		for path, item := range of {
			paths[path] = olderPath(item.(node))
		}
		for name, schema := range used {
			if _, known := definitions[name]; !known {
				definitions[name] = older(schema)
			}
		}
	}
	return json.Marshal(node{
		"swagger":             "2.0",
		"info":                node{"title": "Kubernetes", "version": "v" + d.release.Version + ".0"},
		"paths":               paths,
		"definitions":         definitions,
		"securityDefinitions": node{"BearerToken": bearerToken()},
		"security":            []any{node{"BearerToken": []any{}}},
	})
}

// older is a schema in the older form, which has fewer words.
func older(of any) any {
	switch of := of.(type) {
	case []any:
		list := make([]any, len(of))
		for i := range of {
			list[i] = older(of[i])
		}
		return list
	case node:
		return olderNode(of)
	}
	return of
}

func olderNode(of node) node {
	next := node{}
	if all, ok := of["allOf"].([]any); ok && len(all) == 1 {
		if referred, ok := all[0].(node); ok && referred["$ref"] != nil {
			next["$ref"] = olderRef(referred["$ref"])
		}
	}
	for name, member := range of {
		switch name {
		case "$ref":
			next[name] = olderRef(member)
		case "default", "nullable", "anyOf", "oneOf", "not":
		case "allOf":
			if next["$ref"] == nil {
				continue // a condition
			}
		case "properties", "patternProperties", "definitions":
			members := node{}
			given, _ := member.(node)
			for field, schema := range given {
				members[field] = older(schema)
			}
			next[name] = members
		default:
			next[name] = older(member)
		}
	}
	if _, choice := of["oneOf"]; choice && next["type"] == nil && next["$ref"] == nil {
		next["type"] = "string" // of a number and a text
	}
	return next
}

func olderRef(to any) any {
	text, _ := to.(string)
	return strings.Replace(text, schemaPrefix, definitionPrefix, 1)
}

// olderPath is a path in the older form: bodies are parameters, and parameters have no schemas.
func olderPath(item node) node {
	next := node{}
	for method, operation := range item {
		if method == "parameters" {
			next[method] = olderParameters(operation)
			continue
		}
		o := maps.Clone(operation.(node))
		parameters := olderParameters(o["parameters"])
		if body, ok := o["requestBody"].(node); ok {
			of := body["content"].(node)
			parameters = append(parameters, node{"name": "body", "in": "body", "required": body["required"], "schema": schemaOfContent(of)})
			o["consumes"] = slices.Sorted(maps.Keys(of))
			delete(o, "requestBody")
		}
		o["parameters"] = parameters
		responses := node{}
		for code, response := range o["responses"].(node) {
			r := node{"description": response.(node)["description"]}
			if of, ok := response.(node)["content"].(node); ok {
				r["schema"] = schemaOfContent(of)
				o["produces"] = slices.Sorted(maps.Keys(of))
			}
			responses[code] = r
		}
		o["responses"] = responses
		next[method] = o
	}
	return next
}

// schemaOfContent is the schema of a content, which is the same in all its forms.
func schemaOfContent(content node) any {
	for _, media := range content {
		return older(media.(node)["schema"])
	}
	return nil
}

func olderParameters(list any) []any {
	given, _ := list.([]any)
	older := []any{}
	for _, item := range given {
		p := maps.Clone(item.(node))
		if of, ok := p["schema"].(node); ok {
			maps.Copy(p, of)
			delete(p, "schema")
		}
		older = append(older, p)
	}
	return older
}
