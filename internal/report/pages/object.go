package pages

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/admsim/admsim/internal/markup"
	"github.com/admsim/admsim/internal/report/document"
)

// An evolution is an object with its whole history in one listing: every line that was ever in it, with the versions in
// which it was added and removed.
type evolution struct {
	Versions []string // who made each
	Blocks   []block
}

// A block is a group of lines that were added and removed together. Born is 0 if they were there at first, Died is 0 if
// they are there at the end.
type block struct {
	Born, Died int
	Text       string
}

// evolve puts versions into one listing. Versions that look like the previous one are left out.
func evolve(versions []document.ObjectVersion, value func(document.ObjectVersion) (any, error)) (*evolution, error) {
	var lines []agedLine
	e := &evolution{}
	for i, v := range versions {
		object, err := value(v)
		if err != nil {
			return nil, err
		}
		now := yamlLines(object)
		if i > 0 && slices.Equal(alive(lines), now) {
			continue
		}
		lines = grow(lines, now, len(e.Versions))
		e.Versions = append(e.Versions, v.By)
	}
	e.Blocks = blocks(lines)
	return e, nil
}

// rich writes the object with who changed it, and a choice of versions.
func (e *evolution) rich(w *markup.Writer) {
	w.Put(`<section class="evolution"><h3>The object`)
	w.PutIf(len(e.Versions) > 1, `, step by step`)
	w.Put(`</h3>`)
	e.versions(w)
	w.Put("\n")
	e.listing(w)
	w.Put(`</section>`)
}

// versions writes the choice of versions, if there are several.
func (e *evolution) versions(w *markup.Writer) {
	if len(e.Versions) < 2 {
		return
	}
	w.Put(`<ol class="versions" start="0">`)
	for i, by := range e.Versions {
		n := number(i)
		w.Put(`<li data-v="{}"><span class="v">{}</span>{}</li>`, n, n, by)
	}
	w.Put(`</ol>`)
}

func (e *evolution) listing(w *markup.Writer) {
	w.Put(`<pre class="object" data-last="{}" tabindex="0">`, number(len(e.Versions)))
	for i := range e.Blocks {
		b := &e.Blocks[i]
		w.Begin()
		switch {
		case b.Died > 0:
			w.Put(`<del data-b="{}" data-d="{}">{}</del>`, number(b.Born), number(b.Died), b.Text)
		case b.Born > 0:
			w.Put(`<ins data-b="{}">{}</ins>`, number(b.Born), b.Text)
		default:
			w.Put(`<span data-b="0">{}</span>`, b.Text)
		}
		w.End()
	}
	w.Put(`</pre>`)
}

type agedLine struct {
	text       string
	born, died int
}

func alive(lines []agedLine) (texts []string) {
	for _, l := range lines {
		if l.died == 0 {
			texts = append(texts, l.text)
		}
	}
	return texts
}

// grow adds a version: removed lines stay where they were, and new lines come after them.
func grow(lines []agedLine, now []string, version int) (grown []agedLine) {
	kept := commonLines(alive(lines), now)
	next, old := 0, 0 // index in now; index among the remaining lines
	for _, l := range lines {
		if l.died != 0 {
			grown = append(grown, l)
			continue
		}
		if len(kept) > 0 && kept[0][0] == old {
			for ; next < kept[0][1]; next++ {
				grown = append(grown, agedLine{text: now[next], born: version})
			}
			next, kept = next+1, kept[1:]
		} else {
			l.died = version
		}
		grown = append(grown, l)
		old++
	}
	for ; next < len(now); next++ {
		grown = append(grown, agedLine{text: now[next], born: version})
	}
	return grown
}

func blocks(lines []agedLine) (all []block) {
	var text strings.Builder
	for i, l := range lines {
		text.WriteString(l.text)
		text.WriteByte('\n')
		if i+1 < len(lines) && lines[i+1].born == l.born && lines[i+1].died == l.died {
			continue
		}
		all = append(all, block{Born: l.born, Died: l.died, Text: text.String()})
		text.Reset()
	}
	return all
}

// maxCells is the maximum size of a table for comparing lines; longer texts count as replaced.
const maxCells = 1 << 20

// commonLines returns the indices in a and b of a longest common subsequence.
func commonLines(a, b []string) (pairs [][2]int) {
	start := 0
	for start < len(a) && start < len(b) && a[start] == b[start] {
		pairs = append(pairs, [2]int{start, start})
		start++
	}
	end := 0
	for end < len(a)-start && end < len(b)-start && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	for _, p := range longestCommon(a[start:len(a)-end], b[start:len(b)-end]) {
		pairs = append(pairs, [2]int{start + p[0], start + p[1]})
	}
	for ; end > 0; end-- {
		pairs = append(pairs, [2]int{len(a) - end, len(b) - end})
	}
	return pairs
}

func longestCommon(a, b []string) (pairs [][2]int) {
	if len(a) == 0 || len(b) == 0 || len(a)*len(b) > maxCells {
		return nil
	}
	width := len(b) + 1
	length := make([]int32, (len(a)+1)*width) // of the common lines from i and j on
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				length[i*width+j] = length[(i+1)*width+j+1] + 1
			} else {
				length[i*width+j] = max(length[(i+1)*width+j], length[i*width+j+1])
			}
		}
	}
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] == b[j]:
			pairs = append(pairs, [2]int{i, j})
			i, j = i+1, j+1
		case length[(i+1)*width+j] >= length[i*width+j+1]:
			i++
		default:
			j++
		}
	}
	return pairs
}

// yamlLines returns a decoded object as YAML, line by line, with sorted keys and without managedFields. Long texts are
// shortened.
func yamlLines(object any) []string {
	y := &yamlWriter{}
	y.value(object, "", "")
	return y.lines
}

type yamlWriter struct{ lines []string }

// value writes v. Its first line begins with first: an indented key, a dash, or nothing. Further lines have the given
// indentation.
func (y *yamlWriter) value(v any, first, indent string) {
	inItem := strings.HasSuffix(first, "- ")
	switch v := v.(type) {
	case map[string]any:
		if len(v) == 0 {
			y.scalar(first, "{}")
			return
		}
		y.key(first)
		keys := make([]string, 0, len(v))
		for key := range v {
			if key != "managedFields" || !strings.HasSuffix(first, "metadata:") {
				keys = append(keys, key)
			}
		}
		slices.Sort(keys)
		for i, key := range keys {
			begin := indent
			if i == 0 && inItem {
				begin = first
			}
			y.value(v[key], begin+document.Quoted(key)+":", indent+"  ")
		}
	case []any:
		if len(v) == 0 {
			y.scalar(first, "[]")
			return
		}
		if y.key(first) {
			indent = strings.TrimPrefix(indent, "  ") // as in kubectl
		}
		for i, item := range v {
			begin := indent
			if i == 0 && inItem {
				begin = first
			}
			y.value(item, begin+"- ", indent+"  ")
		}
	case string:
		y.scalar(first, document.Quoted(v))
	case nil:
		y.scalar(first, "null")
	case json.Number:
		y.scalar(first, v.String())
	default: // booleans
		y.scalar(first, fmt.Sprint(v))
	}
}

// key writes a line that consists of a key, if first is one.
func (y *yamlWriter) key(first string) bool {
	is := strings.HasSuffix(first, ":")
	if is {
		y.lines = append(y.lines, first)
	}
	return is
}

func (y *yamlWriter) scalar(first, text string) {
	if strings.HasSuffix(first, ":") {
		first += " "
	}
	y.lines = append(y.lines, first+text)
}
