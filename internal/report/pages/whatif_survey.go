package pages

import (
	"io"
	"strings"

	"github.com/admsim/admsim/internal/encode"
	"github.com/admsim/admsim/internal/markup"
	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/report/words"
)

// A regionView is a region of requests, and one of them.
type regionView struct {
	Operations, Resources string
	Where                 []string
	Open                  []string
	Vague                 bool
	Witness, Needs, Text  string // Text is its manifest
	Because               string
}

// regionClasses are the classes for what happens to regions; all others are just changed.
var regionClasses = map[string]string{
	document.NewlyRefused: "denied", document.WouldFail: "denied", document.IsUnseen: "denied", document.IsRefused: "denied",
	document.IsFailing: "denied",
	document.IsAsked:   "allowed",
}

// surveyPage writes a page with a row for each region, and one for all webhooks and policies without regions.
func surveyPage(s *document.Survey, w io.Writer, options document.Options) error {
	p := &htmlPage{command: s.Question + " --all", noun: "region", options: options}
	for _, subject := range s.Subjects {
		for _, r := range subject.Regions {
			view, err := viewOfRegion(r)
			if err != nil {
				return err
			}
			class := regionClasses[r.What]
			if class == "" {
				class = "changed"
			}
			row := rowView{ID: p.nextID(), Outcome: r.What, Class: class, Good: class == "allowed", Name: r.Text, Note: subject.Title(), By: subject.Title()}
			p.row(row, view, false)
		}
	}
	same := sameAsked(s)
	if len(same) > 0 {
		view := groupView{About: same}
		p.group("same", "allowed", words.Plural(len(same), "webhook or policy")+" asked for exactly the same requests", "", 0, true, view)
	}
	v := pageView{Good: !s.Has(document.WouldFail) && !s.Has(document.IsUnseen), Verdict: s.Title(), Sub: strings.Join(s.Notes(), " "), Empty: "There is no such request."}
	return p.write(w, v)
}

// sameAsked returns the webhooks and policies that are asked about the same requests, those with a new name last.
func sameAsked(s *document.Survey) (names []string) {
	for _, one := range s.Same {
		names = append(names, one.String())
	}
	for _, one := range s.Subjects {
		if one.Before != nil && len(one.Regions) == 0 {
			names = append(names, one.Webhook.String()+", before: "+one.Before.String())
		}
	}
	return names
}

func viewOfRegion(r document.SurveyRegion) (v regionView, err error) {
	v = regionView{Operations: strings.Join(r.Operations, ", "), Resources: strings.Join(r.Resources, ", "), Where: r.Where, Open: r.Open, Vague: r.Vague}
	if r.Witness == nil {
		return v, nil
	}
	v.Witness, v.Needs, v.Because = r.Witness.Request.String(), strings.Join(r.Witness.Needs, " and "), r.Witness.Because
	text, err := encode.YAML(r.Witness.Manifest)
	v.Text = string(text)
	return v, err
}

func (v regionView) rich(w *markup.Writer) {
	w.Put(`<dl class="facts wide"><div><dt>operations</dt><dd>{}</dd></div><div><dt>resources</dt><dd>{}</dd></div>`, v.Operations, v.Resources)
	if len(v.Where) > 0 {
		w.Put(`<div><dt>where</dt><dd><ul>`)
		for _, one := range v.Where {
			w.Put(`<li>{}</li>`, one)
		}
		w.Put(`</ul></dd></div>`)
	}
	w.Put(`</dl>`)
	w.PutIf(v.Vague, `<p class="dim">There are more conditions than this says.</p>`)
	for _, one := range v.Open {
		w.Put(`<p class="dim">It is proved up to <code>{}</code></p>`, one)
	}
	if v.Text == "" {
		return
	}
	w.Put(`<p>Such as <b>{}</b>`, v.Witness)
	w.PutAny(`, if {}`, v.Needs)
	w.PutAny(` ({})`, v.Because)
	w.Put(`, which admsim run takes with -C:</p><pre class="object">{}</pre>`, v.Text)
}
