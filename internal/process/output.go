package process

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"
)

// kept is how many bytes of output are kept.
const kept = 64 << 10

// A tail keeps the end of the output of a process and its children.
type tail struct {
	read, write *os.File
	closed      chan struct{} // closed when nobody can write any more

	file *os.File // a log of the whole output; nil: none
	name string   // prefix of each line in the log

	mutex   sync.Mutex
	text    []byte
	dropped int
	begun   []byte // the last line of the log, until it is complete
}

// log also appends all output to a file.
func (t *tail) log(path, name string) (err error) {
	if path == "" {
		return nil
	}
	t.name = name
	if t.file, err = os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600); err != nil {
		return fmt.Errorf("the log of webhooks: %w", err)
	}
	return nil
}

// logged appends complete lines to the log. A full disk is no reason to stop the webhook.
func (t *tail) logged(text []byte) {
	t.begun = append(t.begun, text...)
	end := bytes.LastIndexByte(t.begun, '\n') + 1
	var lines []byte
	for line := range bytes.Lines(t.begun[:end]) {
		lines = append(append(append(lines, t.name...), ": "...), line...)
	}
	_, _ = t.file.Write(lines)
	t.begun = append(t.begun[:0], t.begun[end:]...)
}

func (t *tail) written() int {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return t.dropped + len(t.text)
}

func (t *tail) since(written int) string {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return string(t.text[min(max(written-t.dropped, 0), len(t.text)):])
}

// capture redirects the output of c to a tail. It creates the pipe itself, so that waiting for the process does not
// mean waiting for its children.
func capture(c *exec.Cmd) (*tail, error) {
	read, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	c.Stdout, c.Stderr = write, write
	return &tail{read: read, write: write, closed: make(chan struct{})}, nil
}

// started begins to read, once the process has the other end of the pipe.
func (t *tail) started(err error) {
	_ = t.write.Close()
	if err != nil {
		_ = t.read.Close()
		t.closeLog()
		return
	}
	go func() {
		defer close(t.closed)
		_, _ = io.Copy(t, t.read)
		_ = t.read.Close()
		t.closeLog()
	}()
}

func (t *tail) closeLog() {
	if t.file == nil {
		return
	}
	if len(t.begun) > 0 {
		t.logged([]byte("\n"))
	}
	_ = t.file.Close()
}

// escaped is how long output is still read after all processes were killed. Only a child that left the process group
// can write longer than that.
const escaped = time.Second

// finish reads the remaining output.
func (t *tail) finish() {
	_ = t.read.SetReadDeadline(time.Now().Add(escaped))
	<-t.closed
}

func (t *tail) Write(text []byte) (int, error) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if t.file != nil {
		t.logged(text)
	}
	t.text = append(t.text, text...)
	if over := len(t.text) - kept; over > kept { // rarely, since it moves what is kept
		t.dropped += over
		t.text = append(t.text[:0], t.text[over:]...)
	}
	return len(text), nil
}

func (t *tail) String() string {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	over := max(len(t.text)-kept, 0)
	if dropped := t.dropped + over; dropped > 0 {
		return fmt.Sprintf("(%d bytes before)\n%s", dropped, t.text[over:])
	}
	return string(t.text)
}
