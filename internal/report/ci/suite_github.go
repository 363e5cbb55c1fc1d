package ci

import (
	"fmt"
	"io"
	"strings"

	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/suite/outcome"
)

// WriteSuitesGitHub writes the problems of suites as the commands that GitHub shows in the files of a pull request. For
// its summary page, use [formats.Markdown].
func WriteSuitesGitHub(w io.Writer, r *outcome.Results, _ document.Options) error {
	var b strings.Builder
	for _, s := range r.Suites {
		for _, t := range outcome.Troubles(s) {
			command := "error"
			if t.Sort == outcome.SuiteWarning {
				command = "warning"
			}
			annotate(&b, command, document.Place(t.At), t.Of, t.Full())
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// annotate writes one command; an annotation without a file is shown with the whole run.
func annotate(b *strings.Builder, command string, at document.Place, title, text string) {
	fmt.Fprintf(b, "::%s ", command)
	if at.File != "" {
		fmt.Fprintf(b, "file=%s,", property(at.File))
	}
	if at.Line > 0 {
		fmt.Fprintf(b, "line=%d,", at.Line)
	}
	if at.Column > 0 {
		fmt.Fprintf(b, "col=%d,", at.Column)
	}
	fmt.Fprintf(b, "title=%s::%s\n", property(title), message(text))
}
