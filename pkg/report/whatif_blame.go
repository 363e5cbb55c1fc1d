package report

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/admsim/admsim/internal/whatif"
)

// A Blame says who set each field of an object last.
type Blame struct {
	TypeMeta
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
func (b *Blame) object() whatif.Field { return b.root }

// NewBlame puts a blame into the form that is shown.
func NewBlame(b *whatif.Blame) *Blame {
	shown := &Blame{TypeMeta: TypeMeta{APIVersion, BlameKind}, Request: sampleOf(b.Request), Denied: b.Denied, Fields: []BlamedField{}, root: b.Object}
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

// A blamedLine is a line of YAML, and who set what is on it.
type blamedLine struct {
	text   string
	by     string // empty: that of the lines below
	colour string
	source string
}

func (b *Blame) text(p *page, verbose bool) {
	p.line(0, "# "+p.paint(p.bold, b.Request.String())+p.paint(p.faint, "  "+b.Request.about()))
	if b.Denied != "" {
		p.line(0, p.paint(p.bad, "# denied: "+p.clean(b.Denied)))
	}
	y := &blamedYAML{palette: p.palette, verbose: verbose}
	y.members(0, "", unwritten(b.object()))
	column := 0
	for _, l := range y.lines {
		if n := columns(l.text); n <= mostBlamed {
			column = max(column, n)
		}
	}
	last := ""
	for _, l := range y.lines {
		if l.by == "" {
			p.line(0, l.text)
			continue
		}
		comment := "# " + l.by
		if l.source != "" && comment != last {
			last = comment
			comment += ", " + l.source
		} else {
			last = comment
		}
		p.line(0, padded(l.text, column)+"  "+p.paint(l.colour, comment))
	}
	for _, r := range b.Removed {
		if strings.HasPrefix(r.Path, "/metadata/managedFields") {
			continue
		}
		p.line(0, p.paint(p.bad, fmt.Sprintf("# removed by %s: %s: %s", r.By.String(), r.Path, shorten(flow(r.Value), 60))))
	}
}

// unwritten is an object without what the server notes of its writing, so that it can be written again:
// its version, and who manages which fields, which may be taken for who set them.
func unwritten(o whatif.Field) whatif.Field {
	o.Parts = slices.Clone(o.Parts)
	for i, part := range o.Parts {
		if part.Name == "metadata" {
			o.Parts[i].Parts = slices.DeleteFunc(slices.Clone(part.Parts), func(f whatif.Field) bool {
				return f.Name == "managedFields" || f.Name == "resourceVersion"
			})
		}
	}
	return o
}

// mostBlamed is how wide a line may be that moves the column of the comments.
const mostBlamed = 64

// blamedYAML writes an object as YAML, line by line.
type blamedYAML struct {
	palette palette
	verbose bool
	lines   []blamedLine
}

// members writes a map; first is what stands before its first line.
func (y *blamedYAML) members(indent int, first string, f whatif.Field) {
	for _, part := range f.Parts {
		head := first
		if first == "" {
			head = strings.Repeat(" ", indent)
		}
		first = ""
		y.value(indent, head+quoted(part.Name)+":", part)
	}
}

// value writes what comes behind a head.
func (y *blamedYAML) value(indent int, head string, f whatif.Field) {
	switch {
	case len(f.Parts) > 0 && f.IsMap:
		y.lines = append(y.lines, blamedLine{text: head})
		y.members(indent+2, "", f)
	case len(f.Parts) > 0:
		y.lines = append(y.lines, blamedLine{text: head})
		y.items(indent, f)
	default:
		y.scalar(indent, head, f)
	}
}

func (y *blamedYAML) items(indent int, f whatif.Field) {
	for _, item := range f.Parts {
		head := strings.Repeat(" ", indent) + "-"
		switch {
		case item.IsMap && len(item.Parts) > 0:
			y.members(indent+2, head+" ", item)
		case item.IsList && len(item.Parts) > 0:
			y.lines = append(y.lines, blamedLine{text: head})
			y.items(indent+2, item)
		default:
			y.scalar(indent, head, item)
		}
	}
}

// scalar writes a value; text of several lines as a block, with the comment on its head.
func (y *blamedYAML) scalar(indent int, head string, f whatif.Field) {
	line := blamedLine{by: f.By.String(), source: f.By.Source, colour: y.colour(f.By)}
	var text string
	if json.Unmarshal(f.Value, &text) == nil && strings.Contains(strings.TrimSuffix(text, "\n"), "\n") && !strings.HasPrefix(text, " ") {
		mark := "|"
		if !strings.HasSuffix(text, "\n") {
			mark = "|-"
		}
		line.text = head + " " + mark
		y.lines = append(y.lines, line)
		for row := range strings.Lines(text) {
			y.lines = append(y.lines, blamedLine{text: strings.Repeat(" ", indent+2) + strings.TrimSuffix(row, "\n")})
		}
		return
	}
	value := wholeScalar(f)
	line.text = head + " " + value
	y.lines = append(y.lines, line)
}

// wholeScalar is a value on one line, never shortened: what is printed is YAML.
func wholeScalar(f whatif.Field) string {
	switch {
	case f.IsMap:
		return "{}"
	case f.IsList:
		return "[]"
	}
	var text string
	if json.Unmarshal(f.Value, &text) == nil && len(f.Value) > 0 && f.Value[0] == '"' {
		if columns(text) > longest {
			return string(f.Value)
		}
		return quoted(text)
	}
	return string(f.Value)
}

func (y *blamedYAML) colour(s whatif.Setter) string {
	switch s.Sort {
	case whatif.ByUser:
		return y.palette.bold
	case whatif.ByWebhook, whatif.ByPolicy:
		return y.palette.changed
	case whatif.ByPlugin:
		return y.palette.good
	}
	return y.palette.faint
}
