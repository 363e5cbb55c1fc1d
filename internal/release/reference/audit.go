package reference

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

// An AuditLog reads a server's audit log while it is written.
type AuditLog struct {
	file   string
	offset int64
	events map[string]event // events that were not requested yet, by ID
}

type event struct {
	AuditID     string
	Stage       string
	Annotations map[string]string
}

// Annotations returns those of the request with that Audit-ID, except for those about authentication, authorization and
// latency, and those that only admsim has.
func (l *AuditLog) Annotations(ctx context.Context, id string) (map[string]string, error) {
	deadline := time.Now().Add(10 * time.Second) // the event is written after the answer
	for {
		if err := l.read(); err != nil {
			return nil, err
		}
		if e, ok := l.events[id]; ok {
			delete(l.events, id)
			return ofAdmission(e.Annotations), nil
		}
		if time.Now().After(deadline) {
			return nil, fmt.Errorf("the audit log has no event %s", id)
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(5 * time.Millisecond):
		}
	}
}

func ofAdmission(all map[string]string) map[string]string {
	kept := map[string]string{}
	for name, value := range all {
		from, _, _ := strings.Cut(name, "/")
		switch from {
		case "authentication.k8s.io", "authorization.k8s.io", "apiserver.latency.k8s.io", "admsim.dev":
			continue
		}
		kept[name] = value
	}
	if len(kept) == 0 {
		return nil
	}
	return kept
}

// read reads the lines that were completed since the last call.
func (l *AuditLog) read() error {
	f, err := os.Open(l.file)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	if _, err := f.Seek(l.offset, io.SeekStart); err != nil {
		return err
	}
	for lines := bufio.NewReader(f); ; {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return nil // an incomplete line is read next time
		}
		if err != nil {
			return err
		}
		l.offset += int64(len(line))
		var e event
		if err := json.Unmarshal(line, &e); err != nil {
			return fmt.Errorf("%s: %w", l.file, err)
		}
		if e.Stage == "ResponseStarted" {
			continue // a long-running request, which ends with another event
		}
		if l.events == nil {
			l.events = map[string]event{}
		}
		l.events[e.AuditID] = e
	}
}
