package words

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	admissionv1 "k8s.io/api/admission/v1"

	"github.com/admsim/admsim/pkg/report"
	"github.com/admsim/admsim/pkg/trace"
)

// OutcomeBecause returns why the hook ended as it did. For a patch that did not do what it says, this is more than that
// the request was allowed, or that it failed.
func OutcomeBecause(h *report.Hook) string {
	switch {
	case len(h.PatchNotes) == 0:
		return h.Because
	case trace.Outcome(h.Outcome).Ends():
		return strings.Join(append([]string{h.Because}, h.PatchNotes...), "; ")
	}
	return strings.Join(h.PatchNotes, "; ")
}

// Repeated returns why one deletion is admitted several times, each time as if it were the only one
// (kubernetes/apiserver:pkg/registry/generic/registry/store.go, Delete); it is empty if it is not.
func Repeated(r *report.Result) string {
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

// RequestTitle describes the request in the words of kubectl.
func RequestTitle(q report.Request) string {
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

func RequestAbout(q report.Request) string {
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

// The server's bookkeeping in metadata says nothing about an object; it is named, but not shown.
var bookkeeping = []string{"creationTimestamp", "generation", "managedFields", "resourceVersion", "uid"}

// Apart removes the server's bookkeeping from changes and returns which fields it was about.
func Apart(changes []report.Change) (rest []report.Change, about []string) {
	for _, c := range changes {
		field, isMetadata := strings.CutPrefix(c.Path, "/metadata/")
		field, _, _ = strings.Cut(field, "/")
		switch {
		case !isMetadata || !slices.Contains(bookkeeping, field):
			rest = append(rest, c)
		case !slices.Contains(about, field):
			about = append(about, field)
		}
	}
	return rest, about
}

// More than Many skipped hooks of a step, or steps of a plugin in a phase, are counted, not all listed, unless verbose.
const Many = 10

// Summary describes the steps that did nothing.
func Summary(allowed []string, skipped int) string {
	var parts []string
	if len(allowed) > 0 {
		parts = append(parts, "allowed by "+strings.Join(allowed, ", "))
	}
	if skipped > 0 {
		parts = append(parts, Plural(skipped, "plugin")+" had nothing to do")
	}
	return strings.Join(parts, "; ")
}

// ServerPhase is the name of what the server does between the others.
const ServerPhase = "API server"

func PhaseName(s report.Step) string {
	switch {
	case trace.Phase(s.Phase) == trace.Server:
		return ServerPhase
	case s.Round > 0:
		return s.Phase + ", second round"
	}
	return s.Phase
}

func HookName(h report.Hook) string { return NameOf(h.Configuration, h.Name) }

// Quiet reports whether a step contains nothing that a reader looks for.
func Quiet(s report.Step) bool {
	if s.Status != nil || s.Hint != "" || len(s.Hooks)+len(s.Writes)+len(s.Warnings) > 0 {
		return false
	}
	if trace.Phase(s.Phase) == trace.Server && s.Because != "" {
		return false // why there is another admission
	}
	return slices.Contains([]trace.Outcome{trace.Allowed, trace.Skipped}, trace.Outcome(s.Outcome))
}

// InsteadOf describes an alternative that is not a denial. The differences in the object follow it, then [Otherwise].
func InsteadOf(a report.Alternative, r *report.Result) string {
	switch {
	case len(a.Changes) > 0:
		return "admitted with this in the object instead"
	case !r.Allowed || a.Admissions == len(r.Admissions):
		return "admitted"
	}
	return fmt.Sprintf("the same answer after %d admissions instead of %d", a.Admissions, len(r.Admissions))
}

// A Difference is a text that only one of two answers has.
type Difference struct{ Label, Text string }

// Otherwise returns what differs between an alternative and the result besides the object or the denial.
func Otherwise(a report.Alternative, r *report.Result) []Difference {
	all := differences("warning", r.Warnings, a.Warnings)
	if len(all) == 0 && !slices.Equal(a.Warnings, r.Warnings) { // in another order
		for i, warning := range a.Warnings {
			all = append(all, Difference{fmt.Sprintf("as warning %d:", i+1), warning})
		}
	}
	return append(all, differences("audit annotation", entries(r.AuditAnnotations), entries(a.AuditAnnotations))...)
}

func differences(what string, had, has []string) (all []Difference) {
	for _, text := range had {
		if !slices.Contains(has, text) {
			all = append(all, Difference{"without " + what + ":", text})
		}
	}
	for _, text := range has {
		if !slices.Contains(had, text) {
			all = append(all, Difference{"with " + what + ":", text})
		}
	}
	return all
}

func entries(annotations map[string]string) (all []string) {
	for _, key := range slices.Sorted(maps.Keys(annotations)) {
		all = append(all, key+"="+annotations[key])
	}
	return all
}

// Connected reports whether admission allowed a connection, which then fails because nothing runs in a simulated
// cluster.
func Connected(r *report.Result) bool { return r.Allowed && r.Code >= http.StatusBadRequest }

// Answered returns the answer to a request in the words of HTTP. For a connection, the answer would come from a
// kubelet.
func Answered(r *report.Result) string {
	if Connected(r) {
		return "not connected"
	}
	return fmt.Sprintf("%d %s", r.Code, http.StatusText(r.Code))
}
