package scenario

import (
	"encoding/json"

	"sigs.k8s.io/yaml"
)

// YAML returns JSON as the text of a manifest, with sorted keys.
func YAML(data json.RawMessage) ([]byte, error) { return yaml.JSONToYAML(data) }
