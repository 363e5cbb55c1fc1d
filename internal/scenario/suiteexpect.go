package scenario

import (
	"cmp"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"math"
	"net/http"
	"slices"
	"strings"

	"github.com/admsim/admsim/internal/didyoumean"
	"github.com/admsim/admsim/pkg/dispatch"
)

var expectKeys = []string{"allowed", "code", "reason", "message", "causes", "retryAfter", "deniedBy", "warnings", "auditAnnotations", "object", "trace", "state", "asked", "notAsked"}

// expectWhen reads an expectation for some combinations of a matrix.
func (r *suiteReader) expectWhen(v value, m Matrix) Expect {
	e := r.expectOf(v, append([]string{"when", "expand"}, expectKeys...))
	when := v.at("when")
	e.When = when.textMap()
	axes := m.Axes()
	for _, axis := range slices.Sorted(maps.Keys(e.When)) {
		values, known := axes[axis]
		at, value := when.key(axis), e.When[axis]
		switch {
		case !known || len(values) == 0:
			at.errorf("the axes of a matrix are "+strings.Join(slices.Sorted(maps.Keys(axes)), ", "), "the matrix of this case has no %s", axis)
		case !slices.Contains(values, value):
			at.errorf(didYouMean(value, values), "the matrix has no %s %q, but %s", axis, value, strings.Join(values, ", "))
		default:
			continue
		}
		delete(e.When, axis) // it may be meant for any
	}
	return e
}

func (r *suiteReader) expect(v value, children bool) Expect {
	keys := expectKeys
	if children {
		keys = append([]string{"expand"}, keys...)
	}
	return r.expectOf(v, keys)
}

func (r *suiteReader) expectOf(v value, keys []string) Expect {
	e := Expect{Source: v.source(), value: v}
	if !v.mapping(keys...) {
		if !v.given() {
			v.errorf("such as {allowed: true}", "nothing is expected")
		}
		return e
	}
	allowed := v.at("allowed")
	if is := allowed.flag(); allowed.is == is {
		e.Allowed = &is
	}
	if code := v.at("code"); code.given() {
		e.Code = new(int(code.number(200, 599)))
	}
	e.Reason, e.Message = readMatch(v.at("reason")), readMatch(v.at("message"))
	e.Causes = readCauses(v.at("causes"))
	if seconds := v.at("retryAfter"); seconds.given() {
		e.RetryAfter = new(int(seconds.number(1, math.MaxInt32)))
	}
	e.DeniedBy = readDeniedBy(v.at("deniedBy"))
	e.Warnings = readMatches(v.at("warnings"))
	e.AuditAnnotations = readNamedMatches(v.at("auditAnnotations").saying("name some; {absent: true} under a key stands for none"), readMatch)
	e.Object = r.objectExpect(v.at("object"))
	e.Trace = readTraceExpect(v.at("trace"))
	if state := v.at("state").saying("list objects under exists or absent"); state.mapping("exists", "absent") {
		e.Exists, e.Absent = r.subsets(state.at("exists")), r.absent(state.at("absent"))
	}
	e.Asked, e.NotAsked = readNames(v.at("asked")), readNames(v.at("notAsked"))
	e.Expand = r.childExpects(v.at("expand"))
	e.verdict()
	return e
}

// verdict derives from what else is expected whether the request is allowed, which it is
// where nothing speaks against it, and reports what contradicts itself.
func (e *Expect) verdict() {
	var denies, admits []string
	note := func(to *[]string, key string, is bool) {
		if is {
			*to = append(*to, key)
		}
	}
	note(&denies, "reason", e.Reason != nil)
	note(&denies, "message", e.Message != nil)
	note(&denies, "causes", e.Causes != nil)
	note(&denies, "retryAfter", e.RetryAfter != nil)
	note(&denies, "deniedBy", e.DeniedBy != nil)
	note(&denies, "code", e.Code != nil && *e.Code >= http.StatusBadRequest)
	note(&admits, "code", e.Code != nil && *e.Code != 0 && *e.Code < http.StatusBadRequest)
	note(&admits, "object", e.Object != nil)
	note(&admits, "expand", len(e.Expand) > 0)
	if e.Allowed == nil {
		if len(denies) > 0 && len(admits) > 0 {
			e.value.at(admits[0]).errorf("drop one of them", "%s is for denied requests, %s for allowed ones", denies[0], admits[0])
		}
		e.Allowed = new(len(denies) == 0)
		return
	}
	if *e.Allowed && len(denies) > 0 {
		e.value.at(denies[0]).errorf("drop one of them", "allowed: true and %s exclude each other", denies[0])
	}
	if !*e.Allowed && len(admits) > 0 {
		e.value.at(admits[0]).errorf("drop one of them", "allowed: false and %s exclude each other", admits[0])
	}
}

// readCauses reads what the causes of a denial have to be.
func readCauses(v value) (all []CauseExpect) {
	const hint = "such as [{field: spec.replicas, message: {contains: too many}}]"
	for _, one := range v.saying(hint).list() {
		if !one.mapping("field", "reason", "message") {
			if !one.given() {
				one.errorf(hint, "nothing is expected of the cause")
			}
			continue
		}
		c := CauseExpect{Source: one.source()}
		c.Field, c.Reason, c.Message = readMatch(one.at("field")), readMatch(one.at("reason")), readMatch(one.at("message"))
		all = append(all, c)
	}
	return all
}

const deniedByHint = "such as {validatingWebhook: policy.example.com}, {policy: limits}, {plugin: PodSecurity}"

func readDeniedBy(v value) *DeniedBy {
	if _, isText := v.is.(string); isText {
		v.errorf(deniedByHint, "a string instead of a mapping")
		return nil
	}
	if !v.mapping("plugin", "mutatingWebhook", "validatingWebhook", "policy", "binding", "validation", "server") {
		return nil
	}
	d := &DeniedBy{
		Plugin:            v.at("plugin").text(),
		MutatingWebhook:   v.at("mutatingWebhook").text(),
		ValidatingWebhook: v.at("validatingWebhook").text(),
		Policy:            v.at("policy").text(),
		Binding:           v.at("binding").text(),
		Validation:        v.at("validation").flag(),
		Server:            v.at("server").flag(),
		Source:            v.source(),
	}
	var said []string
	for _, key := range []string{"plugin", "mutatingWebhook", "validatingWebhook", "policy", "validation", "server"} {
		if one := v.at(key); one.given() {
			said = append(said, key)
			if one.is == false {
				one.errorf(deniedByHint, "%s: false has no effect", key)
			}
			if one.is == "" {
				one.errorf(deniedByHint, "%s is empty", key)
			}
		}
	}
	switch {
	case len(said) == 0 && d.Binding == "":
		v.errorf(deniedByHint, "deniedBy is empty")
	case len(said) > 1:
		v.at(said[1]).errorf("drop one of them", "%s and %s exclude each other", said[0], said[1])
	case d.Binding != "" && len(said) == 1 && d.Policy == "":
		v.at("binding").errorf("", "only a policy has a binding")
	}
	for _, key := range []string{"mutatingWebhook", "validatingWebhook", "policy"} {
		checkName(v.at(key))
	}
	return d
}

// checkName reports a name that no webhook or policy can have.
func checkName(v value) string {
	name, isText := v.is.(string)
	if !isText {
		return ""
	}
	if _, err := dispatch.NewBackends(dispatch.Route{Webhook: name}); err != nil {
		v.errorf("", "%v", err)
	}
	return name
}

// objectExpect reads what the admitted object has to be: the path of a file with it, the
// object, or something about it.
func (r *suiteReader) objectExpect(v value) *ObjectExpect {
	e := &ObjectExpect{Source: v.source()}
	switch is := v.is.(type) {
	case nil:
		return nil
	case string:
		r.golden(v, is, e)
		return e
	case map[string]any:
		if is["apiVersion"] != nil || is["kind"] != nil {
			e.Equals = v.raw()
			return e
		}
	}
	if !v.saying("the path of a file, or one of equals, contains, patch, cel").mapping("equals", "contains", "patch", "cel") {
		return nil
	}
	switch is := v.at("equals").is.(type) {
	case nil:
	case string:
		r.golden(v.at("equals"), is, e)
	default:
		if anyMapping(v.at("equals")) {
			e.Equals = v.at("equals").raw()
		}
	}
	e.Contains = r.part(v.at("contains").saying("such as {metadata: {labels: {team: shop}}}"))
	e.Patch = readPatchExpects(v.at("patch").saying("list changes; the object as it is to be goes under equals"))
	e.CEL = readConditions(v.at("cel").saying("such as has(object.metadata.labels)"))
	return e
}

// golden reads the file that an object has to equal. One that is not there may be written.
func (r *suiteReader) golden(v value, name string, e *ObjectExpect) {
	full, ok := v.named(name)
	if !ok {
		return
	}
	e.File = full
	l := newLoader(r.options)
	if _, err := fs.Stat(l.FS, full); errors.Is(err, fs.ErrNotExist) {
		e.Missing = true
		return
	}
	l.file(full)
	r.fromFile(v, l.errs)
	switch {
	case len(l.found) == 1:
		e.Equals = l.found[0].JSON
	case len(l.errs) == 0:
		v.errorf("", "%d objects in %s instead of one", len(l.found), full)
	}
}

// part reads a part of an object, or the path of the file that holds it.
func (r *suiteReader) part(v value) json.RawMessage {
	name, isText := v.is.(string)
	if !isText {
		if !anyMapping(v) {
			return nil
		}
		return v.raw()
	}
	full, ok := v.named(name)
	if !ok {
		return nil
	}
	c := admissionConfiguration{loader: newLoader(r.options)}
	c.within = cmp.Or(v.of.root, ".")
	d, ok := c.document(full)
	r.fromFile(v, c.errs)
	if !ok {
		return nil
	}
	return encode(d.Value)
}

func readPatchExpects(v value) (all []PatchExpect) {
	for _, one := range v.list() {
		if !one.mapping("op", "path", "value") {
			continue
		}
		p := PatchExpect{Op: one.at("op").oneOf("add", "replace", "remove"), Path: one.at("path").text(), Value: one.at("value").raw(), Source: one.source()}
		if !strings.HasPrefix(p.Path, "/") {
			one.errorf("such as {op: add, path: /metadata/labels/team}", "no path of a field")
		}
		all = append(all, p)
	}
	return all
}

func readConditions(v value) (all []Condition) {
	if text, isText := v.is.(string); isText {
		return []Condition{{text, v.source(), v}}
	}
	for _, one := range v.list() {
		all = append(all, Condition{one.text(), one.source(), one})
	}
	return all
}

// absent reads which objects there are not to be. What else is said of them would not be looked at.
func (r *suiteReader) absent(v value) []ObjectSubset {
	all := r.subsets(v)
	if items, isList := v.is.([]any); isList && len(all) == len(items) {
		for _, one := range v.list() {
			one.mapping("apiVersion", "kind", "metadata")
			one.at("metadata").mapping("name", "namespace")
		}
	}
	return all
}

// subsets reads objects of the cluster, or parts of them.
func (r *suiteReader) subsets(v value) (all []ObjectSubset) {
	for _, one := range v.saying("each with apiVersion, kind and metadata.name").list() {
		for _, m := range r.inline(one) {
			if m.Name == "" {
				one.errorf("give apiVersion, kind and metadata.name", "no name of an object")
			}
			all = append(all, ObjectSubset{m})
		}
	}
	return all
}

func (r *suiteReader) childExpects(v value) (all []ChildExpect) {
	if !anyMapping(v.saying("such as {Pod: {allowed: true}}")) {
		return nil
	}
	known := []string{"ReplicaSet", "Job", "Pod"}
	for _, kind := range slices.Sorted(maps.Keys(v.is.(map[string]any))) {
		one := v.key(kind)
		if !slices.Contains(known, kind) {
			hint := "known here: " + strings.Join(known, ", ")
			if near := didyoumean.Nearest(kind, known); near != "" {
				hint = didYouMean(kind, known)
			}
			one.errorf(hint, "no workload leads to it")
			continue
		}
		all = append(all, ChildExpect{kind, r.expect(one, false)})
	}
	return all
}
