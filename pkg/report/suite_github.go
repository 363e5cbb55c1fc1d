package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/admsim/admsim/internal/suite"
)

// writeSuitesGitHub writes what is wrong with suites as the commands that GitHub shows in
// the files of a pull request. Its summary page takes [Markdown].
func writeSuitesGitHub(w io.Writer, r *suite.Results, _ Options) error {
	var b strings.Builder
	for _, s := range r.Suites {
		for _, t := range troubles(s) {
			command := "error"
			if t.sort == suiteWarning {
				command = "warning"
			}
			annotate(&b, command, Place(t.at), t.of, t.full())
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// annotate writes one command; an annotation without a file is shown with the whole run.
func annotate(b *strings.Builder, command string, at Place, title, text string) {
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
