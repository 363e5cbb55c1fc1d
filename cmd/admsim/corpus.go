package main

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

	"github.com/admsim/admsim/pkg/recording"
	"github.com/admsim/admsim/pkg/scenario"
	"github.com/admsim/admsim/pkg/whatif"
)

// A corpusInput is where the requests of a corpus are: manifests and requests as for run,
// and recordings.
type corpusInput struct {
	manifests, recordings []string
	filter                recording.Filter
}

// findCorpus tells apart what paths name: files called .jsonl, .ndjson and .log, packed or
// not, are recordings; of a folder, all below it.
func findCorpus(paths []string) (in corpusInput, err error) {
	for _, path := range paths {
		info, err := os.Stat(path)
		switch {
		case path == "-":
			in.manifests = append(in.manifests, path)
		case err != nil:
			return in, err
		case !info.IsDir():
			in.add(path)
		default:
			if err := in.addFolder(path); err != nil {
				return in, err
			}
		}
	}
	return in, nil
}

func (in *corpusInput) add(path string) {
	if isRecording(path) {
		in.recordings = append(in.recordings, path)
	} else {
		in.manifests = append(in.manifests, path)
	}
}

// addFolder adds the folder, and the recordings in it, which are no manifests.
func (in *corpusInput) addFolder(root string) error {
	manifests := false
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil || entry.IsDir():
		case isRecording(path) && !strings.HasPrefix(entry.Name(), "."):
			in.recordings = append(in.recordings, path)
		default:
			ext := filepath.Ext(path)
			manifests = manifests || ext == ".yaml" || ext == ".yml" || ext == ".json"
		}
		return err
	})
	if manifests {
		in.manifests = append(in.manifests, root)
	}
	return err
}

func isRecording(path string) bool {
	switch filepath.Ext(strings.TrimSuffix(strings.TrimSuffix(path, ".gz"), ".zst")) {
	case ".jsonl", ".ndjson", ".log":
		return true
	}
	return false
}

// open returns the requests; further ones come first. What cannot be read or run is told
// at the end, by the function returned.
func (in corpusInput) open(further []scenario.Request, o scenario.Options, stderr io.Writer) (whatif.Corpus, func(), error) {
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
		if len(written) == 0 {
			return nil, nil, hinted(errors.New("there is no request"), "name manifests, documents of kind Request or recordings")
		}
		return whatif.Written(written), func() {}, nil
	}
	sources, err := recording.Find(in.recordings, o.Stdin)
	if err != nil {
		return nil, nil, err
	}
	skipped, broken := map[recording.Code]int{}, 0
	reader, err := recording.NewReader(sources, recording.Options{
		Filter: in.filter,
		Ahead:  1,
		Broken: func(e *recording.BrokenError) error {
			if broken++; broken <= 5 {
				fmt.Fprintf(stderr, "admsim: warning: %v\n", e)
			}
			return nil
		},
	})
	if err != nil {
		return nil, nil, err
	}
	end := func() {
		reader.Close()
		tellSkipped(stderr, skipped, broken)
	}
	recorded := whatif.Recorded(reader, func(r *recording.Record) { skipped[r.Skip.Code]++ })
	return whatif.Both(whatif.Written(written), recorded), end, nil
}

// Records that are left out because they are no request to change anything, or because the
// user said so, are nothing to tell of.
var unremarkable = map[recording.Code]bool{
	recording.NotFinal: true, recording.ReadOnly: true, recording.NonResource: true,
	recording.Filtered: true, recording.NotSampled: true, recording.OtherShard: true, recording.AlreadyRun: true,
}

func tellSkipped(stderr io.Writer, skipped map[recording.Code]int, broken int) {
	n, why := 0, []string{}
	for _, code := range slices.Sorted(maps.Keys(skipped)) {
		if !unremarkable[code] {
			n += skipped[code]
			why = append(why, fmt.Sprintf("%s %d", code, skipped[code]))
		}
	}
	if n > 0 {
		fmt.Fprintf(stderr, "admsim: warning: %s left out: %s\n", countWere(n, "recorded request"), strings.Join(why, ", "))
	}
	if broken > 0 {
		fmt.Fprintf(stderr, "admsim: warning: %d parts of the recording cannot be read\n", broken)
	}
}
