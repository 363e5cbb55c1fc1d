package dispatch

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// An Answer is how a mock answers a call. The zero value allows the request.
//
// The short forms, Allow to AuditAnnotations, say what the webhook decides. Response is the response of an
// AdmissionReview, Review a whole review, and Raw any text. Convert answers a ConversionReview. At most one of these five
// forms may be used. HTTP, Headers and Delay go with each of them. With a Fault there is no body.
type Answer struct {
	// When is a CEL expression over the variables of match conditions and `call`, the number of the call. Empty:
	// the answer belongs to the n-th call, see [Mock].
	When string `json:"when,omitempty"`

	Allow            *bool             `json:"allow,omitempty"` // nil: true without Deny, else false
	Deny             *metav1.Status    `json:"deny,omitempty"`
	Patch            json.RawMessage   `json:"patch,omitempty"`     // operations as a list, or as a string the patch's text
	PatchType        string            `json:"patchType,omitempty"` // empty: JSONPatch where there is a patch
	Merge            json.RawMessage   `json:"merge,omitempty"`     // a merge patch, sent as the JSON patch that has its effect
	Warnings         []string          `json:"warnings,omitempty"`
	AuditAnnotations map[string]string `json:"auditAnnotations,omitempty"`

	Response json.RawMessage `json:"response,omitempty"` // the uid is added; a list as patch is encoded
	Review   json.RawMessage `json:"review,omitempty"`   // $uid stands for the uid
	Raw      *string         `json:"raw,omitempty"`
	Convert  string          `json:"convert,omitempty"` // how to convert: apiVersionOnly

	HTTP    int               `json:"http,omitempty"`    // 0: 200
	Headers map[string]string `json:"headers,omitempty"` // the Content-Type is application/json unless given
	Delay   metav1.Duration   `json:"delay,omitempty"`
	Fault   Fault             `json:"fault,omitempty"`
}

// A prepared answer is an Answer that was checked and put into the form that is sent.
type prepared struct {
	status  int
	header  http.Header
	latency time.Duration
	fault   Fault

	// What is sent: body as it is, else review with $uid in it, else a review made of
	// response, which is the members behind its uid, and of the patch that merge makes.
	body, review, response []byte
	converts               bool // custom resources, to the version that is asked for
	merge                  json.RawMessage
}

// contentType is what webhooks send, mostly; the server repeats the text of an error only
// from a webhook that sends another.
const contentType = "application/json"

func (a Answer) prepare() (prepared, error) {
	p := prepared{status: a.HTTP, latency: a.Delay.Duration, fault: a.Fault, header: http.Header{}}
	p.header.Set("Content-Type", contentType)
	for k, v := range a.Headers {
		p.header.Set(k, v)
	}
	switch {
	case p.status == 0:
		p.status = http.StatusOK
	case p.status < 100 || p.status > 999:
		return p, fmt.Errorf("http: %d is no status", a.HTTP)
	}
	if p.latency < 0 {
		return p, fmt.Errorf("delay: %v is in the past", p.latency)
	}
	if err := a.Fault.check(); err != nil {
		return p, err
	}
	return p, a.prepareBody(&p)
}

func (a Answer) prepareBody(p *prepared) error {
	switch ways := a.ways(); {
	case len(ways) > 1:
		return fmt.Errorf("%s exclude each other", strings.Join(ways, " and "))
	case len(ways) == 1 && a.Fault.ends():
		return fmt.Errorf("fault %s leaves no room for %s", a.Fault, ways[0])
	case a.Raw != nil:
		p.body = []byte(*a.Raw)
		return nil
	case a.Review != nil:
		p.review = a.Review
		return nil
	case a.Convert != "":
		if a.Convert != apiVersionOnly {
			return fmt.Errorf("convert: want %s", apiVersionOnly)
		}
		p.converts = true
		return nil
	}
	return a.prepareResponse(p)
}

// ways are the ways in which a says what is in its body.
func (a Answer) ways() []string {
	var ways []string
	if a.Allow != nil || a.Deny != nil || a.Patch != nil || a.PatchType != "" || a.Merge != nil || a.Warnings != nil || a.AuditAnnotations != nil {
		ways = append(ways, "allow, deny, patch, merge, warnings, auditAnnotations")
	}
	if a.Response != nil {
		ways = append(ways, "response")
	}
	if a.Review != nil {
		ways = append(ways, "review")
	}
	if a.Raw != nil {
		ways = append(ways, "raw")
	}
	if a.Convert != "" {
		ways = append(ways, "convert")
	}
	return ways
}

func (a Answer) prepareResponse(p *prepared) error {
	response := map[string]json.RawMessage{}
	if a.Response != nil {
		if err := json.Unmarshal(a.Response, &response); err != nil || response == nil {
			return errors.New("response: want an object, as in an AdmissionReview")
		}
		if err := encodePatchList(response); err != nil {
			return fmt.Errorf("response: %w", err)
		}
	} else if err := a.short(response, p); err != nil {
		return err
	}
	delete(response, "uid")
	text, err := json.Marshal(response)
	if err != nil {
		return err
	}
	p.response = behindUID(text)
	return nil
}

// short writes out the short forms.
func (a Answer) short(response map[string]json.RawMessage, p *prepared) error {
	allowed := a.Deny == nil
	if a.Allow != nil {
		if *a.Allow && a.Deny != nil {
			return errors.New("allow: true and deny exclude each other")
		}
		allowed = *a.Allow
	}
	set := func(name string, v any) error {
		text, err := json.Marshal(v)
		response[name] = text
		return err
	}
	err := set("allowed", allowed)
	if a.Deny != nil {
		err = errors.Join(err, set("status", a.Deny))
	}
	if a.Warnings != nil {
		err = errors.Join(err, set("warnings", a.Warnings))
	}
	if a.AuditAnnotations != nil {
		err = errors.Join(err, set("auditAnnotations", a.AuditAnnotations))
	}
	if a.PatchType != "" {
		err = errors.Join(err, set("patchType", a.PatchType))
	}
	return errors.Join(err, a.shortPatch(response, p, set))
}

func (a Answer) shortPatch(response map[string]json.RawMessage, p *prepared, set func(string, any) error) error {
	switch {
	case a.Patch != nil && a.Merge != nil:
		return errors.New("patch and merge exclude each other")
	case a.Merge != nil && a.PatchType != "":
		return errors.New("merge and patchType exclude each other: it is always sent as a JSONPatch")
	case a.Merge != nil:
		p.merge = a.Merge
		return nil
	case a.Patch == nil:
		return nil
	}
	var text string
	if json.Unmarshal(a.Patch, &text) == nil {
		if a.PatchType == "" {
			response["patchType"] = json.RawMessage(`"JSONPatch"`)
		}
		return set("patch", []byte(text))
	}
	response["patch"] = a.Patch
	return encodePatchList(response)
}

// encodePatchList encodes a patch that is given as a list, as webhooks have to send it.
func encodePatchList(response map[string]json.RawMessage) error {
	patch := bytes.TrimSpace(response["patch"])
	if len(patch) == 0 || patch[0] != '[' {
		if len(patch) > 0 && patch[0] == '{' {
			return errors.New("patch: want a list of operations")
		}
		return nil
	}
	response["patch"] = json.RawMessage(`"` + base64.StdEncoding.EncodeToString(patch) + `"`)
	if _, given := response["patchType"]; !given {
		response["patchType"] = json.RawMessage(`"JSONPatch"`)
	}
	return nil
}

// behindUID is a JSON object as the members that follow a first one.
func behindUID(object []byte) []byte {
	inner := object[1 : len(object)-1]
	if len(inner) == 0 {
		return nil
	}
	return append([]byte{','}, inner...)
}
