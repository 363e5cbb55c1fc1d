package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"

	admissionv1 "k8s.io/api/admission/v1"

	"github.com/admsim/admsim/internal/inert"
)

// text is for people: what was asked and decided, then the steps, then the object.
type text struct {
	w       io.Writer
	verbose bool
	palette palette

	results, admitted int
	explained         int
}

func newText(w io.Writer, o Options) sink {
	return &text{w: inert.NewWriter(w), verbose: o.Verbose, palette: paletteOf(o.Colour)}
}

func (t *text) result(a *Answer) error { return t.write(a.Result) }

func (t *text) write(r *Result) error {
	p := &page{palette: t.palette}
	if t.results > 0 {
		p.line(0, "")
	}
	t.results++
	if r.Allowed {
		t.admitted++
	}
	p.verdict(r)
	if why := repeated(r); why != "" {
		p.paragraph(2, p.faint, why)
	}
	for i, a := range r.Admissions {
		if len(r.Admissions) > 1 {
			p.line(0, "")
			p.line(2, p.paint(p.bold, fmt.Sprintf("admission %d of %d: %s %s %s", i+1, len(r.Admissions), a.Operation, a.Kind.Kind, a.Name)))
		}
		(&stepsText{page: p, verbose: t.verbose}).write(a.Steps)
	}
	p.messages(r, t.verbose)
	p.answer(r)
	_, err := io.WriteString(t.w, p.String())
	return err
}

// repeated says why one deletion is admitted several times, each as if it were the only one
// (kubernetes/apiserver:pkg/registry/generic/registry/store.go, Delete); nothing, where it is not.
func repeated(r *Result) string {
	for i, a := range r.Admissions {
		if i == 0 || a.Operation != string(admissionv1.Delete) {
			continue
		}
		before := r.Admissions[i-1]
		if a.Kind != before.Kind || a.Namespace != before.Namespace || a.Name != before.Name {
			continue
		}
		if a.Kind.Group == "" && a.Kind.Kind == "Pod" {
			return "the server asks admission again as the deletion goes on: when it sets the pod's grace period to 0, " +
				"which it may try on its cached copy and then on a fresh one, and when it removes the pod"
		}
		return "the server asks admission again as the deletion goes on: when it marks the object as being deleted, then when it removes it"
	}
	return ""
}

// close sums up where there was more than one request.
func (t *text) close() error {
	if t.results < 2 {
		return nil
	}
	denied := t.results - t.admitted
	_, err := fmt.Fprintf(t.w, "\n%d requests: %d admitted, %d denied\n", t.results, t.admitted, denied)
	return err
}

// verdict writes what was decided about what.
func (p *page) verdict(r *Result) {
	word, colour := "admitted", p.good
	if !r.Allowed {
		word, colour = "denied", p.bad
	}
	p.wrapped(p.paint(colour, word)+"  ", len(word)+2, p.bold, r.Request.title())
	about := fmt.Sprintf("%s, %d %s", r.Request.about(), r.Code, http.StatusText(r.Code))
	if r.Elapsed.Duration > 0 {
		about += " after " + briefly(r.Elapsed.Duration)
	}
	p.paragraph(2, p.faint, strings.TrimPrefix(about, ", "))
}

// title is what was asked, in the words of kubectl.
func (q Request) title() string {
	resource := q.Resource.Resource
	if q.Resource.Group != "" {
		resource += "." + q.Resource.Group
	}
	if q.Subresource != "" {
		resource += "/" + q.Subresource
	}
	title := q.Verb + " " + resource
	switch {
	case q.Name == "" && q.Namespace != "":
		title += " in " + q.Namespace
	case q.Namespace != "":
		title += " " + q.Namespace + "/" + q.Name
	case q.Name != "":
		title += " " + q.Name
	}
	if q.DryRun {
		title += " (dry run)"
	}
	return title
}

func (q Request) about() string {
	var parts []string
	if q.Label != "" {
		parts = append(parts, fmt.Sprintf("%q", q.Label))
	}
	if q.Source != "" {
		parts = append(parts, "from "+q.Source)
	}
	if q.User.Username != "" {
		parts = append(parts, "as "+q.User.Username)
	}
	return strings.Join(parts, " ")
}

// messages are what the client gets to see beside the answer, and with verbose the audit
// event.
func (p *page) messages(r *Result, verbose bool) {
	if len(r.Warnings) > 0 {
		p.line(0, "")
	}
	for _, w := range r.Warnings {
		p.labelled(2, p.changed, "Warning:", w)
	}
	if !verbose || len(r.AuditAnnotations) == 0 {
		return
	}
	p.line(0, "")
	p.line(2, p.paint(p.bold, "audit annotations"))
	for _, k := range slices.Sorted(maps.Keys(r.AuditAnnotations)) {
		p.line(4, k+":")
		p.paragraph(6, "", r.AuditAnnotations[k])
	}
}

// answer is the status of a denial, or the object as the client gets it.
func (p *page) answer(r *Result) {
	switch {
	case !r.Allowed:
		p.line(0, "")
		p.denial(r)
	case len(r.Object) > 0:
		p.line(0, "")
		for row := range strings.Lines(string(objectText(r.Object))) {
			p.line(2, strings.TrimRight(row, "\n"))
		}
	case r.Text != "":
		p.line(0, "")
		p.line(2, r.Text)
	}
}

func (p *page) denial(r *Result) {
	kubectlErrorOf(r.Status).write(p, 2)
	p.by(*r.DeniedBy, r.Hint)
}

func (p *page) by(d Decider, hint string) {
	p.paragraph(4, p.faint, join("by "+d.String(), d.Source))
	if hint != "" {
		p.labelled(2, p.bold, "hint:", hint)
	}
}

// String is who decided, in a few words.
func (d Decider) String() string {
	switch {
	case d.Name != "":
		return d.Plugin + ": " + d.Configuration + "/" + d.Name
	case d.Plugin != "":
		return d.Plugin
	case d.Configuration != "":
		return "the API server: CustomResourceDefinition " + d.Configuration
	}
	return "the API server"
}

// objectText is an object as YAML, without the record of who manages its fields.
func objectText(object json.RawMessage) []byte {
	var shown any = object
	var o map[string]any
	d := json.NewDecoder(bytes.NewReader(object))
	d.UseNumber()
	if d.Decode(&o) == nil && withoutManagers(o) {
		shown = o
	}
	data, err := toYAML(shown)
	if err != nil {
		return object
	}
	return data
}

// withoutManagers takes the managedFields out of an object, or of the items of a list, and
// tells whether there were any.
func withoutManagers(o map[string]any) (found bool) {
	if m, ok := o["metadata"].(map[string]any); ok && m["managedFields"] != nil {
		delete(m, "managedFields")
		found = true
	}
	items, _ := o["items"].([]any)
	for _, item := range items {
		if one, ok := item.(map[string]any); ok && withoutManagers(one) {
			found = true
		}
	}
	return found
}
