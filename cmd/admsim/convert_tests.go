package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/admsim/admsim/internal/convert"
	"github.com/admsim/admsim/internal/report/words"
)

const convertTestsUsage = `convert %s reads %s
in a file, or anywhere in a folder, and writes suites for admsim test. Names stay as they are. Files
that the tests refer to are copied, so that paths keep working. Policies without a binding get one that
denies.

What a suite cannot express is listed with its file and line. Nothing is written then, unless
--skip-unsupported is given.`

// A testTool is a tool whose tests can be converted.
type testTool struct{ name, title, tests string }

var testTools = []testTool{
	{"gator", "Suites of gator", "the Suites of gator whose templates are written in CEL (K8sNativeValidation),"},
	{"kyverno", "kyverno tests of admission policies", "the kyverno-test.yaml files of the kyverno CLI about admission policies of Kubernetes"},
	{"kaptest", "test manifests of kaptest", "the test manifests of kaptest, of admission policies,"},
	{"kube-vap-test", "tests of kube-vap-test", "the ValidatingAdmissionPolicyTests of kube-vap-test"},
	{"cel-admission-library", "tests of the cel-admission-library", "the tests.json files of the cel-admission-library"},
}

type convertTests struct {
	tool    testTool
	out     string
	force   bool
	lenient bool
}

// newConvertTests returns a command for each tool whose tests can be converted.
func newConvertTests() (all []*cobra.Command) {
	for _, tool := range testTools {
		t := &convertTests{tool: tool}
		c := &cobra.Command{
			Use:     tool.name + " PATH -o DIR",
			Short:   "Turn " + tool.title + " into suites",
			Long:    fmt.Sprintf(convertTestsUsage, tool.name, tool.tests),
			Example: "  admsim convert " + tool.name + " policies/ -o converted/\n  admsim test converted/...",
			Args:    cobra.ExactArgs(1),
			RunE: func(c *cobra.Command, args []string) error {
				return t.run(args[0], c.OutOrStdout(), c.ErrOrStderr())
			},
		}
		c.Flags().StringVarP(&t.out, "output", "o", "", "`DIR` to write to; it may be PATH itself")
		c.Flags().BoolVar(&t.force, "force", false, "overwrite existing files")
		c.Flags().BoolVar(&t.lenient, "skip-unsupported", false, "leave out what cannot be converted, with a warning instead of an error")
		all = append(all, c)
	}
	return all
}

func (t *convertTests) run(from string, stdout, stderr io.Writer) error {
	if t.out == "" {
		return hinted(errors.New("there is no folder to write to"), "name it with -o")
	}
	result, err := convert.Run(t.tool.name, from)
	if err != nil {
		return err
	}
	if len(result.Unsupported) > 0 {
		if !t.lenient {
			return errors.Join(result.Unsupported, hinted(errors.New("nothing is written"), "--skip-unsupported leaves out what cannot be converted"))
		}
		printWarnings(stderr, result.Unsupported)
	}
	printWarnings(stderr, result.Warnings)
	if result.Cases == 0 {
		return errors.New("no case could be converted")
	}
	files := map[string][]byte{}
	for _, f := range result.Files {
		files[f.Name] = f.Data
	}
	written, err := writeFiles(t.out, files, t.force)
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "%s in %s\n", words.Plural(result.Cases, "case"), words.Plural(suitesAmong(written), "file"))
	fmt.Fprintf(stdout, "next: admsim test %s/...\n", strings.TrimSuffix(filepath.ToSlash(t.out), "/"))
	return nil
}

func suitesAmong(names []string) (n int) {
	for _, name := range names {
		if strings.HasSuffix(name, "admsim.yaml") {
			n++
		}
	}
	return n
}
