package steps

import "github.com/admsim/admsim/pkg/admission"

// warningNotes says which warnings of a hook the server does not send, and why (W-254).
func warningNotes(warnings []string) (notes []string) {
	for _, text := range warnings {
		var alone admission.Warnings
		alone.Add(text)
		switch {
		case text == "":
			notes = append(notes, "its empty warning is not sent")
		case len(alone.List()) == 0:
			notes = append(notes, "its warning is not sent, since it contains a line break or another control character")
		}
	}
	return notes
}
