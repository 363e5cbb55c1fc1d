// Package corpus finds requests to analyze: in manifests, in recordings, and in the cases of suites.
//
// Start with [Find]. Packages whatif and lint analyze the requests.
package corpus

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/admsim/admsim/internal/bug"
	"github.com/admsim/admsim/internal/hint"
	"github.com/admsim/admsim/internal/recording"
	"github.com/admsim/admsim/internal/report/words"
	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/suitefile"
	"github.com/admsim/admsim/internal/traffic"
	"github.com/admsim/admsim/internal/workload"
	"github.com/admsim/admsim/internal/world"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/simulator"
)

// An Input lists where requests are: manifests and documents of kind Request, recordings, and suites.
type Input struct {
	Cases []Case // of suites

	paths                 []string // as given by the user
	manifests, recordings []string
}

// Find sorts what paths name. Files called .jsonl, .ndjson and .log, also rotated or compressed, are recordings, and
// the files that admsim test would run are suites. A folder stands for everything below it; if it has suites, all
// manifests in it belong to them. The options are for the files of suites.
func Find(paths []string, reading scenario.Options) (in Input, err error) {
	in.paths = paths
	files := suitefile.New(reading.Exclude)
	for _, path := range paths {
		if path == "-" {
			in.manifests = append(in.manifests, path)
			continue
		}
		folder := strings.TrimSuffix(path, "/...")
		info, err := os.Stat(folder)
		switch {
		case err != nil:
			return in, err
		case info.IsDir():
			err = in.addFolder(folder, files, reading)
		case recording.IsLines(path):
			in.recordings = append(in.recordings, path)
		case suitefile.Is(path):
			err = files.Add(path)
		default:
			in.manifests = append(in.manifests, path)
		}
		if err != nil {
			return in, err
		}
	}
	for _, one := range files.Load(reading) {
		if one.Err != nil {
			return in, one.Err
		}
		for i := range one.Suites {
			in.addCases(&one.Suites[i])
		}
	}
	return in, nil
}

// addFolder adds the suites in a folder, or the folder itself if it has none, and the recordings in it, which are not
// manifests.
func (in *Input) addFolder(root string, files *suitefile.Files, reading scenario.Options) error {
	found := len(files.Names)
	if err := files.AddFolder(filepath.Clean(root), true); err != nil {
		return err
	}
	suites, manifests, before := len(files.Names) > found, false, len(in.recordings)
	err := suitefile.Walk(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err == nil && entry.IsDir() && path != root && reading.Exclude.Match(path):
			return fs.SkipDir
		case err != nil || entry.IsDir() || reading.Exclude.Match(path):
		case recording.IsLines(path) && !strings.HasPrefix(entry.Name(), "."):
			if !suites {
				in.recordings = append(in.recordings, path)
			}
		default:
			ext := filepath.Ext(path)
			manifests = manifests || ext == ".yaml" || ext == ".yml" || ext == ".json"
		}
		return err
	})
	slices.SortStableFunc(in.recordings[before:], recording.CompareNames)
	if manifests && !suites {
		in.manifests = append(in.manifests, root)
	}
	return err
}

// Options says how requests are read.
type Options struct {
	Defaults scenario.Defaults       // for what cases of suites leave open
	Reading  scenario.Options        // of files
	Warn     func(text, hint string) // is called for what is left out

	// Expand adds the requests that controllers send because of the requests in manifests and suites. Recordings
	// already contain the requests of controllers.
	Expand bool

	// Judged is the cluster whose webhooks and policies judge the requests. If these match pods and no request is about
	// a pod, Warn explains Expand.
	Judged *cluster.State
}

// Open returns the requests; those in further come first. The returned function ends the reading, and warns of what
// could not be read or run; its error reports the bugs that records ran into.
func (in Input) Open(further []scenario.Request, options Options) (traffic.Corpus, func() error, error) {
	o, steps := options.Reading, in.steps(options.Defaults, options.Expand)
	written := further
	if len(in.manifests) > 0 {
		found, err := scenario.Load(in.manifests, o)
		if err != nil {
			return nil, nil, err
		}
		requests, err := scenario.Requests(found, "create", o)
		if err != nil {
			return nil, nil, err
		}
		written = append(written, requests...)
	}
	if len(in.recordings) == 0 {
		if len(written)+len(steps) == 0 {
			nothing := "there is no request"
			if len(in.paths) > 0 {
				nothing += " in " + strings.Join(in.paths, ", ")
			}
			return nil, nil, hint.Add(errors.New(nothing), "name manifests, documents of kind Request, recordings or suites")
		}
		options.warnOfPods(written, len(steps))
		return traffic.Both(options.written(written), traffic.Steps(steps)), func() error { return nil }, nil
	}
	sources, err := recording.Find(in.recordings, nil, o.Stdin)
	if err != nil {
		return nil, nil, err
	}
	for _, name := range recording.Names(sources) {
		o.Opened(name)
	}
	left := recordsLeft{skipped: map[recording.Code]int{}, bugs: bug.Counter{What: "record"}, warn: options.Warn}
	reader, err := recording.NewReader(sources, recording.Options{
		Ahead:   1,
		Overlap: func(earlier, source string) { options.Warn(recording.Overlapping(earlier, source)) },
		Broken: func(e *recording.BrokenError) error {
			if left.bugs.Met(e) {
				return nil
			}
			if left.first == nil || e.Code == recording.Damaged && left.first.Code != recording.Damaged {
				left.first = e
			}
			if left.broken++; left.broken <= 5 {
				options.Warn(e.Error(), "")
			}
			return nil
		},
	})
	if err != nil {
		return nil, nil, err
	}
	end := func() error {
		reader.Close()
		left.report()
		return left.bugs.Err()
	}
	recorded := traffic.Recorded(reader, func(r *recording.Record) { left.skipped[r.Skip.Code]++ })
	all := traffic.Both(options.written(written), recorded, traffic.Steps(steps))
	return &nonEmpty{Corpus: all, left: &left}, end, nil
}

// written returns the corpus of requests that were written by hand.
func (o Options) written(requests []scenario.Request) traffic.Corpus {
	if !o.Expand {
		return traffic.Written(requests)
	}
	steps := make([]traffic.Step, len(requests))
	for i, r := range requests {
		steps[i] = traffic.Step{Source: r.Source, Next: following(r.Label), Ask: func(w *world.World, sim *simulator.Simulator) (world.Asked, error) {
			return w.Ask(sim, r, o.Defaults)
		}}
	}
	return traffic.Steps(steps)
}

// warnOfPods warns if the cluster judges pods but no request is about a pod, since workloads are not expanded.
func (o Options) warnOfPods(written []scenario.Request, steps int) {
	if o.Expand || steps > 0 {
		return
	}
	var asked workload.Unexpanded
	for _, r := range written {
		asked.Asked(r.Kind, r.Plain)
	}
	if text, hint := asked.Warning(o.Judged); text != "" {
		o.Warn(text, hint)
	}
}

// A nonEmpty corpus ends with an error if it has no request that can be run. Otherwise a report of no change would look
// like one about the requests that the user meant.
type nonEmpty struct {
	traffic.Corpus
	left *recordsLeft
	any  bool
}

func (c *nonEmpty) Next() (traffic.Request, error) {
	next, err := c.Corpus.Next()
	if errors.Is(err, io.EOF) && !c.any {
		first, records := c.left.first, c.left.records()
		switch {
		case first != nil && c.left.broken == records:
			return next, recording.NothingReadable(first.Code, first.Position.String(), first.Err.Error())
		case first != nil && first.Code == recording.Damaged:
			return next, recording.NothingBefore(first.Position.String(), first.Err.Error())
		}
		return next, recording.NothingToRun(records, c.left.skipped[recording.BodyNotLogged], "")
	}
	c.any = true
	return next, err
}

// unremarkable lists why records are left out without a report: they are not requests to change anything, or the user
// excluded them.
var unremarkable = map[recording.Code]bool{
	recording.NotFinal: true, recording.ReadOnly: true, recording.NonResource: true,
	recording.Filtered: true, recording.NotSampled: true, recording.OtherShard: true, recording.AlreadyRun: true,
}

// recordsLeft counts the records of a recording that are not run.
type recordsLeft struct {
	skipped map[recording.Code]int
	broken  int
	first   *recording.BrokenError // or that of a damaged file, which explains others
	bugs    bug.Counter
	warn    func(text, hint string)
}

func (l *recordsLeft) records() int {
	n := l.broken + l.bugs.Count
	for _, skipped := range l.skipped {
		n += skipped
	}
	return n
}

// report warns of the records that were left out.
func (l *recordsLeft) report() {
	n, why := 0, []string{}
	for _, code := range slices.Sorted(maps.Keys(l.skipped)) {
		if !unremarkable[code] {
			n += l.skipped[code]
			why = append(why, fmt.Sprintf("%s %d", code, l.skipped[code]))
		}
	}
	if n > 0 {
		l.warn(fmt.Sprintf("%s left out: %s", words.AreCounted(n, "recorded request is", "recorded requests are"), strings.Join(why, ", ")), "")
	}
	if l.broken > 0 {
		l.warn(words.Plural(l.broken, "part")+" of the recording cannot be read", "")
	}
}
