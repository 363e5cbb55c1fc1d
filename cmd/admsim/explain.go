package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/admsim/admsim/internal/bug"
	"github.com/admsim/admsim/internal/didyoumean"
	"github.com/admsim/admsim/internal/explanation"
	"github.com/admsim/admsim/internal/redact"
	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/report/formats"
	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/survey"
	"github.com/admsim/admsim/internal/workload"
	"github.com/admsim/admsim/internal/world"
	"github.com/admsim/admsim/pkg/discovery"
	"github.com/admsim/admsim/pkg/rest"
)

const explainUsage = `explain shows which webhooks a request would call, in the order of the calls, and for every other webhook
the condition that excludes it. No webhook is called, so no backends are needed.

The request is the file that -f names. Or name a resource as for kubectl, such as pods, deploy or
pods/exec. Then the object is not known, and where a webhook looks at the object, explain shows what it
looks for.

With --all, explain answers the opposite question: which of all possible requests a webhook or policy is
asked about. The argument names it.`

const explainExample = `  admsim explain -C world/ pods -n shop --as alice --verb create
  admsim explain -C world/ deploy/scale web -n shop --verb update
  admsim explain -C world/ -f pod.yaml --called
  admsim explain -C world/ --all 'pods.*'`

type explainCommand struct {
	world    worldFlags
	requests requestFlags
	output   outputFlags
	secrets  redactFlags
	survey   surveyFlags

	verbGiven  bool
	onlyCalled bool
}

func newExplain() *cobra.Command {
	e := &explainCommand{}
	c := &cobra.Command{
		Use:     "explain -C PATH... [-f PATH | RESOURCE [NAME]]",
		Short:   "Show which webhooks a request would call, and why not the others",
		Long:    explainUsage,
		Example: explainExample,
		Args:    cobra.MaximumNArgs(2),
		RunE: func(c *cobra.Command, args []string) error {
			e.verbGiven = c.Flags().Changed("verb")
			return e.run(c.Context(), args, c.InOrStdin(), c.OutOrStdout(), c.ErrOrStderr())
		},
		Annotations: taking(requestFiles),
	}
	e.world.allowUnmatched = true
	e.world.add(c)
	e.world.addCluster(c, &e.requests)
	ofCluster(c, func() { e.secrets.add(c) })
	e.requests.add(c)
	e.requests.addExpand(c)
	c.Flags().Lookup("verb").Usage = "verb of the request: for a manifest " + strings.Join(manifestVerbs, ", ") + "; for a resource also patch, deletecollection, connect"
	e.output.add(c, "explain")
	c.Flags().BoolVar(&e.onlyCalled, "called", false, "leave out the webhooks that would not be called, and the policies that would not be asked")
	e.survey.add(c, "for the webhooks and policies whose name matches the argument, such as 'shop-*' (default all), show which of all possible requests they are asked about")
	return c
}

func (e *explainCommand) run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) error {
	if e.survey.all {
		return e.runAll(ctx, args, e.output.reading(stdin, &e.world), stdout, stderr)
	}
	if err := e.survey.check(nil); err != nil {
		return err
	}
	if len(args) > 0 {
		e.requests.verbs = resourceVerbs
	}
	if err := e.requests.check(); err != nil {
		return err
	}
	if len(args) > 0 && len(e.requests.files) > 0 {
		return hinted(errors.New("a resource cannot be combined with -f"), "name the resource, or the file with the request, such as -f pod.yaml")
	}
	out, err := e.output.open(stdout)
	if err != nil {
		return err
	}
	redactor, err := e.secrets.redactor()
	if err != nil {
		return err
	}
	options := e.output.reading(stdin, &e.world)
	w, err := e.world.load(ctx, nil, options, stderr)
	if err != nil {
		return e.requests.besides(err, w, options)
	}
	var asked []world.Asked
	if len(args) > 0 {
		var one world.Asked
		one, err = e.resource(w, args)
		asked = append(asked, one)
	} else {
		asked, err = e.all(w, options, stderr)
	}
	if err != nil {
		return err
	}
	if err := e.output.ready(); err != nil {
		return err
	}
	if e.world.empty() && len(w.Bag.Objects) == 0 {
		printWarning(stderr, "no cluster is named: this one has no webhooks and no policies", "name its manifests with -C, or ask a running one with --from-cluster")
	}
	met := bug.Counter{What: "request"}
	for _, one := range asked {
		if err := e.one(ctx, one, redactor, out); err != nil && !met.Met(about(one.From, err)) {
			return errors.Join(err, out.close())
		}
	}
	return errors.Join(met.Err(), out.close())
}

// runAll shows which requests webhooks and policies are asked about.
func (e *explainCommand) runAll(ctx context.Context, args []string, options scenario.Options, stdout, stderr io.Writer) error {
	if len(e.requests.files) > 0 {
		return errors.New("--all is about every request, and cannot be combined with -f")
	}
	if len(args) > 1 {
		return errors.New("--all takes one name of webhooks and policies, in which * matches any part")
	}
	if err := e.survey.use("--all", &e.output); err != nil {
		return err
	}
	pattern := "*"
	if len(args) > 0 {
		pattern = args[0]
	}
	_, err := e.survey.answer(ctx, &e.world, &e.output, options, stdout, stderr, func(w *loaded, asked *survey.World) (*document.Survey, error) {
		answer, err := survey.Explain(asked, pattern)
		if err != nil {
			return nil, notResource(err, w, pattern)
		}
		return answer, nil
	})
	return err
}

// notResource returns err, which says that no webhook has this name, with a better hint if it is the name of a
// resource.
func notResource(err error, w *loaded, called string) error {
	unknown := (*didyoumean.UnknownError)(nil)
	if _, _, nobody := w.Simulator().Resources().Find(called); nobody == nil && errors.As(err, &unknown) {
		return hinted(errors.New(unknown.Problem), "--all is about webhooks and policies: to explain a request to a resource, leave it out")
	}
	return err
}

// resourceVerbs are the verbs that a resource on the command line can be explained for.
var resourceVerbs = []string{rest.Create, rest.Update, rest.Patch, rest.Delete, rest.DeleteCollection, rest.Connect}

// resource returns the request that the arguments describe.
func (e *explainCommand) resource(w *loaded, args []string) (world.Asked, error) {
	sim := w.Simulator()
	resource, subresource, err := sim.Resources().Find(args[0])
	if err != nil {
		return world.Asked{}, noResource(err, args[0], sim.Resources())
	}
	verb, err := e.verb(args[0], resource, subresource)
	if err != nil {
		return world.Asked{}, err
	}
	request := scenario.Request{Verb: verb, Resource: resource.GroupResource().String() + "/" + resource.Version, Subresource: subresource}
	if len(args) > 1 {
		request.Name = args[1]
	}
	return w.Ask(sim, request, e.requests.defaults())
}

// noResource returns err, which says that no resource has this name, with a better hint if it is the name of a file or
// folder, or of an object as kubectl writes it.
func noResource(err error, called string, served *discovery.Resources) error {
	unknown := (*didyoumean.UnknownError)(nil)
	if !errors.As(err, &unknown) {
		return err
	}
	resource, name, isPair := strings.Cut(called, "/")
	switch info, unseen := os.Stat(called); {
	case unseen == nil && info.IsDir():
		return hinted(errors.New(unknown.Problem), "there is a folder of that name: for the cluster in it, use -C "+called)
	case unseen == nil:
		return hinted(errors.New(unknown.Problem), "there is a file of that name: to explain the request in it, use -f "+called)
	case isField(called, served):
		kind, field, _ := strings.Cut(called, ".")
		return hinted(errors.New(unknown.Problem),
			fmt.Sprintf("admsim explains requests, not fields: write %s; kubectl explain %s shows what %s is", kind, called, field))
	case isPair && unknown.Hint() == "":
		return hinted(errors.New(unknown.Problem), fmt.Sprintf("for an object of that name, write %s %s", resource, name))
	}
	return err
}

// isField reports whether a name is a resource and a field of it, as kubectl explain takes them. What is not a field may be
// the group of a resource.
func isField(called string, served *discovery.Resources) bool {
	resource, field, _ := strings.Cut(called, ".")
	first, _, _ := strings.Cut(field, ".")
	_, _, err := served.Find(resource)
	return err == nil && slices.Contains([]string{"apiVersion", "kind", "metadata", "spec", "status", "data"}, first)
}

// verb returns the verb of a request to a resource: that of --verb, or else the first verb of the resource that changes
// something.
func (e *explainCommand) verb(called string, r discovery.Resource, subresource string) (string, error) {
	served := r.Verbs
	if subresource != "" {
		served = r.Subresources[subresource].Verbs
	}
	var known []string
	for _, verb := range resourceVerbs {
		if slices.Contains(served, verb) {
			known = append(known, verb)
		}
	}
	switch {
	case len(known) == 0:
		return "", fmt.Errorf("no request to %s goes through admission", called)
	case !e.verbGiven && !slices.Contains(known, e.requests.verb):
		return known[0], nil
	}
	return e.requests.verb, checkVerb(e.requests.verb, known)
}

// all returns the requests of files.
func (e *explainCommand) all(w *loaded, o scenario.Options, stderr io.Writer) (asked []world.Asked, err error) {
	if len(e.requests.files) == 0 && len(w.Bag.Requests) == 0 {
		return nil, hinted(errors.New("there is no request to explain"), "name a resource, such as pods, or give a request with -f")
	}
	requests, err := e.requests.requests(w, o, stderr)
	if err != nil {
		return nil, err
	}
	var unexpanded workload.Unexpanded
	for _, request := range requests {
		unexpanded.Asked(request.Kind, request.Plain)
		one, err := w.Ask(w.Simulator(), request, e.requests.defaults())
		printWarnings(stderr, one.Warnings)
		if err != nil {
			return nil, err
		}
		asked = append(asked, one)
	}
	warnOfPods(unexpanded, e.requests.expand, w, stderr)
	return asked, nil
}

// one explains a request; with --expand, also the requests of controllers that would follow if it was admitted.
func (e *explainCommand) one(ctx context.Context, asked world.Asked, redactor *redact.Redactor, out *printers) error {
	for {
		if err := e.explain(ctx, asked, redactor, out); err != nil || !e.requests.expand {
			return err
		}
		answer, err := asked.Answer(ctx)
		if err != nil {
			return err
		}
		child, err := workload.Next(answer)
		if child == nil || err != nil {
			return err
		}
		asked = asked.Then(child.String(), child.Request, answer)
	}
}

func (e *explainCommand) explain(ctx context.Context, asked world.Asked, redactor *redact.Redactor, out *printers) error {
	explained, err := asked.Explain(ctx)
	if err != nil {
		return err
	}
	all, err := explanation.New(asked, explained, redactor)
	if err != nil {
		return err
	}
	for _, one := range all {
		if e.onlyCalled {
			one.OnlyCalled()
		}
		if err := out.each(func(p *formats.Printer) error { return p.Explanation(one) }); err != nil {
			return err
		}
	}
	return nil
}

// checkVerb checks that verb is one of the known verbs.
func checkVerb(verb string, known []string) error {
	if slices.Contains(known, verb) {
		return nil
	}
	if slices.Contains([]string{"get", "list", "watch"}, verb) {
		return hinted(badValue("--verb", verb, "one of "+strings.Join(known, ", ")), "reads do not go through admission")
	}
	return oneOf("--verb", verb, known)
}
