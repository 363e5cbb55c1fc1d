package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/whatif/blame"
	"github.com/admsim/admsim/internal/world"
	"github.com/admsim/admsim/pkg/simulator"
)

const blameUsage = `blame shows an object as it would be stored. A comment at the end of each line says who last set the field:

  user     the user who sent the request
  stored   the object had it before the request
  default  the server, because nobody had set it; also after webhooks
  plugin, policy, webhook
           the one with this name, and the round if it was called again, with file and line
  server   the server, when it prepared and wrote the object

Removed fields are listed below the object. The output is YAML and can be applied again:
metadata.resourceVersion and managedFields are left out, except in -o json. If there are several requests,
the last one is shown; those before it prepare the cluster that it finds. If the request creates an object
that the cluster already has, the object is first removed from the cluster, so that you see how it comes to be.`

const blameExample = `  admsim blame -C world/ pod.yaml
  kubectl get deploy web -o yaml | \
    admsim blame -C world/ --verb update -f - -o json`

type blameCommand struct {
	world    worldFlags
	requests requestFlags
	output   outputFlags
	secrets  redactFlags
}

func newBlame() *cobra.Command {
	b := &blameCommand{}
	c := &cobra.Command{
		Use:     "blame [-C PATH]... PATH",
		Short:   "Show who set which field of an object",
		Long:    blameUsage,
		Example: blameExample,
		RunE: func(c *cobra.Command, args []string) error {
			return b.run(c.Context(), args, c.InOrStdin(), c.OutOrStdout(), c.ErrOrStderr())
		},
		Annotations: taking(requestFiles),
	}
	b.world.add(c)
	b.world.addCluster(c, &b.requests)
	ofCluster(c, func() { b.secrets.add(c) })
	b.requests.add(c)
	addWhatifOutput(c, &b.output)
	b.world.addUnmatched(c)
	return c
}

func (b *blameCommand) run(ctx context.Context, paths []string, stdin io.Reader, stdout, stderr io.Writer) error {
	if err := b.requests.check(); err != nil {
		return err
	}
	redactor, err := b.secrets.redactor()
	if err != nil {
		return err
	}
	options := b.output.reading(stdin, &b.world)
	w, err := b.requests.load(ctx, &b.world, paths, options, stderr)
	if err != nil {
		return b.requests.besides(err, w, options)
	}
	defer w.close(stderr)
	requests, err := b.requests.requests(w, options, stderr)
	if err != nil {
		return err
	}
	if err := b.output.ready(); err != nil {
		return err
	}
	// All requests but the last only set up the cluster that the last one finds.
	if n := len(requests); n > 1 {
		fmt.Fprintf(stderr, "admsim: warning: of %d requests this is about the last one, %s; those before it make the cluster that it finds\n", n, requests[n-1].Source)
	}
	asked, result, err := answerLast(ctx, w, requests, b.requests.defaults(), stderr)
	if err != nil {
		return err
	}
	found, err := blame.New(asked, result)
	if err != nil {
		return err
	}
	found.Hide(redactor, result)
	if err := writeWhatif(&b.output, stdout, found.Document()); err != nil {
		return err
	}
	if found.Denied != "" {
		return errDenied
	}
	return nil
}

// answerLast answers the requests in order, each in the cluster that the one before left, and returns the last answer.
// An object that a manifest creates is first removed from the cluster if it is there: whoever names an existing object
// canAsk how it came to be as it is.
func answerLast(ctx context.Context, w *loaded, requests []scenario.Request, d scenario.Defaults, stderr io.Writer) (asked world.Asked, result *simulator.Result, err error) {
	sim := w.Simulator()
	for _, request := range requests {
		asked, err = w.Ask(sim, request, d)
		printWarnings(stderr, asked.Warnings)
		if err != nil {
			return asked, nil, err
		}
		var taken bool
		if asked, taken, err = asked.Anew(); err != nil {
			return asked, nil, err
		}
		if taken {
			fmt.Fprintf(stderr, "admsim: warning: %s: the object that it creates is first removed from the cluster; --verb update changes it instead\n", request.Source)
		}
		if result, err = asked.Answer(ctx); err != nil {
			return asked, nil, err
		}
		sim = result.Next
	}
	return asked, result, nil
}
