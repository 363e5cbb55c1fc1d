package manifest

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/admsim/admsim/internal/apiversion"
)

const admissionGroup = "admission.k8s.io"

// IsObject reports whether a manifest is an object of a cluster, and not a form, such as a suite.
func (m *Manifest) IsObject() bool {
	var unknown Errors // about unknown forms
	return KindOfForm(m, &unknown) == ObjectForm
}

// A FormKind says what a manifest is.
type FormKind int

const (
	unknownForm FormKind = iota // reported
	ObjectForm
	BackendsForm
	FaultsForm
	RequestForm
	ReviewForm
	SuiteForm
)

func KindOfForm(m *Manifest, errs *Errors) FormKind {
	kinds := map[string]FormKind{}
	switch m.Group {
	case admissionGroup:
		kinds["AdmissionReview"], kinds["AdmissionRequest"] = ReviewForm, ReviewForm
		return m.formKind(kinds, errs, "v1", "v1beta1")
	case Group:
		kinds["Backends"], kinds["Faults"], kinds["Request"], kinds[SuiteKind] = BackendsForm, FaultsForm, RequestForm, SuiteForm
		return m.formKind(kinds, errs, apiversion.Versions()...)
	case "audit.k8s.io":
		if i := len(*errs) - 1; i < 0 || (*errs)[i].Message != auditEvents || (*errs)[i].Source.File != m.Source.File { // a log has many
			errs.Add(m.Source, "admsim replay reads audit logs; so do diff, outage, check and lint --corpus if the file is called .log, .jsonl or .ndjson", auditEvents)
		}
		return unknownForm
	}
	return ObjectForm
}

const auditEvents = "audit events are neither objects nor requests"

func (m *Manifest) formKind(kinds map[string]FormKind, errs *Errors, versions ...string) FormKind {
	kind, ok := kinds[m.Kind]
	if !ok {
		known := slices.Sorted(maps.Keys(kinds))
		hint := DidYouMean(m.Kind, known)
		if hint == "" {
			hint = fmt.Sprintf("known kinds of %s are %s", m.Group, strings.Join(known, ", "))
		}
		errs.Add(m.Position("kind"), hint, "unknown kind %q of %s", m.Kind, m.Group)
		return unknownForm
	}
	if slices.Contains(versions, m.Version) {
		return kind
	}
	errs.Add(m.Position("apiVersion"), fmt.Sprintf("write %s/%s", m.Group, versions[0]), "unknown version %q of %s", m.Version, m.Kind)
	return unknownForm
}
