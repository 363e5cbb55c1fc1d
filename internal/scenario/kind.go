package scenario

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

const admissionGroup = "admission.k8s.io"

// IsObject reports whether a manifest is an object of a cluster, and none of the forms that [Sort]
// tells from it, nor a suite.
func (m *Manifest) IsObject() bool {
	var unknown Errors // of a form that there is not
	return kindOfForm(m, &unknown) == objectForm
}

// What a manifest is.
type formKind int

const (
	unknownForm formKind = iota // reported
	objectForm
	backendsForm
	faultsForm
	requestForm
	reviewForm
	suiteForm
)

func kindOfForm(m *Manifest, errs *Errors) formKind {
	kinds := map[string]formKind{}
	switch m.Group {
	case admissionGroup:
		kinds["AdmissionReview"], kinds["AdmissionRequest"] = reviewForm, reviewForm
		return m.formKind(kinds, errs, "v1", "v1beta1")
	case Group:
		kinds["Backends"], kinds["Faults"], kinds["Request"], kinds[SuiteKind] = backendsForm, faultsForm, requestForm, suiteForm
		return m.formKind(kinds, errs, version)
	case "audit.k8s.io":
		if i := len(*errs) - 1; i < 0 || (*errs)[i].Message != auditEvents || (*errs)[i].Source.File != m.Source.File { // a log has many
			errs.Add(m.Source, "admsim replay reads audit logs; so do diff, outage, check and lint --corpus if the file is called .log, .jsonl or .ndjson", auditEvents)
		}
		return unknownForm
	}
	return objectForm
}

const auditEvents = "audit events are neither objects nor requests"

func (m *Manifest) formKind(kinds map[string]formKind, errs *Errors, versions ...string) formKind {
	kind, ok := kinds[m.Kind]
	if !ok {
		known := slices.Sorted(maps.Keys(kinds))
		hint := didYouMean(m.Kind, known)
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
