package kubeversion

import (
	"cmp"
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
)

//go:embed fields.txt
var fieldsText string

// A typeField is a field that came later than its type.
type typeField struct {
	name  string
	since int // minor version
}

// typeFields returns these fields by the names of the types.
var typeFields = sync.OnceValue(func() map[string][]typeField {
	fields := maps.Clone(otherFields)
	for line := range strings.Lines(fieldsText) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		words := strings.Fields(line)
		if len(words) != 3 {
			panic(fmt.Sprintf("kubeversion: fields.txt: %q", line))
		}
		minor, err := strconv.Atoi(words[2])
		if err != nil {
			panic("kubeversion: fields.txt: " + err.Error())
		}
		fields[words[0]] = append(fields[words[0]], typeField{words[1], minor})
	}
	return fields
})

// otherFields are those of AdmissionReviews, which no OpenAPI document describes (k8s.io/api:admission/v1beta1/types.go),
// and of metadata, whose type is not in k8s.io/api (k8s.io/apimachinery:pkg/apis/meta/v1/types.go).
var otherFields = map[string][]typeField{
	"io.k8s.api.admission.v1.AdmissionResponse":      {{"warnings", 19}},
	"io.k8s.api.admission.v1beta1.AdmissionResponse": {{"auditAnnotations", 12}, {"warnings", 19}},
	"io.k8s.api.admission.v1beta1.AdmissionRequest": {
		{"dryRun", 12}, {"options", 15}, {"requestKind", 15}, {"requestResource", 15}, {"requestSubResource", 15},
	},
	"io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta": {{"managedFields", 14}},
	"io.k8s.apimachinery.pkg.version.Info": {
		{"emulationMajor", 33}, {"emulationMinor", 33}, {"minCompatibilityMajor", 33}, {"minCompatibilityMinor", 33},
	},
}

// AbsentFields returns the names of the fields that a Go type has, but not in this release. typeName is the
// name of the type in OpenAPI: io.k8s.api.core.v1.PodSpec. AbsentFields knows all types, while [Fields] only lists the
// fields of whole objects that servers treat in a special way.
func (r *Release) AbsentFields(typeName string) (names []string) {
	for _, f := range typeFields()[typeName] {
		if r.Minor < f.since {
			names = append(names, f.name)
		}
	}
	for _, f := range formerFields() {
		if f.kept && f.typeName == typeName && !f.isIn(r) {
			names = append(names, f.name)
		}
	}
	return names
}

// Absent says when a field of a type came or went if the release does not have it, but another one has: came with
// Kubernetes 1.31. It is empty if the release has the field, or no release.
func (r *Release) Absent(typeName, name string) string {
	for _, f := range typeFields()[typeName] {
		if f.name == name {
			return absent(r, f.since, 0)
		}
	}
	for _, f := range formerFields() {
		if f.typeName == typeName && f.name == name {
			return absent(r, f.since, f.until)
		}
	}
	return ""
}

// absent says when a field came or went if it is not in a release. until is 0 if it stayed.
func absent(r *Release, since, until int) string {
	switch {
	case r.Minor < since:
		return fmt.Sprintf("came with Kubernetes 1.%d", since)
	case until > 0 && r.Minor >= until:
		return fmt.Sprintf("was removed in Kubernetes 1.%d", until)
	}
	return ""
}

// A formerField is a field that a type of k8s.io/api does not have any more.
type formerField struct {
	typeName, name string
	since, until   int  // the first minor version that has it, and the first that no longer does
	kept           bool // package builtin declares the type with the field, in place of that of k8s.io/api
}

func (f formerField) isIn(r *Release) bool { return f.since <= r.Minor && r.Minor < f.until }

// formerFields lists the fields of types that still exist: those of package builtin, and those that no Go type has, which
// are rows of [movedFields].
var formerFields = sync.OnceValue(func() []formerField {
	all := slices.Clone(declaredFields)
	add := func(rows []movedField) {
		for _, f := range rows {
			name := f.Was[strings.LastIndex(f.Was, ".")+1:]
			if one := (formerField{f.Model, name, f.since, f.until, false}); f.Model != "" && !slices.Contains(all, one) {
				all = append(all, one)
			}
		}
	}
	add(movedPodFields)
	add(movedMetadata)
	for _, rows := range movedFields {
		add(rows)
	}
	slices.SortFunc(all, func(a, b formerField) int {
		return cmp.Or(strings.Compare(a.typeName, b.typeName), strings.Compare(a.name, b.name))
	})
	return all
})

// declaredFields lists the fields for which package builtin has the whole type, and those that only versions other than the
// hub have under this name of their type.
var declaredFields = []formerField{
	{"io.k8s.api.events.v1beta1.EventSeries", "state", 10, 19, false},
	{"io.k8s.api.resource.v1alpha3.AllocationResult", "controller", 31, 32, true},
	{"io.k8s.api.resource.v1alpha3.DeviceClassSpec", "suitableNodes", 31, 32, true},
	{"io.k8s.api.resource.v1alpha3.DeviceTaintSelector", "deviceClassName", 33, 35, true},
	{"io.k8s.api.resource.v1alpha3.DeviceTaintSelector", "selectors", 33, 35, true},
	{"io.k8s.api.resource.v1alpha3.ResourceClaimSpec", "controller", 31, 32, true},
	{"io.k8s.api.resource.v1alpha3.ResourceClaimStatus", "deallocationRequested", 31, 32, true},
}

// FormerFields returns the names of the fields of a type that the release has and the Go type does not.
func (r *Release) FormerFields(typeName string) (names []string) {
	for _, f := range formerFields() {
		if f.typeName == typeName && !f.kept && f.isIn(r) {
			names = append(names, f.name)
		}
	}
	return names
}

// HasFormer reports whether the release has a field that the type of k8s.io/api does not have any more.
func (r *Release) HasFormer(typeName, name string) bool {
	for _, f := range formerFields() {
		if f.typeName == typeName && f.name == name && f.isIn(r) {
			return true
		}
	}
	return false
}
