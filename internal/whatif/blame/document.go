package blame

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/admsim/admsim/internal/jsonpointer"
	"github.com/admsim/admsim/internal/report/document"
)

// Document converts a blame to the form that is shown.
func (b *Blame) Document() *document.Blame {
	shown := &document.Blame{TypeMeta: document.TypeMeta(document.BlameKind), Request: b.Request, Denied: b.Denied, Root: b.Object}
	shown.Object = valueOf(b.Object)
	shown.Fields = blamed([]document.BlamedField{}, "", b.Object)
	shown.Removed = b.Removed
	return shown
}

// blamed adds a field, or its leaves.
func blamed(all []document.BlamedField, path string, f document.Field) []document.BlamedField {
	if len(f.Parts) == 0 {
		return append(all, document.BlamedField{Path: path, By: f.By})
	}
	for i, part := range f.Parts {
		step := part.Name
		if f.IsList {
			step = fmt.Sprint(i)
		}
		all = blamed(all, path+"/"+jsonpointer.Escape(step), part)
	}
	return all
}

// valueOf returns a field as JSON.
func valueOf(f document.Field) json.RawMessage {
	switch {
	case f.IsMap:
		members := map[string]json.RawMessage{}
		for _, part := range f.Parts {
			members[part.Name] = valueOf(part)
		}
		data, err := json.Marshal(members)
		if err != nil {
			panic(err) // everything in it is JSON
		}
		return data
	case f.IsList:
		items := make([]string, len(f.Parts))
		for i, part := range f.Parts {
			items[i] = string(valueOf(part))
		}
		return json.RawMessage("[" + strings.Join(items, ",") + "]")
	}
	return f.Value
}
