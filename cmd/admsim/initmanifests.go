package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/admsim/admsim/internal/convert"
	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/pkg/report"
)

// fromManifests makes a case for each webhook and policy.
func (i *initCommand) fromManifests(ctx context.Context, b *beginning, stderr io.Writer) error {
	found, err := scenario.Load(b.paths, scenario.Options{})
	if err != nil {
		return err
	}
	subjects := subjectsOf(found)
	if len(subjects) == 0 {
		return hinted(fmt.Errorf("no webhooks, and no policies with bindings, in %s", strings.Join(b.paths, ", ")), "admsim run -f shows what becomes of single requests")
	}
	hasBackends := slices.ContainsFunc(found, func(m scenario.Manifest) bool { return m.Group == scenario.Group && m.Kind == "Backends" })
	if !hasBackends && slices.ContainsFunc(subjects, func(s subject) bool { return s.webhook }) {
		b.files["world/backends.yaml"] = []byte(allowingBackends)
	}
	w, err := b.load(ctx, stderr)
	if err != nil {
		return err
	}
	defer func() { w.close(stderr) }()
	samples := &samples{beginning: b, world: w, manifests: found}
	for _, s := range subjects {
		if err := samples.add(s, stderr); err != nil {
			return err
		}
	}
	if len(samples.all) == 0 {
		return errors.New("none of the webhooks and policies is asked about something that can be created")
	}
	w.close(stderr)
	if w, err = b.load(ctx, stderr); err != nil { // with the namespaces that samples are in
		return err
	}
	var results []*report.Result
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
		printWarnings(stderr, sample.notAsked(result))
		results = append(results, result)
	}
	if !hasBackends {
		return nil
	}
	return b.answerOthers(w, "", results...)
}

// add makes a case of what became of a sample.
func (b *beginning) add(s *sample, result *report.Result) {
	c := convert.DraftCase{Request: s.file(), Denied: denialOf(result)}
	if c.Denied == nil {
		c.Golden, c.Called = "golden/"+s.name+".yaml", namesWhere(result, wasCalled)
		c.NotCalled = slices.DeleteFunc(namesWhere(result, s.skipped), func(name string) bool { return slices.Contains(c.Called, name) })
	}
	taken := func(name string) bool {
		return slices.ContainsFunc(b.draft.Cases, func(c convert.DraftCase) bool { return c.Name == name })
	}
	if c.Name = showing("create-"+s.kind, result); taken(c.Name) {
		c.Name = showing("create-"+s.kind+"-for-"+s.subjects[0].word(), result)
	}
	c.Name = freeName(c.Name, taken)
	b.draft.Cases = append(b.draft.Cases, c)
}

const allowingBackends = `# Until somebody says more, webhooks allow everything. Put the real ones here, such as
# - webhook: "*"
#   command: [go, run, ./cmd, "--webhook-port={{.Port}}", "--webhook-cert-path={{.CertDir}}"]
apiVersion: admsim.dev/v1alpha1
kind: Backends
backends:
- webhook: "*"
  mock: [{}]
`
