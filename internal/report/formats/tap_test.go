package formats

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/admsim/admsim/internal/inert"
	"github.com/admsim/admsim/internal/report/reporttest"
	"github.com/admsim/admsim/internal/report/words"
	"github.com/admsim/admsim/internal/suite/outcome"
)

// A tapPoint is one test as a harness sees it.
type tapPoint struct {
	OK        bool
	Name      string
	Directive string
	YAML      map[string]any
}

// parseTAP parses a stream according to https://testanything.org/tap-version-14-specification.html, and accepts nothing
// else: a version, one plan, points in order, and YAML blocks only below points.
func parseTAP(text string) (points []tapPoint, err error) {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if lines[0] != "TAP version 14" {
		return nil, fmt.Errorf("begins with %q", lines[0])
	}
	plan := regexp.MustCompile(`^1\.\.(\d+)( # .*)?$`).FindStringSubmatch(lines[1])
	if plan == nil {
		return nil, fmt.Errorf("%q is no plan", lines[1])
	}
	point := regexp.MustCompile(`^(not )?ok (\d+) - ((?:[^\\#]|\\\\|\\#)*?)(?: # ((?i:skip|todo)\b.*))?$`)
	for i := 2; i < len(lines); i++ {
		found := point.FindStringSubmatch(lines[i])
		if found == nil {
			return nil, fmt.Errorf("line %d: %q is no test point", i+1, lines[i])
		}
		if found[2] != strconv.Itoa(len(points)+1) {
			return nil, fmt.Errorf("line %d: test %s instead of %d", i+1, found[2], len(points)+1)
		}
		p := tapPoint{OK: found[1] == "", Name: strings.NewReplacer(`\\`, `\`, `\#`, "#").Replace(found[3]), Directive: found[4]}
		if i+1 < len(lines) && lines[i+1] == "  ---" {
			var block []string
			for i += 2; i < len(lines) && lines[i] != "  ..."; i++ {
				if lines[i] != "" && !strings.HasPrefix(lines[i], "  ") {
					return nil, fmt.Errorf("line %d: %q is not in the block", i+1, lines[i])
				}
				block = append(block, strings.TrimPrefix(lines[i], "  "))
			}
			if i == len(lines) {
				return nil, fmt.Errorf("a block has no end")
			}
			if err := yaml.UnmarshalStrict([]byte(strings.Join(block, "\n")), &p.YAML); err != nil {
				return nil, err
			}
		}
		points = append(points, p)
	}
	if plan[1] != strconv.Itoa(len(points)) {
		return nil, fmt.Errorf("%d points, planned are %s", len(points), plan[1])
	}
	return points, nil
}

func TestTAP(t *testing.T) {
	text := written(t, TAP, reporttest.Results(t))
	points, err := parseTAP(text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	var got []string
	for _, p := range points {
		got = append(got, fmt.Sprintf("%t %s %s", p.OK, p.Name, p.Directive))
	}
	want := []string{
		"false pods ", "true pods/allowed ", "false pods/denied[fault=timeout] ", "false pods/" + inert.Text(words.OneLine(reporttest.Hostile)) + " ",
		"true pods/later SKIP not yet # really", "false broken ",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	problems := points[2].YAML["problems"].([]any)
	first, second := problems[0].(map[string]any), problems[1].(map[string]any)
	if len(problems) != 3 || first["at"] != "tests/pods.yaml:23" || first["hint"] != "images.shop.example denied it" || !strings.Contains(second["diff"].(string), "-a: 1\n+a: 2") {
		t.Errorf("problems are %v", problems)
	}
	if message := points[3].YAML["problems"].([]any)[1].(map[string]any)["message"]; message != inert.Text(reporttest.Hostile) {
		t.Errorf("hostile text became %q", message)
	}
}

func TestTAPEmpty(t *testing.T) {
	if text := written(t, TAP, &outcome.Results{}); text != "TAP version 14\n1..0 # SKIP no cases\n" {
		t.Errorf("nothing is %q", text)
	}
}
