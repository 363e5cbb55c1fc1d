package process

import (
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"unicode"
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

// Hint returns what to try after [Start] of command returned err, or "" if that is not known.
func Hint(err error, command []string, o Options) string {
	var failed *runError
	var misspelt *placeholderError
	switch {
	case errors.As(err, &failed) && failed.early:
		return "can you start it yourself? " + atShell(command, o.Dir)
	case errors.As(err, &failed):
		return "have it listen on {{.Port}} and serve with the certificate in {{.CertDir}}; or say port, ready or startTimeout"
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, exec.ErrNotFound), errors.Is(err, fs.ErrPermission):
		return "is it built, and can it be run from there? dir names another folder: " + atShell(command, o.Dir)
	case errors.Is(err, syscall.EADDRINUSE):
		return "who listens there? without port, and with {{.Port}} in the command, a free one is found"
	case errors.As(err, &misspelt):
		return misspelt.hint()
	}
	return ""
}

// atShell returns what starts the program at a shell, except for the values of placeholders.
func atShell(command []string, folder string) string {
	if absolute, err := filepath.Abs(folder); err == nil {
		folder = absolute
	}
	line := "cd " + quoted(folder) + " &&"
	for _, word := range command {
		line += " " + quoted(word)
	}
	return line
}

// quoted returns a word as a shell reads it.
func quoted(word string) string {
	if word != "" && !strings.ContainsFunc(word, special) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

func special(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-_./=:,@%+", r)
}
