package text

import (
	"io"

	"github.com/admsim/admsim/internal/inert"
	"github.com/admsim/admsim/internal/report/document"
)

func WriteDiff(w io.Writer, d *document.Diff, o document.Options) error {
	p := newPage(o)
	diffText(d, p, o.Verbose)
	_, err := io.WriteString(inert.NewWriter(w), p.String())
	return err
}

func WriteWhatif(w io.Writer, answer document.Whatif, o document.Options) error {
	p := newPage(o)
	switch answer := answer.(type) {
	case *document.Outage:
		outageText(answer, p, o.Verbose)
	case *document.Check:
		checkText(answer, p, o.Verbose)
	case *document.Blame:
		blameText(answer, p, o.Verbose)
	case *document.Latency:
		latencyText(answer, p, o.Verbose)
	case *document.Survey:
		surveyText(answer, p, o.Verbose)
	case *document.Equivalence:
		if err := equivalenceText(answer, p, o.Verbose); err != nil {
			return err
		}
	}
	_, err := io.WriteString(inert.NewWriter(w), p.String())
	return err
}
