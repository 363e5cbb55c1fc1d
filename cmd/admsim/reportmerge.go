package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/admsim/admsim/internal/recording"
	"github.com/admsim/admsim/internal/replay/lines"
)

const mergeUsage = `merge joins what admsim replay --shard wrote with -o jsonl=FILE. Give one FILE for each shard, or a folder,
whose *.jsonl files are all read. The output is byte for byte what a single run over everything would
have written. All shards must be present and complete.

The exit code is that of replay: 1 if something differs, 2 if no shard ran a request, or too few for
--min-decided.`

const mergeExample = `  for i in 0 1 2 3; do
    admsim replay -C world/ audit.log --shard $i/4 -o jsonl=part-$i.jsonl
  done
  admsim report merge part-*.jsonl -o text -o jsonl=all.jsonl`

type mergeCommand struct {
	output     outputFlags
	lenient    bool
	allowEmpty bool
	minDecided float64
}

func newReport() *cobra.Command {
	return newGroup("report", "Work with results written earlier", newReportMerge())
}

func newReportMerge() *cobra.Command {
	m := &mergeCommand{}
	c := &cobra.Command{
		Use:     "merge FILE|FOLDER...",
		Short:   "Join the results of the shards of a replay",
		Long:    mergeUsage,
		Example: mergeExample,
		Args:    cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return m.run(args, c.OutOrStdout(), c.ErrOrStderr())
		},
	}
	c.Flags().BoolVar(&m.lenient, "allow-differences", false, "exit with code 0 even if something differs")
	addAllowEmpty(c, &m.allowEmpty)
	addMinDecided(c, &m.minDecided)
	addReplayOutputs(c, &m.output)
	return c
}

func (m *mergeCommand) run(paths []string, stdout, stderr io.Writer) error {
	out, err := openReplay(&m.output, stdout)
	if err != nil {
		return err
	}
	paths, err = partsIn(paths)
	if err != nil {
		return err
	}
	if err := m.output.ready(paths...); err != nil {
		return err
	}
	var parts []lines.Part
	for _, p := range paths {
		f, err := os.Open(p)
		if err != nil {
			return err
		}
		defer f.Close()
		text := bufio.NewReaderSize(f, 64<<10)
		if begin, _ := text.Peek(3); string(begin) == "\xEF\xBB\xBF" { // a byte order mark
			_, _ = text.Discard(len(begin))
		}
		parts = append(parts, lines.Part{Name: p, Reader: text})
	}
	if len(parts) == 0 {
		return hinted(errors.New("there is nothing to merge: no file is named *.jsonl"), "name what admsim replay --shard I/N -o jsonl=FILE wrote")
	}
	if err := out.begin(&lines.Checkpoint{}, false); err != nil {
		return err
	}
	out.prepare(nil) // secrets were removed when the parts were written
	var sum lines.Summary
	err = lines.Merge(parts, func(l *lines.Line, text []byte) error {
		sum.Add(l)
		made := replayMade{line: append(bytes.Clone(text), '\n')}
		if out.rows != nil {
			var err error
			if made.row, err = out.rows.Make(l, nil); err != nil {
				return err
			}
		}
		return out.take(made)
	})
	if err != nil {
		return errors.Join(hinted(err, mergeHint(err)), out.abort())
	}
	if err := out.end(lines.EndOf(recording.Shard{}, sum.Total)); err != nil {
		return err
	}
	if err := out.summary(sum); err != nil {
		return err
	}
	if err := replayBugs(&sum); err != nil {
		return err
	}
	if err := nothingRan(&sum, m.allowEmpty, false); err != nil {
		return err
	}
	printBroken(stderr, &sum)
	printUnknownWorld(stderr, &sum, false)
	if err := tooFewDecided(&sum, m.minDecided, false); err != nil {
		return err
	}
	if sum.Outcomes[lines.Differs] > 0 && !m.lenient {
		return errDenied
	}
	return nil
}

// mergeHint returns the hint for parts that cannot be merged.
func mergeHint(err error) string {
	var missing *lines.MissingShardsError
	switch {
	case errors.Is(err, lines.ErrNoLine):
		return "a part is a complete file that admsim replay --shard I/N -o jsonl=FILE wrote"
	case errors.Is(err, lines.ErrSameShard):
		return "name each shard once"
	case errors.As(err, &missing):
		one := missing.Shards[0]
		index, _, _ := strings.Cut(one, "/")
		return fmt.Sprintf("name the file of each; to run a missing shard: admsim replay --shard %s -o jsonl=part-%s.jsonl, with the other flags unchanged", one, index)
	}
	return "run the shard again, or resume it with its --resume"
}

// partsIn returns the files that paths name.
func partsIn(paths []string) (files []string, err error) {
	for _, p := range paths {
		info, err := os.Stat(p)
		if err != nil {
			return nil, err
		}
		if !info.IsDir() {
			files = append(files, p)
			continue
		}
		found, err := filepath.Glob(filepath.Join(p, "*.jsonl"))
		if err != nil {
			return nil, err
		}
		files = append(files, found...)
	}
	return files, nil
}
