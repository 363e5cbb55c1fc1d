// Package patch changes JSON documents by JSON patch, merge patch and strategic merge patch, with the results and the
// error texts of kube-apiserver. [Diff] goes the other way, from two documents to the patch between them.
//
// Start with [JSON], or with [DecodeJSON] to distinguish patches that cannot be decoded from those that do not apply.
//
// The package does not know about requests or admission: callers decide which status an error becomes, and whether a
// failed test of a patch matters.
package patch

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"

	jsonpatch "github.com/evanphx/json-patch/v5"
)

// MaxOperations is the number of operations that kube-apiserver allows in the JSON patch of a request. The operations
// of webhooks and policies are not limited.
const MaxOperations = 10000

// An Operation is one operation of a JSON patch that this package made. Value is nil if the operation has none.
type Operation struct {
	Op    string          `json:"op"`
	From  string          `json:"from,omitempty"`
	Path  string          `json:"path"`
	Value json.RawMessage `json:"value,omitempty"`

	// Old is the value that [Diff] found in place of Value, for readers. It is not part of a patch.
	Old json.RawMessage `json:"-"`
}

// A Patch is a decoded JSON patch (RFC 6902). Its operations are only checked when it is applied.
type Patch struct {
	ops jsonpatch.Patch

	inParts bool // no operation is on the whole document, and reading an item by a negative index is a panic
	terse   bool // errors do not say where they occurred
}

// As returns the patch as an earlier version of the server's library applies it (W-208). documents says that operations may
// be on the whole document and that negative indices may be read, as since json-patch 4.12, and contexts that errors say
// where they occurred, as since 4.9.
func (p Patch) As(documents, contexts bool) Patch {
	p.inParts, p.terse = !documents, !contexts
	return p
}

// DecodeJSON decodes a JSON patch: a list of JSON objects, or null. An error, with the message of encoding/json, means
// that the patch cannot be decoded (W-205).
func DecodeJSON(patch []byte) (Patch, error) {
	// Not the library's own decoder, which already validates operations. The server only does that when they are
	// applied.
	var p Patch
	if err := json.Unmarshal(patch, &p.ops); err != nil {
		return Patch{}, err
	}
	return p, nil
}

// Of returns a patch with the given operations. A Value of JSON null differs from a null in a decoded patch, as in the
// server: a test for it fails for a missing member and for null (W-306).
func Of(ops ...Operation) Patch {
	p := Patch{ops: make(jsonpatch.Patch, 0, len(ops))}
	for _, op := range ops {
		o := jsonpatch.Operation{"op": quote(op.Op), "path": quote(op.Path)}
		if op.From != "" {
			o["from"] = quote(op.From)
		}
		if op.Value != nil {
			value := op.Value
			o["value"] = &value
		}
		p.ops = append(p.ops, o)
	}
	return p
}

// Len returns the number of operations. A patch without operations counts as no patch (W-204).
func (p Patch) Len() int { return len(p.ops) }

// Describe returns each operation in words, without values: add /metadata/labels/team.
func (p Patch) Describe() []string {
	all := make([]string, len(p.ops))
	for i, op := range p.ops {
		path, err := op.Path()
		if err != nil {
			path = "without a path"
		}
		if from, err := op.From(); err == nil {
			path = from + " to " + path
		}
		all[i] = op.Kind() + " " + path
	}
	return all
}

// MarshalJSON encodes the patch as in audit annotations up to 1.22 (W-245): members sorted by name, values as sent.
// [json.Marshal] makes it compact and escapes it for HTML, as later releases do.
func (p Patch) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('[')
	for i, op := range p.ops {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteByte('{')
		for j, name := range slices.Sorted(maps.Keys(op)) {
			if j > 0 {
				b.WriteByte(',')
			}
			b.Write(*quote(name))
			b.WriteByte(':')
			b.Write(orNull(op[name]))
		}
		b.WriteByte('}')
	}
	b.WriteByte(']')
	return b.Bytes(), nil
}

func orNull(raw *json.RawMessage) json.RawMessage {
	if raw == nil {
		return json.RawMessage("null")
	}
	return *raw
}

// JSON applies a JSON patch to a document, as specified in W-208.
func JSON(doc, patch []byte) ([]byte, error) {
	p, err := DecodeJSON(patch)
	if err != nil {
		return nil, err
	}
	return p.Apply(doc)
}

func quote(s string) *json.RawMessage {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err) // a string always marshals
	}
	return (*json.RawMessage)(&b)
}
