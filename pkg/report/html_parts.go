package report

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Parts are what the bodies of rows are made of, each of them once: thousands of requests
// mostly have the same steps, and objects with the same lines. A part is a piece of HTML, or
// a list of parts that come before it. So the page is a fiftieth of what it says, and a
// search looks at everything once.
type parts struct {
	ids   map[string]int
	texts []string // of a list its numbers as JSON
	lists []bool
}

// A list begins and ends at these marks, which stand in a template. No text has them: of what is
// put into a template every NUL is replaced.
const (
	mark       = '\x00'
	listBegins = "\x00["
	listEnds   = "\x00]"
)

var unmarked = strings.NewReplacer(listBegins, "", listEnds, "")

// add takes apart what a template made and returns the number of its part.
func (p *parts) add(html string) int {
	id, rest := p.list(html)
	if rest != "" {
		panic(fmt.Sprintf("a list of the page ends that did not begin, before %q", rest))
	}
	return id
}

// list reads parts up to the end of their list.
func (p *parts) list(html string) (id int, rest string) {
	var children []int
	for html != "" {
		at := strings.IndexByte(html, mark)
		if at < 0 {
			at = len(html)
		}
		children = append(children, p.pieces(html[:at])...)
		if html = html[at:]; strings.HasPrefix(html, listEnds) {
			return p.together(children), html[len(listEnds):]
		}
		if html != "" {
			var child int
			child, html = p.list(html[len(listBegins):])
			children = append(children, child)
		}
	}
	return p.together(children), ""
}

// pieces cuts HTML where lines end, and between two tags where the second one opens.
func (p *parts) pieces(html string) (ids []int) {
	begin := 0
	for i := 1; i < len(html); i++ {
		if html[i-1] == '\n' || html[i-1] == '>' && html[i] == '<' && i+1 < len(html) && html[i+1] != '/' {
			ids = append(ids, p.number(html[begin:i], false))
			begin = i
		}
	}
	if begin < len(html) {
		ids = append(ids, p.number(html[begin:], false))
	}
	return ids
}

func (p *parts) together(children []int) int {
	switch len(children) {
	case 0:
		return p.number("", false)
	case 1:
		return children[0]
	}
	text, err := json.Marshal(children)
	if err != nil {
		panic(err) // they are numbers
	}
	return p.number(string(text), true)
}

func (p *parts) number(text string, list bool) int {
	key := "html" + text
	if list {
		key = "list" + text
	}
	if id, ok := p.ids[key]; ok {
		return id
	}
	if p.ids == nil {
		p.ids = map[string]int{}
	}
	id := len(p.texts)
	p.ids[key] = id
	p.texts, p.lists = append(p.texts, key[4:]), append(p.lists, list)
	return id
}

// html is a part as it was added.
func (p *parts) html(id int) string {
	if !p.lists[id] {
		return p.texts[id]
	}
	var children []int
	if err := json.Unmarshal([]byte(p.texts[id]), &children); err != nil {
		panic(err) // they are numbers
	}
	var b strings.Builder
	for _, child := range children {
		b.WriteString(p.html(child))
	}
	return b.String()
}

// json is an array of texts and arrays of numbers. It can stand in a script: of all tags
// only </script> would end one.
func (p *parts) json() (string, error) {
	var b strings.Builder
	for i, text := range p.texts {
		b.WriteByte("[,"[min(i, 1)])
		if p.lists[i] {
			b.WriteString(text)
			continue
		}
		if err := encode(&b, text); err != nil {
			return "", err
		}
	}
	if len(p.texts) == 0 {
		b.WriteByte('[')
	}
	b.WriteByte(']')
	return strings.ReplaceAll(b.String(), "</", `<\/`), nil
}
