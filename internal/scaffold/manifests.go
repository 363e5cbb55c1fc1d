package scaffold

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/admsim/admsim/internal/convert"
	"github.com/admsim/admsim/internal/scenario"
)

// FromManifests makes a case for each webhook and policy, and for each version of a custom resource.
func (b *Builder) FromManifests(ctx context.Context) error {
	found, err := scenario.Load(b.paths, b.Reading)
	if err != nil {
		return err
	}
	subjects, definitions := subjectsOf(found), definitionsOf(found)
	if len(subjects)+len(definitions) == 0 {
		return &scenario.Error{
			Message: fmt.Sprintf("no webhooks, no policies with bindings, and no CustomResourceDefinitions in %s", strings.Join(b.paths, ", ")),
			Hint:    "admsim run -f shows what happens to single requests",
		}
	}
	hasBackends := slices.ContainsFunc(found, func(m scenario.Manifest) bool { return m.Group == scenario.Group && m.Kind == "Backends" })
	if !hasBackends {
		b.addBackends(subjects, definitions)
	}
	w, err := b.load(ctx, false)
	if err != nil {
		return err
	}
	defer func() { b.end(w) }()
	samples := &samples{Builder: b, world: w, manifests: found}
	for _, s := range subjects {
		if err := samples.add(s); err != nil {
			return err
		}
	}
	for _, d := range definitions {
		if err := samples.define(d); err != nil {
			return err
		}
	}
	if len(samples.all) == 0 {
		return fmt.Errorf("nothing in %s can be created, so there is no case to write", strings.Join(b.paths, ", "))
	}
	b.end(w)
	if w, err = b.load(ctx, false); err != nil { // with the namespaces of the samples
		return err
	}
	var results []*result
	for _, sample := range samples.all {
		requests, err := requestsOf(sample.file(), b.files[sample.file()])
		if err != nil {
			return err
		}
		result, err := b.ask(ctx, w, requests[0])
		if err != nil {
			return err
		}
		b.add(sample, result)
		b.Warn(sample.notAsked(result)...)
		b.Warn(sample.fails(result)...)
		if !hasBackends {
			b.Warn(sample.lost(result, definitions)...)
		}
		b.Warn(sample.refused(result)...)
		results = append(results, result)
	}
	if !hasBackends {
		return nil
	}
	return b.answerOthers(w, "", results...)
}

// add adds a case for a sample, which expects the result.
func (b *Builder) add(s *sample, result *result) {
	c := convert.DraftCase{Request: s.file(), Denied: denialOf(result)}
	if c.Denied == nil {
		c.Golden, c.Called = "golden/"+s.name+".yaml", namesWhere(result, hook.called)
		c.NotCalled = slices.DeleteFunc(namesWhere(result, s.skipped), func(name string) bool { return slices.Contains(c.Called, name) })
	}
	taken := func(name string) bool {
		return slices.ContainsFunc(b.draft.Cases, func(c convert.DraftCase) bool { return c.Name == name })
	}
	if c.Name = showing("create-"+s.kind, result); taken(c.Name) {
		c.Name = showing("create-"+s.distinctName(), result)
	}
	c.Name = freeName(c.Name, taken)
	b.draft.Cases = append(b.draft.Cases, c)
}

// distinctName returns a name that tells this sample from others of its kind.
func (s *sample) distinctName() string {
	if s.defined != nil {
		return s.kind + "-" + s.of.Version
	}
	return s.kind + "-for-" + s.subjects[0].word()
}

// addBackends adds mocks that allow everything, and that convert.
func (b *Builder) addBackends(subjects []subject, definitions []definition) {
	text := allowingBackends
	for _, d := range definitions {
		if d.converts {
			text += fmt.Sprintf(convertingBackend, d.name)
		}
	}
	if slices.ContainsFunc(subjects, func(s subject) bool { return s.webhook }) {
		text += allowingBackend
	}
	if text != allowingBackends {
		b.files["world/backends.yaml"] = []byte(text)
	}
}

const (
	allowingBackends = `# Until somebody says more, webhooks allow everything. Put the real ones here, such as
# - webhook: "*"
#   command: [go, run, ./cmd, "--webhook-port={{.Port}}", "--webhook-cert-path={{.CertDir}}"]
apiVersion: admsim.dev/v1beta1
kind: Backends
backends:
`
	allowingBackend = `- webhook: "*"
  mock: [{}]
`
	convertingBackend = `- webhook: %s/conversion # converts nothing but apiVersion
  mock: [{convert: apiVersionOnly}]
`
)
