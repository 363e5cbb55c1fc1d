package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/report"
	"github.com/admsim/admsim/pkg/scenario"
	"github.com/admsim/admsim/pkg/simulator"
)

const runUsage = `run sends requests to a simulated API server, in order, and shows for each what was decided,
every step that led there, and the object as admitted or the status of the denial. What a request
changes in the cluster, the next ones find.

The cluster is what is in the manifests of -C and of the PATHs: Namespaces, webhook configurations,
whatever else matters. Documents of kind Mocks in them say how webhooks answer. The requests are
what -f names, or where there is no -f, the documents of kind Request and the AdmissionReviews among
the manifests.`

const runExample = `  admsim run -C world/ -f pod.yaml
  admsim run -C world/ -f pod.yaml --as alice -n shop -o json
  kubectl get deploy web -o yaml | admsim run -C world/ --verb update -f -`

type runCommand struct {
	world    worldFlags
	requests requestFlags
	output   outputFlags
	unused   bool
}

func newRun() *cobra.Command {
	r := &runCommand{}
	c := &cobra.Command{
		Use:     "run [-C PATH]... [-f PATH]... [PATH]...",
		Short:   "Show what becomes of requests, step by step",
		Long:    runUsage,
		Example: runExample,
		RunE: func(c *cobra.Command, args []string) error {
			return r.run(c.Context(), args, c.InOrStdin(), c.OutOrStdout(), c.ErrOrStderr())
		},
	}
	r.world.add(c)
	r.requests.add(c)
	r.output.add(c)
	c.Flags().BoolVar(&r.world.allowUnmatched, "allow-unmatched", false, "let webhooks without a mock allow everything, instead of an error")
	c.Flags().BoolVar(&r.unused, "allow-unused", false, "accept mocks and answers that no request needs, instead of an error")
	return c
}

func (r *runCommand) run(ctx context.Context, paths []string, stdin io.Reader, stdout, stderr io.Writer) error {
	if err := r.requests.check(); err != nil {
		return err
	}
	out, err := r.output.open(stdout)
	if err != nil {
		return err
	}
	options := scenario.Options{Stdin: stdin}
	w, err := r.world.load(paths, options, stderr)
	if err != nil {
		return err
	}
	requests, err := r.requests.requests(w, options, stderr)
	if err != nil {
		return err
	}
	denied, err := r.all(ctx, w, requests, out, stderr)
	if err := errors.Join(err, out.close()); err != nil {
		return err
	}
	if denied {
		return errDenied // and not everybody was asked, so that mocks may well be left
	}
	if unused := w.backends.Unused(); unused != nil && !r.unused {
		return errors.Join(unused, hinted(errors.New("not all mocks were used"), "--allow-unused accepts that"))
	}
	return nil
}

// all answers requests, each in the cluster that the one before left.
func (r *runCommand) all(ctx context.Context, w *world, requests []scenario.Request, out *printers, stderr io.Writer) (denied bool, err error) {
	sim := w.sim
	for _, request := range requests {
		result, next, warnings, err := r.one(ctx, w, sim, request)
		printWarnings(stderr, warnings)
		if err != nil {
			return denied, about(request, err)
		}
		denied = denied || !result.Allowed
		if err := out.each(func(p *report.Printer) error { return p.Result(result) }); err != nil {
			return denied, err
		}
		sim = next
	}
	return denied, nil
}

// about puts the place of a request in front of an error that names none.
func about(r scenario.Request, err error) error {
	var placed *scenario.Error
	if errors.As(err, &placed) {
		return err
	}
	return fmt.Errorf("%s: %w", r.Source, err)
}

func (r *runCommand) one(ctx context.Context, w *world, sim *simulator.Simulator, request scenario.Request) (*report.Result, *simulator.Simulator, []*scenario.Error, error) {
	if request.Review != nil {
		req, err := r.requests.admission(request, sim)
		if err != nil {
			return nil, nil, nil, err
		}
		answer, err := sim.Admit(ctx, req)
		if err != nil {
			return nil, nil, nil, err
		}
		result, err := report.New(shownReview(request, req), answer.Response, sim.Types(), r.output.detail())
		return result, answer.Next, nil, err
	}
	req, err := r.requests.api(request, sim)
	if err != nil {
		return nil, nil, nil, err
	}
	sim, warnings, err := w.withOld(sim, request, req.Namespace)
	if err != nil {
		return nil, nil, warnings, err
	}
	answer, err := sim.Do(ctx, req)
	if err != nil {
		return nil, nil, warnings, err
	}
	result, err := report.New(shown(request, req), answer.Response, answer.Next.Types(), r.output.detail())
	if err == nil && result.Hint == "" {
		result.Hint = hintFor(result)
	}
	return result, answer.Next, warnings, err
}

// admission is a review as the request that the server prepared.
func (f *requestFlags) admission(r scenario.Request, sim *simulator.Simulator) (admission.Request, error) {
	req, err := r.Admission(sim.Types())
	req.DryRun = req.DryRun || f.dryRun
	return req, err
}

func shownReview(r scenario.Request, req admission.Request) report.Request {
	return report.Request{
		Label:       r.Label,
		Source:      r.Source.String(),
		Verb:        strings.ToLower(string(req.Operation)),
		Resource:    metav1.GroupVersionResource(req.Resource),
		Subresource: req.Subresource,
		Namespace:   req.Namespace,
		Name:        req.Name,
		DryRun:      req.DryRun,
		User:        req.User,
	}
}

// hintFor helps with what the server refuses because the cluster is not all there.
func hintFor(r *report.Result) string {
	if r.Code != http.StatusNotFound || *r.DeniedBy != (report.Decider{}) || r.Status.Details == nil || r.Status.Details.Name == "" {
		return ""
	}
	return "add the object as it is before to the cluster, or to the request under oldObject"
}
