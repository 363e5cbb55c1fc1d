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

// An Answer says how a mock answers a call. The zero value allows the request.
//
// The short forms, Allow to AuditAnnotations, say what the webhook decides. Response is the response of an
// AdmissionReview, Review a whole review, and Raw any text. Convert answers a ConversionReview. At most one of these
// five forms may be used. HTTP, Headers and Delay can be combined with each of them. With a Fault there is no body.
type Answer struct {
	// When is a CEL expression over the variables of match conditions and `call`, the number of the call. Empty: the
	// answer belongs to the n-th call, see [Mock].
	When string `json:"when,omitempty"`

	Allow            *bool             `json:"allow,omitempty"` // nil: true without Deny, else false
	Deny             *metav1.Status    `json:"deny,omitempty"`
	Patch            json.RawMessage   `json:"patch,omitempty"`     // a list of operations, or the text of the patch as a string
	PatchType        string            `json:"patchType,omitempty"` // empty: JSONPatch if there is a patch
	Merge            json.RawMessage   `json:"merge,omitempty"`     // a merge patch, sent as the JSON patch with the same effect
	Warnings         []string          `json:"warnings,omitempty"`
	AuditAnnotations map[string]string `json:"auditAnnotations,omitempty"`

	Response json.RawMessage `json:"response,omitempty"` // the uid is added; a patch that is a list is encoded
	Review   json.RawMessage `json:"review,omitempty"`   // $uid stands for the uid
	Raw      *string         `json:"raw,omitempty"`
	Convert  string          `json:"convert,omitempty"` // how to convert: apiVersionOnly

	HTTP    int               `json:"http,omitempty"`    // 0: 200
	Headers map[string]string `json:"headers,omitempty"` // the Content-Type is application/json unless set
	Delay   metav1.Duration   `json:"delay,omitempty"`
	Fault   Fault             `json:"fault,omitempty"`
}

// prepared is an Answer that was checked and converted to the form in which it is sent.
type prepared struct {
	status  int
	header  http.Header
	latency time.Duration
	fault   Fault

	// The body to send: body as it is, or else review with $uid replaced, or else a review made of response, which has
	// the members that follow the uid, and of the patch that has the effect of merge.
	body, review, response []byte
	converts               bool // converts custom resources to the requested version
	merge                  json.RawMessage
}

// contentType is what most webhooks send. The server repeats the text of an error only if the Content-Type is another.
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
	switch forms := a.forms(); {
	case len(forms) > 1:
		return fmt.Errorf("%s exclude each other", strings.Join(forms, " and "))
	case len(forms) == 1 && a.Fault.ends():
		return fmt.Errorf("fault %s leaves no room for %s", a.Fault, forms[0])
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

// forms returns the forms in which a defines its body.
func (a Answer) forms() []string {
	var forms []string
	if a.Allow != nil || a.Deny != nil || a.Patch != nil || a.PatchType != "" || a.Merge != nil || a.Warnings != nil || a.AuditAnnotations != nil {
		forms = append(forms, "allow, deny, patch, merge, warnings, auditAnnotations")
	}
	if a.Response != nil {
		forms = append(forms, "response")
	}
	if a.Review != nil {
		forms = append(forms, "review")
	}
	if a.Raw != nil {
		forms = append(forms, "raw")
	}
	if a.Convert != "" {
		forms = append(forms, "convert")
	}
	return forms
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
	p.response = afterUID(text)
	return nil
}

// short adds the members that the short forms stand for.
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

// encodePatchList encodes a patch that is given as a list, in the way that webhooks have to send it.
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

// afterUID returns the members of a JSON object in the form in which they follow a first member.
func afterUID(object []byte) []byte {
	inner := object[1 : len(object)-1]
	if len(inner) == 0 {
		return nil
	}
	return append([]byte{','}, inner...)
}
