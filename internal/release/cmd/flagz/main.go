// Command flagz writes the table of the flags of a release's kube-apiserver, with their values if nobody sets them.
package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/admsim/admsim/internal/release/command"
	"github.com/admsim/admsim/internal/release/reference"
	"github.com/admsim/admsim/internal/release/upstream"
)

const usage = `Usage: flagz -version 1.37.2

It builds the real kube-apiserver of that release, starts it, and writes what its page /flagz shows to
internal/serve/flagz. Flags that the server needs in order to start have the default of its --help.

Flags:
`

func main() { command.Main("flagz", run) }

func run(ctx context.Context, args []string, _, progress io.Writer) error {
	flags := command.Flags("flagz", usage, progress)
	version := flags.String("version", "", "the release, such as 1.37.2")
	to := flags.String("o", "internal/serve/flagz", "the folder of the tables")
	if err := flags.Parse(args); err != nil {
		return err
	}
	minor, err := upstream.MinorOf(*version)
	if err != nil {
		return err
	}
	binary, err := reference.Build(ctx, *version, progress)
	if err != nil {
		return err
	}
	// The gate is off by default up to 1.35.
	values, given, err := shown(ctx, binary, "--feature-gates=ComponentFlagz=true")
	if err != nil {
		return err
	}
	usual, err := defaults(ctx, binary)
	if err != nil {
		return err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# The flags of kube-apiserver %s and their values, as /flagz shows them. Made by make flagz VERSION=%s.\n", *version, *version)
	for _, name := range slices.Sorted(maps.Keys(values)) {
		value := values[name]
		if slices.Contains(given, name) {
			value = usual(name, value)
		}
		fmt.Fprintf(&b, "%s\t%s\n", name, value)
	}
	return os.WriteFile(filepath.Join(*to, minor+".txt"), []byte(b.String()), 0o644)
}

// derived are the flags whose values follow from those that the server was given.
var derived = []string{"external-hostname", "tls-cert-file", "tls-private-key-file"}

// shown returns the flags that a server with some flags shows, and the names of those whose values depend on its command
// line.
func shown(ctx context.Context, binary string, flags ...string) (values map[string]string, given []string, err error) {
	folder, err := os.MkdirTemp("", "flagz-")
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	etcd, err := reference.StartEtcd(ctx, folder)
	if err != nil {
		return nil, nil, err
	}
	defer etcd.Stop()
	server, err := reference.Start(ctx, reference.Options{Binary: binary, Folder: folder, Etcd: etcd, Flags: flags})
	if server != nil {
		defer server.Stop()
	}
	if err != nil {
		return nil, nil, err
	}
	answer, err := server.Do(ctx, reference.Request{
		Method: http.MethodGet, Path: "/flagz", Token: reference.Setup,
		Header: http.Header{"Accept": {"text/plain"}},
	})
	if err != nil {
		return nil, nil, err
	}
	if answer.Code != http.StatusOK {
		return nil, nil, fmt.Errorf("/flagz: %d %s", answer.Code, answer.Body)
	}
	if values, err = parse(string(answer.Body)); err != nil {
		return nil, nil, err
	}
	given = slices.Clone(derived)
	for _, flag := range server.Flags {
		name, _, _ := strings.Cut(strings.TrimPrefix(flag, "--"), "=")
		given = append(given, name)
	}
	return values, given, nil
}

// parse reads the text of the page. The server draws what separates names and values, so the line of a list that is
// empty shows which separator it is.
func parse(page string) (map[string]string, error) {
	_, text, _ := strings.Cut(page, "for debugging purposes only.\n")
	line := regexp.MustCompile(`(?m)^admission-control(.+)\[\]$`).FindStringSubmatch(text)
	if line == nil {
		return nil, fmt.Errorf("/flagz: no line for admission-control in %q", page)
	}
	values := map[string]string{}
	for _, flag := range regexp.MustCompile(`(?m)^([a-z0-9-]+)`+line[1]+`(.*)$`).FindAllStringSubmatch(text, -1) {
		values[flag[1]] = flag[2]
	}
	return values, nil
}

// defaults returns a function that returns the default of a flag, in the form of its shown value.
func defaults(ctx context.Context, binary string) (func(name, shown string) string, error) {
	help, err := exec.CommandContext(ctx, binary, "--help").CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("%s --help: %w", binary, err)
	}
	return func(name, shown string) string {
		line := regexp.MustCompile(`(?m)^ +--` + regexp.QuoteMeta(name) + ` .*\(default (.*)\)$`).FindSubmatch(help)
		switch {
		case line != nil:
			if plain, err := strconv.Unquote(string(line[1])); err == nil {
				return plain
			}
			return string(line[1])
		case shown == "true": // a switch that is off by default has no default in --help
			return "false"
		case strings.HasPrefix(shown, "["):
			return "[]"
		}
		return ""
	}, nil
}
