// Command reference builds the kube-apiserver of a release, plays the scenarios of our recordings against it, and
// writes its answers in the form of the recordings.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/admsim/admsim/internal/conformance"
	"github.com/admsim/admsim/internal/release/chance"
	"github.com/admsim/admsim/internal/release/command"
	"github.com/admsim/admsim/internal/release/record"
	"github.com/admsim/admsim/internal/release/reference"
)

const usage = `Usage: reference -version 1.37.2 [flags]

It builds the real kube-apiserver of that release from published modules, starts it with etcd
and plays the scenarios of recordings against it. It writes the server's answers in the form of
the recordings.

    reference -version 1.37.2                     all scenarios, into the cache folder
    reference -version 1.37.2 -only match,vap     those with these id prefixes
    reference -version 1.36.3 -against testdata/recorded

With -admsim, it plays them against admsim serve, as the release that each recording names.

    reference -admsim bin/admsim -against testdata/recorded

With -change, requests and configurations are changed at random before they are played. Requests that get
no answer are counted and left out. What admsim answers differently is then listed by make conformance:

    reference -version 1.37.2 -from testdata/recorded/releases/1.37 -change 1 -twice -o changed
    make conformance RECORDED=changed

Flags:
`

func main() { command.Main("reference", run) }

func run(ctx context.Context, args []string, out, progress io.Writer) error {
	flags := command.Flags("reference", usage, progress)
	admsim := flags.String("admsim", "", "the admsim program to play against instead of a real server")
	version := flags.String("version", "", "the release, such as 1.37.2")
	from := flags.String("from", "testdata/recorded", "the folder of the recordings whose scenarios are played")
	profiles := flags.String("profiles", "testdata/recorded/profiles", "the folder of the servers' profiles")
	to := flags.String("o", "", "the folder for the new recordings (default: recorded/ beside the binary in the cache folder)")
	only := flags.String("only", "", "play only recordings whose id starts with one of these, separated by commas")
	against := flags.String("against", "", "recordings to compare the new ones with, by file name")
	twice := flags.Bool("twice", false, "play everything twice, and mark what differs between the runs")
	seed := flags.Uint64("change", 0, "change the requests and configurations at random; a number that decides how (0: do not)")
	if err := flags.Parse(args); err != nil {
		return err
	}
	binary, err := program(ctx, *admsim, *version, out, progress)
	if err != nil {
		return err
	}
	if *to == "" {
		*to = filepath.Join(filepath.Dir(binary), "recorded")
	}
	recordings, err := conformance.Load(*from)
	if err != nil {
		return err
	}
	values := chance.Learn(recordings, *seed)
	recordings = choose(recordings, *only)
	if *seed != 0 {
		for i := range recordings {
			recordings[i] = values.Change(recordings[i])
		}
	}
	if len(recordings) == 0 {
		return fmt.Errorf("no recording in %s begins with %s", *from, *only)
	}
	minor := *version
	if words := strings.Split(*version, "."); len(words) > 1 {
		minor = strings.Join(words[:2], ".")
	}
	if err := os.MkdirAll(*to, 0o755); err != nil {
		return err
	}
	recorder, err := record.New(binary, *profiles, progress)
	if err != nil {
		return err
	}
	defer recorder.Close()

	started := time.Now()
	first := map[string]*conformance.Recording{}
	requests := 0
	write := func(r *conformance.Recording) error {
		if minor != "" {
			r.Kubernetes = minor
		}
		if minor == conformance.UnnamedRelease {
			r.Kubernetes = ""
		}
		text, err := r.Encode()
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(*to, r.ID+".json"), text, 0o644)
	}
	playing := recorder.Play
	if *admsim != "" {
		playing = recorder.PlayAdmsim
	}
	if err := playing(ctx, recordings, func(r *conformance.Recording) error {
		first[r.ID] = r
		requests += len(r.Requests)
		return write(r)
	}); err != nil {
		return err
	}
	fmt.Fprintf(out, "played %d requests of %d recordings (%s)\n", requests, len(recordings), since(started))
	if n := recorder.Unanswered(); n > 0 {
		fmt.Fprintf(out, "%d requests got no answer\n", n)
	}
	if *twice {
		started = time.Now()
		if err := playing(ctx, recordings, func(r *conformance.Recording) error {
			before, ok := first[r.ID]
			if !ok {
				return nil
			}
			record.Vary(before, r)
			return write(before)
		}); err != nil {
			return err
		}
		fmt.Fprintf(out, "played them again (%s)\n", since(started))
	}
	if err := copyProfiles(*profiles, *to, first); err != nil {
		return err
	}
	fmt.Fprintf(out, "written to %s\n", *to)
	if *against == "" {
		return nil
	}
	return compare(*against, first, out)
}

// program returns the program to play against: admsim, or a kube-apiserver that it builds.
func program(ctx context.Context, admsim, version string, out, progress io.Writer) (binary string, err error) {
	if admsim != "" {
		return filepath.Abs(admsim)
	}
	if version == "" {
		return "", errors.New("-version is missing\nhint: make reference VERSION=1.37.2")
	}
	if _, err := reference.FindEtcd(); err != nil {
		return "", err // check this before the build, which takes long
	}
	started := time.Now()
	if binary, err = reference.Build(ctx, version, progress); err != nil {
		return "", err
	}
	fmt.Fprintf(out, "kube-apiserver %s is built (%s)\n", version, since(started))
	return binary, nil
}

// copyProfiles copies the profiles of recordings next to them, where they are expected when the recordings are played.
func copyProfiles(from, to string, played map[string]*conformance.Recording) error {
	for _, r := range played {
		folder := filepath.Join(to, "profiles", r.Profile)
		if _, err := os.Stat(folder); err == nil {
			continue
		}
		if err := os.CopyFS(folder, os.DirFS(filepath.Join(from, r.Profile))); err != nil {
			return err
		}
	}
	return nil
}

// compare prints how the new recordings differ from the existing ones.
func compare(folder string, played map[string]*conformance.Recording, out io.Writer) error {
	recordings, err := conformance.Load(folder)
	if err != nil {
		return err
	}
	equal, all, clusters := 0, 0, 0
	for i := range recordings {
		r, ok := played[recordings[i].ID]
		if !ok {
			continue
		}
		cluster := record.CompareClusters(&recordings[i], r)
		if cluster.Diff != "" {
			clusters++
		}
		answers := record.Compare(&recordings[i], r)
		for _, d := range append([]record.Difference{cluster}, answers...) {
			if d.Diff != "" {
				fmt.Fprintf(out, "--- %s (-recorded +played)\n%s\n", d.Name, d.Diff)
			}
		}
		for _, d := range answers {
			all++
			if d.Diff == "" {
				equal++
			}
		}
	}
	fmt.Fprintf(out, "%d of %d requests are answered as in %s; %d clusters differ\n", equal, all, folder, clusters)
	if equal < all {
		return command.ErrDiffers
	}
	return nil
}

func choose(all []conformance.Recording, prefixes string) []conformance.Recording {
	if prefixes == "" {
		return all
	}
	var chosen []conformance.Recording
	for _, r := range all {
		for p := range strings.SplitSeq(prefixes, ",") {
			if strings.HasPrefix(r.ID, p) {
				chosen = append(chosen, r)
				break
			}
		}
	}
	return chosen
}

func since(t time.Time) time.Duration { return time.Since(t).Round(time.Second) }
