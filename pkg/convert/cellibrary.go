package convert

import (
	"encoding/json"
	"errors"
	"path"
	"strconv"
	"strings"

	kjson "sigs.k8s.io/json"

	"github.com/admsim/admsim/internal/lazyregexp"
)

// What the cel-admission-library keeps beside its controls.
const (
	libraryTests         = "tests.json"
	libraryPolicy        = "policy.yaml"
	libraryResources     = "test-resources"
	libraryBinding       = "policy-binding.yaml"
	libraryParams        = "default-control-configuration.yaml"
	libraryConfiguration = "configuration/policy-configuration-definition.yaml"
)

// A libraryTest is one of a tests.json: an object made of a template, which a policy lets pass
// or not.
type libraryTest struct {
	Name     string   `json:"name"`
	Template string   `json:"template"`
	Expected string   `json:"expected"`
	Changes  []string `json:"field_change_list"`
}

// celLibrary converts tests of the cel-admission-library: tests.json beside the policy that
// it is about, with the templates of objects in test-resources two folders above.
func (c *conversion) celLibrary() {
	for _, name := range c.tests {
		if path.Base(name) == libraryTests {
			c.control(name)
		}
	}
}

func (c *conversion) control(name string) {
	docs := c.documents(name)
	if len(docs) != 1 {
		return
	}
	tests := docs[0]
	resources := c.beside(name, "../../"+libraryResources, tests.Source)
	if resources == "" {
		return
	}
	policyFile := path.Join(path.Dir(name), libraryPolicy)
	s := newSuite(path.Base(path.Dir(name)))
	if !c.libraryWorld(&s, policyFile, resources) {
		return
	}
	policy := c.documents(policyFile)[0]
	used := map[string]bool{}
	for i := range list(tests.value) {
		if one, ok := c.libraryCase(tests, i, resources, policy); ok {
			one.Name = unique(one.Name, used)
			s.Cases = append(s.Cases, one)
		}
	}
	c.suites(path.Join(path.Dir(name), "admsim.yaml"), []suite{s})
}

// libraryWorld has in the world what the library's script installs: the policy, a binding, and
// params if the policy has some.
func (c *conversion) libraryWorld(s *suite, policyFile, resources string) bool {
	policies, bindings := c.documents(policyFile), c.documents(path.Join(resources, libraryBinding))
	if len(policies) != 1 || len(bindings) != 1 {
		return false
	}
	c.keep(policyFile)
	s.World.Load = []string{"./" + libraryPolicy}
	policy := policies[0]
	bound := denying(bindings[0].value).(map[string]any)
	bound["apiVersion"] = policy.GroupVersion().String()
	at(bound, "metadata").(map[string]any)["name"] = policy.Name + "-binding"
	spec, _ := bound["spec"].(map[string]any)
	spec["policyName"] = policy.Name
	delete(spec, "paramRef")
	s.World.Objects = append(s.World.Objects, bound)
	if at(policy.value, "spec", "paramKind") == nil {
		return true
	}
	params := c.documents(path.Join(resources, libraryParams))
	definition := path.Join(path.Dir(resources), libraryConfiguration)
	if len(params) != 1 || len(c.documents(definition)) == 0 {
		return false
	}
	c.keep(definition)
	s.World.Load = append(s.World.Load, "../../"+libraryConfiguration)
	param := clone(params[0].value).(map[string]any)
	at(param, "metadata").(map[string]any)["name"] = policy.Name + "-params"
	s.World.Objects = append(s.World.Objects, param)
	spec["paramRef"] = map[string]any{"name": policy.Name + "-params", "parameterNotFoundAction": "Deny"}
	return true
}

func (c *conversion) libraryCase(tests document, i int, resources string, policy document) (testCase, bool) {
	place := tests.Position("[" + strconv.Itoa(i) + "]")
	var t libraryTest
	data, err := json.Marshal(list(tests.value)[i])
	if err == nil {
		err = json.Unmarshal(data, &t)
	}
	if err != nil || t.Name == "" || t.Template == "" {
		c.unsupported(place, "", "a test without name and template")
		return testCase{}, false
	}
	one := testCase{Name: t.Name, from: place}
	switch t.Expected {
	case "pass":
		one.Expect = expect{Allowed: new(true)}
	case "fail":
		one.Expect = deniedBy(policy.Name)
	default:
		c.unsupported(place, "", "%s: expected %q is neither pass nor fail", t.Name, t.Expected)
		return one, false
	}
	template := path.Join(resources, t.Template)
	if len(t.Changes) == 0 {
		c.keep(template)
		one.Request.Object = "../../" + libraryResources + "/" + t.Template
		return one, true
	}
	docs := c.documents(template)
	if len(docs) != 1 {
		return one, false
	}
	object := clone(docs[0].value)
	for _, change := range t.Changes {
		if object, err = changed(object, change); err != nil {
			c.unsupported(place, "", "%s: %s: %v", t.Name, change, err)
			return one, false
		}
	}
	one.Request.Object = object
	return one, true
}

var (
	listIndex = lazyregexp.New(`^\[(\d+)\]$`)
	errPath   = errors.New("not the path of a field")
)

// changed sets a field, as the library's script does: spec.containers.[0].image=a.
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
	if m := listIndex().FindStringSubmatch(fields[0]); m != nil {
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
