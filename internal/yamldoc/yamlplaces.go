package yamldoc

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	yaml3 "go.yaml.in/yaml/v3"
	"sigs.k8s.io/yaml"
)

const mergeKey = "<<"

// A yamlWalk checks the nodes of one YAML document and builds their places. Aliases are not expanded: the places below
// an alias are those of its anchor, which is walked once.
type yamlWalk struct {
	chunk   Chunk
	errs    *Errors
	changed Errors // warnings about keys
	depth   int

	done map[*yaml3.Node]*walked
}

// A walked is a node that was visited, with its size in characters and nodes after all its aliases are replaced, and
// the depth of its nesting.
type walked struct {
	node   *Node // nil while it is being walked
	size   int64
	levels int
}

func newYAMLWalk(c Chunk, errs *Errors) *yamlWalk {
	return &yamlWalk{chunk: c, errs: errs, done: map[*yaml3.Node]*walked{}}
}

// document walks the root of the chunk's document.
func (w *yamlWalk) document(root *yaml3.Node) (*Node, bool) {
	got, ok := w.value(root)
	if !ok {
		return nil, false
	}
	if got.size > int64(2*len(w.chunk.text))+maxAliasGrowth {
		w.errs.Add(got.node.Or(Source{File: w.chunk.file}), "write out what the aliases stand for, or use fewer",
			"its YAML aliases make this document grow to more than %s", SizeText(maxAliasGrowth))
		return nil, false
	}
	return got.node, true
}

func (w *yamlWalk) value(n *yaml3.Node) (*walked, bool) {
	if n.Kind == yaml3.AliasNode {
		n = n.Alias
	}
	if w.depth++; w.depth > maxDepth {
		return nil, w.tooDeep(n)
	}
	defer func() { w.depth-- }()

	if got, seen := w.done[n]; seen {
		if got.node == nil {
			w.errs.Add(w.placeOf(n).Or(Source{File: w.chunk.file}), "", "a YAML anchor contains itself")
			return nil, false
		}
		if w.depth+got.levels > maxDepth {
			return nil, w.tooDeep(n)
		}
		return got, true
	}
	got := &walked{size: 1 + int64(len(n.Value))}
	if n.Anchor != "" {
		w.done[n] = got
	}
	out := &Node{Position: w.placeOf(n)}
	ok := true
	switch n.Kind {
	case yaml3.MappingNode:
		ok = w.mapping(n, out, got)
	case yaml3.SequenceNode:
		out.Items = make([]*Node, 0, len(n.Content))
		for _, c := range n.Content {
			if !w.child(c, got, func(v *Node) { out.Items = append(out.Items, v) }) {
				ok = false
				break
			}
		}
	}
	got.node = out
	return got, ok
}

func (w *yamlWalk) mapping(n *yaml3.Node, out *Node, got *walked) bool {
	seen := map[string]Position{}
	var written map[string]string // keys that are read as another text
	joined := false               // two documents became one, for which one error is enough
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, at := n.Content[i], w.placeOf(n.Content[i])
		if what := noKey(key); what != "" {
			w.errs.Add(at.Or(Source{File: w.chunk.file}), cmp.Or(w.chunk.templateHint(), "a key that is not text needs quotes"), "%s as a key", what)
			return false
		}
		name := keyText(key)
		if text := writtenKey(key); text != name {
			if written == nil {
				written = map[string]string{}
			}
			written[name] = text
			w.changed.Add(at.Or(Source{File: w.chunk.file}), fmt.Sprintf("quote it if it is meant as text: %q", text), "the key %s is read as %q", text, name)
		}
		if first, twice := seen[name]; twice && key.Kind == yaml3.ScalarNode && !joined {
			hint := dropOne
			if text, changed := written[name]; changed {
				hint = fmt.Sprintf("the key %s is read as %q: quote it if it is meant as text", text, name)
			}
			joined = addTwice(w.errs, at.Or(Source{File: w.chunk.file}), name, first, hint, "separate the two by a line of ---")
		}
		seen[name] = at
		if !w.child(key, got, func(*Node) {}) ||
			!w.child(n.Content[i+1], got, func(v *Node) {
				out.Fields = append(out.Fields, field{Name: name, key: at, Value: v})
			}) {
			return false
		}
	}
	return true
}

// noKey describes a key that JSON cannot have.
func noKey(key *yaml3.Node) string {
	if key.Kind == yaml3.AliasNode {
		key = key.Alias
	}
	switch {
	case key.Kind == yaml3.MappingNode:
		return "a mapping"
	case key.Kind == yaml3.SequenceNode:
		return "a list"
	case key.ShortTag() == "!!null":
		return "nothing"
	}
	return ""
}

func (w *yamlWalk) child(c *yaml3.Node, parent *walked, keep func(*Node)) bool {
	got, ok := w.value(c)
	if !ok {
		return false
	}
	// Limit the sum long before it could overflow.
	parent.size = min(parent.size+got.size, 1<<60)
	parent.levels = max(parent.levels, got.levels+1)
	keep(got.node)
	return true
}

func (w *yamlWalk) tooDeep(n *yaml3.Node) bool {
	w.errs.Add(w.placeOf(n).Or(Source{File: w.chunk.file}), depthHint, "nested more than %d levels deep", maxDepth)
	return false
}

func (w *yamlWalk) placeOf(n *yaml3.Node) Position {
	return Position{int32(w.chunk.line + n.Line), int32(n.Column)}
}

// writtenKey returns the text of a key as it is written.
func writtenKey(key *yaml3.Node) string {
	if key.Kind == yaml3.AliasNode && key.Alias != nil {
		return key.Alias.Value
	}
	return key.Value
}

// yamlWords are the plain words that YAML 1.1 does not read as text, in lower case.
var yamlWords = []string{"y", "yes", "true", "on", "n", "no", "false", "off", "~", "null"}

// keyText returns the key in the JSON of the document. YAML reads a plain 0x10 as 16 and yes as true, in keys too.
func keyText(key *yaml3.Node) string {
	text := writtenKey(key)
	if key.Kind != yaml3.ScalarNode || key.Style != 0 || text == "" {
		return text
	}
	if !strings.ContainsRune("+-.0123456789", rune(text[0])) && !slices.Contains(yamlWords, strings.ToLower(text)) {
		return text
	}
	data, err := yaml.YAMLToJSON([]byte("{" + text + ": 0}"))
	if err != nil {
		return text
	}
	var m map[string]any
	if json.Unmarshal(data, &m) == nil && len(m) == 1 {
		for k := range m {
			return k
		}
	}
	return text
}
