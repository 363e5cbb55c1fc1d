package ci

import (
	"io"
	"strings"

	"github.com/admsim/admsim/internal/inert"
	"github.com/admsim/admsim/internal/report/document"
)

// WriteGitHub writes findings as the commands that GitHub shows in the files of a pull request.
func WriteGitHub(w io.Writer, l *document.Lint, _ document.Options) error {
	commands := map[string]string{"error": "error", "warning": "warning", "info": "notice"}
	var b strings.Builder
	for _, f := range l.Findings {
		text := f.Message
		if who := f.Who(); who != "" {
			text = who + ": " + text
		}
		annotate(&b, commands[f.Severity], f.At, f.Rule+" "+f.Name, text+"\nremedy: "+f.Remedy)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

var (
	messageEscapes  = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	propertyEscapes = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// GitHub writes decoded parts of a command to the log again, so these must be inert as well.
func message(s string) string { return messageEscapes.Replace(inert.Text(s)) }

func property(s string) string { return propertyEscapes.Replace(inert.Text(s)) }
