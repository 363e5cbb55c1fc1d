package consent_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/admsim/admsim/internal/consent"
)

var (
	program    = consent.Act{File: "w.yaml", Line: 3, For: "hook", Program: []string{"./hook"}, Dir: "."}
	connection = consent.Act{File: "w.yaml", Line: 4, For: "hook", Address: "https://127.0.0.1:1"}
)

// decided returns what a policy permits for a program and for a connection.
func decided(p *consent.Policy) (exec, network bool) {
	e, noExec := p.Exec(program)
	n, noNetwork := p.Network(connection)
	return e.Granted() && noExec == nil, n.Granted() && noNetwork == nil
}

// What was not permitted is refused; each permission is separate.
func TestPolicy(t *testing.T) {
	for _, c := range []struct {
		reason        string
		policy        *consent.Policy
		exec, network bool
	}{
		{"there is no policy", nil, false, false},
		{"nothing was permitted", consent.New(consent.Options{}), false, false},
		{"programs", consent.New(consent.Options{Exec: consent.Yes}), true, false},
		{"connections", consent.New(consent.Options{Network: consent.Yes}), false, true},
		{"a no takes precedence over an answer", consent.New(consent.Options{Exec: consent.No, Ask: answer(true)}), false, true},
		{"the answer is yes", consent.New(consent.Options{Ask: answer(true)}), true, true},
		{"the answer is no", consent.New(consent.Options{Ask: answer(false)}), false, false},
	} {
		if exec, network := decided(c.policy); exec != c.exec || network != c.network {
			t.Errorf("%s: exec %v, network %v; want %v, %v", c.reason, exec, network, c.exec, c.network)
		}
	}
}

func answer(allowed bool) func([]consent.Act) (bool, error) {
	return func([]consent.Act) (bool, error) { return allowed, nil }
}

// A permission for connections starts no program, and vice versa.
func TestNeitherIsTheOther(t *testing.T) {
	p := consent.New(consent.Options{Network: consent.Yes})
	if e, err := p.Exec(connection); err == nil || e.Granted() {
		t.Error("a connection is permitted as a program")
	}
	p = consent.New(consent.Options{Exec: consent.Yes})
	if n, err := p.Network(program); err == nil || n.Granted() {
		t.Error("a program is permitted as a connection")
	}
}

// The user is asked once, about everything that was declared. A second act that was not declared is another question.
func TestAsk(t *testing.T) {
	var asked [][]consent.Act
	p := consent.New(consent.Options{Ask: func(acts []consent.Act) (bool, error) {
		asked = append(asked, acts)
		return true, nil
	}})
	p.Declare(program, connection, program)
	for range 3 {
		decided(p)
	}
	if len(asked) != 1 || len(asked[0]) != 2 {
		t.Fatalf("asked %v, want one question about two acts", asked)
	}
	other := program
	other.Env = []string{"LD_PRELOAD=evil.so"}
	if _, err := p.Exec(other); err != nil || len(asked) != 2 {
		t.Errorf("asked %d times about another environment, %v; want another question", len(asked)-1, err)
	}
}

// Failing to get an answer is not a yes.
func TestAskFails(t *testing.T) {
	p := consent.New(consent.Options{Ask: func([]consent.Act) (bool, error) { return true, errors.New("no terminal") }})
	if exec, _ := decided(p); exec {
		t.Error("permitted")
	}
}

// A trust file counts for its folders. A file in the folder that is loaded is not the caller's word.
func TestTrust(t *testing.T) {
	root := t.TempDir()
	t.Chdir(t.TempDir())
	file := func(name string) string {
		whole := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(whole), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(whole, nil, 0o666); err != nil {
			t.Fatal(err)
		}
		return whole
	}
	trust := func(at string, folders ...consent.Folder) *consent.Policy {
		return consent.New(consent.Options{Trust: func() (*consent.Trust, error) { return &consent.Trust{File: at, Folders: folders}, nil }})
	}
	users, theirs := file("home/trust.yaml"), file("shop/world/trust.yaml")
	world, archived, near := file("shop/world/w.yaml"), file("shop/bug.txtar"), file("shopping/w.yaml")
	shop := consent.Folder{Path: filepath.Join(root, "shop"), Exec: true}
	for _, c := range []struct {
		reason string
		policy *consent.Policy
		file   string
		want   bool
	}{
		{"below a folder", trust(users, shop), world, true},
		{"in an archive there", trust(users, shop), archived + "/w.yaml", true},
		{"a folder whose name has the same beginning", trust(users, shop), near, false},
		{"a file that does not exist", trust(users, shop), filepath.Join(root, "shop/none.yaml"), false},
		{"a path that leads out", trust(users, shop), filepath.Join(root, "shop") + "/../shopping/w.yaml", false},
		{"standard input", trust(users, consent.Folder{Path: "/", Exec: true}), "<stdin>", false},
		{"trusted with something else", trust(users, consent.Folder{Path: shop.Path, Network: true}), world, false},
		{"a trust file in what is loaded", trust(theirs, shop), world, false},
		{"no trust file", consent.New(consent.Options{}), world, false},
	} {
		act := program
		act.File = c.file
		if e, err := c.policy.Exec(act); e.Granted() != c.want {
			t.Errorf("%s: permitted %v, %v; want %v", c.reason, e.Granted(), err, c.want)
		}
	}
}

// A stranger's text is shown without control characters, and with the number of characters that are left out.
func TestShown(t *testing.T) {
	for text, want := range map[string]string{
		"./bin/hook":             "./bin/hook",
		"--port={{.Port}}":       "--port={{.Port}}",
		"":                       `""`,
		"a b":                    `"a b"`,
		"\x1b[2J\r\nadmsim:":     `"\x1b[2J\r\nadmsim:"`,
		"\u202eevil":             `"\u202eevil"`,
		"$(rm -rf ~)":            `"$(rm -rf ~)"`,
		strings.Repeat("a", 402): strings.Repeat("a", 400) + "… (2 more characters)",
	} {
		if got := consent.Shown(text); got != want {
			t.Errorf("Shown(%q) = %s, want %s", text, got, want)
		}
	}
}

func FuzzShown(f *testing.F) {
	f.Add("a b\x1b")
	f.Fuzz(func(t *testing.T, text string) {
		for _, r := range strings.TrimSuffix(consent.Shown(text), "…") {
			if r < ' ' || r > '~' && r != '…' {
				t.Errorf("Shown(%q) has %q", text, r)
			}
		}
	})
}
