package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/admsim/admsim/internal/lazyregexp"
	"github.com/admsim/admsim/internal/lint"
	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/wholefile"
)

// accept has the project file ignore all that was found.
func (l *lintCommand) accept(r *lint.Result, project scenario.Project, stderr io.Writer) error {
	head, err := commentsAbove(l.project)
	if err != nil {
		return err
	}
	ignore, accepted := r.Accept(project.Ignore, l.reason)
	text, err := document.ProjectYAML(ignore)
	if err != nil {
		return err
	}
	if err := wholefile.Write(l.project, append([]byte(head), text...), resultMode); err != nil {
		return err
	}
	fmt.Fprintf(stderr, "admsim: %s accepted in %s\n", counted(accepted, "finding"), l.project)
	return nil
}

var (
	quoted  = lazyregexp.New(`'[^'\n]*'|"(\\.|[^"\\\n])*"`) // in which # is a letter
	comment = lazyregexp.New(`(?m)(^|\s)#`)
)

// commentsAbove is what a project file begins with that is only for people. One with further comments
// is an error: it cannot be written anew without losing them.
func commentsAbove(name string) (head string, err error) {
	data, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	rest := string(data)
	for line := range strings.Lines(rest) {
		if text := strings.TrimSpace(line); text != "" && !strings.HasPrefix(text, "#") {
			break
		}
		head, rest = head+line, strings.TrimPrefix(rest, line)
	}
	rest = quoted().ReplaceAllString(rest, "")
	if at := comment().FindStringIndex(rest); at != nil {
		line := strings.Count(head+rest[:at[1]], "\n") + 1
		return "", hinted(fmt.Errorf("%s:%d: the comment would be lost when the file is rewritten", name, line),
			"make it the reason of the entry, or move it to the top of the file")
	}
	return head, nil
}
