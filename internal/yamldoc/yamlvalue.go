package yamldoc

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	yaml3 "go.yaml.in/yaml/v3"
	kjson "sigs.k8s.io/json"
	"sigs.k8s.io/yaml"
)

// yamlValue returns what kubectl would send for a chunk: what sigs.k8s.io/yaml makes of it. Nodes that mean the same in
// every version of YAML are converted directly; all others are parsed again, by that library.
func (c Chunk) yamlValue(root *yaml3.Node) (value any, err error) {
	if !bytes.ContainsAny(c.text, beyondPlain) {
		if value, ok := plainValue(root); ok {
			return value, nil
		}
	}
	data, err := yaml.YAMLToJSON(c.text)
	if err == nil {
		err = kjson.UnmarshalCaseSensitivePreserveInts(data, &value)
	}
	return value, err
}

// beyondPlain are the characters that begin escapes and tags.
const beyondPlain = "\\!"

// plainValue returns the value of nodes without anchors, tags and blocks whose scalars are in quotes, or are clearly
// words or whole numbers.
func plainValue(n *yaml3.Node) (value any, ok bool) {
	if n.Anchor != "" || n.Style&(yaml3.TaggedStyle|yaml3.LiteralStyle|yaml3.FoldedStyle) != 0 {
		return nil, false
	}
	switch n.Kind {
	case yaml3.MappingNode:
		fields := make(map[string]any, len(n.Content)/2)
		for i := 0; i+1 < len(n.Content); i += 2 {
			name, ok := plainKey(n.Content[i])
			if !ok {
				return nil, false
			}
			if fields[name], ok = plainValue(n.Content[i+1]); !ok {
				return nil, false
			}
		}
		return fields, true
	case yaml3.SequenceNode:
		items := make([]any, len(n.Content))
		for i, c := range n.Content {
			if items[i], ok = plainValue(c); !ok {
				return nil, false
			}
		}
		return items, true
	case yaml3.ScalarNode:
		return plainScalar(n)
	}
	return nil, false
}

func plainKey(n *yaml3.Node) (string, bool) {
	if n.Kind != yaml3.ScalarNode || n.Anchor != "" {
		return "", false
	}
	value, ok := plainScalar(n)
	name, isText := value.(string)
	return name, ok && isText
}

func plainScalar(n *yaml3.Node) (value any, ok bool) {
	text := n.Value
	switch n.Style {
	case yaml3.SingleQuotedStyle, yaml3.DoubleQuotedStyle:
		return text, true
	case 0:
	default:
		return nil, false
	}
	switch text {
	case "":
		return nil, n.Tag == "!!null"
	case "true":
		return true, true
	case "false":
		return false, true
	}
	switch first := text[0]; {
	case first >= 'a' && first <= 'z', first >= 'A' && first <= 'Z', first == '/', first == '_':
		return text, !slices.Contains(yamlWords, strings.ToLower(text))
	case first >= '0' && first <= '9':
		whole, err := strconv.ParseInt(text, 10, 64)
		if err != nil || first == '0' && len(text) > 1 {
			return nil, false
		}
		return whole, true
	}
	return nil, false
}
