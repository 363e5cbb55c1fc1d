// Command openapi creates internal/openapi/published.json.gz from the OpenAPI documents that Kubernetes publishes for
// its newest release:
//
// \tgo run ./internal/cmd/openapi FOLDER
//
// FOLDER is api/openapi-spec in k8s.io/kubernetes: go mod download -json k8s.io/kubernetes@VERSION prints where that
// is.
package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

const target = "internal/openapi/published.json.gz"

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: go run ./internal/cmd/openapi FOLDER")
		os.Exit(2)
	}
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "openapi:", err)
		os.Exit(2)
	}
}

// published holds what is kept from the documents: all schemas, and the descriptions of query parameters, which are the
// same wherever they occur, except for those of patches, and those that only some subresources have, such as pods/exec.
// Returned lists the schemas of the objects that the answer to their deletion contains.
type published struct {
	Schemas    map[string]json.RawMessage   `json:"schemas"`
	Parameters map[string]json.RawMessage   `json:"parameters"`
	Patch      map[string]json.RawMessage   `json:"patch"`
	Special    map[string][]json.RawMessage `json:"special"`
	Returned   []string                     `json:"returned"`
}

func run(folder string) error {
	files, err := filepath.Glob(filepath.Join(folder, "v3", "*.json"))
	if err != nil || len(files) == 0 {
		return fmt.Errorf("no documents in %s/v3: %w", folder, err)
	}
	p := published{Schemas: map[string]json.RawMessage{}, Parameters: map[string]json.RawMessage{}, Patch: map[string]json.RawMessage{}, Special: map[string][]json.RawMessage{}}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if err := p.add(text); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	text, err := json.Marshal(p)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return err
	}
	if _, err := z.Write(text); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	return os.WriteFile(target, b.Bytes(), 0o644)
}

func (p *published) add(text []byte) error {
	var document struct {
		Components struct {
			Schemas map[string]json.RawMessage `json:"schemas"`
		} `json:"components"`
		Paths map[string]map[string]json.RawMessage `json:"paths"`
	}
	if err := json.Unmarshal(text, &document); err != nil {
		return err
	}
	for name, schema := range document.Components.Schemas {
		if len(schema) > len(p.Schemas[name]) { // some list only the group of the document
			p.Schemas[name] = schema
		}
	}
	for _, name := range slices.Sorted(maps.Keys(document.Paths)) { // the first description of a parameter counts
		if strings.HasSuffix(name, "/proxy/{path}") { // described like the path without the rest
			continue
		}
		path := document.Paths[name]
		special := isSpecial.FindStringSubmatch(name)
		for _, method := range slices.Sorted(maps.Keys(path)) {
			operation := path[method]
			parameters := operation
			if method != "parameters" {
				var o struct {
					Action     string          `json:"x-kubernetes-action"`
					Parameters json.RawMessage `json:"parameters"`
					Responses  map[string]struct {
						Content map[string]struct {
							Schema struct {
								Ref string `json:"$ref"`
							}
						}
					}
				}
				if err := json.Unmarshal(operation, &o); err != nil {
					return err
				}
				parameters = o.Parameters
				answer := strings.TrimPrefix(o.Responses["200"].Content["application/json"].Schema.Ref, "#/components/schemas/")
				if o.Action == "delete" && !strings.HasSuffix(answer, ".Status") {
					p.Returned = append(p.Returned, answer)
				}
			}
			list, err := queryParameters(parameters)
			if err != nil {
				return err
			}
			for _, parameter := range list {
				if method == "patch" {
					p.Patch[parameter.name] = parameter.text
				} else if special != nil && parameter.name != "pretty" {
					key := special[1] + "/" + special[2]
					p.Special[key] = append(p.Special[key], parameter.text)
				} else if _, known := p.Parameters[parameter.name]; !known {
					p.Parameters[parameter.name] = parameter.text
				}
			}
		}
	}
	return nil
}

// isSpecial matches the paths of subresources with parameters of their own.
var isSpecial = regexp.MustCompile(`/([a-z]+)/\{name\}/(attach|exec|log|portforward|proxy)$`)

// A parameter is the description of a query parameter.
type parameter struct {
	name string
	text json.RawMessage
}

func queryParameters(text json.RawMessage) (all []parameter, err error) {
	var list []json.RawMessage
	if len(text) == 0 {
		return nil, nil
	}
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, err
	}
	for _, one := range list {
		var named struct{ Name, In string }
		if err := json.Unmarshal(one, &named); err != nil {
			return nil, err
		}
		if named.In == "query" {
			all = append(all, parameter{named.Name, one})
		}
	}
	return all, nil
}
