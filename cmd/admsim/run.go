package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/internal/answer"
	"github.com/admsim/admsim/internal/backends"
	"github.com/admsim/admsim/internal/bug"
	"github.com/admsim/admsim/internal/redact"
	"github.com/admsim/admsim/internal/report/formats"
	"github.com/admsim/admsim/internal/report/words"
	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/workload"
	"github.com/admsim/admsim/pkg/report"
	"github.com/admsim/admsim/pkg/simulator"
)

const runUsage = `run sends requests to a simulated API server, one after the other, and shows for each the decision, every
step that led to it, and the object as admitted or the status of the denial. Later requests find the
changes that earlier ones made in the cluster.

The cluster is what the manifests of -C and of the PATHs describe: Namespaces, webhook configurations, and
whatever else matters. Documents of kind Backends among them say how webhooks answer. The requests are
those that -f names, or without -f, the documents of kind Request and the AdmissionReviews among the
manifests.`

const runExample = `  admsim run -C world/ -f pod.yaml
  admsim run -C world/ -f pod.yaml --as alice -n shop -o json
  kubectl get deploy web -o yaml | admsim run -C world/ --verb update -f -`

type runCommand struct {
	world    worldFlags
	requests requestFlags
	output   outputFlags
	secrets  redactFlags
	unused   bool
	trace    bool // --variables
	asked    workload.Unexpanded

	created map[objectName]string // the source of the request that created each object
}

// An objectName identifies an object of any resource.
type objectName struct{ group, resource, namespace, name string }

// existing returns a hint if a request is refused because an earlier request created the object.
func (r *runCommand) existing(of *report.Result) string {
	name := objectName{of.Request.Resource.Group, of.Request.Resource.Resource, of.Request.Namespace, of.Request.Name}
	if of.Allowed && of.Code == http.StatusCreated && !of.Request.DryRun {
		if r.created == nil {
			r.created = map[objectName]string{}
		}
		r.created[name] = of.Request.Source
	}
	if of.Status == nil || of.Status.Reason != metav1.StatusReasonAlreadyExists {
		return ""
	}
	if at := r.created[name]; at != "" {
		return "it was created by " + at
	}
	return ""
}

func newRun() *cobra.Command {
	r := &runCommand{}
	c := &cobra.Command{
		Use:     "run [-C PATH]... [-f PATH]... [PATH]...",
		Short:   "Show what happens to requests, step by step",
		Long:    runUsage,
		Example: runExample,
		RunE: func(c *cobra.Command, args []string) error {
			return r.run(c.Context(), args, c.InOrStdin(), c.OutOrStdout(), c.ErrOrStderr())
		},
		Annotations: taking(requestFiles),
	}
	r.world.add(c)
	r.world.addCluster(c, &r.requests)
	r.requests.add(c)
	r.requests.addExpand(c)
	r.output.add(c, "run")
	ofCluster(c, func() { r.secrets.add(c) })
	r.world.addUnmatched(c)
	c.Flags().BoolVar(&r.trace, "variables", false, "also show the variables of policies and their values; -v does so, too")
	c.Flags().BoolVar(&r.unused, "allow-unused", false, "do not report backends and answers that no request needs, or backends of webhooks that do not exist")
	return c
}

func (r *runCommand) run(ctx context.Context, paths []string, stdin io.Reader, stdout, stderr io.Writer) error {
	if err := r.requests.check(); err != nil {
		return err
	}
	redactor, err := r.secrets.redactor()
	if err != nil {
		return err
	}
	out, err := r.output.open(stdout)
	if err != nil {
		return err
	}
	r.world.variables = r.trace || r.output.verbose
	options := r.output.reading(stdin, &r.world)
	w, err := r.world.load(ctx, paths, options, stderr)
	if err != nil {
		return r.requests.besides(err, w, options)
	}
	defer w.close(stderr)
	requests, err := r.requests.list(w, options, stderr)
	if err != nil {
		return err
	}
	if err := r.output.ready(); err != nil {
		return err
	}
	after, denied, err := r.all(ctx, w, requests, redactor, out, stderr)
	if err := errors.Join(err, out.close()); err != nil {
		return err
	}
	warnOfPods(r.asked, r.requests.expand, w, stderr)
	if !r.unused {
		unused := w.Backends.Unused(false, w.Simulator(), after)
		if len(unused.Misnamed) > 0 {
			return unused.Misnamed
		}
		if !denied { // a denial leaves later webhooks uncalled
			warnUnused(stderr, unused)
		}
	}
	if denied {
		return errDenied
	}
	return nil
}

// warnUnused reports backends and answers that no request used. Unused backends share one warning: a world has many,
// and a request needs few of them.
func warnUnused(stderr io.Writer, unused backends.Unused) {
	var warnings []*scenario.Error
	if all := unused.NotAsked; len(all) > 0 {
		names := make([]string, len(all))
		for i, b := range all {
			names[i] = b.Webhook
		}
		warnings = append(warnings, &scenario.Error{Source: all[0].Source, Message: "no request asks the backend of " + words.Few(names),
			Hint: "the steps say why a webhook is skipped; --allow-unused leaves this out"})
	}
	printWarnings(stderr, append(warnings, unused.NotGiven...))
}

// all answers the requests, each in the cluster that the one before left. It returns the cluster that the last one
// left.
func (r *runCommand) all(ctx context.Context, w *loaded, requests requestList, redactor *redact.Redactor, out *printers, stderr io.Writer) (after *simulator.Simulator, denied bool, err error) {
	sim := w.Simulator()
	met := bug.Counter{What: "request"}
	var undecided []error
	err = requests.each(func(request scenario.Request) error {
		admitted, next, err := r.one(ctx, w, sim, request, redactor, out, stderr)
		switch unknown := (*undecidedError)(nil); {
		case err == nil, met.Met(err):
		case errors.As(err, &unknown) && ctx.Err() == nil:
			undecided = append(undecided, unknown.error)
			out.undecided()
		default:
			return err
		}
		if next != nil {
			sim = next
		}
		if err == nil {
			denied = denied || !admitted
		}
		return nil
	})
	return sim, denied, errors.Join(errors.Join(undecided...), err, met.Err())
}

// An undecidedError says why admsim cannot tell what happens to one request. Other requests may still be answered.
type undecidedError struct{ error }

func (e *undecidedError) Unwrap() error { return e.error }

// one answers a request and prints the result; with --expand, also the requests of controllers that follow. next has
// the cluster that they left; it is nil if nothing was answered.
func (r *runCommand) one(ctx context.Context, w *loaded, sim *simulator.Simulator, request scenario.Request, redactor *redact.Redactor, out *printers, stderr io.Writer) (admitted bool, next *simulator.Simulator, err error) {
	r.asked.Asked(request.Kind, request.Plain)
	asked, err := w.Ask(sim, request, r.requests.defaults())
	admitted = true
	for {
		printWarnings(stderr, asked.Warnings)
		if err != nil {
			return false, next, &undecidedError{err}
		}
		answered, err := asked.Answer(ctx)
		if err != nil {
			return false, next, &undecidedError{err}
		}
		next = answered.Next
		result, err := answer.New(asked, answered, r.output.detail(), redactor)
		if err != nil {
			return false, next, about(request, err)
		}
		if at := r.existing(result.Result); at != "" {
			result.Hint = at
		}
		admitted = admitted && result.Allowed
		if err := out.each(func(p *formats.Printer) error { return p.Result(result) }); err != nil {
			return false, next, about(request, err)
		}
		if !r.requests.expand {
			return admitted, next, nil
		}
		child, err := workload.Next(answered)
		if child == nil || err != nil {
			return admitted, next, err
		}
		asked = asked.Then(child.String(), child.Request, answered)
	}
}

// about adds the place of a request to a bug that was found while its answer was shown.
func about(request scenario.Request, err error) error {
	if !bug.Is(err) {
		return err
	}
	return fmt.Errorf("%s: %w", request.Source, err)
}
