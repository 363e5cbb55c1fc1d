package scenario

import (
	"errors"
	"io/fs"
)

// ProjectFile is the name of the file in which a project says how admsim is used in it.
const ProjectFile = ".admsim.yaml"

// A Project is what a project says of itself in its [ProjectFile].
type Project struct {
	Ignore []Ignore // lint.ignore
}

// An Ignore is a finding that a project knows and accepts.
type Ignore struct {
	Rule   string // its id
	Object string // kind/name, or kind/namespace/name; * stands for any part; empty: all
	Reason string
	Source Source
}

// LoadProject reads a project file:
//
//	lint:
//	  ignore:
//	  - {rule: ADM003, object: MutatingWebhookConfiguration/sidecar, reason: it runs on the host}
//
// One that does not exist is an empty project, and so is one with nothing in it but comments. The error is an [Errors].
func LoadProject(file string, o Options) (Project, error) {
	l := newLoader(o)
	var p Project
	if _, err := fs.Stat(l.FS, file); errors.Is(err, fs.ErrNotExist) {
		return p, nil
	}
	docs, ok := l.documents(file)
	switch {
	case !ok || len(docs) == 0:
	case len(docs) > 1:
		l.errs.add(docs[1].source, "", "%d documents instead of one", len(docs))
	case docs[0].value != nil:
		d := docs[0]
		p = readProject(&Manifest{Source: d.source, places: d.places, JSON: encode(d.value)}, &l.errs)
	}
	return p, l.errs.err()
}

func readProject(m *Manifest, errs *Errors) Project {
	var p Project
	v := form(m, errs)
	if !v.mapping("lint") || !v.at("lint").mapping("ignore") {
		return p
	}
	for _, entry := range v.at("lint").at("ignore").list() {
		if !entry.mapping("rule", "object", "reason") {
			continue
		}
		i := Ignore{
			Rule:   entry.at("rule").text(),
			Object: entry.at("object").text(),
			Reason: entry.at("reason").text(),
			Source: entry.source(),
		}
		if i.Rule == "" {
			entry.errorf("admsim lint --rules lists them", "no rule")
			continue
		}
		p.Ignore = append(p.Ignore, i)
	}
	return p
}
