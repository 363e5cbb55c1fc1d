package certificate

import (
	"crypto/tls"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// serve answers handshakes with pair until the test ends.
func serve(t *testing.T, pair Pair) (address string) {
	t.Helper()
	config, err := pair.Server()
	if err != nil {
		t.Fatal(err)
	}
	l, err := tls.Listen("tcp", "127.0.0.1:0", config)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			_ = c.(*tls.Conn).Handshake()
			_ = c.Close()
		}
	}()
	t.Cleanup(func() { _ = l.Close(); <-done })
	return l.Addr().String()
}

func TestTrust(t *testing.T) {
	now := time.Now()
	authority, err := NewAuthority(now)
	if err != nil {
		t.Fatal(err)
	}
	other, err := NewAuthority(now)
	if err != nil {
		t.Fatal(err)
	}
	issue := func(at time.Time, names ...string) Pair {
		pair, err := authority.Issue(at, names...)
		if err != nil {
			t.Fatal(err)
		}
		return pair
	}
	names := append(ServiceNames("shop", "hook"), Local()...)
	for _, c := range []struct {
		reason string
		pair   Pair
		trust  Trust
		want   string // part of the error
	}{
		{"the name that the API server asks for", issue(now, names...), Trust{Bundle: authority.Bundle(), Name: "hook.shop.svc"}, ""},
		{"the short name", issue(now, names...), Trust{Bundle: authority.Bundle(), Name: "hook.shop"}, ""},
		{"the address that is dialled", issue(now, names...), Trust{Bundle: authority.Bundle()}, ""},
		{"localhost", issue(now, names...), Trust{Bundle: authority.Bundle(), Name: "localhost"}, ""},
		{"another service", issue(now, names...), Trust{Bundle: authority.Bundle(), Name: "hook.other.svc"}, "not hook.other.svc"},
		{"another authority", issue(now, names...), Trust{Bundle: other.Bundle()}, "unknown authority"},
		{"the authorities of the system", issue(now, names...), Trust{}, "unknown authority"},
		{"not verified", issue(now, "elsewhere"), Trust{Insecure: true}, ""},
		{"expired", issue(now.AddDate(-2, 0, 0), names...), Trust{Bundle: authority.Bundle()}, "expired"},
		{"a name longer than a common name may be", issue(now, strings.Repeat("n", 63)+".shop.svc"), Trust{Bundle: authority.Bundle(), Name: strings.Repeat("n", 63) + ".shop.svc"}, ""},
	} {
		t.Run(c.reason, func(t *testing.T) {
			err := c.trust.Answers(t.Context(), serve(t, c.pair))
			switch {
			case err == nil && c.want != "":
				t.Errorf("Answers() = nil, want %q", c.want)
			case err != nil && (c.want == "" || !strings.Contains(err.Error(), c.want)):
				t.Errorf("Answers() = %v, want %q", err, c.want)
			}
			var stranger *StrangerError
			if errors.As(err, &stranger) != (c.want != "") {
				t.Errorf("Answers() = %T", err)
			}
		})
	}
}

// That nobody answers is not a StrangerError.
func TestNobodyAnswers(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = l.Close()
	err = Trust{Insecure: true}.Answers(t.Context(), l.Addr().String())
	var stranger *StrangerError
	if err == nil || errors.As(err, &stranger) {
		t.Errorf("Answers() = %v, want a refused connection", err)
	}
}

func TestNoName(t *testing.T) {
	authority, err := NewAuthority(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := authority.Issue(time.Now()); err == nil {
		t.Error("Issue() without a name succeeds")
	}
}

// The certificates in a folder are used for as long as they are suitable.
func TestLoadOrNew(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "certs")
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	var bundle, certificate string
	for _, c := range []struct {
		reason    string
		now       time.Time
		names     []string
		sameCA    bool
		sameServe bool
	}{
		{"the first", start, []string{"a"}, false, false},
		{"all exist", start, []string{"a"}, true, true},
		{"another name", start, []string{"a", "127.0.0.1"}, true, false},
		{"fewer names", start, []string{"127.0.0.1"}, true, true},
		{"about to expire", start.AddDate(0, 11, 10), []string{"a"}, true, false},
		{"the authority expires", start.AddDate(10, 0, 0), []string{"a"}, false, false},
	} {
		authority, pair, err := LoadOrNew(folder, c.now, c.names...)
		if err != nil {
			t.Fatalf("%s: %v", c.reason, err)
		}
		if got := string(authority.Bundle()) == bundle; got != c.sameCA {
			t.Errorf("%s: same authority: %v, want %v", c.reason, got, c.sameCA)
		}
		if got := string(pair.Certificate) == certificate; got != c.sameServe {
			t.Errorf("%s: same certificate: %v, want %v", c.reason, got, c.sameServe)
		}
		bundle, certificate = string(authority.Bundle()), string(pair.Certificate)
	}
	key, err := os.Stat(filepath.Join(folder, KeyFile))
	if err != nil || key.Mode().Perm() != 0o600 {
		t.Errorf("mode of the key: %v, %v", key.Mode(), err)
	}
}

// Certificates that were not made here are neither used nor overwritten.
func TestForeignFolder(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, CertificateFile)
	if err := os.WriteFile(file, []byte("theirs"), 0o644); err != nil {
		t.Fatal(err)
	}
	_, _, err := LoadOrNew(folder, time.Now(), "a")
	var foreign *ForeignError
	if !errors.As(err, &foreign) {
		t.Errorf("LoadOrNew() = %v, want a ForeignError", err)
	}
	if text, _ := os.ReadFile(file); string(text) != "theirs" {
		t.Error("the certificate was overwritten")
	}
}
