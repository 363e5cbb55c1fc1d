// Package lines holds the results for the records of a recording, as plain data: a [Line] for each record, which is the
// wire format of admsim replay, the [Summary] that counts lines, and [Merge], which merges the lines of shards.
//
// The package runs and compares nothing: package replay does that.
package lines

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/admsim/admsim/internal/bug"
	"github.com/admsim/admsim/internal/recording"
)

// An Outcome is the result for a record.
type Outcome string

// The outcomes. Every record has exactly one.
const (
	Agrees     Outcome = "agrees"      // admsim answers as the cluster did
	Differs    Outcome = "differs"     // it does not: see Differences
	CannotTell Outcome = "cannot-tell" // something that is needed is unknown: see Reason
	Skipped    Outcome = "skipped"     // not a request to run, or not chosen: see Reason
	Broken     Outcome = "broken"      // cannot be read: see Reason
)

// Ran reports whether there are two answers to compare.
func (o Outcome) Ran() bool { return o == Agrees || o == Differs }

// A Line is the result for one record. As JSON it is the wire format of admsim replay.
type Line struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	Source int    `json:"source"` // index of the file, from 0
	Offset int64  `json:"offset"`

	Form recording.Form `json:"form,omitempty"`
	ID   string         `json:"id,omitempty"`
	Time *time.Time     `json:"time,omitempty"`

	Verb        string `json:"verb,omitempty"`
	Group       string `json:"group,omitempty"`
	Version     string `json:"version,omitempty"`
	Resource    string `json:"resource,omitempty"`
	Subresource string `json:"subresource,omitempty"`
	Namespace   string `json:"namespace,omitempty"`
	Name        string `json:"name,omitempty"`
	User        string `json:"user,omitempty"`

	Outcome Outcome  `json:"outcome"`
	Reason  *Reason  `json:"reason,omitempty"`
	Unknown []Reason `json:"unknown,omitempty"` // what is unknown, although the request ran

	Recorded    int          `json:"recordedCode,omitempty"`
	Code        int          `json:"code,omitempty"` // of admsim
	Webhooks    []string     `json:"webhooks,omitempty"`
	Differences []Difference `json:"differences,omitempty"`
}

// A Reason explains an outcome.
type Reason struct {
	Code   recording.Code `json:"code"`
	Detail string         `json:"detail,omitempty"`
}

// A Difference is one place where the answers differ.
type Difference struct {
	What What   `json:"what"`
	Path string `json:"path,omitempty"`
	// The two values; a value that does not exist is left out.
	Recorded  json.RawMessage `json:"recorded,omitempty"`
	Simulated json.RawMessage `json:"simulated,omitempty"`
	Webhook   string          `json:"webhook,omitempty"` // the webhook it is about, if any

	// Denied says who denies in admsim what the cluster allowed.
	Denied *Denied `json:"denied,omitempty"`
	// Because says why what denied the request in the cluster does not deny it in admsim.
	Because string `json:"because,omitempty"`
}

// A Denied says who denied a request in admsim, and why.
type Denied struct {
	By      string `json:"by"`               // the webhook or policy, a plugin, or the API server
	Source  string `json:"source,omitempty"` // file and line of that webhook or policy
	Message string `json:"message"`
}

// A What is a part of an answer.
type What string

// The parts of an answer that are compared.
const (
	Allowed     What = "allowed"
	Code        What = "code"
	Message     What = "message"
	Status      What = "status"      // the rest of a denial
	Webhooks    What = "webhooks"    // called, or failed open
	Patches     What = "patches"     // of webhooks
	Annotations What = "annotations" // in the audit log, by policies and others
	Object      What = "object"
)

// Of returns the line of a record, without its outcome.
func Of(r *recording.Record) *Line {
	l := placed(r.Position)
	l.Form, l.ID = r.Form, r.ID
	if !r.Time.IsZero() {
		l.Time = &r.Time
	}
	l.Verb, l.Subresource, l.Namespace, l.Name = r.Verb, r.Subresource, r.Namespace, r.Name
	l.Group, l.Version, l.Resource = r.Resource.Group, r.Resource.Version, r.Resource.Resource
	l.User = r.User.Username
	l.Recorded = r.Answer.Code
	if !r.Runs() {
		l.Outcome, l.Reason = Skipped, reasonOf(r.Skip)
		return l
	}
	for _, u := range r.Unknown {
		l.Unknown = append(l.Unknown, *reasonOf(u))
	}
	return l
}

// Unread returns the line of a part that cannot be read.
func Unread(e *recording.BrokenError) *Line {
	l := placed(e.Position)
	l.Outcome, l.Reason = Broken, &Reason{Code: e.Code, Detail: e.Err.Error()}
	if caught := (*bug.Error)(nil); errors.As(e.Err, &caught) {
		l.CannotTell(recording.BugInAdmsim, caught.Error())
	}
	if e.Lines > 1 {
		l.Reason.Detail += fmt.Sprintf("; left out up to line %d", e.Line+e.Lines-1)
	}
	return l
}

func placed(p recording.Position) *Line {
	return &Line{File: p.File, Line: p.Line, Source: p.Source, Offset: p.Offset}
}

func reasonOf(r recording.Reason) *Reason { return &Reason{r.Code, r.Detail} }

// Position returns where the record is.
func (l *Line) Position() recording.Position {
	return recording.Position{Source: l.Source, File: l.File, Line: l.Line, Offset: l.Offset}
}

// CannotTell sets the outcome to cannot-tell, with a reason.
func (l *Line) CannotTell(code recording.Code, detail string) {
	l.Outcome, l.Reason, l.Differences = CannotTell, &Reason{code, detail}, nil
}
