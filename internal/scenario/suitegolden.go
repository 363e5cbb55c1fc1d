package scenario

import (
	"encoding/json"

	"sigs.k8s.io/yaml"
)

// YAML is JSON as the text of a manifest, its keys sorted.
func YAML(data json.RawMessage) ([]byte, error) { return yaml.JSONToYAML(data) }
