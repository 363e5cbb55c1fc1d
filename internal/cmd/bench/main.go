// Command bench compares the performance of admsim with that of the alternatives, and writes docs/performance.md.
//
// It runs everything in rounds, sequentially, so that other load on the machine affects all measurements. A ratio is
// taken within a round. What is printed is the median of the rounds and their range. Start with plan.go, which defines
// what is measured.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "bench: error:", err)
		os.Exit(2)
	}
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(stderr)
	rounds := flags.Int("rounds", 5, "how often everything is run")
	each := flags.String("benchtime", "300ms", "how long a benchmark runs in a round")
	file := flags.String("o", "", "`FILE` to write as well")
	peers := flags.Bool("peers", true, "measure other programs as well")
	if err := flags.Parse(args); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "admsim-bench-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()

	m := &measurement{dir: dir, benchtime: *each, progress: stderr, samples: samples{}}
	if err := m.prepare(ctx, *peers); err != nil {
		return err
	}
	for i := range *rounds {
		_, _ = fmt.Fprintf(stderr, "round %d of %d\n", i+1, *rounds)
		if err := m.round(ctx, i == 0); err != nil {
			return err
		}
		if *file != "" { // after each round, so that an interrupted run leaves results
			if err := os.WriteFile(*file, []byte(m.document(i+1)), 0o644); err != nil {
				return err
			}
		}
	}
	_, err = io.WriteString(stdout, m.document(*rounds))
	return err
}
