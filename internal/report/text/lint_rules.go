package text

import (
	"fmt"
	"io"
	"strings"

	"github.com/admsim/admsim/internal/inert"
	"github.com/admsim/admsim/internal/report/document"
)

func WriteRules(w io.Writer, l *document.LintRules, o document.Options) error {
	p := paletteOf(o.Colour)
	var b strings.Builder
	theme := ""
	for _, r := range l.Rules {
		if r.Theme != theme {
			if theme != "" {
				b.WriteString("\n")
			}
			theme = r.Theme
			fmt.Fprintln(&b, p.paint(p.bold, theme))
		}
		fmt.Fprintf(&b, "  %s  %s  %-26s %s\n", r.ID, p.paint(p.severity(r.Severity), fmt.Sprintf("%-7s", r.Severity)), r.Name, r.Title)
		if o.Verbose {
			fmt.Fprintf(&b, "          why: %s\n          remedy: %s\n", r.Why, r.Remedy)
		}
	}
	_, err := io.WriteString(inert.NewWriter(w), b.String())
	return err
}
