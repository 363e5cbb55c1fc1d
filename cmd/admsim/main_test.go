package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/admsim/admsim/internal/golden"
	"github.com/admsim/admsim/pkg/kubeversion"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"admsim":                  main,
		"etcd":                    main, // as in a folder for envtest
		"request":                 request,
		"archive":                 archiveFiles,
		"exits":                   exits,
		"hangs":                   hangs,
		"helm":                    helm,
		"kube-apiserver":          main,
		"kubectl":                 main,
		"kubectl-admsim":          main,
		"kubectl_complete-admsim": main,
		"posts":                   posts,
		"terminal":                terminal,
		"webhook":                 webhook,
	})
}

// hangs is a command that does not return when it is interrupted.
func hangs() {
	_, stop := interruptible(context.Background())
	defer stop()
	select {}
}

// exits runs the command after its first argument and expects that exit code.
func exits() {
	want, err := strconv.Atoi(os.Args[1])
	if err != nil {
		panic(err)
	}
	c := exec.Command(os.Args[2], os.Args[3:]...)
	c.Stdin, c.Stdout, c.Stderr = os.Stdin, os.Stdout, os.Stderr
	got := 0
	var exit *exec.ExitError
	if err := c.Run(); errors.As(err, &exit) {
		got = exit.ExitCode()
	} else if err != nil {
		panic(err)
	}
	if got != want {
		os.Stderr.WriteString("exit code " + strconv.Itoa(got) + ", want " + strconv.Itoa(want) + "\n")
		os.Exit(99)
	}
}

// terminal runs a command with the terminal of the script as its input and standard error.
func terminal() {
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		panic(err)
	}
	c := exec.Command(os.Args[1], os.Args[2:]...)
	c.Stdin, c.Stdout, c.Stderr = tty, os.Stdout, tty
	err = c.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		os.Exit(exit.ExitCode())
	} else if err != nil {
		panic(err)
	}
}

// A script describes one behaviour of the command. The newest release is in $NEWEST, and the repository in $REPOSITORY.
// The command examples copies the examples of the repository.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:           "testdata",
		UpdateScripts: golden.Updating(),
		Setup: func(e *testscript.Env) error {
			e.Setenv("NEWEST", kubeversion.Versions()[0])
			repository, err := filepath.Abs("../..")
			if err != nil {
				return err
			}
			e.Setenv("REPOSITORY", repository)
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"conforms": conforms,
			"examples": copyExamples,
			"locates":  locates,
		},
	})
}

func copyExamples(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 0 {
		ts.Fatalf("usage: examples")
	}
	ts.Check(os.CopyFS(ts.MkAbs("examples"), os.DirFS("../../examples")))
}

// A bug is reported as one, with its place and where to report it.
func TestPanic(t *testing.T) {
	var stdout, stderr strings.Builder
	code := run(context.Background(), []string{"run", "-f", "-"}, broken{}, &stdout, &stderr)
	if code != exitBug {
		t.Errorf("exit code %d, want %d", code, exitBug)
	}
	if stdout.Len() > 0 {
		t.Errorf("stdout: %s", &stdout)
	}
	for _, want := range []string{"admsim: error: panic: the reader is broken\n", "main_test.go", "please report", "github.com/admsim/admsim/issues"} {
		if !strings.Contains(stderr.String(), want) {
			t.Errorf("stderr has no %q:\n%s", want, &stderr)
		}
	}
}

type broken struct{}

func (broken) Read([]byte) (int, error) { panic("the reader is broken") }

// Output that cannot be written is an error, not a success.
func TestOutputFails(t *testing.T) {
	var stderr strings.Builder
	request := strings.NewReader(`{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}`)
	for _, format := range []string{"text", "json", "yaml", "jsonl"} {
		code := run(context.Background(), []string{"run", "-f", "-", "-o", format}, request, full{}, &stderr)
		if code != exitUnknown {
			t.Errorf("-o %s: exit code %d, want %d", format, code, exitUnknown)
		}
		request.Reset(`{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}`)
	}
	if want := "admsim: error: writing the result: disk full\n"; stderr.String() != strings.Repeat(want, 4) {
		t.Errorf("stderr: %s", &stderr)
	}
}

// The same holds for help and versions.
func TestHelpOutputFails(t *testing.T) {
	for _, args := range [][]string{{}, {"--help"}, {"help"}, {"help", "run"}, {"run", "--help"}, {"report"}, {"--version"}, {"version"}} {
		var stderr strings.Builder
		code := run(context.Background(), args, strings.NewReader(""), full{}, &stderr)
		if want := "admsim: error: writing the result: disk full\n"; code != exitUnknown || stderr.String() != want {
			t.Errorf("admsim %s: exit code %d, want %d; stderr: %s", strings.Join(args, " "), code, exitUnknown, &stderr)
		}
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("disk full") }
