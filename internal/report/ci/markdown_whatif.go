package ci

import (
	"fmt"
	"io"

	"github.com/admsim/admsim/internal/inert"
	"github.com/admsim/admsim/internal/report/document"
)

// WriteWhatifMarkdown writes the answer to a question, in GitHub's Markdown and within GitHub's size limit: what checks
// found, or what is known of all possible requests.
func WriteWhatifMarkdown(w io.Writer, answer document.Whatif, o document.Options) error {
	m := &Markdown{options: o}
	switch answer := answer.(type) {
	case *document.Check:
		checkMarkdown(answer, m)
	case *document.Survey:
		surveyMarkdown(answer, m)
	case *document.Equivalence:
		equivalenceMarkdown(answer, m)
	default:
		return fmt.Errorf("%T cannot be written as Markdown", answer)
	}
	_, err := io.WriteString(inert.NewWriter(w), m.String())
	return err
}
