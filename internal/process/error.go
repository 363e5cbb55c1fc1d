package process

import (
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"strings"
	"syscall"
)

// shownLines is how many lines of output a message shows.
const shownLines = 20

// A runError reports what a webhook's process did wrong.
type runError struct {
	Name    string
	Problem string
	early   bool   // the process ended before it answered
	Output  string // the output, as in [Process.Output]
}

func (e *runError) Error() string {
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

// Hint returns what to try after [Start] returned err, or "" if that is not known.
func Hint(err error, o Options) string {
	var failed *runError
	var misspelt *placeholderError
	switch {
	case errors.As(err, &failed) && failed.early:
		return fmt.Sprintf("can you start it yourself, in the folder %s, with these arguments?", o.Dir)
	case errors.As(err, &failed):
		return "have it listen on {{.Port}} and serve with the certificate in {{.CertDir}}; or say port, ready or startTimeout"
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, exec.ErrNotFound), errors.Is(err, fs.ErrPermission):
		return fmt.Sprintf("it is started in the folder %s: is it built, and can it be run from there? dir names another folder", o.Dir)
	case errors.Is(err, syscall.EADDRINUSE):
		return "who listens there? without port, and with {{.Port}} in the command, a free one is found"
	case errors.As(err, &misspelt):
		return misspelt.hint()
	}
	return ""
}
