// Package roles generates the table of the roles and bindings that each release creates when it starts,
// internal/bootstrap/roles.txt.
//
// The table is not extracted from Kubernetes' source, but obtained by running it: [Evaluate] compiles the files of
// bootstrappolicy of all releases into one program, which prints the objects that they create with all feature gates
// on, and without each of them.
package roles

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/admsim/admsim/internal/release/command"
	"github.com/admsim/admsim/internal/release/upstream"
)

// policyDir is the folder of the files in k8s.io/kubernetes.
const policyDir = "plugin/pkg/auth/authorizer/rbac/bootstrappolicy"

// A Release holds the objects that a release creates.
type Release struct {
	Minor   int
	All     Objects            // with all gates on
	Without map[string]Objects // with all gates but one
}

// Objects maps kinds and names to the objects of a release.
type Objects map[string]Object

// An Object is a role or a binding; fields that its kind does not have are empty.
type Object struct {
	Kind     string `json:"kind"`
	Metadata struct {
		Namespace, Name     string
		Labels, Annotations map[string]string
	} `json:"metadata"`
	Rules           []Rule
	AggregationRule *struct {
		ClusterRoleSelectors []struct{ MatchLabels map[string]string }
	}
	Subjects []struct{ Kind, APIGroup, Namespace, Name string }
	RoleRef  struct{ APIGroup, Kind, Name string }
}

// A Rule is a rule of a role.
type Rule struct {
	Verbs, APIGroups, Resources, ResourceNames, NonResourceURLs []string
}

var enabled = regexp.MustCompile(`\.Enabled\(\w+\.(\w+)\)`)

// Evaluate evaluates releases, such as 1.37.2. The program is built in the module in dir, whose go.mod has the
// necessary requirements.
func Evaluate(ctx context.Context, dir string, versions []string) ([]Release, error) {
	work, err := os.MkdirTemp("", "roles")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(work)
	p := &program{dir: work, gates: map[int][]string{}}
	if err := p.write(ctx, dir, versions); err != nil {
		return nil, err
	}
	binary := filepath.Join(work, "ask")
	build := command.Child(ctx, "go", "build", "-mod=mod", "-o", binary, ".")
	build.Dir = work
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("building what asks: %w\n%s", err, out)
	}
	all, err := ask(ctx, binary, "")
	if err != nil {
		return nil, err
	}
	without := map[string]map[int]Objects{}
	for _, gates := range p.gates {
		for _, g := range gates {
			if without[g] == nil {
				if without[g], err = ask(ctx, binary, g); err != nil {
					return nil, err
				}
			}
		}
	}
	var releases []Release
	for _, minor := range slices.Sorted(maps.Keys(all)) {
		r := Release{Minor: minor, All: all[minor], Without: map[string]Objects{}}
		for _, g := range p.gates[minor] {
			r.Without[g] = without[g][minor]
		}
		releases = append(releases, r)
	}
	return releases, nil
}

// ask runs the program with all gates on but one.
func ask(ctx context.Context, binary, off string) (map[int]Objects, error) {
	cmd := command.Child(ctx, binary)
	cmd.Env = append(os.Environ(), "OFF="+off)
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	out, err := cmd.Output()
	if err != nil {
		return nil, errors.Join(err, errors.New(complaints.String()))
	}
	var lists map[int][]Object
	if err := json.Unmarshal(out, &lists); err != nil {
		return nil, err
	}
	found := map[int]Objects{}
	for minor, list := range lists {
		found[minor] = Objects{}
		for _, o := range list {
			found[minor][o.key()] = o
		}
	}
	return found, nil
}

func (o Object) key() string {
	if o.Metadata.Namespace != "" {
		return o.Kind + " " + o.Metadata.Namespace + "/" + o.Metadata.Name
	}
	return o.Kind + " " + o.Metadata.Name
}

// A program is the generated program.
type program struct {
	dir     string
	gates   map[int][]string // by minor version
	imports []string
}

func (p *program) write(ctx context.Context, module string, versions []string) error {
	for _, name := range []string{"go.mod", "go.sum"} {
		data, err := os.ReadFile(filepath.Join(module, name))
		if err != nil {
			return err
		}
		data = bytes.Replace(data, []byte("module github.com/admsim/admsim/internal/release"), []byte("module ask"), 1)
		admsim, err := filepath.Abs(filepath.Join(module, "../.."))
		if err != nil {
			return err
		}
		data = bytes.Replace(data, []byte("=> ../.."), []byte("=> "+admsim), 1)
		if err := p.file(name, string(data)); err != nil {
			return err
		}
	}
	names := map[string]bool{}
	for _, version := range versions {
		minor, found, err := p.release(ctx, version)
		if err != nil {
			return err
		}
		p.imports = append(p.imports, fmt.Sprintf("\tr%d \"ask/r%d\"\n", minor, minor))
		for _, g := range found {
			names[g] = true
		}
	}
	return errors.Join(p.writeStandIns(names), p.file("main.go", p.main()))
}

// release copies the files of a release, and replaces their imports of Kubernetes by ours.
func (p *program) release(ctx context.Context, version string) (minor int, gates []string, err error) {
	r, err := upstream.Download(ctx, version)
	if err != nil {
		return 0, nil, err
	}
	if _, err := fmt.Sscanf(version, "1.%d.", &minor); err != nil {
		return 0, nil, err
	}
	for _, name := range []string{"policy.go", "controller_policy.go", "namespace_policy.go"} {
		data, err := os.ReadFile(filepath.Join(r.Dir, policyDir, name))
		if err != nil {
			return 0, nil, err
		}
		for _, m := range enabled.FindAllStringSubmatch(string(data), -1) {
			if !slices.Contains(gates, m[1]) {
				gates = append(gates, m[1])
			}
		}
		if err := p.file(fmt.Sprintf("r%d/%s", minor, name), standIns.Replace(string(data))); err != nil {
			return 0, nil, err
		}
	}
	helpers, err := os.ReadFile(filepath.Join(r.Dir, "pkg/apis/rbac/v1/helpers.go"))
	if err != nil {
		return 0, nil, err
	}
	slices.Sort(gates)
	p.gates[minor] = gates
	return minor, gates, errors.Join(
		p.file("helpers/helpers.go", string(helpers)),
		p.file("helpers/group.go", "package v1\n\nconst GroupName = \"rbac.authorization.k8s.io\"\n"),
	)
}

// internalTypes replaces the internal types that 1.10 builds its roles from.
const internalTypes = `package rbac

import (
	rbacv1 "k8s.io/api/rbac/v1"

	helpers "ask/helpers"
)

type (
	AggregationRule    = rbacv1.AggregationRule
	ClusterRole        = rbacv1.ClusterRole
	ClusterRoleBinding = rbacv1.ClusterRoleBinding
	PolicyRule         = rbacv1.PolicyRule
	Role               = rbacv1.Role
	RoleBinding        = rbacv1.RoleBinding
	RoleRef            = rbacv1.RoleRef
)

const (
	AutoUpdateAnnotationKey = rbacv1.AutoUpdateAnnotationKey
	GroupName               = rbacv1.GroupName
)

var (
	NewRule           = helpers.NewRule
	NewClusterBinding = helpers.NewClusterBinding
	NewRoleBinding    = helpers.NewRoleBinding
)
`

// standIns maps the imports that are replaced to our packages.
var standIns = strings.NewReplacer(
	`"k8s.io/kubernetes/pkg/apis/rbac/v1"`, `"ask/helpers"`,
	`"k8s.io/kubernetes/pkg/apis/rbac"`, `"ask/rbac"`,
	`"k8s.io/kubernetes/pkg/features"`, `"ask/features"`,
	`"k8s.io/apiserver/pkg/features"`, `"ask/features"`,
	`"k8s.io/component-base/zpages/features"`, `"ask/features"`,
	`"k8s.io/apiserver/pkg/util/feature"`, `"ask/feature"`,
	`"k8s.io/kubernetes/pkg/controlplane/controller/legacytokentracking"`, `"ask/legacytokentracking"`,
	`"k8s.io/klog"`, `"k8s.io/klog/v2"`,
	`"github.com/golang/glog"`, `glog "k8s.io/klog/v2"`,
)

// writeStandIns writes the packages that replace those of Kubernetes.
func (p *program) writeStandIns(gates map[string]bool) error {
	var features strings.Builder
	features.WriteString("package features\n\nconst (\n")
	for _, g := range slices.Sorted(maps.Keys(gates)) {
		fmt.Fprintf(&features, "\t%s = %q\n", g, g)
	}
	features.WriteString(")\n")
	return errors.Join(
		p.file("features/features.go", features.String()),
		p.file("rbac/rbac.go", internalTypes),
		p.file("feature/feature.go", `package feature

import "os"

type gates struct{}

func (gates) Enabled(name string) bool { return name != os.Getenv("OFF") }

var DefaultFeatureGate gates
`),
		p.file("legacytokentracking/names.go", "package legacytokentracking\n\nconst ConfigMapName = \"kube-apiserver-legacy-service-account-token-tracking\"\n"),
	)
}

func (p *program) main() string {
	var calls strings.Builder
	for minor := range p.gates {
		fmt.Fprintf(&calls, "\t\t%d: list(r%[1]d.ClusterRoles(), r%[1]d.ControllerRoles(), r%[1]d.ClusterRoleBindings(), r%[1]d.ControllerRoleBindings(), r%[1]d.NamespaceRoles(), r%[1]d.NamespaceRoleBindings()),\n", minor)
	}
	return `package main

import (
	"encoding/json"
	"os"

	rbacv1 "k8s.io/api/rbac/v1"

` + strings.Join(p.imports, "") + `)

func list(roles, controllers []rbacv1.ClusterRole, bindings, controllerBindings []rbacv1.ClusterRoleBinding, local map[string][]rbacv1.Role, localBindings map[string][]rbacv1.RoleBinding) (all []any) {
	for _, r := range append(roles, controllers...) {
		r.Kind = "ClusterRole"
		all = append(all, r)
	}
	for _, b := range append(bindings, controllerBindings...) {
		b.Kind = "ClusterRoleBinding"
		all = append(all, b)
	}
	for _, of := range local {
		for _, r := range of {
			r.Kind = "Role"
			all = append(all, r)
		}
	}
	for _, of := range localBindings {
		for _, b := range of {
			b.Kind = "RoleBinding"
			all = append(all, b)
		}
	}
	return all
}

func main() {
	err := json.NewEncoder(os.Stdout).Encode(map[int][]any{
` + calls.String() + `	})
	if err != nil {
		panic(err)
	}
}
`
}

func (p *program) file(name, text string) error {
	path := filepath.Join(p.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o666)
}
