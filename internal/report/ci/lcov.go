package ci

import (
	"fmt"
	"io"
	"strings"

	"github.com/admsim/admsim/internal/inert"
	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/suite/outcome"
	"github.com/admsim/admsim/internal/yamldoc"
)

// WriteLCOV writes what suites reached as an LCOV tracefile (geninfo(1)), so that editors and CI systems show in the
// manifests what no case needed. A part of the configuration is represented by the line where it begins. A part that
// has two branches, or shares its line with other parts, is also a branch of that line.
func WriteLCOV(w io.Writer, r *outcome.Results, _ document.Options) error {
	var b strings.Builder
	if r.Coverage != nil {
		for rest := r.Coverage.Items; len(rest) > 0; {
			n := 1
			for n < len(rest) && rest[n].Source.File == rest[0].Source.File {
				n++
			}
			writeRecord(&b, rest[:n])
			rest = rest[n:]
		}
	}
	_, err := io.WriteString(inert.NewWriter(w), b.String())
	return err
}

// A lcovLine holds the parts that begin on one line.
type lcovLine struct {
	number int
	parts  [][]outcome.Covered // each with its branches
}

// writeRecord writes what was reached in one file. Parts without a line are left out.
func writeRecord(b *strings.Builder, items []outcome.Covered) {
	lines := lcovLines(items)
	if len(lines) == 0 {
		return
	}
	fmt.Fprintf(b, "TN:\nSF:%s\n", yamldoc.Source{File: items[0].Source.File})
	branches, taken := 0, 0
	for _, line := range lines {
		if len(line.parts) == 1 && len(line.parts[0]) == 1 {
			continue
		}
		for block, part := range line.parts {
			for i, branch := range part {
				branches++
				times := fmt.Sprint(branch.Times)
				switch {
				case branch.Times > 0:
					taken++
				case line.hits() == 0:
					times = "-" // its line was never reached
				}
				fmt.Fprintf(b, "BRDA:%d,%d,%d,%s\n", line.number, block, i, times)
			}
		}
	}
	fmt.Fprintf(b, "BRF:%d\nBRH:%d\n", branches, taken)
	hit := 0
	for _, line := range lines {
		fmt.Fprintf(b, "DA:%d,%d\n", line.number, line.hits())
		if line.hits() > 0 {
			hit++
		}
	}
	fmt.Fprintf(b, "LF:%d\nLH:%d\nend_of_record\n", len(lines), hit)
}

// lcovLines returns the lines of one file, in order, which is the order of the items.
func lcovLines(items []outcome.Covered) (lines []lcovLine) {
	for _, item := range items {
		if item.Source.Line == 0 {
			continue
		}
		if len(lines) == 0 || lines[len(lines)-1].number != item.Source.Line {
			lines = append(lines, lcovLine{number: item.Source.Line})
		}
		line := &lines[len(lines)-1]
		if n := len(line.parts); n > 0 && samePart(line.parts[n-1][0], item) {
			line.parts[n-1] = append(line.parts[n-1], item)
			continue
		}
		line.parts = append(line.parts, []outcome.Covered{item})
	}
	return lines
}

func samePart(a, b outcome.Covered) bool {
	return a.Part == b.Part && a.Of == b.Of && a.What == b.What
}

// hits returns the highest number of times that a part of the line was reached.
func (l lcovLine) hits() (most int) {
	for _, part := range l.parts {
		times := 0
		for _, branch := range part {
			times += branch.Times
		}
		most = max(most, times)
	}
	return most
}
