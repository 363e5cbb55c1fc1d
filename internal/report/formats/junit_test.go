package formats

import (
	"encoding/xml"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jstemmer/go-junit-report/v2/junit"

	"github.com/admsim/admsim/internal/report/ci"
	"github.com/admsim/admsim/internal/report/reporttest"
	"github.com/admsim/admsim/internal/suite/outcome"
)

// Other programs that read JUnit can read the output, even with hostile text.
func TestJUnit(t *testing.T) {
	text := written(t, JUnit, reporttest.Results(t))
	var read junit.Testsuites
	d := xml.NewDecoder(strings.NewReader(text))
	d.Strict = true
	if err := d.Decode(&read); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if read.Tests != 6 || read.Failures != 1 || read.Errors != 3 || read.Skipped != 1 || read.Time != "1.400" {
		t.Errorf("testsuites %d tests, %d failures, %d errors, %d skipped in %s", read.Tests, read.Failures, read.Errors, read.Skipped, read.Time)
	}
	var placed struct {
		Cases []struct {
			File string `xml:"file,attr"`
			Line int    `xml:"line,attr"`
		} `xml:"testsuite>testcase"`
	}
	if err := xml.Unmarshal([]byte(text), &placed); err != nil || len(placed.Cases) != 6 || placed.Cases[2].File != "tests/pods.yaml" || placed.Cases[2].Line != 20 {
		t.Errorf("%v; the places of testcases are %v", err, placed.Cases)
	}
	var names []string
	for i, s := range read.Suites {
		if s.ID != i {
			t.Errorf("suite %d has the id %d", i, s.ID)
		}
		for _, c := range s.Testcases {
			names = append(names, c.Classname+"/"+c.Name)
		}
	}
	if diff := cmp.Diff([]string{"pods/(suite)", "pods/allowed", "pods/denied[fault=timeout]", "pods/" + ci.XmlText(reporttest.Hostile), "pods/later", "broken/(suite)"}, names); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	failed := read.Suites[0].Testcases[2]
	for _, want := range []string{
		"tests/pods.yaml:23: expect.allowed: want true, got false", "hint: images.shop.example denied it", "-a: 1\n+a: 2",
	} {
		if !strings.Contains(failed.Failure.Data, want) {
			t.Errorf("the failure has no %q:\n%s", want, failed.Failure.Data)
		}
	}
	if !strings.Contains(failed.SystemOut.Data, "denied  create pods shop/bad-web") {
		t.Errorf("the output does not say how it came about:\n%s", failed.SystemOut.Data)
	}
	if read.Suites[0].Testcases[1].SystemOut != nil {
		t.Error("a case that passed has output")
	}
	if !strings.Contains(text, `<?xml version="1.0" encoding="UTF-8"?>`) {
		t.Error("the output does not begin like XML")
	}
}

// An empty result is also a document.
func TestJUnitEmpty(t *testing.T) {
	var read junit.Testsuites
	if err := xml.Unmarshal([]byte(written(t, JUnit, &outcome.Results{})), &read); err != nil || read.Tests != 0 {
		t.Errorf("%v, %+v", err, read)
	}
}
