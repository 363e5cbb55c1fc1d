package main

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/report/formats"
	"github.com/admsim/admsim/internal/serve"
)

// logs are the logs that clients asked for: POST /logs begins a log, and DELETE /logs/NAME ends it and returns what
// happened to each request in between, as run shows it. admsimtest.Explain is such a client.
type logs struct {
	warn func(error)

	mutex sync.Mutex
	begun int
	open  map[string]*clientLog
}

type clientLog struct {
	log  *requestLog
	text *bounded
}

// mostLogs limits the number of open logs: a client that crashes leaves its own behind.
const mostLogs = 64

// answered writes a request to every open log.
func (l *logs) answered(a *serve.Answered) {
	l.mutex.Lock()
	open := slices.Collect(maps.Values(l.open))
	l.mutex.Unlock()
	for _, one := range open {
		one.log.answered(a)
	}
}

func (l *logs) serve(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(strings.TrimPrefix(r.URL.Path, "/logs"), "/")
	switch {
	case r.Method == http.MethodPost && name == "":
		name, err := l.begin()
		if err != nil {
			http.Error(w, err.Error(), http.StatusTooManyRequests)
			return
		}
		w.WriteHeader(http.StatusCreated)
		_, _ = io.WriteString(w, name) // an error means that the client is gone
	case r.Method == http.MethodDelete && name != "":
		text, ok := l.end(name)
		if !ok {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write(text)
	default:
		http.Error(w, "POST /logs begins a log, DELETE /logs/NAME ends it", http.StatusMethodNotAllowed)
	}
}

func (l *logs) begin() (name string, err error) {
	flags := &logFlags{format: string(formats.Text)}
	redactor, err := flags.secrets.redactor()
	if err != nil {
		return "", err
	}
	text := &bounded{}
	log := &requestLog{flags: flags, redactor: redactor, warn: l.warn, to: text, printer: formats.NewPrinter(text, formats.Text, document.Options{})}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if len(l.open) == mostLogs {
		return "", fmt.Errorf("there are %d logs already, and no more are allowed", mostLogs)
	}
	if l.open == nil {
		l.open = map[string]*clientLog{}
	}
	l.begun++
	name = strconv.Itoa(l.begun)
	l.open[name] = &clientLog{log, text}
	return name, nil
}

func (l *logs) end(name string) (text []byte, ok bool) {
	l.mutex.Lock()
	one, ok := l.open[name]
	delete(l.open, name)
	l.mutex.Unlock()
	if !ok {
		return nil, false
	}
	if err := one.log.close(); err != nil {
		l.warn(err)
	}
	return one.text.Bytes(), true
}

// bounded is a buffer that refuses writes once it is longer than mostLogged.
type bounded struct{ bytes.Buffer }

// mostLogged is the maximum length of the text of a log.
const mostLogged = 16 << 20

func (b *bounded) Write(p []byte) (int, error) {
	if b.Len() > mostLogged {
		return 0, fmt.Errorf("it is longer than %d MiB", mostLogged>>20)
	}
	return b.Buffer.Write(p)
}
