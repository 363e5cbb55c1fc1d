package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/internal/answer"
	"github.com/admsim/admsim/internal/auditlog"
	"github.com/admsim/admsim/internal/didyoumean"
	"github.com/admsim/admsim/internal/encode"
	"github.com/admsim/admsim/internal/fault"
	"github.com/admsim/admsim/internal/redact"
	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/report/formats"
	"github.com/admsim/admsim/internal/serve"
	"github.com/admsim/admsim/internal/world"
	"github.com/admsim/admsim/pkg/report"
	"github.com/admsim/admsim/pkg/rest"
	"github.com/admsim/admsim/pkg/simulator"
)

// auditFormat is the one format of the log that is not also a format of results.
const auditFormat = "audit"

var logFormats = []string{string(formats.Text), string(formats.JSONLines), auditFormat}

// logFlags are the flags of serve's log of requests and answers.
type logFlags struct {
	path    string
	format  string
	reads   bool
	verbose bool
	shared  bool // several servers write to the file: it is appended to, one write per entry
	secrets redactFlags
}

func (f *logFlags) add(c *cobra.Command) {
	flags := c.Flags()
	flags.StringVar(&f.path, "log", "", "`FILE` to write each request and its answer to, or - for standard output")
	flags.StringVar(&f.format, "log-format", string(formats.Text), "`FORMAT` of the log: text, as run shows requests; jsonl, the same as lines of JSON; or audit, an audit log, which replay reads")
	flags.BoolVar(&f.reads, "log-reads", false, "also log reads: get, list and watch, in an audit log also discovery and health")
	flags.BoolVarP(&f.verbose, "verbose", "v", false, "also log plugins that had nothing to do, why webhooks matched, and audit annotations; as jsonl, the reviews sent")
	ofCluster(c, func() { f.secrets.add(c) })
	setCompletions(c, "log-format", logFormats)
}

// check refuses flags that do not go together.
func (f *logFlags) check(says func(string) bool) error {
	if !slices.Contains(logFormats, f.format) {
		return didyoumean.Unknown(fmt.Sprintf("--log-format: unknown format %q, want one of %s", f.format, strings.Join(logFormats, ", ")), f.format, logFormats)
	}
	if f.path != "" {
		return nil
	}
	if says("log") {
		return hinted(errors.New("--log names no file"), "write - for standard output")
	}
	for _, flag := range []string{"log-format", "log-reads", "verbose", "no-redact", "redact-path"} {
		if says(flag) {
			return hinted(fmt.Errorf("--%s needs a log", flag), "name a file for it: --log FILE, or --log=- for standard output")
		}
	}
	return nil
}

// open opens the log; nil if there is none. read are files that must not be overwritten.
func (f *logFlags) open(stdout io.Writer, read []string, warn func(error)) (*requestLog, error) {
	if f.path == "" {
		return nil, nil
	}
	redactor, err := f.secrets.redactor()
	if err != nil {
		return nil, err
	}
	l := &requestLog{flags: f, redactor: redactor, warn: warn, to: rawWriter(stdout)}
	if f.path != "-" {
		if err := ready([]output{{path: f.path}}, read); err != nil {
			return nil, err
		}
		mode := os.O_TRUNC
		if f.shared {
			mode = os.O_APPEND
		}
		file, err := os.OpenFile(f.path, os.O_WRONLY|os.O_CREATE|mode, logMode)
		if err != nil {
			return nil, err
		}
		l.to, l.file = file, file
		if f.shared {
			l.to = &l.pending
		}
	}
	if f.format != auditFormat {
		l.printer = formats.NewPrinter(l.to, formats.Format(f.format), document.Options{Verbose: f.verbose})
	}
	return l, nil
}

// logMode is the mode of the log, as of recordings: only its owner may read what was sent and answered.
const logMode = 0o600

// A requestLog logs requests while the server runs, in the order of the answers.
type requestLog struct {
	flags    *logFlags
	redactor *redact.Redactor
	warn     func(error)

	mutex   sync.Mutex
	to      io.Writer
	file    *os.File         // nil: standard output
	pending bytes.Buffer     // of a shared log: not yet written to the file
	printer *formats.Printer // nil: an audit log
	failed  bool             // an error was reported; only the first one is

	later auditlog.Later
}

// wrote logs a write of a controller, after the request that it reacts to.
func (l *requestLog) wrote(a *serve.Answered) {
	write, err := l.entries(a)
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if write != nil {
		l.later.Add(a.Began, write)
	}
	l.complain(err, a)
}

// complain reports an error, but only the first one.
func (l *requestLog) complain(err error, a *serve.Answered) {
	if err != nil && !l.failed {
		l.failed = true
		l.warn(fmt.Errorf("the log is not complete: %s %s: %w", a.HTTP.Method, a.HTTP.URL.Path, err))
	}
}

// answered logs a request. It may be called concurrently.
func (l *requestLog) answered(a *serve.Answered) {
	write, err := l.entries(a)
	if write == nil && err == nil {
		return
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if write != nil {
		err = errors.Join(l.later.CatchUp(a.Began), write(), l.flush())
	}
	l.complain(err, a)
}

// flush writes the collected entries of a shared log.
func (l *requestLog) flush() error {
	if l.pending.Len() == 0 {
		return nil
	}
	_, err := l.file.Write(l.pending.Bytes())
	l.pending.Reset()
	return err
}

// omits reports whether a request is not logged because it only reads.
func (l *requestLog) omits(a *serve.Answered) bool { return !l.flags.reads && isRead(a) }

func isRead(a *serve.Answered) bool {
	return a.Request.Resource.Resource == "" || slices.Contains([]string{rest.Get, rest.List, "watch"}, a.Request.Verb)
}

// entries returns a function that writes the entry of a request; nil if there is nothing to write. In an audit log, the entry
// follows those of the requests that the server sent to itself in order to answer it, which may change something even if the
// request only reads: the use of a token does. Other formats are about clients.
func (l *requestLog) entries(a *serve.Answered) (write func() error, err error) {
	all := []*serve.Answered{a}
	if l.printer == nil {
		all = append(slices.Clone(a.ToItself()), a)
	}
	var writes []func() error
	for _, one := range all {
		if l.omits(one) {
			continue
		}
		w, err := l.entry(one)
		if err != nil {
			return nil, err
		}
		if w != nil {
			writes = append(writes, w)
		}
	}
	if len(writes) == 0 {
		return nil, nil
	}
	return func() (err error) {
		for _, w := range writes {
			err = errors.Join(err, w())
		}
		return err
	}, nil
}

// entry returns a function that writes the entry of a request; nil if the format has no entry for it.
func (l *requestLog) entry(a *serve.Answered) (write func() error, err error) {
	if l.printer == nil {
		event, err := auditlog.Event(a, time.Now(), l.redactor)
		return func() error { return encode.JSON(l.to, event) }, err
	}
	if a.Request.Resource.Resource == "" {
		return nil, nil
	}
	detail := document.Usual
	if l.flags.verbose {
		detail = document.Reviews
	}
	shown, err := answer.New(world.Asked{API: a.Request, Simulator: a.Found}, resultOf(a), detail, l.redactor)
	if err != nil {
		return nil, err
	}
	if a.Undecided != nil { // without the secrets in the text of the error
		_, after, _ := strings.Cut(shown.Status.Message, serve.CannotTell)
		shown.Undecided, shown.DeniedBy = after, nil
		_, shown.Hint = wordsOf(a.Undecided)
	} else if f := a.Fault; f != nil && f.Kind == fault.Lost {
		shown.Hint = "the client did not get this answer because of an injected fault, " + f.Source
	} else if f != nil {
		shown.DeniedBy, shown.Hint = &report.Decider{Fault: string(f.Kind), Source: f.Source}, ""
	} else if by := shown.DeniedBy; by != nil && by.Plugin == "" && shown.Authorization == nil {
		shown.Hint = "" // hints are about files of requests
	}
	return func() error { return l.printer.Result(shown) }, nil
}

// resultOf returns the answer in the form in which the simulator gives it.
func resultOf(a *serve.Answered) *simulator.Result {
	if a.Result != nil {
		return a.Result
	}
	r := &simulator.Result{Next: a.Found, Response: rest.Response{Code: a.Code, State: a.Found.State()}}
	if a.Status != nil {
		r.Object = a.Status
	} else if a.Code >= http.StatusBadRequest {
		r.Object = &metav1.Status{Status: metav1.StatusFailure, Code: int32(a.Code), Message: http.StatusText(a.Code)}
	}
	return r
}

// close ends the log.
func (l *requestLog) close() (err error) {
	if l == nil {
		return nil
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	err = errors.Join(l.later.CatchUp(time.Time{}), l.flush())
	if l.printer != nil {
		err = errors.Join(err, l.printer.Close(), l.flush())
	}
	if l.file != nil {
		err = errors.Join(err, l.file.Close())
	}
	if err != nil {
		return fmt.Errorf("writing the log: %w", err)
	}
	return nil
}
