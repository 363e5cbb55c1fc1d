package process

import (
	"fmt"
	"strings"
)

// shownLines is how much of the output is part of a message.
const shownLines = 20

// An Error says what a webhook's process did wrong.
type Error struct {
	Name    string
	Problem string
	Output  string // what it wrote, as [Process.Output]
}

func (e *Error) Error() string {
	text := fmt.Sprintf("webhook %s %s", e.Name, e.Problem)
	output := strings.TrimRight(e.Output, "\n")
	if output == "" {
		return text + "; it wrote nothing"
	}
	lines := strings.Split(output, "\n")
	if len(lines) > shownLines {
		lines = lines[len(lines)-shownLines:]
	}
	return text + "; its last output:\n\t" + strings.Join(lines, "\n\t")
}
