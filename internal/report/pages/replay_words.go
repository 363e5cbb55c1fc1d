package pages

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/admsim/admsim/internal/recording"
	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/report/words"
)

// unknown describes what is unknown; the code is used in counts and lines, too.
func unknown(r recording.Code, detail string) string {
	words := "not known: " + string(r)
	if meaning := r.Meaning(); meaning != "" {
		words = "not known: " + meaning + " (" + string(r) + ")"
	}
	return strings.TrimSuffix(words+": "+detail, ": ")
}

// noteInWords describes what an annotation of the audit log says about the call of a webhook. The annotation is JSON in
// a text: mutation.webhook.admission.k8s.io/round_0_index_0 and similar. Any other value is returned as it is.
func noteInWords(key, value string) string {
	sort, place, isCall := strings.Cut(key, ".webhook.admission.k8s.io/round_")
	var note string
	if !isCall || json.Unmarshal([]byte(value), &note) != nil {
		return value
	}
	in := ""
	number, _, _ := strings.Cut(place, "_")
	if round, err := strconv.Atoi(number); err == nil { // it is * for many
		in = fmt.Sprintf(" in round %d", round+1)
	}
	if strings.HasPrefix(sort, "failed-open") {
		return note + " failed open" + in
	}
	var call struct {
		Configuration, Webhook string
		Mutated                *bool
		Patch                  json.RawMessage
	}
	if json.Unmarshal([]byte(note), &call) != nil || call.Webhook == "" {
		return value
	}
	name := words.NameOf(call.Configuration, call.Webhook)
	switch {
	case len(call.Patch) > 0:
		return name + " sent a patch" + in + ": " + words.Shorten(document.Flow(call.Patch), 400)
	case call.Mutated != nil && *call.Mutated:
		return name + " was called" + in + " and changed the object"
	case call.Mutated != nil:
		return name + " was called" + in + " and left the object as it was"
	}
	return value
}
