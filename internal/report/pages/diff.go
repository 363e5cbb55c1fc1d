package pages

import (
	"strings"
)

// diffLines returns the lines of a unified diff, each with its kind.
func diffLines(diff string) (lines []diffLine) {
	for line := range strings.Lines(diff) {
		line = strings.TrimRight(line, "\n")
		class := "same"
		switch {
		case strings.HasPrefix(line, "---"), strings.HasPrefix(line, "+++"), strings.HasPrefix(line, "@@"):
			class = "about"
		case strings.HasPrefix(line, "-"):
			class = "gone"
		case strings.HasPrefix(line, "+"):
			class = "come"
		}
		lines = append(lines, diffLine{class, line})
	}
	return lines
}
