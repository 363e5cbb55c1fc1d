package markup

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Parts are the parts of a large amount of HTML, each stored once: thousands of requests mostly have the same steps,
// and objects have the same lines. A part is a piece of HTML, or a list of earlier parts. A page is therefore a
// fiftieth of its contents, and a search looks at everything once.
type Parts struct {
	all      []part
	byText   map[string]int
	byList   map[string]int
	children []int  // of the lists that are being read
	numbers  []byte // of one list, reused
}

// A part is a text, or a list: the numbers of its parts as JSON.
type part struct {
	text string
	list bool
}

// A group begins and ends at these marks. No text contains them, since a NUL in a text is shown as an escape.
const (
	mark        = '\x00'
	groupBegins = "\x00["
	groupEnds   = "\x00]"
)

// Begin begins a group: HTML that is likely to be written again as a whole, with other things around it, and becomes a
// list of its own among [Parts].
func (w *Writer) Begin() { w.text = append(w.text, groupBegins...) }

// End ends the group that was begun last.
func (w *Writer) End() { w.text = append(w.text, groupEnds...) }

// Ungrouped returns the HTML without groups, as part of a page.
func (h HTML) Ungrouped() HTML {
	at := strings.IndexByte(h.text, mark)
	if at < 0 {
		return h
	}
	var b strings.Builder
	b.Grow(len(h.text))
	rest := h.text
	for ; at >= 0; at = strings.IndexByte(rest, mark) {
		b.WriteString(rest[:at])
		rest = rest[at+len(groupBegins):]
	}
	b.WriteString(rest)
	return HTML{b.String()}
}

// Clone returns a copy to which other parts can be added.
func (p *Parts) Clone() Parts {
	return Parts{all: slices.Clone(p.all), byText: maps.Clone(p.byText), byList: maps.Clone(p.byList)}
}

// Add splits HTML and returns the number of its part.
func (p *Parts) Add(h HTML) int {
	id, rest := p.list(h.text)
	if rest != "" {
		panic(fmt.Sprintf("a group ends that did not begin, before %q", rest))
	}
	return id
}

// list reads parts up to the end of their group.
func (p *Parts) list(html string) (id int, rest string) {
	first := len(p.children)
	for html != "" {
		at := strings.IndexByte(html, mark)
		if at < 0 {
			at = len(html)
		}
		p.cut(html[:at])
		if html = html[at:]; strings.HasPrefix(html, groupEnds) {
			return p.together(first), html[len(groupEnds):]
		}
		if html != "" {
			var child int
			child, html = p.list(html[len(groupBegins):])
			p.children = append(p.children, child)
		}
	}
	return p.together(first), ""
}

// cut splits HTML at the ends of lines, and before each opening tag that follows another tag.
func (p *Parts) cut(html string) {
	begin := 0
	for i := 1; i < len(html); i++ {
		if html[i-1] == '\n' || html[i-1] == '>' && html[i] == '<' && i+1 < len(html) && html[i+1] != '/' {
			p.children = append(p.children, p.text(html[begin:i]))
			begin = i
		}
	}
	if begin < len(html) {
		p.children = append(p.children, p.text(html[begin:]))
	}
}

// together returns the list of the children from the first one on.
func (p *Parts) together(first int) int {
	all := p.children[first:]
	p.children = p.children[:first]
	switch len(all) {
	case 0:
		return p.text("")
	case 1:
		return all[0]
	}
	p.numbers = append(p.numbers[:0], '[')
	for i, child := range all {
		if i > 0 {
			p.numbers = append(p.numbers, ',')
		}
		p.numbers = strconv.AppendInt(p.numbers, int64(child), 10)
	}
	p.numbers = append(p.numbers, ']')
	if id, ok := p.byList[string(p.numbers)]; ok {
		return id
	}
	return p.add(&p.byList, part{string(p.numbers), true})
}

func (p *Parts) text(text string) int {
	if id, ok := p.byText[text]; ok {
		return id
	}
	return p.add(&p.byText, part{strings.Clone(text), false}) // so that the rest of the text is not kept in memory
}

func (p *Parts) add(by *map[string]int, one part) int {
	if *by == nil {
		*by = map[string]int{}
	}
	id := len(p.all)
	(*by)[one.text] = id
	p.all = append(p.all, one)
	return id
}

// HTML returns a part as it was added, without groups.
func (p *Parts) HTML(id int) HTML {
	var b strings.Builder
	p.write(&b, id)
	return HTML{b.String()}
}

func (p *Parts) write(b *strings.Builder, id int) {
	one := p.all[id]
	if !one.list {
		b.WriteString(one.text)
		return
	}
	var children []int
	if err := json.Unmarshal([]byte(one.text), &children); err != nil {
		panic(err) // they are numbers
	}
	for _, child := range children {
		p.write(b, child)
	}
}

// Parts writes parts as an array of texts and arrays of numbers, as [Writer.Data] does.
func (w *Writer) Parts(id piece, p *Parts) error {
	text, err := p.json()
	if err != nil {
		return fmt.Errorf("data %s of a page: %w", id, err)
	}
	w.data(id, text)
	return nil
}

// json returns text that can be placed in a script: the only tag that would end the script is </script>, and no piece
// contains a comment, which could hide that end.
func (p *Parts) json() (string, error) {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	b.WriteByte('[')
	for i, one := range p.all {
		if i > 0 {
			b.WriteByte(',')
		}
		if one.list {
			b.WriteString(one.text)
		} else if err := e.Encode(one.text); err != nil {
			return "", err
		}
	}
	b.WriteByte(']')
	return strings.ReplaceAll(b.String(), "</", `<\/`), nil
}
