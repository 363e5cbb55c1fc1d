// Command conformance plays recorded requests through admsim and prints where the answers
// differ from those of the server.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/admsim/admsim/internal/conformance"
)

func main() {
	os.Exit(run())
}

func run() int {
	only := flag.String("only", "", "play only recordings whose id starts with one of these, separated by commas")
	table := flag.Bool("table", false, "print the score as tables, with a column for each release, instead of the differences")
	flag.Parse()
	if flag.NArg() == 0 {
		fmt.Fprintln(os.Stderr, "conformance: error: want a folder with recordings, or several")
		return 2
	}
	var recordings []conformance.Recording
	for _, folder := range flag.Args() {
		found, err := conformance.Load(folder)
		if err != nil {
			fmt.Fprintln(os.Stderr, "conformance: error:", err)
			return 2
		}
		recordings = append(recordings, found...)
	}
	outcomes := conformance.PlayAll(context.Background(), choose(recordings, *only))
	if *table {
		fmt.Print(conformance.Table(outcomes))
		return 0
	}
	if !conformance.Report(os.Stdout, outcomes) {
		return 1
	}
	return 0
}

func choose(all []conformance.Recording, prefixes string) []conformance.Recording {
	if prefixes == "" {
		return all
	}
	var chosen []conformance.Recording
	for _, r := range all {
		for _, p := range strings.Split(prefixes, ",") {
			if strings.HasPrefix(r.ID, p) {
				chosen = append(chosen, r)
				break
			}
		}
	}
	return chosen
}
