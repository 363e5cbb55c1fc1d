// Command conformance plays recorded requests through admsim, and prints where the answers differ from those of the
// server.
package main

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/admsim/admsim/internal/conformance"
)

func main() {
	os.Exit(run())
}

func run() int {
	only := flag.String("only", "", "play only recordings whose id starts with one of these, separated by commas")
	table := flag.Bool("table", false, "print the score as tables, with a column for each release, instead of the differences")
	known := flag.String("known", "", "a folder with lists of cases that differ or are unfair: only what differs from them is reported")
	update := flag.String("update", "", "with -known: rewrite the lists, and the tables of this document")
	flag.Parse()
	if flag.NArg() == 0 {
		return failed("want a folder with recordings, or several")
	}
	var recordings []conformance.Recording
	for _, folder := range flag.Args() {
		found, err := conformance.Load(folder)
		if err != nil {
			return failed(err)
		}
		recordings = append(recordings, found...)
	}
	outcomes := conformance.PlayAll(context.Background(), choose(recordings, *only))
	switch {
	case *known != "":
		return judge(outcomes, *known, *update)
	case *table:
		fmt.Print(conformance.Table(outcomes))
	case !conformance.Report(os.Stdout, outcomes):
		return 1
	}
	return 0
}

func failed(err any) int {
	fmt.Fprintln(os.Stderr, "conformance: error:", err)
	return 2
}

// judge compares outcomes with the known differences.
func judge(outcomes []conformance.Outcome, folder, document string) int {
	code := 0
	var fair []conformance.Outcome
	by := conformance.ByRelease(outcomes)
	for _, release := range slices.Sorted(maps.Keys(by)) {
		known, err := conformance.LoadKnown(folder, release)
		if err != nil {
			return failed(err)
		}
		if document != "" {
			if err := known.WriteOpen(folder, release, by[release]); err != nil {
				return failed(err)
			}
		} else if !known.News(os.Stdout, by[release]) {
			code = 1
		}
		these := known.Fair(by[release])
		agree := 0
		for _, o := range these {
			if o.Agrees() {
				agree++
			}
		}
		fmt.Printf("%s: %d of %d fair cases agree, %d are open, %d are unfair\n",
			release, agree, len(these), len(these)-agree, len(by[release])-len(these))
		fair = append(fair, these...)
	}
	if document == "" {
		return code
	}
	for name, table := range map[string]string{"upstream": conformance.GroupTable(fair), "upstream plugins": conformance.PluginTable(fair)} {
		err := conformance.Replace(document, "<!-- "+name+": made by make conformance UPDATE=1 -->", "<!-- end of "+name+" -->", table)
		if err != nil {
			return failed(err)
		}
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
