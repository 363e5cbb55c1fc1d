package suite

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/suite/outcome"
	"github.com/admsim/admsim/internal/survey"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// every checks what is expected of a region. An error means that admsim cannot tell.
func (x *execution) every(is *scenario.Every, expects []scenario.Expect, prefix string) error {
	plugins, err := x.world.Plugins()
	if err != nil {
		return err
	}
	w := survey.NewWorld(x.suite.Name, x.client.Simulator(), plugins)
	of := survey.Every{Operations: is.Operations, NamespaceSelector: is.NamespaceSelector, ObjectSelector: is.ObjectSelector}
	for _, r := range is.Resources {
		of.Resources = append(of.Resources, survey.ParseResource(r))
	}
	for _, c := range is.Conditions {
		of.Conditions = append(of.Conditions, c.Expression)
	}
	region, err := w.Region(of)
	if err != nil {
		return scenario.At(is.Source, err)
	}
	for _, e := range expects {
		if !x.combination.Fits(e) {
			continue
		}
		for i, one := range e.Asked {
			f := outcome.Failure{Source: one.Source, Path: fmt.Sprintf("%s.asked[%d]", prefix, i), Want: one.Name + " asked about each of them"}
			if err := x.exceptions(f, "not asked about ", region.Unseen(one.Name)); err != nil {
				return err
			}
			x.asked = append(x.asked, w.Places(one.Name)...)
		}
		for i, one := range e.NotAsked {
			f := outcome.Failure{Source: one.Source, Path: fmt.Sprintf("%s.notAsked[%d]", prefix, i), Want: one.Name + " asked about none of them"}
			if err := x.exceptions(f, "asked about ", region.Seen(one.Name)); err != nil {
				return err
			}
		}
	}
	return nil
}

// mostExceptions is how many exceptions are shown for one expectation.
const mostExceptions = 3

// exceptions adds a failure with the requests for which an expectation does not hold.
func (x *execution) exceptions(f outcome.Failure, is string, all []survey.Example) error {
	if len(all) == 0 {
		return nil
	}
	var got []string
	for i, one := range all {
		if i == mostExceptions {
			got = append(got, fmt.Sprintf("and %d more", len(all)-i))
			break
		}
		lines := []string{is + one.Text}
		if one.Witness != nil {
			example := "such as " + one.Witness.Request.String()
			if one.Because != "" {
				example += ": " + one.Because
			}
			if len(one.Witness.Needs) > 0 {
				example += ", if " + strings.Join(one.Witness.Needs, " and ") + ", which was not checked"
			}
			lines = append(lines, example)
			command, err := x.witness(one)
			if err != nil {
				return err
			}
			if f.Hint == "" {
				f.Hint = command
			}
		}
		got = append(got, strings.Join(lines, "\n  "))
	}
	f.Got = strings.Join(got, "\n")
	x.result.Failures = append(x.result.Failures, f)
	return nil
}

// witness writes a request to a file, if that is wanted, and returns a command that shows it.
func (x *execution) witness(of survey.Example) (command string, err error) {
	if x.options.Witness == nil {
		return "--witnesses FOLDER writes these requests to files, for admsim explain", nil
	}
	load, own := x.objects()
	var list struct {
		APIVersion string            `json:"apiVersion"`
		Kind       string            `json:"kind"`
		Items      []json.RawMessage `json:"items"`
	}
	if err := json.Unmarshal(of.Witness.Manifest, &list); err != nil {
		return "", fmt.Errorf("reading a witness: %w", err)
	}
	list.Items = append(own, list.Items...)
	manifest, err := json.Marshal(list)
	if err != nil {
		return "", fmt.Errorf("writing a witness: %w", err)
	}
	about := x.result.FullName() + ": " + of.Text
	for _, need := range of.Witness.Needs {
		about += "\nonly if " + need + ", which was not checked"
	}
	file, err := x.options.Witness(x.result.FullName(), about, manifest)
	command = "admsim explain"
	if version := x.variant.Kubernetes.Version; version != kubeversion.Default().Version {
		command += " --kubernetes-version " + version
	}
	for _, path := range append(load, file) {
		command += " -C " + path
	}
	return command, err
}

// objects returns the objects of the world that have no file of their own, and the files and folders of the others. If
// a case replaces objects, all objects are returned.
func (x *execution) objects() (load []string, own []json.RawMessage) {
	w := x.world.World()
	whole := len(x.of.Override.Objects) > 0 || strings.Contains(x.suite.Source.File, ".txtar")
	if !whole {
		load = w.Load
	}
	for _, m := range w.Objects {
		if whole || m.Source.File == x.suite.Source.File {
			own = append(own, m.JSON)
		}
	}
	return load, own
}
