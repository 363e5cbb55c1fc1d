package dist

import (
	"bytes"
	"crypto/sha256"
	"debug/buildinfo"
	"debug/elf"
	"debug/macho"
	"debug/pe"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/CycloneDX/cyclonedx-go"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/validate"
)

var folder = flag.String("dist", "", "the folder that make snapshot fills")

// platforms lists the platforms of a release.
var platforms = []string{"darwin/amd64", "darwin/arm64", "linux/amd64", "linux/arm64", "windows/amd64", "windows/arm64"}

// An artifact is an artifact in GoReleaser's list.
type artifact struct {
	Name, Path, Type string
	OS               string `json:"goos"`
	Architecture     string `json:"goarch"`
}

func (a *artifact) platform() string { return a.OS + "/" + a.Architecture }

// A snapshot is everything that make snapshot has built.
type snapshot struct {
	artifacts []artifact
	programs  map[string][]byte // by platform
	version   string
	commit    string
}

// opened reads the list of all artifacts, and the programs before they were packed.
func opened(t *testing.T) *snapshot {
	t.Helper()
	if *folder == "" {
		t.Skip("make snapshot runs this, with -dist")
	}
	s := &snapshot{programs: map[string][]byte{}}
	var is struct{ Version string }
	readJSON(t, "metadata.json", &is)
	readJSON(t, "artifacts.json", &s.artifacts)
	head := exec.Command("git", "rev-parse", "HEAD")
	head.Dir = filepath.Join(*folder, "..")
	commit, err := head.Output()
	if err != nil {
		t.Fatal(err)
	}
	s.version, s.commit = is.Version, strings.TrimSpace(string(commit))
	for a := range s.of("Binary") {
		s.programs[a.platform()] = read(t, a.Path)
	}
	if got := slices.Sorted(maps.Keys(s.programs)); !slices.Equal(got, platforms) {
		t.Fatalf("got programs for %s, want %s", got, platforms)
	}
	return s
}

// of yields all artifacts of a type.
func (s *snapshot) of(kind string) func(func(*artifact) bool) {
	return func(yield func(*artifact) bool) {
		for i := range s.artifacts {
			if a := &s.artifacts[i]; a.Type == kind && !yield(a) {
				return
			}
		}
	}
}

// read reads a file in dist, however GoReleaser names it.
func read(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(*folder, strings.TrimPrefix(filepath.ToSlash(path), "dist/")))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func readJSON(t *testing.T, path string, into any) {
	t.Helper()
	if err := json.Unmarshal(read(t, path), into); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

func sum(text []byte) string {
	s := sha256.Sum256(text)
	return hex.EncodeToString(s[:])
}

// Each program is for the platform that it is published for, and reports its commit.
func TestPrograms(t *testing.T) {
	s := opened(t)
	for platform, text := range s.programs {
		t.Run(platform, func(t *testing.T) {
			machine := map[string]func([]byte) (string, error){"linux": elfMachine, "darwin": machoMachine, "windows": peMachine}
			system, architecture, _ := strings.Cut(platform, "/")
			if got, err := machine[system](text); err != nil || got != architecture {
				t.Errorf("the program is for %s: %v", got, err)
			}
			built, err := buildinfo.Read(bytes.NewReader(text))
			if err != nil {
				t.Fatal(err)
			}
			says := map[string]string{}
			for _, s := range built.Settings {
				says[s.Key] = s.Value
			}
			for key, want := range map[string]string{"GOOS": system, "GOARCH": architecture, "CGO_ENABLED": "0", "vcs.revision": s.commit} {
				if says[key] != want {
					t.Errorf("the program has %s=%s, want %s", key, says[key], want)
				}
			}
			if built.Path != "github.com/admsim/admsim/cmd/admsim" {
				t.Errorf("the program was built from %s", built.Path)
			}
		})
	}
}

func elfMachine(text []byte) (string, error) {
	f, err := elf.NewFile(bytes.NewReader(text))
	if err != nil {
		return "", err
	}
	if libraries, err := f.ImportedLibraries(); err != nil || len(libraries) > 0 {
		return "", fmt.Errorf("it needs %q: %w", libraries, err)
	}
	return map[elf.Machine]string{elf.EM_X86_64: "amd64", elf.EM_AARCH64: "arm64"}[f.Machine], nil
}

func machoMachine(text []byte) (string, error) {
	f, err := macho.NewFile(bytes.NewReader(text))
	if err != nil {
		return "", err
	}
	return map[macho.Cpu]string{macho.CpuAmd64: "amd64", macho.CpuArm64: "arm64"}[f.Cpu], nil
}

func peMachine(text []byte) (string, error) {
	f, err := pe.NewFile(bytes.NewReader(text))
	if err != nil {
		return "", err
	}
	return map[uint16]string{pe.IMAGE_FILE_MACHINE_AMD64: "amd64", pe.IMAGE_FILE_MACHINE_ARM64: "arm64"}[f.Machine], nil
}

// Each platform has one archive with the program, the license and the README.
func TestArchives(t *testing.T) {
	s := opened(t)
	var found []string
	for a := range s.of("Archive") {
		found = append(found, a.platform())
		t.Run(a.Name, func(t *testing.T) {
			files, _, err := open(filepath.Join(*folder, a.Name))
			if err != nil {
				t.Fatal(err)
			}
			program := "admsim"
			if a.OS == "windows" {
				program += ".exe"
			}
			if got, want := slices.Sorted(maps.Keys(files)), []string{"LICENSE", "README.md", program}; !slices.Equal(got, want) {
				t.Fatalf("it has %q, want %q", got, want)
			}
			if !bytes.Equal(files[program].Text, s.programs[a.platform()]) || files[program].Mode&0o111 == 0 {
				t.Errorf("its program differs, or is not executable: %v", files[program].Mode)
			}
			for _, name := range []string{"LICENSE", "README.md"} {
				if !bytes.Equal(files[name].Text, read(t, "../"+name)) {
					t.Errorf("its %s differs", name)
				}
			}
		})
	}
	if slices.Sort(found); !slices.Equal(found, platforms) {
		t.Errorf("got archives for %q, want %q", found, platforms)
	}
}

// The Debian and Red Hat packages install the program, the kubectl plugin and its completion.
func TestPackages(t *testing.T) {
	s := opened(t)
	found := map[string]int{}
	for a := range s.of("Linux Package") {
		found[filepath.Ext(a.Name)+" "+a.platform()]++
		t.Run(a.Name, func(t *testing.T) {
			files, fields, err := open(filepath.Join(*folder, a.Name))
			if err != nil {
				t.Fatal(err)
			}
			names := []string{"usr/bin/admsim", "usr/bin/kubectl-admsim", "usr/bin/kubectl_complete-admsim", "usr/share/doc/admsim/copyright"}
			if got := slices.Sorted(maps.Keys(files)); !slices.Equal(got, names) {
				t.Fatalf("it has %q, want %q", got, names)
			}
			if p := files["usr/bin/admsim"]; !bytes.Equal(p.Text, s.programs[a.platform()]) || p.Mode != 0o755 {
				t.Errorf("its program differs, or has the mode %v", p.Mode)
			}
			for _, link := range names[1:3] {
				if files[link].Link != "admsim" {
					t.Errorf("%s leads to %q", link, files[link].Link)
				}
			}
			checkFields(t, a, fields, s.version)
		})
	}
	want := map[string]int{".deb linux/amd64": 1, ".deb linux/arm64": 1, ".rpm linux/amd64": 1, ".rpm linux/arm64": 1}
	if !maps.Equal(found, want) {
		t.Errorf("got %v, want %v", found, want)
	}
}

func checkFields(t *testing.T, a *artifact, fields map[string]string, version string) {
	t.Helper()
	architecture := a.Architecture
	if filepath.Ext(a.Name) == ".rpm" {
		architecture = map[string]string{"amd64": "x86_64", "arm64": "aarch64"}[a.Architecture]
		if fields["License"] != "Apache-2.0" {
			t.Errorf("its license is %q", fields["License"])
		}
	}
	if fields["Package"] != "admsim" || fields["Architecture"] != architecture {
		t.Errorf("the package is %s for %s, want admsim for %s", fields["Package"], fields["Architecture"], architecture)
	}
	// A tilde precedes the prerelease part of a version, which may not have dashes.
	number, _, _ := strings.Cut(version, "-")
	if got, _, _ := strings.Cut(fields["Version"], "~"); got != number {
		t.Errorf("its version is %s, want %s", fields["Version"], version)
	}
}

// The SBOM of a program agrees with the program itself: each module with its version, and the program.
func TestSBOM(t *testing.T) {
	s := opened(t)
	found := 0
	for platform, program := range s.programs {
		name := fmt.Sprintf("admsim_%s_%s.cdx.json", s.version, strings.ReplaceAll(platform, "/", "_"))
		if !slices.ContainsFunc(s.artifacts, func(a artifact) bool { return a.Type == "SBOM" && a.Name == name }) {
			t.Errorf("%s is not published", name)
			continue
		}
		found++
		t.Run(platform, func(t *testing.T) {
			bom := &cyclonedx.BOM{}
			if err := cyclonedx.NewBOMDecoder(bytes.NewReader(read(t, name)), cyclonedx.BOMFileFormatJSON).Decode(bom); err != nil {
				t.Fatal(err)
			}
			built, err := buildinfo.Read(bytes.NewReader(program))
			if err != nil {
				t.Fatal(err)
			}
			want := []string{"std@" + built.GoVersion}
			for _, m := range built.Deps {
				want = append(want, m.Path+"@"+m.Version)
			}
			var got []string
			for _, c := range *bom.Components {
				got = append(got, c.Name+"@"+c.Version)
				if c.Name != "std" && c.Hashes == nil {
					t.Errorf("%s has no checksum", c.Name)
				}
			}
			slices.Sort(want)
			if slices.Sort(got); !slices.Equal(got, want) {
				t.Errorf("it lists %q\nwant %q", got, want)
			}
			if len(want) < 50 {
				t.Errorf("the program lists only %d modules", len(want))
			}
			main := bom.Metadata.Component
			if main.Name != "github.com/admsim/admsim" || main.Version != "v"+s.version {
				t.Errorf("it describes %s %s", main.Name, main.Version)
			}
			hash := cyclonedx.Property{Name: "cdx:gomod:binary:hash:SHA-256", Value: sum(program)}
			if !slices.Contains(*bom.Metadata.Properties, hash) {
				t.Errorf("it describes another program: %v", *bom.Metadata.Properties)
			}
		})
	}
	if all := slices.Collect(s.of("SBOM")); len(all) != found {
		t.Errorf("got %d SBOMs for %d programs", len(all), found)
	}
}

// The checksums are right, and there is one for each file that can be downloaded. Homebrew and krew use the same ones.
func TestChecksums(t *testing.T) {
	s := opened(t)
	sums := map[string]string{}
	for line := range strings.Lines(string(read(t, "checksums.txt"))) {
		fields := strings.Fields(line)
		if len(fields) != 2 {
			t.Fatalf("the line is %q", line)
		}
		sums[fields[1]] = fields[0]
	}
	found := 0
	for _, kind := range []string{"Archive", "Linux Package", "SBOM"} {
		for a := range s.of(kind) {
			found++
			if want := sum(read(t, a.Path)); sums[a.Name] != want {
				t.Errorf("%s has the checksum %q, want %q", a.Name, sums[a.Name], want)
			}
		}
	}
	if len(sums) != found {
		t.Errorf("got %d checksums for %d files", len(sums), found)
	}
	for manifest, kinds := range map[string][]string{
		"krew/admsim.yaml":         {"darwin", "linux", "windows"},
		"homebrew/Casks/admsim.rb": {"darwin", "linux"},
	} {
		text := string(read(t, manifest))
		for a := range s.of("Archive") {
			if slices.Contains(kinds, a.OS) && !strings.Contains(text, sums[a.Name]) {
				t.Errorf("%s does not have the checksum of %s", manifest, a.Name)
			}
		}
	}
}

// images returns the images of all platforms in the image's folder.
func images(t *testing.T) map[string]v1.Image {
	t.Helper()
	index, err := layout.ImageIndexFromPath(filepath.Join(*folder, "image"))
	if err != nil {
		t.Fatal(err)
	}
	if err := validate.Index(index); err != nil {
		t.Error(err)
	}
	tagged, err := index.IndexManifest()
	if err != nil {
		t.Fatal(err)
	}
	of, err := index.ImageIndex(tagged.Manifests[0].Digest)
	if err != nil {
		t.Fatal(err)
	}
	manifest, err := of.IndexManifest()
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]v1.Image{}
	for _, m := range manifest.Manifests {
		if all[m.Platform.String()], err = of.Image(m.Digest); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// The image has the programs in the archives for Linux, and does not run them as root.
func TestImage(t *testing.T) {
	s := opened(t)
	all := images(t)
	if got := slices.Sorted(maps.Keys(all)); !slices.Equal(got, []string{"linux/amd64", "linux/arm64"}) {
		t.Errorf("the image is for %q", got)
	}
	for platform, image := range all {
		files, err := openImage(image)
		if err != nil {
			t.Fatal(err)
		}
		config, err := image.ConfigFile()
		if err != nil {
			t.Fatal(err)
		}
		program := strings.TrimPrefix(config.Config.Entrypoint[0], "/")
		if !bytes.Equal(files[program].Text, s.programs[platform]) {
			t.Errorf("%s: %s differs from the program in the archive", platform, program)
		}
		if config.Config.User != "65532:65532" {
			t.Errorf("%s: the program runs as %q", platform, config.Config.User)
		}
		if got := config.Config.Labels["org.opencontainers.image.revision"]; got != s.commit {
			t.Errorf("%s: its commit is %q, want %s", platform, got, s.commit)
		}
		if got := config.Config.Labels["org.opencontainers.image.version"]; got != s.version {
			t.Errorf("%s: its version is %q, want %s", platform, got, s.version)
		}
	}
}

// The program for this machine runs the README's example and reports its commit, from where it was installed.
func TestRun(t *testing.T) {
	s := opened(t)
	host := runtime.GOOS + "/" + runtime.GOARCH
	tried := 0
	try := func(name string, files contents, program string) {
		tried++
		t.Run(name, func(t *testing.T) {
			root := installed(t, files)
			const example = "examples/quickstart"
			if err := os.CopyFS(filepath.Join(root, example), os.DirFS(filepath.Join(*folder, "..", example))); err != nil {
				t.Fatal(err)
			}
			if out := runIn(t, root, program, "version", "-o", "json"); !strings.Contains(out, s.commit) {
				t.Errorf("the version lacks the commit: %s", out)
			}
			plugin := path.Join(path.Dir(program), "kubectl-admsim")
			if _, has := files[plugin]; has {
				if out := runIn(t, root, plugin, "version", "-o", "json"); !strings.Contains(out, s.commit) {
					t.Errorf("as a plugin, the version lacks the commit: %s", out)
				}
			}
			out := runIn(t, root, program, "run", "-C", "examples/quickstart/world", "-f", "examples/quickstart/request.yaml")
			if !strings.Contains(out, "allowed") {
				t.Errorf("the output is %s", out)
			}
		})
	}
	for i := range s.artifacts {
		a := &s.artifacts[i]
		if a.platform() != host || a.Type != "Archive" && a.Type != "Linux Package" {
			continue
		}
		files, _, err := open(filepath.Join(*folder, a.Name))
		if err != nil {
			t.Fatal(err)
		}
		program := "admsim"
		switch {
		case a.Type == "Linux Package":
			program = "usr/bin/admsim"
		case a.OS == "windows":
			program += ".exe"
		}
		try(a.Name, files, program)
	}
	if image := images(t)[host]; image != nil {
		files, err := openImage(image)
		if err != nil {
			t.Fatal(err)
		}
		try("image", files, "usr/local/bin/admsim")
	}
	if tried == 0 {
		t.Skipf("nothing is published for %s", host)
	}
}

// installed returns a folder with these files.
func installed(t *testing.T, files contents) string {
	t.Helper()
	root := t.TempDir()
	if err := os.Chmod(root, 0o755); err != nil { // for users other than root
		t.Fatal(err)
	}
	for name, file := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		var err error
		if file.Link != "" {
			err = os.Symlink(file.Link, path)
		} else {
			err = os.WriteFile(path, file.Text, file.Mode)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func runIn(t *testing.T, root, program string, args ...string) string {
	t.Helper()
	c := exec.Command(filepath.Join(root, filepath.FromSlash(program)), args...)
	c.Dir = root
	alone(c, root, "/"+program)
	out, err := c.CombinedOutput()
	if err != nil {
		t.Errorf("%s %q: %v\n%s", program, args, err, out)
	}
	return string(out)
}
