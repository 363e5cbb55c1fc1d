package plugins

import (
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"sigs.k8s.io/yaml"

	"github.com/admsim/admsim/pkg/dispatch"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// others are plugins in packages of their own.
var others = []string{"MutatingAdmissionPolicy", "MutatingAdmissionWebhook", "ValidatingAdmissionPolicy", "ValidatingAdmissionWebhook"}

// TestDocumentation checks that there is a row for each plugin, and no other.
func TestDocumentation(t *testing.T) {
	for _, version := range kubeversion.Versions() {
		release, err := kubeversion.Parse(version)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range release.Plugins {
			if _, ok := Documented(p.Name); !ok {
				t.Errorf("%s of %s has no documentation", p.Name, version)
			}
		}
	}
	for _, name := range Names() {
		d, _ := Documented(name)
		if d.make == nil && !slices.Contains(others, name) {
			t.Errorf("%s is documented, but cannot be created", name)
		}
		for _, text := range append(d.Gaps, d.Does) {
			if text == "" || strings.Contains(text, "\n") || strings.HasSuffix(text, " ") {
				t.Errorf("%s: %q is not a sentence", name, text)
			}
		}
		if d.Required && d.Configuration == "" {
			t.Errorf("%s needs a configuration and has no example of one", name)
		}
	}
}

// TestWebhookConfigurationExamples checks that the credentials in the examples are found.
func TestWebhookConfigurationExamples(t *testing.T) {
	for _, name := range []string{"MutatingAdmissionWebhook", "ValidatingAdmissionWebhook"} {
		d, _ := Documented(name)
		read, err := yaml.YAMLToJSON([]byte(d.Configuration + "kubeConfig: {}"))
		if err != nil {
			t.Fatal(err)
		}
		if found, err := dispatch.ParseWebhookAdmission(read); err != nil || found == nil {
			t.Errorf("%s, with its example: %v, %v", name, found, err)
		}
	}
}

// TestConfigurationExamples starts every plugin with the example of its configuration, and without one if it needs
// none.
func TestConfigurationExamples(t *testing.T) {
	w := newWorld(t, "AlwaysAdmit", &txtar.Archive{})
	for _, name := range Names() {
		if slices.Contains(others, name) {
			continue
		}
		d, _ := Documented(name)
		if _, _, err := build(name, w.options(t, nil)); (err != nil) != d.Required {
			t.Errorf("%s, whose configuration is required: %v, without one: %v", name, d.Required, err)
		}
		if d.Configuration == "" {
			continue
		}
		if _, _, err := build(name, w.options(t, loaded(t, d.Configuration))); err != nil {
			t.Errorf("%s, with its example: %v", name, err)
		}
	}
}

// loaded returns a configuration after the file that it names was read.
func loaded(t *testing.T, example string) []byte {
	t.Helper()
	if !strings.Contains(example, "kubeConfigFile") {
		return []byte(example)
	}
	var c map[string]map[string]any
	if err := yaml.Unmarshal([]byte(example), &c); err != nil {
		t.Fatal(err)
	}
	c["imagePolicy"]["kubeConfig"] = map[string]any{
		"apiVersion": "v1", "kind": "Config", "current-context": "images",
		"clusters": []any{map[string]any{"name": "images", "cluster": map[string]any{"server": "https://images.example.com/policy"}}},
		"contexts": []any{map[string]any{"name": "images", "context": map[string]any{"cluster": "images", "user": ""}}},
	}
	data, err := yaml.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
