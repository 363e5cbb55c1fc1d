package flags

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

const table = "# comments are no flags\n" +
	"etcd-servers\tstringSlice\tsimulated\tthe servers to ask\n" +
	"profiling\tbool\taccepted\n" +
	"v\tint\thidden\n" +
	"allow-privileged\tbool\trefused:true\tevery pod may be privileged\n" +
	"authorization-mode\tstring\trefused:RBAC\tthere is no other authorizer\n" +
	"feature-gates\tmapStringBool\tsimulated\tgates\n"

func given(t *testing.T, args ...string) *Given {
	t.Helper()
	g := New("kube-apiserver", Table(table))
	if err := g.Parse(args); err != nil {
		t.Fatal(err)
	}
	return g
}

func TestParse(t *testing.T) {
	for _, tt := range []struct{ args, want string }{
		{"--profiling", ""},
		{"--profiling=maybe", "want true or false"},
		{"-v 4", ""},
		{"--allow-privileged", ""},
		{"--allow-privileged=1", ""},
		{"--allow-privileged=false", "--allow-privileged=false is not simulated: every pod may be privileged"},
		{"--authorization-mode=RBAC", ""},
		{"--authorization-mode=ABAC", "--authorization-mode=ABAC is not simulated: there is no other authorizer"},
		{"--etcd-server=x", "kube-apiserver has no flag --etcd-server"},
		{"serve", `kube-apiserver takes no arguments: ["serve"]`},
	} {
		err := New("kube-apiserver", Table(table)).Parse(strings.Fields(tt.args))
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s: %v, want %q", tt.args, err, tt.want)
		}
	}
	if err := New("kube-apiserver", Table(table)).Parse([]string{"--help"}); !errors.Is(err, pflag.ErrHelp) {
		t.Errorf("--help: %v, want %v", err, pflag.ErrHelp)
	}
}

func TestValues(t *testing.T) {
	g := given(t, "--etcd-servers=a, b", "--etcd-servers=c,", "--profiling=false", "--profiling")
	if got, want := g.List("etcd-servers"), []string{"a", "b", "c"}; !slices.Equal(got, want) {
		t.Errorf("List = %q, want %q", got, want)
	}
	if got := g.One("profiling", "unset"); got != "true" {
		t.Errorf("One = %q, want the last value, true", got)
	}
	if got := g.One("authorization-mode", "unset"); got != "unset" {
		t.Errorf("One = %q of a flag that is not given", got)
	}
}

func TestSwitches(t *testing.T) {
	for _, tt := range []struct {
		given string
		bare  bool
		want  map[string]bool
		err   string
	}{
		{given: "A=true,kube:B=false", want: map[string]bool{"A": true, "kube:B": false}},
		{given: "A,B=", bare: true, want: map[string]bool{"A": true, "B": true}},
		{given: "A", err: `--feature-gates: "A": want A=true or A=false`},
		{given: "A=perhaps", err: `--feature-gates: "A=perhaps": want A=true or A=false`},
		{given: "batch/v1,apps/v1=1,api/ga=false", bare: true, want: map[string]bool{"batch/v1": true, "apps/v1": true, "api/ga": false}},
		{given: "api/alpha", bare: true, err: `--feature-gates: "api/alpha": want api/alpha=true or api/alpha=false`},
		{given: "api/beta=1", bare: true, err: `--feature-gates: "api/beta=1": want api/beta=true or api/beta=false`},
	} {
		got, err := given(t, "--feature-gates="+tt.given).Switches("feature-gates", tt.bare)
		if !maps.Equal(got, tt.want) || (err == nil) != (tt.err == "") || err != nil && err.Error() != tt.err {
			t.Errorf("%s: %v, %v; want %v, %q", tt.given, got, err, tt.want, tt.err)
		}
	}
}

func TestUsage(t *testing.T) {
	g := New("kube-apiserver", Table(table))
	g.Hide("feature-gates")
	usage := g.Usage()
	for text, want := range map[string]bool{
		"the servers to ask":            true,
		"accepted, and changes nothing": true,
		"not simulated: there is no":    true,
		"-v,":                           false, // hidden in the table
		"--feature-gates":               false,
	} {
		if strings.Contains(usage, text) != want {
			t.Errorf("%q is in the list: %v, want %v\n%s", text, !want, want, usage)
		}
	}
}
