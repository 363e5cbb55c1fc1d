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

	"github.com/admsim/admsim/internal/manifest"

	"github.com/admsim/admsim/pkg/dispatch"
)

var expectKeys = []string{"allowed", "code", "reason", "message", "causes", "retryAfter", "deniedBy", "warnings", "auditAnnotations", "object", "trace", "state", "asked", "notAsked"}

// expectWhen reads an expectation for some combinations of a matrix.
func (r *suiteReader) expectWhen(v manifest.Value, m Matrix) Expect {
	e := r.expectOf(v, append([]string{"when", "expand"}, expectKeys...))
	when := v.At("when")
	e.When = when.TextMap()
	axes := m.Axes()
	for _, axis := range slices.Sorted(maps.Keys(e.When)) {
		values, known := axes[axis]
		at, value := when.Key(axis), e.When[axis]
		switch _, isText := when.At(axis).Is.(string); {
		case !isText: // reported when it was read
		case !known || len(values) == 0:
			at.Errorf("the axes of a matrix are "+strings.Join(slices.Sorted(maps.Keys(axes)), ", "), "the matrix of this case has no %s", axis)
		case !slices.Contains(values, value):
			at.Errorf(manifest.DidYouMean(value, values), "the matrix has no %s %q, but %s", axis, value, strings.Join(values, ", "))
		default:
			continue
		}
		delete(e.When, axis) // already reported; let the expectation apply to any value
	}
	return e
}

func (r *suiteReader) expect(v manifest.Value, children bool) Expect {
	keys := expectKeys
	if children {
		keys = append([]string{"expand"}, keys...)
	}
	return r.expectOf(v, keys)
}

func (r *suiteReader) expectOf(v manifest.Value, keys []string) Expect {
	e := Expect{Source: v.Source(), value: v}
	if !v.Mapping(keys...) {
		if !v.Given() {
			v.Errorf("such as {allowed: true}", "nothing is expected")
		}
		return e
	}
	allowed := v.At("allowed")
	if is := allowed.Flag(); allowed.Is == is {
		e.Allowed = &is
	}
	if code := v.At("code"); code.Given() {
		e.Code = new(int(code.Number(200, 599)))
	}
	e.Reason, e.Message = readMatch(v.At("reason")), readMatch(v.At("message"))
	e.Causes = readCauses(v.At("causes"))
	if seconds := v.At("retryAfter"); seconds.Given() {
		e.RetryAfter = new(int(seconds.Number(1, math.MaxInt32)))
	}
	e.DeniedBy = readDeniedBy(v.At("deniedBy"))
	e.Warnings = readMatches(v.At("warnings"))
	e.AuditAnnotations = readNamedMatches(v.At("auditAnnotations").Saying("list keys with values; {absent: true} says that a key does not exist"), readMatch)
	e.Object = r.objectExpect(v.At("object"))
	e.Trace = readTraceExpect(v.At("trace"))
	if state := v.At("state").Saying("list objects under exists or absent"); state.Mapping("exists", "absent") {
		e.Exists, e.Absent = r.subsets(state.At("exists")), r.absent(state.At("absent"))
	}
	e.Asked, e.NotAsked = readNames(v.At("asked")), readNames(v.At("notAsked"))
	e.Expand = r.childExpects(v.At("expand"))
	e.verdict()
	return e
}

// verdict derives from the other expectations whether the request is expected to be allowed, which is the default, and
// reports contradictions.
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
			e.value.At(admits[0]).Errorf("drop one of them", "%s is for denied requests, %s for allowed ones", denies[0], admits[0])
		}
		e.Allowed = new(len(denies) == 0)
		return
	}
	if *e.Allowed && len(denies) > 0 {
		e.value.At(denies[0]).Errorf("drop one of them", "allowed: true and %s exclude each other", denies[0])
	}
	if !*e.Allowed && len(admits) > 0 {
		e.value.At(admits[0]).Errorf("drop one of them", "allowed: false and %s exclude each other", admits[0])
	}
}

// readCauses reads what is expected of the causes of a denial.
func readCauses(v manifest.Value) (all []CauseExpect) {
	const hint = "such as [{field: spec.replicas, message: {contains: too many}}]"
	for _, one := range v.Saying(hint).List() {
		if !one.Mapping("field", "reason", "message") {
			if !one.Given() {
				one.Errorf(hint, "nothing is expected of the cause")
			}
			continue
		}
		c := CauseExpect{Source: one.Source()}
		c.Field, c.Reason, c.Message = readMatch(one.At("field")), readMatch(one.At("reason")), readMatch(one.At("message"))
		all = append(all, c)
	}
	return all
}

const deniedByHint = "such as {validatingWebhook: policy.example.com}, {policy: limits}, {plugin: PodSecurity}"

func readDeniedBy(v manifest.Value) *DeniedBy {
	if _, isText := v.Is.(string); isText {
		v.Errorf(deniedByHint, "a string instead of a mapping")
		return nil
	}
	if !v.Mapping("plugin", "mutatingWebhook", "validatingWebhook", "policy", "binding", "validation", "server") {
		return nil
	}
	d := &DeniedBy{
		Plugin:            v.At("plugin").Text(),
		MutatingWebhook:   v.At("mutatingWebhook").Text(),
		ValidatingWebhook: v.At("validatingWebhook").Text(),
		Policy:            v.At("policy").Text(),
		Binding:           v.At("binding").Text(),
		Validation:        v.At("validation").Flag(),
		Server:            v.At("server").Flag(),
		Source:            v.Source(),
	}
	var said []string
	for _, key := range []string{"plugin", "mutatingWebhook", "validatingWebhook", "policy", "validation", "server"} {
		if one := v.At(key); one.Given() {
			said = append(said, key)
			if one.Is == false {
				one.Errorf(deniedByHint, "%s: false has no effect", key)
			}
			if one.Is == "" {
				one.Errorf(deniedByHint, "%s is empty", key)
			}
		}
	}
	given, _ := v.Is.(map[string]any)
	_, binding := given["binding"]
	switch {
	case len(said) == 0 && d.Binding == "" && len(given) > 0 && !binding: // other keys are reported already
	case len(said) == 0 && d.Binding == "":
		v.Errorf(deniedByHint, "deniedBy is empty")
	case len(said) > 1:
		v.At(said[1]).Errorf("drop one of them", "%s and %s exclude each other", said[0], said[1])
	case d.Binding != "" && len(said) == 1 && d.Policy == "":
		v.At("binding").Errorf("", "only a policy has a binding")
	}
	for _, key := range []string{"mutatingWebhook", "validatingWebhook", "policy"} {
		checkName(v.At(key))
	}
	return d
}

// checkName reports a name that no webhook or policy can have.
func checkName(v manifest.Value) string {
	name, isText := v.Is.(string)
	if !isText {
		return ""
	}
	if _, err := dispatch.NewBackends(dispatch.Route{Webhook: name}); err != nil {
		v.Errorf("", "%v", err)
	}
	return name
}

// objectExpect reads what is expected of the admitted object: the path of a file with it, the object itself, or
// conditions on it.
func (r *suiteReader) objectExpect(v manifest.Value) *ObjectExpect {
	e := &ObjectExpect{Source: v.Source()}
	switch is := v.Is.(type) {
	case nil:
		return nil
	case string:
		r.golden(v, is, e)
		return e
	case map[string]any:
		if is["apiVersion"] != nil || is["kind"] != nil {
			e.Equals = v.Raw()
			return e
		}
	}
	if !v.Saying("the path of a file, or one of equals, contains, patch, cel").Mapping("equals", "contains", "patch", "cel") {
		return nil
	}
	switch is := v.At("equals").Is.(type) {
	case nil:
	case string:
		r.golden(v.At("equals"), is, e)
	default:
		if manifest.AnyMapping(v.At("equals")) {
			e.Equals = v.At("equals").Raw()
		}
	}
	e.Contains = r.part(v.At("contains").Saying("such as {metadata: {labels: {team: shop}}}"))
	e.Patch = readPatchExpects(v.At("patch").Saying("list changes; the object as it is to be goes under equals"))
	e.CEL = readConditions(v.At("cel").Saying("such as has(object.metadata.labels)"))
	return e
}

// golden reads the file that an object has to equal. A file that does not exist may be written.
func (r *suiteReader) golden(v manifest.Value, name string, e *ObjectExpect) {
	full, ok := v.Named(name)
	if !ok {
		return
	}
	e.File = full
	l := manifest.NewLoader(r.options)
	if _, err := fs.Stat(l.FS, full); errors.Is(err, fs.ErrNotExist) {
		e.Missing = true
		return
	}
	l.File(full)
	r.fromFile(v, l.Errs)
	switch {
	case len(l.Found) == 1:
		e.Equals = l.Found[0].JSON
	case len(l.Errs) == 0:
		v.Errorf("", "%d objects in %s instead of one", len(l.Found), full)
	}
}

// part reads a part of an object, or the path of the file that holds it.
func (r *suiteReader) part(v manifest.Value) json.RawMessage {
	name, isText := v.Is.(string)
	if !isText {
		if !manifest.AnyMapping(v) {
			return nil
		}
		return v.Raw()
	}
	full, ok := v.Named(name)
	if !ok {
		return nil
	}
	c := naming{Loader: manifest.NewLoader(r.options)}
	c.In = cmp.Or(v.Of.Within, ".")
	d, ok := c.document(full)
	r.fromFile(v, c.Errs)
	if !ok {
		return nil
	}
	return manifest.Encode(d.Value)
}

func readPatchExpects(v manifest.Value) (all []PatchExpect) {
	for _, one := range v.List() {
		if !one.Mapping("op", "path", "value") {
			continue
		}
		p := PatchExpect{Op: one.At("op").OneOf("add", "replace", "remove"), Path: one.At("path").Text(), Value: one.At("value").Raw(), Source: one.Source()}
		if !strings.HasPrefix(p.Path, "/") {
			one.Errorf("such as {op: add, path: /metadata/labels/team}", "no path of a field")
		}
		all = append(all, p)
	}
	return all
}

func readConditions(v manifest.Value) (all []Condition) {
	if text, isText := v.Is.(string); isText {
		return []Condition{{text, v.Source(), v}}
	}
	for _, one := range v.List() {
		all = append(all, Condition{one.Text(), one.Source(), one})
	}
	return all
}

// absent reads which objects must not exist. Other fields of them are refused, since they would not be checked.
func (r *suiteReader) absent(v manifest.Value) []ObjectSubset {
	all := r.subsets(v)
	if items, isList := v.Is.([]any); isList && len(all) == len(items) {
		for _, one := range v.List() {
			one.Mapping("apiVersion", "kind", "metadata")
			one.At("metadata").Mapping("name", "namespace")
		}
	}
	return all
}

// subsets reads objects of the cluster, or parts of them.
func (r *suiteReader) subsets(v manifest.Value) (all []ObjectSubset) {
	for _, one := range v.Saying("each with apiVersion, kind and metadata.name").List() {
		for _, m := range r.inline(one) {
			if m.Name == "" {
				one.Errorf("give apiVersion, kind and metadata.name", "no name of an object")
			}
			all = append(all, ObjectSubset{m})
		}
	}
	return all
}

func (r *suiteReader) childExpects(v manifest.Value) (all []ChildExpect) {
	if !manifest.AnyMapping(v.Saying("such as {Pod: {allowed: true}}")) {
		return nil
	}
	known := []string{"ReplicaSet", "Job", "Pod"}
	for _, kind := range slices.Sorted(maps.Keys(v.Is.(map[string]any))) {
		one := v.Key(kind)
		if !slices.Contains(known, kind) {
			one.Errorf(cmp.Or(manifest.DidYouMean(kind, known), "known here: "+strings.Join(known, ", ")), "no workload leads to it")
			continue
		}
		all = append(all, ChildExpect{kind, r.expect(one, false)})
	}
	return all
}
