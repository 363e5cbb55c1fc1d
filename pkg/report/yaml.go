package report

import (
	"bytes"
	"io"

	"sigs.k8s.io/yaml"
)

// writeYAML writes the JSON of v as YAML, keys sorted as kubectl has them.
func writeYAML(w io.Writer, v any) error {
	data, err := toYAML(v)
	if err != nil {
		return err
	}
	_, err = w.Write(data)
	return err
}

func toYAML(v any) ([]byte, error) {
	var b bytes.Buffer
	if err := encode(&b, v); err != nil {
		return nil, err
	}
	return yaml.JSONToYAML(b.Bytes())
}
