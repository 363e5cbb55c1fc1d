package expect

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/internal/answer/secrets"
	"github.com/admsim/admsim/internal/conceal"
	"github.com/admsim/admsim/internal/redact"
	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/suite/events"
	"github.com/admsim/admsim/pkg/expression"
	"github.com/admsim/admsim/pkg/simulator"
	"github.com/admsim/admsim/pkg/trace"
)

// object checks the object of the answer.
func (c *check) object(ctx context.Context) {
	want := c.expect.Object
	if want == nil {
		return
	}
	object, data := admitted(c.Result)
	if object == nil {
		c.fail("object", "an object", "the answer has none")
		return
	}
	if want.Equals != nil || want.File != "" {
		c.equals(want, data)
	}
	if want.Contains != nil {
		for _, d := range missing(want.Contains, data) {
			c.fail("object.contains"+d.path, d.want, d.got)
		}
	}
	c.patched(want.Patch)
	for i, condition := range want.CEL {
		c.condition(ctx, fmt.Sprintf("object.cel[%d]", i), condition, object)
	}
}

// admitted returns the object of the answer as the client gets it, or else as it left admission.
func admitted(r *simulator.Result) (runtime.Object, json.RawMessage) {
	object := r.Object
	if _, isStatus := object.(*metav1.Status); (isStatus || object == nil) && len(r.Admissions) > 0 {
		object = r.Admissions[len(r.Admissions)-1].Object
	}
	if object == nil {
		return nil, nil
	}
	data, err := r.Next.View().Types().Encode(object)
	if err != nil {
		panic(fmt.Sprintf("an admitted object does not encode: %v", err))
	}
	return object, data
}

// equals compares the whole object, except for fields that differ in every cluster. If Write is set, a golden file that
// differs is rewritten.
func (c *check) equals(want *scenario.ObjectExpect, data json.RawMessage) {
	got := normalized(data)
	if !want.Missing && reflect.DeepEqual(normalized(want.Equals), got) {
		return
	}
	if pass := c.secrets(c.Redactor); pass != nil && want.File != "" {
		// A golden file contains no secrets, and matches an object with any secrets.
		if object, ok := got.(map[string]any); ok {
			got = pass.Object(object)
		}
		if !want.Missing && reflect.DeepEqual(normalized(want.Equals), got) {
			return
		}
	}
	text := yamlOf(got)
	if want.File != "" && c.Write != nil && !slices.Contains(c.Case.Updated, want.File) {
		if err := c.Write(want.File, []byte(text)); err != nil {
			c.fail("object", "to write "+want.File, err.Error())
			return
		}
		c.Case.Updated = append(c.Case.Updated, want.File)
		return
	}
	if want.Missing {
		c.fail("object", "the object in "+want.File, "there is no such file").Hint = "--update writes it"
		return
	}
	f := c.fail("object", "the very object", "another one")
	f.Want, f.Got = "the object as in "+cmp.Or(want.File, "the suite"), "a different one"
	f.Diff = unified(yamlOf(normalized(want.Equals)), text)
	if want.File != "" {
		f.Hint = "--update rewrites the file"
	}
}

// secrets returns a pass that knows the secrets behind the answer; nil if there are none, or they are shown.
func (a Answer) secrets(redactor *redact.Redactor) *redact.Pass {
	behind := secrets.Behind(a.Result)
	behind.Asked = []conceal.Request{secrets.Asked(a.Asked.API, a.Asked.Simulator)}
	return conceal.In(redactor, behind)
}

// normalized returns an object without what differs in every cluster: UIDs, versions, times, and field managers.
func normalized(data json.RawMessage) any {
	v := decoded(data)
	if o, ok := v.(map[string]any); ok {
		if m, ok := o["metadata"].(map[string]any); ok {
			for _, key := range []string{"uid", "resourceVersion", "creationTimestamp", "managedFields", "selfLink"} {
				delete(m, key)
			}
			if m["generateName"] != nil {
				delete(m, "name")
			}
		}
	}
	return v
}

func decoded(data json.RawMessage) (v any) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		panic(fmt.Sprintf("an object does not decode: %v", err))
	}
	return v
}

func yamlOf(v any) string {
	text, err := scenario.YAML(json.RawMessage(jsonOf(v)))
	if err != nil {
		panic(fmt.Sprintf("an object is not written as YAML: %v", err))
	}
	return string(text)
}

// patched checks that admission made these changes.
func (c *check) patched(want []scenario.PatchExpect) {
	if len(want) == 0 {
		return
	}
	changes := events.Changes(c.Result)
	for i, w := range want {
		near, isMade, paths := "", false, []string(nil)
		for _, o := range changes {
			paths = append(paths, o.Path)
			if !isMade && o.Path == w.Path {
				near = operationText(o.Op, o.Path, o.Value)
				isMade = (w.Op == "" || w.Op == o.Op) && (w.Value == nil || reflect.DeepEqual(decoded(w.Value), decoded(o.Value)))
			}
		}
		if isMade {
			continue
		}
		f := c.fail(fmt.Sprintf("object.patch[%d]", i), operationText(w.Op, w.Path, w.Value), cmp.Or(near, "no such change"))
		if near == "" && len(paths) > 0 {
			f.Hint = "admission changed " + listText(paths)
		}
	}
}

func operationText(op, path string, value json.RawMessage) string {
	text := cmp.Or(op, "change") + " " + path
	if value != nil {
		text += " " + string(value)
	}
	return text
}

// condition checks that a CEL expression is true for the answer.
func (c *check) condition(ctx context.Context, path string, want scenario.Condition, object runtime.Object) {
	predicate := c.Conditions[want.Expression]
	if len(c.Result.Admissions) == 0 {
		c.fail(path, want.Expression, "the request did not reach admission")
		return
	}
	req := c.Result.Admissions[len(c.Result.Admissions)-1].Request
	in := expression.Input{Request: req, Resource: req.Resource, Kind: object.GetObjectKind().GroupVersionKind(), Object: object, OldObject: req.OldObject}
	switch holds, err := predicate.Eval(ctx, in, 1); {
	case err != nil:
		if cause := errors.Unwrap(err); cause != nil {
			err = cause // without the expression, which the failure shows as wanted
		}
		said := err.Error()
		if pass := c.secrets(c.Redactor); pass != nil {
			about := conceal.Hook{Hook: &trace.Hook{}, Kind: req.Kind.GroupKind(), State: c.Result.Next.State()}
			said = about.Error(c.Redactor, pass, want.Expression, said)
		}
		c.fail(path, want.Expression, "an error: "+said)
	case !holds:
		all := predicate.Operands(ctx, in, 1)
		if pass := c.secrets(c.Redactor); pass != nil {
			about := conceal.Hook{Hook: &trace.Hook{}, Kind: req.Kind.GroupKind(), State: c.Result.Next.State()}
			for i, o := range all {
				all[i].JSON = about.Value(c.Redactor, pass, o.Text, o.JSON)
			}
		}
		c.fail(path, want.Expression, strings.Join(append([]string{"false"}, operands(all)...), ", "))
	}
}

// mostOperand is how many characters of a value are shown.
const mostOperand = 200

// operands describes the values for which an expression was false.
func operands(all []expression.Operand) (texts []string) {
	for _, o := range all {
		value := []rune(o.JSON)
		if len(value) > mostOperand {
			value = append(value[:mostOperand], '…')
		}
		texts = append(texts, fmt.Sprintf("%s is %s", o.Text, string(value)))
	}
	return texts
}

func jsonOf(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(fmt.Sprintf("a decoded value does not encode: %v", err))
	}
	return string(bytes.TrimSpace(b.Bytes()))
}
