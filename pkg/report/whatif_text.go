package report

import (
	"io"

	"github.com/admsim/admsim/internal/inert"
)

func writeDiffText(w io.Writer, d *Diff, o Options) error {
	p := &page{palette: paletteOf(o.Colour)}
	d.text(p, o.Verbose)
	_, err := io.WriteString(inert.NewWriter(w), p.String())
	return err
}

func writeWhatifText(w io.Writer, answer Whatif, o Options) error {
	p := &page{palette: paletteOf(o.Colour)}
	switch answer := answer.(type) {
	case *Outage:
		answer.text(p, o.Verbose)
	case *Check:
		answer.text(p, o.Verbose)
	case *Blame:
		answer.text(p, o.Verbose)
	case *Latency:
		answer.text(p, o.Verbose)
	}
	_, err := io.WriteString(inert.NewWriter(w), p.String())
	return err
}
