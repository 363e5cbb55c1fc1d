package markup

import (
	"encoding/json"
	"strings"
	"testing"
)

// HTML that is split can be put together again, and repeated parts are stored once.
func TestParts(t *testing.T) {
	list := func(w *Writer, names ...string) {
		w.Put(`<ul>`)
		for _, name := range names {
			w.Begin()
			w.Put(`<li><b>{}</b></li>`, name)
			w.End()
		}
		w.Put(`</ul>`)
	}
	var p Parts
	var ids []int
	var all []HTML
	for _, write := range []func(w *Writer){
		func(w *Writer) {},
		func(w *Writer) { list(w, "a", "b\nc", "[", "") },
		func(w *Writer) { w.Begin(); list(w, "a", "a"); w.End(); list(w, "\x00]") },
		func(w *Writer) { list(w, "a", "b\nc", "[", "") },
	} {
		var w Writer
		write(&w)
		h := w.HTML()
		all, ids = append(all, h), append(ids, p.Add(h))
	}
	for i, h := range all {
		if got, want := p.HTML(ids[i]), h.Ungrouped(); got != want || strings.Contains(want.String(), "\x00") {
			t.Errorf("%q became %q", want, got)
		}
	}
	if ids[1] != ids[3] {
		t.Error("the same HTML has two numbers")
	}
	var w Writer
	if err := w.Parts("parts", &p); err != nil {
		t.Fatal(err)
	}
	text := strings.TrimSuffix(strings.TrimPrefix(w.HTML().String(), `<script type="application/json" id="parts">`), `</script>`)
	if strings.Contains(text, "</") {
		t.Errorf("a script could end in %s", text)
	}
	var parts []any
	if err := json.Unmarshal([]byte(text), &parts); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	if got, want := together(parts, ids[2]), all[2].Ungrouped().String(); got != want {
		t.Errorf("a script puts together %q, want %q", got, want)
	}
}

// together does what scripts do.
func together(parts []any, id int) (text string) {
	list, isList := parts[id].([]any)
	if !isList {
		return parts[id].(string)
	}
	for _, child := range list {
		text += together(parts, int(child.(float64)))
	}
	return text
}
