package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/admsim/admsim/internal/consent"
	"github.com/admsim/admsim/internal/process"
	"github.com/admsim/admsim/internal/scenario"
)

// Environment variables with the effect of the flags of the same name.
const (
	allowExecVariable    = "ADMSIM_ALLOW_EXEC"
	allowNetworkVariable = "ADMSIM_ALLOW_NETWORK"
)

// consentFlags are the flags that say what loaded files may do on this machine. Every command that loads a world has
// them, and one policy governs everything that it loads. Nil allows nothing.
type consentFlags struct {
	command       *cobra.Command
	exec, network bool
	trust         string
	passEnv       []string

	once   sync.Once
	policy *consent.Policy
	err    error
}

func newConsentFlags(c *cobra.Command) *consentFlags {
	f := &consentFlags{command: c}
	run := c.RunE
	c.RunE = func(c *cobra.Command, args []string) error { return f.refused(run(c, args)) }
	flags := c.Flags()
	flags.BoolVar(&f.exec, "allow-exec", false, "permit loaded files to run programs (command), as "+allowExecVariable+"=1 does")
	flags.BoolVar(&f.network, "allow-network", false, "permit loaded files to open connections (url, live, services), as "+allowNetworkVariable+"=1 does")
	flags.StringVar(&f.trust, "trust", "", "`FILE` with the trusted folders, as an absolute path (default the one that admsim trust writes)")
	flags.StringArrayVar(&f.passEnv, "pass-env", nil, "`NAME` of an environment variable to pass to programs, besides "+strings.Join(process.Inherited(), ", ")+"; repeatable")
	return f
}

// allowed returns the policy for what is loaded from paths.
func (f *consentFlags) allowed(paths ...string) (*consent.Policy, error) {
	if f == nil {
		return nil, nil
	}
	f.once.Do(func() { f.policy, f.err = f.make() })
	f.policy.Loads(paths...)
	return f.policy, errors.Join(f.err, scenario.CheckGrants(paths))
}

// errRefused ends a command that would otherwise go on with further requests; refused reports what was not allowed.
var errRefused = errors.New("not allowed")

// stopped returns errRefused once something was not allowed: what follows would not be allowed either.
func (f *consentFlags) stopped() error {
	if len(f.policy.Refusals()) > 0 {
		return errRefused
	}
	return nil
}

// refused returns the error that a command ends with. Refusals are reported even if the command itself ignores a
// webhook that did not answer.
func (f *consentFlags) refused(err error) error {
	var refusals scenario.Errors
	for _, r := range f.policy.Refusals() {
		refusals = append(refusals, &scenario.Error{Source: scenario.Source{File: r.Act.File, Line: r.Act.Line}, Message: r.Error(), Hint: r.Hint, Err: r})
	}
	reported := (*consent.Refusal)(nil)
	switch {
	case len(refusals) == 0, errors.As(err, &reported) && len(refusals) == 1:
		return err
	case err == nil, errors.Is(err, errDenied), errors.Is(err, errUnknown), errors.Is(err, errRefused), reported != nil:
		return refusals
	}
	return errors.Join(refusals, err)
}

func (f *consentFlags) make() (*consent.Policy, error) {
	exec, wrongExec := f.word("allow-exec", f.exec, allowExecVariable)
	network, wrongNetwork := f.word("allow-network", f.network, allowNetworkVariable)
	var wrongNames []error
	for _, name := range f.passEnv {
		if name == "" || strings.ContainsAny(name, "=\x00") {
			wrongNames = append(wrongNames, badValue("--pass-env", name, "the name of a variable; env of the backend gives it a value"))
		}
	}
	file, unfit := f.trustFile()
	o := consent.Options{Exec: exec, Network: network, PassEnv: f.passEnv, Hint: howToAllow}
	if file != "" {
		o.Trust = sync.OnceValues(func() (*consent.Trust, error) { return loadTrust(file) })
	}
	if stdin, ok := f.command.InOrStdin().(*os.File); ok && canAsk(stdin, f.command.ErrOrStderr()) {
		q := question{from: stdin, to: f.command.ErrOrStderr(), trust: file}
		o.Ask = q.ask
	}
	return consent.New(o), errors.Join(append(wrongNames, wrongExec, wrongNetwork, unfit)...)
}

// word returns what a flag says, or else its environment variable.
func (f *consentFlags) word(flag string, value bool, variable string) (consent.Word, error) {
	if !f.command.Flags().Changed(flag) {
		text := os.Getenv(variable)
		if text == "" {
			return consent.Unsaid, nil
		}
		var err error
		if value, err = strconv.ParseBool(text); err != nil {
			return consent.No, badValue(variable, text, "1 or 0")
		}
	}
	if value {
		return consent.Yes, nil
	}
	return consent.No, nil
}

// trustFile returns the file of --trust, or else the user's own; empty if there is none.
func (f *consentFlags) trustFile() (string, error) {
	if f.trust == "" {
		return usersTrustFile(), nil
	}
	if !filepath.IsAbs(f.trust) {
		return "", hinted(fmt.Errorf("--trust %s: the path is not absolute", f.trust), "a world could bring a file of that name")
	}
	if _, err := os.Stat(f.trust); err != nil {
		return "", fmt.Errorf("--trust: %w", err)
	}
	return f.trust, nil
}

// usersTrustFile returns the file that admsim trust writes to; empty if the user has no configuration folder.
func usersTrustFile() string {
	folder, err := os.UserConfigDir()
	if err != nil || !filepath.IsAbs(folder) {
		return ""
	}
	return filepath.Join(folder, "admsim", "trust.yaml")
}

// howToAllow returns the hint for a refusal.
func howToAllow(a consent.Act) string {
	flag := "--allow-network"
	if a.IsProgram() {
		flag = "--allow-exec"
	}
	hint := fmt.Sprintf("if you trust %s, say %s", consent.Shown(a.File), flag)
	if folder, ok := a.Folder(); ok {
		hint += ", or once and for all: admsim trust " + consent.Shown(folder)
	}
	return hint
}

// canAsk reports whether there is a user to ask. In CI there is none, even if jobs get a terminal.
func canAsk(stdin *os.File, stderr io.Writer) bool {
	to, ok := rawWriter(stderr).(*os.File)
	return ok && os.Getenv("CI") == "" && term.IsTerminal(int(stdin.Fd())) && term.IsTerminal(int(to.Fd()))
}

// A question asks for consent at the terminal.
type question struct {
	from  io.Reader
	to    io.Writer
	trust string // the file that trusted folders are added to; may be empty
}

// ask shows what would be done and reads the answer. Everything that comes from a file is shown by [consent.Shown], so
// that no file can forge a line of the question.
func (q *question) ask(acts []consent.Act) (bool, error) {
	var b strings.Builder
	b.WriteString("admsim: the loaded files want to do the following on this machine, with your rights:\n")
	for _, a := range acts {
		verb := "connect to"
		if a.IsProgram() {
			verb = "run"
		}
		fmt.Fprintf(&b, "  %s: for webhook %s\n    %s %s\n", a.Place(), consent.Shown(a.For), verb, a)
	}
	folders := consent.Folders(acts)
	choice := "[y]es, this time; [N]o"
	if q.trust != "" && len(folders) > 0 {
		shown := make([]string, len(folders))
		for i, f := range folders {
			shown[i] = consent.Shown(f.Path)
		}
		choice = fmt.Sprintf("[y]es, this time; [a]lways, for all in %s; [N]o", strings.Join(shown, " and "))
	}
	fmt.Fprintf(&b, "admsim: nothing has been done yet. Allow it? %s: ", choice)
	if _, err := io.WriteString(q.to, b.String()); err != nil {
		return false, err
	}
	switch answer, err := readLine(q.from); {
	case err != nil:
		return false, err
	case slices.Contains([]string{"y", "yes"}, answer):
		return true, nil
	case slices.Contains([]string{"a", "always"}, answer) && q.trust != "" && len(folders) > 0:
		return true, changeTrust(q.trust, func(t *consent.Trust) *consent.Trust {
			for _, f := range folders {
				before := t.Of(f.Path)
				f.Exec, f.Network = f.Exec || before.Exec, f.Network || before.Network
				t = t.With(f)
			}
			return t
		})
	}
	return false, nil
}

// readLine reads one line and nothing beyond it, in lower case. At the end of the input it returns an empty line.
func readLine(from io.Reader) (string, error) {
	line, err := bufio.NewReaderSize(oneByOne{from}, 16).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", err
	}
	return strings.ToLower(strings.TrimSpace(line)), nil
}

// oneByOne reads single bytes, so that what follows a line is left in the reader.
type oneByOne struct{ io.Reader }

func (r oneByOne) Read(p []byte) (int, error) { return r.Reader.Read(p[:min(1, len(p))]) }
