package render

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/admsim/admsim/internal/hint"
	"github.com/admsim/admsim/internal/manifest"
	"github.com/admsim/admsim/internal/projectfiles"
	"github.com/admsim/admsim/internal/yamldoc"
)

// Helm builds charts with the helm of the PATH.
type Helm struct{}

// Marks returns the name of the file that marks a chart.
func (Helm) Marks() []string { return []string{"Chart.yaml"} }

// Build builds what helm install would create for a chart with its own values. The tests of the chart are left out,
// since helm does not install them.
func (Helm) Build(s manifest.SourceFolder) ([]yamldoc.Document, error) {
	f := newFolder(s)
	if f.FS != nil {
		return nil, hint.Add(errors.New("a Helm chart can only be built in a folder of this machine"), "name a folder with the output of helm template")
	}
	if err := linksIn(f); err != nil {
		return nil, err
	}
	helm, err := exec.LookPath("helm")
	if err != nil {
		return nil, wrong(f, fmt.Sprintf("install helm, or load its output: helm template --include-crds %s > FILE", f.Name), "this is a Helm chart, and helm is not on the PATH")
	}
	text, err := f.read(filepath.Join(f.path, f.Mark))
	if err != nil {
		return nil, err
	}
	c := exec.Command(helm, "template", releaseName(f, text), f.path, "--include-crds", "--skip-tests")
	var out, said bytes.Buffer
	c.Stdout, c.Stderr = &out, &said
	if err := c.Run(); err != nil {
		return nil, saidBy(f, said.String(), err)
	}
	return f.charted(out.Bytes())
}

func wrong(f *folder, hint, format string, values ...any) error {
	return &yamldoc.Error{Source: f.mark(), Message: fmt.Sprintf(format, values...), Hint: hint}
}

// linksIn refuses charts with links that lead out of them: helm would read whatever they lead to.
func linksIn(f *folder) error {
	var errs yamldoc.Errors
	err := filepath.WalkDir(f.path, func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.Type()&fs.ModeSymlink != 0 && projectfiles.LeadsOut(f.path, name) {
			errs.Add(yamldoc.Source{File: f.named(name)}, "put the file itself there", "this is a link that leads out of the chart")
		}
		return err
	})
	return errors.Join(err, errs.Err())
}

var notInNames = regexp.MustCompile(`[^a-z0-9-]+`)

// releaseName returns the name of the release: that of the chart, since the user names none.
func releaseName(f *folder, chart []byte) string {
	var errs yamldoc.Errors // reported by helm
	name := filepath.Base(f.path)
	for _, d := range yamldoc.Documents("", chart, &errs) {
		fields, _ := d.Value.(map[string]any)
		if text, _ := fields["name"].(string); text != "" {
			name = text
		}
	}
	name = strings.Trim(notInNames.ReplaceAllString(strings.ToLower(name), "-"), "-")
	if name == "" {
		return "release"
	}
	return name[:min(len(name), 53)] // the longest name that helm accepts
}

// inTemplate finds the place at which helm says that it stopped.
var inTemplate = regexp.MustCompile(`([\w.-]+/[\w./-]+):(\d+)`)

// saidBy returns helm's error, with the place that it names.
func saidBy(f *folder, said string, err error) error {
	said = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(said), "Error: "))
	if said == "" {
		return wrong(f, "", "helm template: %v", err)
	}
	next := "the chart is built with its own values: for others, load the output of helm: helm template --include-crds -f VALUES " + f.Name + " > FILE"
	if strings.Contains(said, "helm dependency build") || strings.Contains(said, "missing in charts/") {
		next = "get them: helm dependency build " + f.Name
	}
	at := f.mark()
	if m := inTemplate.FindStringSubmatch(said); m != nil {
		if _, inside, ok := strings.Cut(m[1], "/"); ok {
			at.File = f.named(filepath.Join(f.path, filepath.FromSlash(inside)))
			at.Line, _ = strconv.Atoi(m[2])
		}
	}
	return &yamldoc.Error{Source: at, Message: "helm template: " + strings.Join(strings.Fields(said), " "), Hint: next, Err: err}
}

var betweenDocuments = regexp.MustCompile(`(?m)^---.*$`)

var sourceComment = regexp.MustCompile(`(?m)^# Source: (\S+)\r?$`)

// charted returns the objects that helm wrote. Each has a comment before it that names its file.
func (f *folder) charted(text []byte) (all []yamldoc.Document, err error) {
	var errs yamldoc.Errors
	var from yamldoc.Source
	for i, chunk := range betweenDocuments.Split(string(text), -1) {
		if m := sourceComment.FindStringSubmatch(chunk); m != nil {
			_, inside, _ := strings.Cut(m[1], "/") // after the name of the chart
			from.File = f.named(filepath.Join(f.path, filepath.FromSlash(inside)))
		}
		at := from.File
		if at == "" {
			at = fmt.Sprintf("%s, document %d that helm makes", f.Name, i)
		}
		for _, d := range yamldoc.Documents(at, []byte(chunk), &errs) {
			from.Line = lineOf(f, from.File, d.Value)
			one, err := f.document(built{encoded(d.Value), from})
			if err != nil {
				return nil, err
			}
			all = append(all, one)
		}
	}
	for _, e := range errs {
		e.Source.Line, e.Source.Column = 0, 0 // these were in helm's output
		e.Message = "the output of helm template for this template is invalid: " + e.Message
	}
	return all, errs.Err()
}

// lineOf returns the line of a template at which an object of this kind is written, if there is only one.
func lineOf(f *folder, file string, value any) (line int) {
	object, _ := value.(map[string]any)
	kind, _ := object["kind"].(string)
	if file == "" || kind == "" {
		return 0
	}
	text, err := f.Read(file)
	if err != nil {
		return 0
	}
	at := regexp.MustCompile(`(?m)^kind: *["']?`+regexp.QuoteMeta(kind)+`["']? *\r?$`).FindAllIndex(text, 2)
	if len(at) != 1 {
		return 0
	}
	return 1 + bytes.Count(text[:at[0][0]], []byte("\n"))
}
