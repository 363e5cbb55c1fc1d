package convert

import (
	"encoding/json"
	"errors"
	"path"
	"regexp"
	"strconv"
	"strings"

	kjson "sigs.k8s.io/json"

	"github.com/admsim/admsim/internal/scenario"
)

// Files of the cel-admission-library beside its controls.
const (
	libraryTests         = "tests.json"
	libraryPolicy        = "policy.yaml"
	libraryResources     = "test-resources"
	libraryBinding       = "policy-binding.yaml"
	libraryParams        = "default-control-configuration.yaml"
	libraryConfiguration = "configuration/policy-configuration-definition.yaml"
)

// A libraryTest is an entry of a tests.json: an object made from a template, which a policy admits or denies.
type libraryTest struct {
	Name     string   `json:"name"`
	Template string   `json:"template"`
	Expected string   `json:"expected"`
	Changes  []string `json:"field_change_list"`
}

// celLibrary converts tests of the cel-admission-library: tests.json beside the policy that it tests, with the
// templates of objects in test-resources, two folders above.
func (c *conversion) celLibrary() {
	for _, name := range c.tests {
		if path.Base(name) != libraryTests {
			continue
		}
		tests, ok := c.sole(name, scenario.Source{File: c.place(name)})
		if !ok {
			continue
		}
		if resources := c.beside(name, "../../"+libraryResources, tests.Source); resources != "" {
			r := &libraryRun{conversion: c, folder: path.Dir(name), resources: resources, tests: tests}
			r.control()
		}
	}
}

// A libraryRun holds the tests of one policy while they are converted.
type libraryRun struct {
	*conversion
	folder, resources string
	tests, policy     document
}

func (r *libraryRun) control() {
	file := path.Join(r.folder, libraryPolicy)
	policy, ok := r.object(file)
	if !ok {
		return
	}
	r.policy = policy
	s := newSuite(path.Base(r.folder))
	if !r.world(&s) {
		return
	}
	r.keep(file)
	used := map[string]bool{}
	for i := range list(r.tests.value) {
		if one, ok := r.testCase(i); ok {
			one.Name = unique(one.Name, used)
			s.Cases = append(s.Cases, one)
		}
	}
	r.suites(path.Join(r.folder, "admsim.yaml"), []suite{s})
}

// object returns the object in a file that the tests use; it reports a file without one.
func (r *libraryRun) object(name string) (document, bool) {
	d, ok := r.sole(name, r.tests.Source)
	if ok && d.object() == nil {
		r.unsupported(d.Source, "", "not an object")
		return document{}, false
	}
	return d, ok
}

// world adds what the library's script installs: the policy, a binding, and params if the policy has some.
func (r *libraryRun) world(s *suite) bool {
	binding, ok := r.object(path.Join(r.resources, libraryBinding))
	if !ok {
		return false
	}
	s.World.Load = []string{"./" + libraryPolicy}
	bound := denying(binding)
	bound["apiVersion"] = r.policy.GroupVersion().String()
	under(bound, "metadata")["name"] = r.policy.Name + "-binding"
	spec := under(bound, "spec")
	spec["policyName"] = r.policy.Name
	delete(spec, "paramRef")
	s.World.Objects = append(s.World.Objects, bound)
	if at(r.policy.value, "spec", "paramKind") == nil {
		return true
	}
	params, ok := r.object(path.Join(r.resources, libraryParams))
	if !ok {
		return false
	}
	r.keep(path.Join(path.Dir(r.resources), libraryConfiguration))
	s.World.Load = append(s.World.Load, "../../"+libraryConfiguration)
	param := copied(params)
	under(param, "metadata")["name"] = r.policy.Name + "-params"
	s.World.Objects = append(s.World.Objects, param)
	spec["paramRef"] = map[string]any{"name": r.policy.Name + "-params", "parameterNotFoundAction": "Deny"}
	return true
}

func (r *libraryRun) testCase(i int) (testCase, bool) {
	place := r.tests.Position("[" + strconv.Itoa(i) + "]")
	var t libraryTest
	data, err := json.Marshal(list(r.tests.value)[i])
	if err == nil {
		err = json.Unmarshal(data, &t)
	}
	if err != nil || t.Name == "" || t.Template == "" {
		r.unsupported(place, "", "a test without name and template")
		return testCase{}, false
	}
	one := testCase{Name: t.Name, from: place}
	switch t.Expected {
	case "pass":
		one.Expect = expect{Allowed: new(true)}
	case "fail":
		one.Expect = deniedBy(r.policy.Name)
	default:
		r.unsupported(place, "", "%s: expected %q is neither pass nor fail", t.Name, t.Expected)
		return one, false
	}
	file := path.Join(r.resources, t.Template)
	if len(t.Changes) == 0 {
		r.keep(file)
		one.Request.Object = "../../" + libraryResources + "/" + t.Template
		return one, true
	}
	template, ok := r.object(file)
	if !ok {
		return one, false
	}
	object := any(copied(template))
	for _, change := range t.Changes {
		if object, err = changed(object, change); err != nil {
			r.unsupported(place, "", "%s: %s: %v", t.Name, change, err)
			return one, false
		}
	}
	one.Request.Object = object
	return one, true
}

var (
	listIndex = regexp.MustCompile(`^\[(\d+)\]$`)
	errPath   = errors.New("not the path of a field")
)

// changed sets a field as the library's script does: spec.containers.[0].image=a.
func changed(object any, change string) (any, error) {
	field, text, ok := strings.Cut(change, "=")
	if !ok || strings.Contains(text, "=") {
		return nil, errors.New("not FIELD=VALUE")
	}
	var value any = text
	if json.Valid([]byte(text)) {
		if err := kjson.UnmarshalCaseSensitivePreserveInts([]byte(text), &value); err != nil {
			return nil, err
		}
	}
	return set(object, strings.Split(field, "."), value)
}

func set(in any, fields []string, value any) (any, error) {
	if len(fields) == 0 {
		return value, nil
	}
	if m := listIndex.FindStringSubmatch(fields[0]); m != nil {
		i, err := strconv.Atoi(m[1])
		items, ok := in.([]any)
		if err != nil || (in != nil && !ok) || i > len(items) {
			return nil, errPath
		}
		if i == len(items) {
			items = append(items, nil)
		}
		items[i], err = set(items[i], fields[1:], value)
		return items, err
	}
	object, ok := in.(map[string]any)
	switch {
	case fields[0] == "" || (in != nil && !ok):
		return nil, errPath
	case in == nil:
		object = map[string]any{}
	}
	var err error
	object[fields[0]], err = set(object[fields[0]], fields[1:], value)
	return object, err
}
