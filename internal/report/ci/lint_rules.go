package ci

import (
	"fmt"
	"io"
	"strings"

	"github.com/admsim/admsim/internal/inert"
	"github.com/admsim/admsim/internal/report/document"
)

// lintIntroduction has %s in place of the address of Kubernetes' page.
const lintIntroduction = `# admsim lint

<!-- Written by: go run ./cmd/admsim lint --rules -o markdown=docs/lint.md -->

` + "`admsim lint PATH...`" + ` reads webhook configurations, admission policies and the other manifests of a cluster, and reports what
is wrong with them before any request fails. The rules are the good practices of [Kubernetes' own page], as far as they can
be checked, and common mistakes in policies. Whether a webhook would be called for a request is decided by the same matcher
that runs requests. What the API server would refuse to store, such as an expression that does not compile, or Deny together
with Warn, is a finding at its line (ADM100), and so is what cannot be read in a file (ADM101). All else is looked at without it.

[Kubernetes' own page]: %s

The more of the cluster the manifests contain, the more is found. With the Services and workloads behind webhooks: deadlocks
and missing endpoints. With CustomResourceDefinitions: rules that match nothing. With requests (` + "`--corpus PATH`" + `) and
backends: what webhooks do to requests, and which requests reach no webhook at all. With audit logs as the corpus, and no backends:
who undoes what webhooks set.

Findings go to standard output as text, or as ` + "`-o json`, `-o sarif`, `-o github`, `-o junit`" + `; several formats at once with
` + "`-o FORMAT=FILE`" + `. The exit code is 1 if a finding is at least as severe as ` + "`--fail-on`" + ` says (by
default, error).

## Accepted findings

To accept a finding, annotate the object that it is about, and give the reason:

` + "```yaml" + `
metadata:
  annotations:
    admsim.dev/lint-ignore: "ADM063: one replica is enough for the test cluster; long-timeout: it calls a scanner"
` + "```" + `

or add an entry to the file ` + "`.admsim.yaml`" + ` in the current folder, where ` + "`*`" + ` matches any part of a name except a slash:

` + "```yaml" + `
lint:
  ignore:
  - rule: ADM050
    object: MutatingWebhookConfiguration/istio-*
    reason: istiod writes it
` + "```" + `

An entry without a reason, an entry that ignores nothing, and an entry for a rule that does not exist are findings themselves.

To start with a configuration that has many findings, run ` + "`admsim lint world/ --accept 'older than the check'`" + `. It adds an
entry for each of them to that file. From then on, only new findings are reported, and entries that are no longer needed.
`

func WriteRulesMarkdown(w io.Writer, l *document.LintRules, _ document.Options) error {
	var b strings.Builder
	b.WriteString(strings.Replace(lintIntroduction, "%s", l.Page, 1))
	theme := ""
	for _, r := range l.Rules {
		if r.Theme != theme {
			theme = r.Theme
			fmt.Fprintf(&b, "\n## %s\n", theme)
		}
		fmt.Fprintf(&b, "\n### <a id=\"%s\"></a>%s %s\n\n", r.Name, r.ID, r.Name)
		about := r.Severity
		if r.Corpus {
			about += ", needs a corpus"
		}
		fmt.Fprintf(&b, "%s *(%s)*\n\n%s\n\nRemedy: %s.\n", r.Title, about, r.Why, code(r.Remedy))
		if r.URL != "" {
			fmt.Fprintf(&b, "\n[More on Kubernetes' page](%s)\n", r.URL)
		}
	}
	_, err := io.WriteString(inert.NewWriter(w), b.String())
	return err
}

// code marks YAML at the end of a remedy as code, with the field that it is the value of.
func code(s string) string {
	i := strings.Index(s, "{")
	if i < 0 {
		return s
	}
	if field, isValue := strings.CutSuffix(s[:i], ": "); isValue {
		i = strings.LastIndex(field, " ") + 1
	}
	return s[:i] + "`" + s[i:] + "`"
}
