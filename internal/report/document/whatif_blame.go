package document

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/admsim/admsim/internal/whatif"
	"github.com/admsim/admsim/pkg/report"
)

// A Blame says who set each field of an object last.
type Blame struct {
	report.TypeMeta
	Request Sample          `json:"request"`
	Denied  string          `json:"denied,omitempty"` // why; the object is as it was then
	Object  json.RawMessage `json:"object"`
	Fields  []BlamedField   `json:"fields"` // in the order of the object
	Removed []RemovedField  `json:"removed,omitempty"`

	root whatif.Field
}

// A BlamedField is a value of an object, and who set it last. Maps and lists are not among
// them unless they are empty.
type BlamedField struct {
	Path string `json:"path"` // a JSON pointer
	By   Setter `json:"by"`
}

// A RemovedField was there and is no longer.
type RemovedField struct {
	Path  string          `json:"path"` // at the moment of the removal
	Value json.RawMessage `json:"value"`
	By    Setter          `json:"by"`
}

// A Setter is who set a field.
type Setter struct {
	Sort string `json:"sort"` // user, stored, default, plugin, policy, webhook or server
	Actor
}

func setterOf(s whatif.Setter) Setter {
	return Setter{string(s.Sort), Actor{s.Plugin, s.Configuration, s.Name, s.Round, s.Source, s.String()}}
}

// object is all of it, as text shows it.
func (b *Blame) WholeObject() whatif.Field { return b.root }

// NewBlame puts a blame into the form that is shown.
func NewBlame(b *whatif.Blame) *Blame {
	shown := &Blame{TypeMeta: typeMeta(BlameKind), Request: SampleOf(b.Request), Denied: b.Denied, Fields: []BlamedField{}, root: b.Object}
	shown.Object = valueOf(b.Object)
	shown.add("", b.Object)
	for _, r := range b.Removed {
		shown.Removed = append(shown.Removed, RemovedField{r.Path, r.Value, setterOf(r.By)})
	}
	return shown
}

func (b *Blame) add(path string, f whatif.Field) {
	if len(f.Parts) == 0 {
		b.Fields = append(b.Fields, BlamedField{path, setterOf(f.By)})
		return
	}
	for i, part := range f.Parts {
		step := part.Name
		if f.IsList {
			step = fmt.Sprint(i)
		}
		b.add(path+"/"+strings.NewReplacer("~", "~0", "/", "~1").Replace(step), part)
	}
}

// valueOf is a field as JSON.
func valueOf(f whatif.Field) json.RawMessage {
	switch {
	case f.IsMap:
		members := map[string]json.RawMessage{}
		for _, part := range f.Parts {
			members[part.Name] = valueOf(part)
		}
		data, err := json.Marshal(members)
		if err != nil {
			panic(err) // all of it is JSON
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

// A BlamedLine is a line of YAML, and who set what is on it.
type BlamedLine struct {
	Text   string
	By     string // empty: that of the lines below
	Colour string
	Source string
}
