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
	"slices"
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
// same wherever they occur.
type published struct {
	Schemas    map[string]json.RawMessage `json:"schemas"`
	Parameters map[string]json.RawMessage `json:"parameters"`
}

func run(folder string) error {
	files, err := filepath.Glob(filepath.Join(folder, "v3", "*.json"))
	if err != nil || len(files) == 0 {
		return fmt.Errorf("no documents in %s/v3: %w", folder, err)
	}
	p := published{Schemas: map[string]json.RawMessage{}, Parameters: map[string]json.RawMessage{}}
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
		path := document.Paths[name]
		for _, method := range slices.Sorted(maps.Keys(path)) {
			operation := path[method]
			parameters := operation
			if method != "parameters" {
				var o struct {
					Parameters json.RawMessage `json:"parameters"`
				}
				if err := json.Unmarshal(operation, &o); err != nil {
					return err
				}
				parameters = o.Parameters
			}
			if err := p.addParameters(parameters); err != nil {
				return err
			}
		}
	}
	return nil
}

func (p *published) addParameters(text json.RawMessage) error {
	var list []json.RawMessage
	if len(text) == 0 {
		return nil
	}
	if err := json.Unmarshal(text, &list); err != nil {
		return err
	}
	for _, parameter := range list {
		var named struct{ Name, In string }
		if err := json.Unmarshal(parameter, &named); err != nil {
			return err
		}
		if _, known := p.Parameters[named.Name]; named.In == "query" && !known {
			p.Parameters[named.Name] = parameter
		}
	}
	return nil
}
