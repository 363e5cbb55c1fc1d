package encode

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/admsim/admsim/internal/inert"
)

// WriteYAML writes the JSON of v as YAML, keys sorted as kubectl has them.
func WriteYAML(w io.Writer, v any) error {
	data, err := YAML(v)
	if err != nil {
		return err
	}
	_, err = w.Write(data)
	return err
}

// YAML returns the JSON of v as YAML that is inert and loses nothing: where it would not be inert,
// the texts that may be the reason are put in double quotes.
func YAML(v any) ([]byte, error) {
	var b bytes.Buffer
	if err := JSON(&b, v); err != nil {
		return nil, err
	}
	if bytes.Contains(b.Bytes(), []byte(`\ud`)) { // half a rune, in JSON; YAML has no halves
		return quotedYAML(b.Bytes())
	}
	plain, err := yaml.JSONToYAML(b.Bytes())
	if err == nil && inert.Is(plain) {
		return plain, nil
	}
	return quotedYAML(b.Bytes())
}

// quotedYAML has texts that may not be inert in double quotes, with escapes. The package that
// writes YAML leaves no choice of quotes, so it gets words for such texts, which are replaced in
// what it has written.
func quotedYAML(data []byte) ([]byte, error) {
	word := "quoted"
	for bytes.Contains(data, []byte(word)) {
		word += "x"
	}
	var instead []string
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var tree any
	if err := d.Decode(&tree); err != nil {
		return nil, err
	}
	replaced := replaceTexts(tree, func(text string) string {
		// A long text may get line breaks, and a key of 1024 bytes can only be read in quotes.
		if inert.Is(text) && !strings.Contains(text, "::") && len(text) < 1000 {
			return text
		}
		quoted := inert.Quote(text)
		one := fmt.Sprintf("%s%d%s.", word, len(instead)/2, strings.Repeat("x", min(len(quoted), 500))) // long keys are written in another way
		instead = append(instead, one, quoted)
		return one
	})
	var b bytes.Buffer
	if err := JSON(&b, replaced); err != nil {
		return nil, err
	}
	plain, err := yaml.JSONToYAML(b.Bytes())
	return []byte(strings.NewReplacer(instead...).Replace(string(plain))), err
}

// replaceTexts is a tree of JSON with other keys and strings.
func replaceTexts(tree any, by func(string) string) any {
	switch tree := tree.(type) {
	case string:
		return by(tree)
	case []any:
		for i := range tree {
			tree[i] = replaceTexts(tree[i], by)
		}
	case map[string]any:
		replaced := make(map[string]any, len(tree))
		for key, value := range tree {
			replaced[by(key)] = replaceTexts(value, by)
		}
		return replaced
	}
	return tree
}
