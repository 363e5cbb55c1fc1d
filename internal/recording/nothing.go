package recording

import (
	"errors"
	"fmt"
	"strings"

	"github.com/admsim/admsim/internal/hint"
)

// NothingToRun returns the error for a recording with so many records, none of which is a request to run. unlogged
// counts the requests whose bodies were not logged. accept says what else the user could try.
func NothingToRun(records, unlogged int, accept string) error {
	switch {
	case records == 0:
		return hint.Add(errors.New("nothing was run: the recording is empty"), accept)
	case unlogged == 0:
		return hint.Add(errors.New("nothing was run: the recording has no request that changes something"), accept)
	}
	policy := "the audit policy has to log level Request or RequestResponse"
	if accept != "" {
		policy += "; " + accept
	}
	requests := "1 request"
	if unlogged > 1 {
		requests = fmt.Sprintf("%d requests", unlogged)
	}
	return hint.Add(fmt.Errorf("nothing was run: the bodies of %s were not logged", requests), policy)
}

// NothingBefore returns the error for a recording in which nothing that can be run comes before the place from which on
// it cannot be read.
func NothingBefore(at, why string) error { return fmt.Errorf("nothing was run: %s: %s", at, why) }

// NothingReadable returns the error for a recording in which no record can be read, by the place of the
// first and what is wrong with it.
func NothingReadable(code Code, at, why string) error {
	switch code {
	case Invalid:
		return fmt.Errorf("nothing in the recording can be read; the first record: %s: %s", at, why)
	case Damaged:
		return fmt.Errorf("nothing in the recording can be read: %s: %s", at, why)
	}
	if strings.Contains(at, ".yaml:") || strings.Contains(at, ".yml:") {
		return hint.Add(errors.New("nothing in the recording can be read"), "a recording is an audit log or AdmissionReviews, in JSON. To send the objects of a manifest, use admsim run -f, or admsim diff")
	}
	return hint.Add(errors.New("nothing in the recording can be read"), "is it an audit log (audit.k8s.io/v1), or AdmissionReviews in JSON, one after the other? If a log collector has wrapped them, unwrap them: jq -c '.message | fromjson'")
}

// Overlapping returns the warning that the logs of several API servers are read as if they were one log.
func Overlapping(earlier, source string) (text, hint string) {
	return fmt.Sprintf("%s begins before %s ends: files are read one after the other, so that requests do not find what those in the other had changed", source, earlier),
		`make one log of those of several API servers: jq -r '.stageTimestamp + "\t" + tojson' FILES | sort | cut -f2-`
}

// Names returns the names of the files of a recording.
func Names(sources []Source) []string {
	names := make([]string, len(sources))
	for i, s := range sources {
		names[i] = s.Name
	}
	return names
}
