package dispatch

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// A Fault is what goes wrong when a mock is called.
type Fault string

const (
	Refuse     Fault = "refuse"    // connection refused
	BadCA      Fault = "badca"     // the certificate is not signed by the caBundle
	Close      Fault = "close"     // the connection is closed without an answer
	Hang       Fault = "hang"      // no answer ever
	Malformed  Fault = "malformed" // the answer is not an AdmissionReview
	WrongUID   Fault = "wronguid"  // the answer is for another review
	PanicFault Fault = "panic"     // the API server panics
)

var faults = []Fault{"", Refuse, BadCA, Close, Hang, Malformed, WrongUID, PanicFault}

func (f Fault) check() error {
	if slices.Contains(faults, f) {
		return nil
	}
	names := make([]string, 0, len(faults))
	for _, known := range faults[1:] {
		names = append(names, string(known))
	}
	return fmt.Errorf("fault: %q is unknown, want one of %s", string(f), strings.Join(names, ", "))
}

// ends reports whether the webhook itself gives no answer. With WrongUID it does, for another review.
func (f Fault) ends() bool { return f != "" && f != WrongUID }

// reply returns the result of the call c.
func (f Fault) reply(c Call) Reply {
	switch f {
	case Refuse:
		return Reply{Err: fmt.Errorf("dial tcp %s: connect: connection refused", hostPort(c.URL))}
	case BadCA:
		return Reply{Err: errors.New("tls: failed to verify certificate: x509: certificate signed by unknown authority")}
	case Close:
		return Reply{Err: c.closed()}
	case Hang:
		return Reply{Latency: Never}
	case Malformed:
		return Reply{Body: []byte("this is no AdmissionReview")}
	case PanicFault:
		return Reply{Panic: "fault declared by a mock"}
	}
	panic("dispatch: no reply for fault " + string(f))
}

func hostPort(called string) string {
	u, err := url.Parse(called)
	switch {
	case err != nil:
		return called
	case u.Port() != "":
		return u.Host
	case u.Scheme == "http":
		return u.Host + ":80"
	}
	return u.Host + ":443"
}

// closed returns the error for a closed connection.
func (c Call) closed() error {
	if c.offersHTTP2() {
		return errors.New("stream error: stream ID 1; INTERNAL_ERROR; received from peer")
	}
	return errors.New("EOF")
}
