package plugins

import (
	"strings"
	"testing"
)

// The methods that the server calls are instrumented, others are not, and no line moves.
func TestInstrument(t *testing.T) {
	files := map[string][]byte{
		"admission.go": []byte(`package quiet // a plugin

const PluginName = "Quiet"

func (p *Plugin) InspectFeatureGates(gates featuregate.FeatureGate) {
	p.enabled = gates.Enabled(features.Quietness)
}

func (*Plugin) Admit(_ context.Context, a admission.Attributes, o admission.ObjectInterfaces) (err error) {
	return nil
}

func (p Plugin) Validate(ctx context.Context, attributes admission.Attributes, _ admission.ObjectInterfaces) error {
	return nil
}

func (v *validator) Validate(ctx context.Context, pod *v1.Pod) error { return nil }
`),
		"old.go":            []byte("package quiet\n\nfunc (Old) Admit(a admission.Attributes) error { return nil }\n"),
		"admission_test.go": []byte("package quiet\n\nfunc (p fake) Admit(a admission.Attributes) error { return nil }\n"),
		"testdata/pod.yaml": []byte("kind: Pod\n"),
	}
	before := map[string]string{}
	for name, text := range files {
		before[name] = string(text)
	}
	methods, err := instrument(files)
	if err != nil {
		t.Fatal(err)
	}
	if methods != 3 {
		t.Errorf("%d methods are instrumented, want 3", methods)
	}
	for name := range files {
		if was, is := strings.Count(before[name], "\n"), strings.Count(string(files[name]), "\n"); was != is {
			t.Errorf("%s has %d lines, want %d:\n%s", name, is, was, files[name])
		}
	}
	for name, wants := range map[string][]string{
		"admission.go": {
			`package quiet; import admsimrecorder "admsim.example/harvest/recorder" // a plugin`,
			`func (admsimplugin *Plugin) Admit(admsim0 context.Context, a admission.Attributes, o admission.ObjectInterfaces) (err error) {` +
				` admsim0, a, admsimend := admsimrecorder.Begin("Quiet", "Admit", "Quietness,enabled=Quietness", admsimplugin, admsim0, a); defer func() { admsimend(recover(), err) }();`,
			`func (p Plugin) Validate(ctx context.Context, attributes admission.Attributes, admsim2 admission.ObjectInterfaces) (admsimerr error) {` +
				` ctx, attributes, admsimend := admsimrecorder.Begin("Quiet", "Validate", "Quietness,enabled=Quietness", p, ctx, attributes); defer func() { admsimend(recover(), admsimerr) }();`,
			"pod *v1.Pod) error { return nil }",
		},
		"old.go": {
			`func (admsimplugin Old) Admit(a admission.Attributes) (admsimerr error) {` +
				` _, a, admsimend := admsimrecorder.Begin("Quiet", "Admit", "Quietness,enabled=Quietness", admsimplugin, nil, a); defer func() { admsimend(recover(), admsimerr) }(); return nil }`,
		},
		"admission_test.go": {before["admission_test.go"]},
		"testdata/pod.yaml": {before["testdata/pod.yaml"]},
	} {
		for _, want := range wants {
			if !strings.Contains(string(files[name]), want) {
				t.Errorf("%s lacks\n%s\nIt is\n%s", name, want, files[name])
			}
		}
	}
}

// A plugin without a name could not be asked again.
func TestInstrumentNameless(t *testing.T) {
	files := map[string][]byte{"admission.go": []byte("package quiet\n\nfunc (p *Plugin) Admit(a admission.Attributes) error { return nil }\n")}
	if _, err := instrument(files); err == nil {
		t.Error("a plugin without a name is instrumented")
	}
}
