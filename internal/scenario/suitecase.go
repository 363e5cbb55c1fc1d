package scenario

import (
	"maps"
	"strings"
	"unicode"

	"github.com/admsim/admsim/pkg/rest"
)

// checkLine refuses a name that reports cannot have on a line.
func checkLine(at value, name string) {
	if strings.ContainsFunc(name, unicode.IsControl) {
		at.errorf("write it on one line, without tabs", "the name %q is not one line of text", name)
	}
}

func (r *suiteReader) readCase(v value) (Case, bool) {
	if !v.mapping("name", "skip", "request", "every", "expect", "steps", "override", "matrix") {
		if !v.given() {
			v.wrong("a mapping")
		}
		return Case{}, false
	}
	c := Case{Name: v.at("name").text(), Source: v.source(), Skip: v.at("skip").text()}
	if v.noText("name") {
		v.errorf("reports and --run call it by its name", "no name")
	}
	checkLine(v.at("name"), c.Name)
	c.Matrix = r.matrix(v.at("matrix"))
	c.Override = r.override(v.at("override"))
	steps := v.at("steps")
	if !steps.given() {
		c.Steps = []CaseStep{r.step(v, c.Matrix)}
		return c, true
	}
	for _, key := range []string{"request", "every", "expect"} {
		if one := v.at(key); one.given() {
			one.errorf("drop one of them", "steps and %s exclude each other", key)
		}
	}
	for _, one := range steps.list() {
		if !one.mapping("name", "request", "every", "expect") {
			continue
		}
		step := r.step(one, c.Matrix)
		step.Name = one.at("name").text()
		c.Steps = append(c.Steps, step)
	}
	if len(c.Steps) == 0 {
		steps.errorf("each with request and expect", "no steps")
	}
	return c, true
}

// step reads a request and what is expected of it.
func (r *suiteReader) step(v value, m Matrix) CaseStep {
	s := CaseStep{Source: v.source()}
	r.request(v.at("request"), &s)
	every := v.at("every")
	s.Every = readEvery(every)
	switch {
	case every.given() && v.at("request").given():
		every.errorf("drop one of them", "request and every exclude each other")
	case v.lacks("request") && v.lacks("every"):
		v.errorf("such as request: {object: pod.yaml}", "no request")
	}
	expect := v.at("expect")
	switch expect.is.(type) {
	case nil:
		if v.lacks("expect") {
			v.errorf("such as expect: {allowed: true}", "nothing is expected")
		}
	case []any:
		for _, one := range expect.list() {
			s.Expect = append(s.Expect, r.expectWhen(one, m))
		}
		if len(s.Expect) == 0 {
			expect.errorf("such as expect: {allowed: true}", "nothing is expected")
		}
	default:
		s.Expect = []Expect{r.expect(expect, true)}
	}
	r.checkStep(s)
	return s
}

// request reads what is asked: the keys of a Request, an object, a recorded review or event,
// or the path of a file with one of these.
func (r *suiteReader) request(v value, s *CaseStep) {
	switch is := v.is.(type) {
	case nil:
	case string:
		full, ok := v.named(is)
		if !ok {
			return
		}
		l := newLoader(r.options)
		l.file(full)
		r.fromFile(v, l.errs)
		if len(l.errs) == 0 && len(l.found) != 1 {
			v.errorf("one request a file; several are steps", "%d documents in %s instead of one", len(l.found), full)
		}
		if len(l.found) == 1 {
			l.found[0].root = r.root()
			r.ask(&l.found[0], s)
		}
	case map[string]any:
		if is["kind"] != nil {
			for i, m := range r.inline(v) {
				if i == 0 {
					r.ask(&m, s)
				}
			}
			return
		}
		s.Expand = v.at("expand").flag()
		keys := maps.Clone(is)
		delete(keys, "expand")
		m := Manifest{Source: v.source(), places: v.of.layout().Lookup(v.path), root: r.root(), onDisk: v.of.onDisk, JSON: encode(keys)}
		m.text = v.of.text
		if one, ok := readRequest(&m, r.options, r.errs); ok {
			s.Request = &one
		}
	default:
		v.errorf("", "%s instead of a request or the path of its file", typeName(is))
	}
}

// ask takes a document as what is asked.
func (r *suiteReader) ask(m *Manifest, s *CaseStep) {
	if m.Group == "audit.k8s.io" {
		s.Recorded = &Recorded{File: m.Source.File, JSON: m.JSON, Source: m.Source}
		return
	}
	switch kindOfForm(m, r.errs) {
	case objectForm:
		s.Request = new(plain(*m, rest.Create))
	case requestForm:
		if one, ok := readRequest(m, r.options, r.errs); ok {
			s.Request = &one
		}
	case reviewForm:
		if one, ok := readReview(m, r.errs); ok {
			s.Request = &one
		}
	case backendsForm, faultsForm, suiteForm:
		r.errs.Add(m.Source, "a request is an object, a document of kind Request, an AdmissionReview or an audit Event", "%s is no request", m)
	}
}

// checkStep checks what cannot go together in a request and its expectations.
func (r *suiteReader) checkStep(s CaseStep) {
	for _, e := range s.Expect {
		if s.Every != nil {
			e.aboutRegion()
			continue
		}
		e.aboutRequest()
		for _, child := range e.Expand {
			child.Expect.aboutRequest()
		}
	}
	recorded := s.Recorded != nil || (s.Request != nil && s.Request.Review != nil)
	creates := recorded || (s.Request != nil && s.Request.Verb == rest.Create && s.Request.Subresource == "")
	for _, e := range s.Expect {
		for i, child := range e.Expand {
			if !s.Expand {
				e.value.at("expand").errorf("write expand: true in the request", "only a request that is expanded has children")
				break
			}
			if i == 0 && s.Request != nil && child.Kind == s.Request.Kind.Kind {
				child.Expect.value.errorf("write its expectations beside expand", "%s is not a child of itself", child.Kind)
			}
		}
	}
	if s.Expand && s.Request != nil && !creates {
		r.errs.Add(s.Request.Source, "", "only what creates a workload can be expanded")
	}
}
