package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/spf13/cobra"
	"golang.org/x/tools/txtar"
)

// marker is a secret that occurs nowhere else, quotedMarker one that every format escapes.
const (
	marker       = "Qz7xMarkeRw8VkPj"
	quotedMarker = `kW9"<fL&\2/+~Yb`
)

// inSecret describes how a command is run, in a folder with the files of testdata/secrets/base.txtar and of one place.
type inSecret struct {
	args []string // -o FORMAT is added, for each format that the command knows
	more [][]string
	log  bool // the command reads the log, not the world: run it only for places with their own log
	// nothing says why the command sees no secret.
	nothing string
	// itself names the test that shows that the command writes no secret.
	itself string
}

// secretCommands lists all commands that do something.
func secretCommands() map[string]inSecret {
	return map[string]inSecret{
		"run":          {args: []string{"run", "-C", "world.yaml", "-f", "request.yaml", "-v"}, more: [][]string{{"run", "-C", "world.yaml", "-f", "request.yaml"}, {"run", "-C", "world.yaml", "-f", "pod.yaml", "-v"}, {"run", "-C", "world.yaml", "-f", "request.yaml", "-f", "update.yaml", "-v"}}},
		"explain":      {args: []string{"explain", "-C", "world.yaml", "-f", "request.yaml", "-v"}, more: [][]string{{"explain", "-C", "world.yaml", "-f", "pod.yaml", "-v"}}},
		"blame":        {args: []string{"blame", "-C", "world.yaml", "-f", "request.yaml"}, more: [][]string{{"blame", "-C", "world.yaml", "-f", "pod.yaml"}}},
		"test":         {args: []string{"test", "suite", "-v", "--coverage", "--allow-unreached", "--allow-unused"}, more: [][]string{{"test", "suite", "--list"}}},
		"diff":         {args: []string{"diff", "--base", "empty.yaml", "--head", "world.yaml", "request.yaml", "pod.yaml"}, more: [][]string{{"diff", "--base", "world.yaml", "--head", "empty.yaml", "request.yaml"}}},
		"outage":       {args: []string{"outage", "-C", "world.yaml", "request.yaml", "pod.yaml", "--hang", "*"}},
		"check":        {args: []string{"check", "-C", "world.yaml", "request.yaml", "pod.yaml"}},
		"latency":      {args: []string{"latency", "-C", "world.yaml", "-f", "request.yaml", "--samples", "20", "--latency", "*=p50:10ms,p99:20ms"}},
		"lint":         {args: []string{"lint", "world.yaml", "request.yaml"}},
		"replay":       {args: []string{"replay", "-C", "world.yaml", "audit.log", "-v"}, more: [][]string{{"replay", "-C", "empty.yaml", "audit.log", "-v"}}, log: true},
		"report merge": {log: true, args: []string{"report", "merge", "part.jsonl", "-v"}},
		"convert audit": {log: true, args: []string{"convert", "audit", "audit.log"}, more: [][]string{
			{"convert", "audit", "audit.log", "--to", "fixtures", "-o", "fixtures"}}},
		"init": {args: []string{"init", "world.yaml", "-o", "begun"}, more: [][]string{
			{"init", "world.yaml", "--from-recording", "audit.log", "-o", "begun"}, {"init", "--from-recording", "audit.log", "-o", "begun"}}},
		"snapshot": {args: []string{"snapshot", "--from", "world.yaml", "--from", "request.yaml", "-o", "shot"}},
		"record":   {itself: "TestScripts/record"},
		"serve":    {args: []string{"serve", "-C", "world.yaml", "--", "true"}},

		// The tests of other tools are copied as their authors wrote them.
		"convert gator":                 {nothing: "copies files of tests"},
		"convert kaptest":               {nothing: "copies files of tests"},
		"convert kube-vap-test":         {nothing: "copies files of tests"},
		"convert kyverno":               {nothing: "copies files of tests"},
		"convert cel-admission-library": {nothing: "copies files of tests"},

		"migrate":  {nothing: "copies files as they are"},
		"trust":    {nothing: "reads no file of the folder"},
		"envtest":  {nothing: "reads no file"},
		"plugins":  {nothing: "reads no file"},
		"versions": {nothing: "reads no file"},
		"version":  {nothing: "reads no file"},
	}
}

// leaves collects the commands below c that do something, by their full name, with their formats.
func leaves(c *cobra.Command, name string, into map[string][]string) {
	if len(c.Commands()) == 0 {
		var formats []string
		if f := c.Flags().Lookup("output"); f != nil {
			if found := regexp.MustCompile(`FORMAT.? \(([a-z, ]+)\)`).FindStringSubmatch(f.Usage); found != nil {
				formats = strings.Split(found[1], ", ")
			}
		}
		into[name] = formats
	}
	for _, sub := range c.Commands() {
		leaves(sub, strings.TrimSpace(name+" "+sub.Name()), into)
	}
}

// Whoever adds a command has to say in secretCommands how it is run, or why it sees no secrets.
func TestSecretsKnowAllCommands(t *testing.T) {
	found := map[string][]string{}
	leaves(newRoot(invocation{}, nil), "", found)
	known := secretCommands()
	for name := range found {
		if _, ok := known[name]; !ok && name != "help" && !strings.HasPrefix(name, "completion") {
			t.Errorf("secretCommands does not say how to run admsim %s", name)
		}
	}
	for name := range known {
		if _, ok := found[name]; !ok {
			t.Errorf("secretCommands has admsim %s, which does not exist", name)
		}
	}
	if len(found["run"]) < 5 || len(found["test"]) < 10 {
		t.Errorf("formats of run: %q, of test: %q", found["run"], found["test"])
	}
}

// No command writes a secret in any format, wherever the secret is and in whatever form it appears.
func TestSecrets(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine does everything")
	}
	places, err := filepath.Glob("testdata/secrets/*.txtar")
	if err != nil || len(places) < 2 {
		t.Fatal(places, err)
	}
	base := markedFiles(t, "testdata/secrets/base.txtar")
	formats := map[string][]string{}
	leaves(newRoot(invocation{}, nil), "", formats)
	ran, tried := map[string]bool{}, 0
	for _, place := range places {
		t.Run(strings.TrimSuffix(filepath.Base(place), ".txtar"), func(t *testing.T) {
			tried++
			files, own := maps.Clone(base), markedFiles(t, place)
			maps.Copy(files, own)
			dir := t.TempDir()
			for name, data := range files {
				path := filepath.Join(dir, filepath.FromSlash(name))
				if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, data, 0o644)); err != nil {
					t.Fatal(err)
				}
			}
			t.Chdir(dir)
			for name, c := range secretCommands() {
				if _, ok := own["audit.log"]; c.nothing != "" || c.itself != "" || c.log && !ok {
					continue
				}
				for _, args := range append([][]string{c.args}, c.more...) {
					if !slices.ContainsFunc(args, func(a string) bool { return a == "suite" || a == "part.jsonl" || aboutSecrets().Match(files[a]) }) {
						continue // no file of the command says what is a secret
					}
					answered := keepsSecret(t, dir, files, args)
					ran[name] = ran[name] || answered
					if len(formats[name]) == 0 {
						continue
					}
					all := slices.Clone(args)
					for _, format := range formats[name] {
						all = append(all, "-o", format+"=written."+format)
					}
					if keepsSecret(t, dir, files, all) != answered {
						t.Errorf("admsim %s answers, or fails, only if all formats are written to files", strings.Join(args, " "))
					}
				}
			}
			if t.Failed() {
				return
			}
			keepsSecret(t, dir, files, []string{"test", "suite", "--update", "--allow-unreached", "--allow-unused"})
		})
	}
	for name, c := range secretCommands() {
		if c.args != nil && !ran[name] && !t.Failed() && tried == len(places) {
			t.Errorf("admsim %s never gave an answer", name)
		}
	}
}

var aboutSecrets = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`kind"?: ?"?Secret`) })

// markedFiles returns the files of an archive with secrets in them. {{FORM}} stands for the marker in a form.
func markedFiles(t *testing.T, path string) map[string][]byte {
	t.Helper()
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for _, f := range archive.Files {
		text := string(f.Data)
		for name, form := range markerForms() {
			text = strings.ReplaceAll(text, "{{"+name+"}}", form)
		}
		if i := strings.Index(text, "{{"); i >= 0 && !strings.HasPrefix(text[i:], "{{}") {
			t.Fatalf("%s: %s: unknown form %.20s", path, f.Name, text[i:])
		}
		files[f.Name] = []byte(text)
	}
	return files
}

// markerForms returns the forms in which a secret may appear.
func markerForms() map[string]string {
	inJSON, err := json.Marshal(quotedMarker)
	if err != nil {
		panic(err)
	}
	once := base64.StdEncoding.EncodeToString([]byte(marker))
	return map[string]string{
		"plain":  marker,
		"base64": once,
		"twice":  base64.StdEncoding.EncodeToString([]byte(once)),
		"within": base64.StdEncoding.EncodeToString([]byte("user:" + marker + "!")),
		"url64":  base64.RawURLEncoding.EncodeToString([]byte(marker)),
		"hex":    hex.EncodeToString([]byte(marker)),
		"lower":  strings.ToLower(marker),
		"upper":  strings.ToUpper(marker),
		"part":   marker[3:13],
		"back":   backwards(marker),
		"quoted": base64.StdEncoding.EncodeToString([]byte(quotedMarker)),
		"json":   string(inJSON),
	}
}

func backwards(text string) string {
	all := []rune(text)
	slices.Reverse(all)
	return string(all)
}

// revealing lists texts that no output may contain, in lower case: eight bytes of a form are enough.
var revealing = sync.OnceValue(func() []string {
	var all []string
	add := func(text string) {
		text = strings.ToLower(text)
		for i := 0; i+8 <= len(text); i++ {
			all = append(all, text[i:i+8])
		}
	}
	for _, text := range []string{marker, backwards(marker), hex.EncodeToString([]byte(marker)), quotedMarker, fmt.Sprintf("%q", quotedMarker)} {
		add(strings.Trim(text, `"`))
	}
	for before := range 3 { // base64 of text that begins before the secret
		text := base64.RawStdEncoding.EncodeToString([]byte(strings.Repeat("x", before) + marker))
		add(text[2*before : len(text)-2])
	}
	add(base64.StdEncoding.EncodeToString([]byte(base64.StdEncoding.EncodeToString([]byte(marker))))[:24])
	return all
})

func reveals(text []byte) (string, bool) {
	low := bytes.ToLower(text)
	for _, part := range revealing() {
		if i := bytes.Index(low, []byte(part)); i >= 0 {
			return string(text[max(0, i-150):min(len(text), i+80)]), true
		}
	}
	return "", false
}

// keepsSecret runs a command in a folder with these files. It reports whether the command gave an answer, and fails the
// test if the secret is in what the command prints or writes. It leaves the folder as it was.
func keepsSecret(t *testing.T, dir string, files map[string][]byte, args []string) (answered bool) {
	t.Helper()
	if args[0] == "report" {
		run(context.Background(), []string{"replay", "-C", "world.yaml", "audit.log", "-o", "jsonl=part.jsonl"}, strings.NewReader(""), &bytes.Buffer{}, &bytes.Buffer{})
	}
	line := "admsim " + strings.Join(args, " ")
	var stdout, stderr bytes.Buffer
	code := run(context.Background(), args, strings.NewReader(""), &stdout, &stderr)
	if code == exitBug {
		t.Errorf("%s: exit code %d\n%s", line, code, &stderr)
	}
	for name, text := range map[string][]byte{"stdout": stdout.Bytes(), "stderr": stderr.Bytes()} {
		if around, found := reveals(text); found {
			t.Errorf("%s: %s has …%s…", line, name, around)
		}
	}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		before, existed := files[filepath.ToSlash(name)]
		if existed && bytes.Equal(before, text) {
			return nil
		}
		if around, found := reveals(text); found {
			t.Errorf("%s: %s has …%s…", line, name, around)
		}
		if existed {
			return os.WriteFile(path, before, 0o644)
		}
		return os.Remove(path)
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, created := range []string{"begun", "shot", "fixtures"} { // the folders that commands write
		if err := os.RemoveAll(filepath.Join(dir, created)); err != nil {
			t.Fatal(err)
		}
	}
	if testing.Verbose() && code == exitUnknown {
		t.Logf("%s: %s", line, &stderr)
	}
	return code != exitUnknown
}
