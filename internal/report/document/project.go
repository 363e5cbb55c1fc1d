package document

import (
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

// ProjectYAML is the project file that ignores these findings.
func ProjectYAML(ignore []scenario.Ignore) ([]byte, error) {
	p := projectFile{projectLint{Ignore: []projectIgnore{}}}
	for _, i := range ignore {
		p.Lint.Ignore = append(p.Lint.Ignore, projectIgnore{i.Rule, i.Object, i.Reason})
	}
	return encode.YAML(p)
}
