package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
	"sigs.k8s.io/yaml"
)

var slips = flag.Int("slips", 30, "how many slips TestSlips tries")

var wordsOfGo = regexp.MustCompile(`.*(%!|\(0x|<nil>|map\[|Go struct).*`)

// Whatever mistake slips into a file that the scripts give to a command, the command ends with a verdict or an error:
// never as a bug of admsim, silently, or with Go's formatting in its message.
func TestSlips(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine does everything")
	}
	var all []workspace
	var values [][]byte
	scripts, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range scripts {
		script, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		w := workspaceOf(script)
		if w.name = name; len(w.commands) == 0 || len(w.files) == 0 {
			continue
		}
		all = append(all, w)
		for _, f := range w.files {
			values = append(values, valuesIn(f.Data)...)
		}
	}
	for seed := range *slips {
		s := slip{rand.New(rand.NewPCG(uint64(seed), 0)), values}
		w := all[s.IntN(len(all))]
		t.Run(fmt.Sprintf("%d/%s", seed, filepath.Base(w.name)), func(t *testing.T) { w.runWithSlip(t, s) })
	}
}

// A workspace is the start of a script: its files, and the commands that it runs.
type workspace struct {
	name     string
	files    []txtar.File
	commands [][]string
}

// workspaceOf leaves out commands that wait for something, that write to files of the test itself, or whose lines are
// more than plain words.
func workspaceOf(script *txtar.Archive) workspace {
	w := workspace{files: script.Files}
	for line := range strings.Lines(string(script.Comment)) {
		before, command, named := strings.Cut(line, "admsim ")
		if !named || !strings.HasPrefix(before, "exec ") || strings.ContainsAny(line, `$&'"`) || strings.Contains(line, "/dev/") {
			continue
		}
		args := strings.Fields(command)
		if !slices.Contains([]string{"record", "snapshot"}, args[0]) && !slices.Contains(args, "--watch") {
			w.commands = append(w.commands, args)
		}
	}
	return w
}

// valuesIn returns the values in YAML, and the values inside them, each as YAML.
func valuesIn(data []byte) (all [][]byte) {
	var add func(v any)
	add = func(v any) {
		if text, err := yaml.Marshal(v); err == nil {
			all = append(all, text)
		}
		switch v := v.(type) {
		case map[string]any:
			for _, key := range slices.Sorted(maps.Keys(v)) {
				add(v[key])
			}
		case []any:
			for _, item := range v {
				add(item)
			}
		}
	}
	for _, text := range documentsIn(data) {
		var v any
		if yaml.Unmarshal(text, &v) == nil {
			add(v)
		}
	}
	return all
}

func documentsIn(data []byte) [][]byte { return bytes.Split(data, []byte("\n---\n")) }

// runWithSlip runs the commands of w with a slip in one of its files.
func (w workspace) runWithSlip(t *testing.T, s slip) {
	files := slices.Clone(w.files)
	i := s.IntN(len(files))
	files[i].Data = s.in(files[i].Data)
	dir := t.TempDir()
	for _, f := range files {
		name := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, f.Data, 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	for _, args := range w.commands {
		var stdout, stderr bytes.Buffer
		code := run(t.Context(), args, strings.NewReader(""), &stdout, &stderr)
		complain := func(what string) {
			t.Errorf("admsim %s: %s\n%s\nafter a slip in %s:\n%s", strings.Join(args, " "), what, stderr.String(), files[i].Name, files[i].Data)
		}
		if code == exitBug {
			complain("a bug")
		}
		if code != exitAdmitted && stdout.Len()+stderr.Len() == 0 {
			complain(fmt.Sprintf("exit code %d without a message", code))
		}
		if line := wordsOfGo.FindString(stderr.String()); line != "" && !strings.Contains(line, "cannot be handled as a") { // the server's own words
			complain("words of Go: " + line)
		}
	}
}

// A slip is an accidental change of a file.
type slip struct {
	*rand.Rand
	values [][]byte // values that may end up in the wrong place
}

func (s slip) in(data []byte) []byte {
	documents := documentsIn(data)
	i := s.IntN(len(documents))
	var v any
	if s.IntN(4) == 0 || yaml.Unmarshal(documents[i], &v) != nil {
		return s.inText(data)
	}
	for range 1 + s.IntN(3) {
		v = s.inValue(v)
	}
	text, err := yaml.Marshal(v)
	if err != nil {
		return s.inText(data)
	}
	documents[i] = text
	return bytes.Join(documents, []byte("\n---\n"))
}

func (s slip) inText(data []byte) []byte {
	lines := strings.Split(string(data), "\n")
	i := s.IntN(len(lines))
	line := lines[i]
	at := s.IntN(len(line) + 1)
	switch s.IntN(6) {
	case 0:
		lines = slices.Delete(lines, i, i+1)
	case 1:
		lines = slices.Insert(lines, i, lines[s.IntN(len(lines))])
	case 2:
		lines[i] = string(" \t-"[s.IntN(3)]) + line
	case 3:
		lines[i] = strings.TrimPrefix(line, " ")
	case 4:
		lines[i] = line[:at]
	case 5:
		lines[i] = line[:at] + string("{}[]:,\"'&*!|>#%@`-?\x00\xff"[s.IntN(21)]) + line[at:]
	}
	return []byte(strings.Join(lines, "\n"))
}

func (s slip) inValue(v any) any {
	if s.IntN(8) == 0 {
		return s.oddValue()
	}
	switch v := v.(type) {
	case map[string]any:
		return s.inMapping(v)
	case []any:
		return s.inList(v)
	case string:
		return s.inString(v)
	}
	return s.oddValue()
}

func (s slip) inMapping(m map[string]any) any {
	if len(m) == 0 {
		return s.oddValue()
	}
	keys := slices.Sorted(maps.Keys(m))
	key := keys[s.IntN(len(keys))]
	switch s.IntN(10) {
	case 0:
		delete(m, key)
	case 1:
		m[s.inString(key)] = m[key]
		delete(m, key)
	case 2:
		m[[]string{"", "metadata", "spec", "name", "kind"}[s.IntN(5)]] = s.oddValue()
	default:
		m[key] = s.inValue(m[key])
	}
	return m
}

func (s slip) inList(l []any) any {
	if len(l) == 0 {
		return []any{s.oddValue()}
	}
	i := s.IntN(len(l))
	switch s.IntN(6) {
	case 0:
		return slices.Delete(l, i, i+1)
	case 1:
		return append(l, l[i])
	case 2:
		return append(l, s.oddValue())
	}
	l[i] = s.inValue(l[i])
	return l
}

func (s slip) inString(text string) string {
	at := s.IntN(len(text) + 1)
	switch s.IntN(4) {
	case 0:
		return text[:at]
	case 1:
		return text[at:] + text[:at]
	case 2:
		return text + text
	}
	return text[:at] + string("./*[](){}:-_ \n\"'\\$%&,;"[s.IntN(22)]) + text[at:]
}

// oddValue returns a value that is only right somewhere else, or nowhere.
func (s slip) oddValue() any {
	nowhere := []any{nil, "", "*", "*/*", "日本\x00", "${x}", "http://[::1", "-5s", "999999h", "2020-01-01T00:00:00Z",
		0, -1, 1e30, int64(1) << 62, true, []any{}, []any{nil}, map[string]any{}, map[string]any{"a": nil}}
	if i := s.IntN(2 * len(nowhere)); i < len(nowhere) {
		return nowhere[i]
	}
	var v any
	_ = yaml.Unmarshal(s.values[s.IntN(len(s.values))], &v) // written by yaml.Marshal
	return v
}
