package linter

import (
	"regexp"
	"strings"

	"github.com/admsim/admsim/internal/encode"
	"github.com/admsim/admsim/internal/scenario"
)

// A projectFile is what [scenario.LoadProject] reads.
type projectFile struct {
	Lint projectLint `json:"lint"`
}

type projectLint struct {
	Ignore []projectIgnore `json:"ignore"`
}

type projectIgnore struct {
	Rule   string `json:"rule"`
	Object string `json:"object,omitempty"`
	Reason string `json:"reason,omitempty"`
}

// ProjectYAML returns a project file that ignores these findings, to replace a file with the text before. It keeps the
// comments at the top.
func ProjectYAML(name, before string, ignore []scenario.Ignore) ([]byte, error) {
	head, err := commentsAbove(name, before)
	if err != nil {
		return nil, err
	}
	p := projectFile{projectLint{Ignore: []projectIgnore{}}}
	for _, i := range ignore {
		p.Lint.Ignore = append(p.Lint.Ignore, projectIgnore{i.Rule, i.Object, i.Reason})
	}
	text, err := encode.YAML(p)
	return append([]byte(head), text...), err
}

var (
	quoted  = regexp.MustCompile(`'[^'\n]*'|"(\\.|[^"\\\n])*"`) // in which # does not begin a comment
	comment = regexp.MustCompile(`(?m)(^|\s)#`)
)

// commentsAbove returns the comments at the beginning of a project file. It returns an error if the file has other
// comments, which would be lost.
func commentsAbove(name, text string) (head string, err error) {
	rest := text
	for line := range strings.Lines(text) {
		if text := strings.TrimSpace(line); text != "" && !strings.HasPrefix(text, "#") {
			break
		}
		head, rest = head+line, strings.TrimPrefix(rest, line)
	}
	rest = quoted.ReplaceAllString(rest, "")
	if at := comment.FindStringIndex(rest); at != nil {
		line := strings.Count(head+rest[:at[1]], "\n") + 1
		return "", &scenario.Error{
			Source:  scenario.Source{File: name, Line: line},
			Message: "the comment would be lost when the file is rewritten",
			Hint:    "make it the reason of the entry, or move it to the top of the file",
		}
	}
	return head, nil
}
