package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/internal/didyoumean"
	"github.com/admsim/admsim/pkg/report"
	"github.com/admsim/admsim/pkg/rest"
	"github.com/admsim/admsim/pkg/scenario"
	"github.com/admsim/admsim/pkg/simulator"
)

const explainUsage = `explain says which webhooks would be called for a request, in the order in which they are asked, and
of each of the others which condition keeps it away. Nobody is called, and no mocks are needed.

The request is what -f names. Or name a resource as for kubectl, such as pods, deploy or pods/exec:
then no object is known, and where a webhook looks at the object, explain says what it asks for.`

const explainExample = `  admsim explain -C world/ pods -n shop --as alice --verb create
  admsim explain -C world/ deploy/scale web -n shop --verb update
  admsim explain -C world/ -f pod.yaml`

type explainCommand struct {
	world    worldFlags
	requests requestFlags
	output   outputFlags
}

func newExplain() *cobra.Command {
	e := &explainCommand{}
	c := &cobra.Command{
		Use:     "explain -C PATH... [-f PATH | RESOURCE [NAME]]",
		Short:   "Show which webhooks would be called for a request, and why not the others",
		Long:    explainUsage,
		Example: explainExample,
		Args:    cobra.MaximumNArgs(2),
		RunE: func(c *cobra.Command, args []string) error {
			return e.run(c.Context(), args, c.InOrStdin(), c.OutOrStdout(), c.ErrOrStderr())
		},
	}
	e.world.allowUnmatched = true
	e.world.add(c)
	e.requests.add(c)
	e.output.add(c)
	return c
}

func (e *explainCommand) run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) error {
	if len(args) > 0 {
		e.requests.verbs = resourceVerbs
	}
	if err := e.requests.check(); err != nil {
		return err
	}
	if len(args) > 0 && len(e.requests.files) > 0 {
		return errors.New("a resource and -f exclude each other")
	}
	out, err := e.output.open(stdout)
	if err != nil {
		return err
	}
	options := scenario.Options{Stdin: stdin}
	w, err := e.world.load(nil, options, stderr)
	if err != nil {
		return err
	}
	if len(args) > 0 {
		err = e.resource(ctx, w.sim, args, out)
	} else {
		err = e.all(ctx, w, options, out, stderr)
	}
	return errors.Join(err, out.close())
}

// The verbs that a resource on the command line can be asked about with.
var resourceVerbs = []string{rest.Create, rest.Update, rest.Patch, rest.Delete, rest.DeleteCollection, rest.Connect}

// resource explains the request that the arguments describe.
func (e *explainCommand) resource(ctx context.Context, sim *simulator.Simulator, args []string, out *printers) error {
	resource, subresource, err := sim.Resources().Find(args[0])
	if err != nil {
		return err
	}
	req := rest.Request{
		Verb:        e.requests.verb,
		Resource:    resource.GroupVersionResource,
		Subresource: subresource,
		User:        e.requests.user(),
	}
	if len(args) > 1 {
		req.Name = args[1]
	}
	if resource.Namespaced {
		req.Namespace = e.requests.namespace
		if req.Namespace == "" {
			req.Namespace = metav1.NamespaceDefault
		}
	}
	if e.requests.dryRun {
		if err := askForDryRun(&req); err != nil {
			return err
		}
	}
	return e.explain(ctx, sim, scenario.Request{}, req, out)
}

// all explains the requests of files, each on its own.
func (e *explainCommand) all(ctx context.Context, w *world, o scenario.Options, out *printers, stderr io.Writer) error {
	if len(e.requests.files) == 0 && len(w.bag.Requests) == 0 {
		return hinted(errors.New("there is no request to explain"), "name a resource, such as pods, or give a request with -f")
	}
	requests, err := e.requests.requests(w, o, stderr)
	if err != nil {
		return err
	}
	for _, request := range requests {
		if err := e.one(ctx, w, request, out, stderr); err != nil {
			return about(request, err)
		}
	}
	return nil
}

func (e *explainCommand) one(ctx context.Context, w *world, request scenario.Request, out *printers, stderr io.Writer) error {
	if request.Review != nil {
		req, err := e.requests.admission(request, w.sim)
		if err != nil {
			return err
		}
		explained, err := w.sim.ExplainAdmission(ctx, req)
		if err != nil {
			return err
		}
		return print(out, shownReview(request, req), explained)
	}
	req, err := e.requests.api(request, w.sim)
	if err != nil {
		return err
	}
	sim, warnings, err := w.withOld(w.sim, request, req.Namespace)
	printWarnings(stderr, warnings)
	if err != nil {
		return err
	}
	return e.explain(ctx, sim, request, req, out)
}

func (e *explainCommand) explain(ctx context.Context, sim *simulator.Simulator, from scenario.Request, req rest.Request, out *printers) error {
	explained, err := sim.Explain(ctx, req)
	if err != nil {
		return err
	}
	for _, one := range explained {
		q := shown(from, req)
		if len(explained) > 1 {
			q.Name = one.Request.Name
		}
		if err := print(out, q, one); err != nil {
			return err
		}
	}
	return nil
}

func print(out *printers, q report.Request, e simulator.Explanation) error {
	explanation := report.NewExplanation(q, e.Request, e.Mutating, e.Validating)
	if e.Refusal != nil {
		explanation.Deny(e.Refusal, e.Refused)
	}
	return out.each(func(p *report.Printer) error { return p.Explanation(explanation) })
}

// checkVerb checks that verb is one of those known.
func checkVerb(verb string, known []string) error {
	if slices.Contains(known, verb) {
		return nil
	}
	return didyoumean.Unknown(fmt.Sprintf("--verb %q is not one of %s", verb, strings.Join(known, ", ")), verb, known)
}
