package scenario

import (
	"strings"
	"unicode"

	"github.com/admsim/admsim/internal/manifest"

	"github.com/admsim/admsim/pkg/rest"
)

// checkLine refuses a name that reports cannot print on a line.
func checkLine(at manifest.Value, name string) {
	if strings.ContainsFunc(name, unicode.IsControl) {
		at.Errorf("write it on one line, without tabs", "the name %q is not one line of text", name)
	}
}

func (r *suiteReader) readCase(v manifest.Value) (Case, bool) {
	expand := manifest.Misplaced{
		Key: "expand", Text: "expand is no key of a case",
		Hint: "request: {expand: true} asks for the requests of controllers, and expect.expand is about their answers",
	}
	if !v.MappingExcept([]manifest.Misplaced{expand}, "name", "skip", "request", "every", "expect", "steps", "override", "matrix") {
		if !v.Given() {
			v.Wrong("a mapping")
		}
		return Case{}, false
	}
	c := Case{Name: v.At("name").Text(), Source: v.Source(), Skip: v.At("skip").Text()}
	if v.NoText("name") {
		v.Errorf("reports and --run use its name", "no name")
	}
	checkLine(v.At("name"), c.Name)
	c.Matrix = r.matrix(v.At("matrix"))
	c.Override = r.override(v.At("override"))
	steps := v.At("steps")
	if !steps.Given() {
		c.Steps = []CaseStep{r.step(v, c.Matrix)}
		return c, true
	}
	for _, key := range []string{"request", "every", "expect"} {
		if one := v.At(key); one.Given() {
			one.Errorf("drop one of them", "steps and %s exclude each other", key)
		}
	}
	for _, one := range steps.List() {
		if !one.Mapping("name", "request", "every", "expect") {
			continue
		}
		step := r.step(one, c.Matrix)
		step.Name = one.At("name").Text()
		c.Steps = append(c.Steps, step)
	}
	if len(c.Steps) == 0 {
		steps.Errorf("each with request and expect", "no steps")
	}
	return c, true
}

// step reads a request and what is expected of it.
func (r *suiteReader) step(v manifest.Value, m Matrix) CaseStep {
	s := CaseStep{Source: v.Source()}
	r.request(v.At("request"), &s)
	every := v.At("every")
	s.Every = readEvery(every)
	switch {
	case every.Given() && v.At("request").Given():
		every.Errorf("drop one of them", "request and every exclude each other")
	case v.Lacks("request") && v.Lacks("every"):
		v.Errorf("such as request: {object: pod.yaml}", "no request")
	}
	expect := v.At("expect")
	switch expect.Is.(type) {
	case nil:
		if v.Lacks("expect") {
			v.Errorf("such as expect: {allowed: true}", "nothing is expected")
		}
	case []any:
		for _, one := range expect.List() {
			s.Expect = append(s.Expect, r.expectWhen(one, m))
		}
		if len(s.Expect) == 0 {
			expect.Errorf("such as expect: {allowed: true}", "nothing is expected")
		}
	default:
		s.Expect = []Expect{r.expect(expect, true)}
	}
	r.checkStep(s)
	return s
}

// request reads the request of a step: the keys of a Request, an object, a recorded review or event, or the path of a
// file with one of these.
func (r *suiteReader) request(v manifest.Value, s *CaseStep) {
	switch is := v.Is.(type) {
	case nil:
	case string:
		full, ok := v.Named(is)
		if !ok {
			return
		}
		l := manifest.NewLoader(r.options)
		l.File(full)
		r.fromFile(v, l.Errs)
		if len(l.Errs) == 0 && len(l.Found) != 1 {
			v.Errorf("write one request per file; several requests are steps", "%d documents in %s instead of one", len(l.Found), full)
		}
		if len(l.Found) == 1 {
			l.Found[0].Within = r.root()
			r.ask(&l.Found[0], s)
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
		s.Expand = v.At("expand").Flag()
		m := manifest.Manifest{Source: v.Source(), Places: v.Of.Layout().Lookup(v.Path), Within: r.root(), OnDisk: v.Of.OnDisk, JSON: manifest.Encode(is)}
		m.Text = v.Of.Text
		if one, ok := readRequestOfCase(&m, r.options, r.Errs); ok {
			s.Request = &one
		}
	default:
		v.Errorf("", "%s instead of a request or the path of its file", manifest.TypeName(is))
	}
}

// ask makes a document the request of a step.
func (r *suiteReader) ask(m *manifest.Manifest, s *CaseStep) {
	if m.Group == "audit.k8s.io" {
		s.Recorded = &Recorded{File: m.Source.File, JSON: m.JSON, Source: m.Source}
		return
	}
	switch manifest.KindOfForm(m, r.Errs) {
	case manifest.ObjectForm:
		s.Request = new(plain(*m, rest.Create))
	case manifest.RequestForm:
		if one, ok := readRequest(m, r.options, r.Errs); ok {
			s.Request = &one
		}
	case manifest.ReviewForm:
		if one, ok := readReview(m, r.Errs); ok {
			s.Request = &one
		}
	case manifest.BackendsForm, manifest.FaultsForm, manifest.SuiteForm:
		r.Errs.Add(m.Source, "a request is an object, a document of kind Request, an AdmissionReview or an audit Event", "%s is not a request", m)
	}
}

// checkStep checks for conflicts within a request and its expectations.
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
				e.value.At("expand").Errorf("write expand: true in the request", "only a request that is expanded has children")
				break
			}
			if i == 0 && s.Request != nil && child.Kind == s.Request.Kind.Kind {
				child.Expect.value.Errorf("write its expectations beside expand", "%s is not a child of itself", child.Kind)
			}
		}
	}
	if s.Expand && s.Request != nil && !creates {
		r.Errs.Add(s.Request.Source, "", "only what creates a workload can be expanded")
	}
}
