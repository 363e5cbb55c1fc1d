package survey

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/pkg/cluster"
)

// A setting is a field of a webhook, a policy or a binding that does not affect which requests it is asked about.
type setting struct {
	field, value, source string
	secret               bool // its value must not be shown
}

// compared lists the fields that regions are computed from, and names.
var compared = []string{"name", "rules", "namespaceSelector", "objectSelector", "matchPolicy", "matchConditions", "matchConstraints", "matchResources", "paramKind", "paramRef", "policyName"}

// settingsOf returns the settings in a value at a path of an object.
func settingsOf(of any, o cluster.Object, path string) (all []setting) {
	var data bytes.Buffer
	encoder := json.NewEncoder(&data)
	encoder.SetEscapeHTML(false) // expressions are read by people
	err := encoder.Encode(of)
	var fields map[string]json.RawMessage
	if err == nil {
		err = json.Unmarshal(data.Bytes(), &fields)
	}
	if err != nil {
		panic(fmt.Sprintf("settings do not encode: %v", err))
	}
	for _, name := range sortedNames(fields) {
		if !slices.Contains(compared, name) {
			all = append(all, setting{field: name, value: string(fields[name]), source: o.PlaceOf(path + name)})
		}
	}
	return all
}

// settingsIn returns the settings in a field of an object.
func settingsIn(o cluster.Object, field string) []setting {
	fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(o.Object)
	if err != nil {
		panic(fmt.Sprintf("settings do not encode: %v", err))
	}
	return settingsOf(fields[field], o, field+".")
}

// settingsOfParam returns the settings in an object that a policy reads: everything but what identifies it. Their values
// may be secrets.
func settingsOfParam(param map[string]any, from cluster.Object) (all []setting) {
	o := unstructured.Unstructured{Object: param}
	of := fmt.Sprintf(" of %s %s", o.GetKind(), strings.TrimPrefix(o.GetNamespace()+"/"+o.GetName(), "/"))
	var add func(path string, value any)
	add = func(path string, value any) {
		fields, isObject := value.(map[string]any)
		if !isObject {
			all = append(all, setting{field: path + of, value: fmt.Sprint(value), source: from.PlaceOf(path), secret: true})
			return
		}
		for _, name := range slices.Sorted(maps.Keys(fields)) {
			add(path+"."+name, fields[name])
		}
	}
	for _, name := range slices.Sorted(maps.Keys(param)) {
		if !slices.Contains([]string{"apiVersion", "kind", "metadata"}, name) {
			add(name, param[name])
		}
	}
	return all
}

func sortedNames(fields map[string]json.RawMessage) (names []string) {
	for name := range fields {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// maxValue is the length up to which a value is shown.
const maxValue = 60

// changedSettings returns the settings of an actor that differ.
func changedSettings(before, after *hook, actor document.Actor) (all []document.SettingChange) {
	var fields []string
	for _, s := range slices.Concat(before.settings, after.settings) {
		if !slices.Contains(fields, s.field) {
			fields = append(fields, s.field)
		}
	}
	for _, field := range fields {
		from, to := before.setting(field), after.setting(field)
		if from.value == to.value {
			continue
		}
		change := document.SettingChange{Webhook: actor, Field: field, Source: cmp.Or(to.source, from.source, actor.Source)}
		if !from.secret && !to.secret && len(from.value) <= maxValue && len(to.value) <= maxValue {
			change.From, change.To = shown(from.value), shown(to.value)
		}
		all = append(all, change)
	}
	return all
}

// shown returns a value as people write it: strings without quotes.
func shown(value string) string {
	var text string
	if json.Unmarshal([]byte(value), &text) == nil {
		return text
	}
	return value
}

func (h *hook) setting(field string) setting {
	i := slices.IndexFunc(h.settings, func(s setting) bool { return s.field == field })
	if i < 0 {
		return setting{}
	}
	return h.settings[i]
}
