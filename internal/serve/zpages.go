package serve

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/internal/wire"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// component is what the server calls itself on its pages.
const component = "apiserver"

// pageHead is how a page begins, as every object does.
type pageHead struct {
	metav1.TypeMeta
	metav1.ObjectMeta `json:"metadata"`
}

// A statusPage says what runs, and since when: kubernetes/apiserver:pkg/server/statusz/api/v1beta1.
type statusPage struct {
	pageHead
	StartTime        metav1.Time `json:"startTime"`
	UptimeSeconds    int64       `json:"uptimeSeconds"`
	GoVersion        string      `json:"goVersion"`
	BinaryVersion    string      `json:"binaryVersion"`
	EmulationVersion string      `json:"emulationVersion"`
	Paths            []string    `json:"paths"`
}

// A flagPage shows the flags of the server: kubernetes/apiserver:pkg/server/flagz/api/v1beta1.
type flagPage struct {
	pageHead
	Flags map[string]string `json:"flags"`
}

// A zpage is what the server shows about itself: kubernetes/apiserver:pkg/server/statusz, flagz.
type zpage struct {
	path, kind string

	// content returns the page as an object and as text, in which delimiter separates names and values.
	content func(x *exchange, head pageHead, delimiter string) (object any, text string)
}

// zpages returns the pages of the server.
func (x *exchange) zpages() (all []zpage) {
	release := x.sim.Release()
	if !release.Has(kubeversion.ComponentPages) {
		return nil
	}
	if release.GateOn("ComponentFlagz") {
		all = append(all, zpage{"/flagz", wire.Flagz, flagz})
	}
	if release.GateOn("ComponentStatusz") {
		all = append(all, zpage{"/statusz", wire.Statusz, statusz})
	}
	return all
}

// zpage answers a request for a page. It returns false if the path is not that of one.
func (x *exchange) zpage(path string) bool {
	all := x.zpages()
	i := slices.IndexFunc(all, func(p zpage) bool { return p.path == path })
	if i < 0 {
		return false
	}
	page := all[i]
	offer := wire.Offer{Formats: slices.Insert(x.formats(false), 2, wire.Text), Page: page.kind}
	media, ok := x.accept(offer)
	if strings.TrimSpace(x.r.Header.Get("Accept")) == "" {
		media.Format = wire.Text
	}
	if !ok {
		x.status(notAcceptable(offer.Formats))
		return true
	}
	kind := media.Kind()
	head := pageHead{metav1.TypeMeta{Kind: kind.Kind, APIVersion: kind.GroupVersion().String()}, metav1.ObjectMeta{Name: component}}
	object, text := page.content(x, head, delimiters[rand.IntN(len(delimiters))])
	if media.Format == wire.Text {
		heading := fmt.Sprintf("\n%s %s\nWarning: This endpoint is not meant to be machine parseable, has no formatting compatibility guarantees and is for debugging purposes only.\n", component, path[1:])
		x.send(http.StatusOK, "text/plain; charset=utf-8", []byte(heading+text))
		return true
	}
	data, err := json.Marshal(object)
	if err == nil {
		data, err = media.FromJSON(data)
	}
	if err != nil {
		x.unknown(err)
		return true
	}
	if kind.Version == "v1alpha1" {
		x.warn([]string{fmt.Sprintf("This version of the %s endpoint is deprecated. Please use a newer version.", path[1:])})
	}
	x.send(http.StatusOK, typeAs(media), data)
	return true
}

// delimiters are what may separate names and values in texts. One of them is drawn, so that no program parses the texts.
var delimiters = []string{":", ": ", "=", " "}

// typeAs returns the media type of an answer whose kind the client asked for.
func typeAs(m wire.Media) string {
	kind := m.Kind()
	return fmt.Sprintf("%s;g=%s;v=%s;as=%s", m.Format, kind.Group, kind.Version, kind.Kind)
}

func statusz(x *exchange, head pageHead, delimiter string) (object any, text string) {
	info := versionOf(x.sim.Release())
	s := statusPage{
		pageHead:  head,
		StartTime: metav1.NewTime(x.started), UptimeSeconds: int64(time.Since(x.started).Seconds()),
		GoVersion: info.GoVersion, BinaryVersion: strings.TrimPrefix(info.GitVersion, "v"), EmulationVersion: x.sim.Release().Version,
		Paths: folders(x.paths()),
	}
	up := s.UptimeSeconds
	var b strings.Builder
	b.WriteByte('\n')
	for _, line := range [][2]string{
		{"Started", x.started.Format(time.UnixDate)},
		{"Up", fmt.Sprintf("%d hr %02d min %02d sec", up/3600, up/60%60, up%60)},
		{"Go version", s.GoVersion},
		{"Binary version", s.BinaryVersion},
		{"Emulation version", s.EmulationVersion},
		{"Paths", strings.Join(s.Paths, " ")},
	} {
		fmt.Fprintf(&b, "%s%s %s\n", line[0], delimiter, line[1])
	}
	return s, b.String()
}

// folders returns the first segments of paths, without those of the API itself.
func folders(paths []string) (all []string) {
	for _, path := range paths {
		folder, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
		if !slices.Contains([]string{"", "apis", "api", "openid", "openapi", ".well-known"}, folder) {
			all = append(all, "/"+folder)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func flagz(x *exchange, head pageHead, delimiter string) (object any, text string) {
	values := flagsOf(x.sim.Release(), x.options.Flags)
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(values)) {
		fmt.Fprintf(&b, "%s%s%s\n", name, delimiter, values[name])
	}
	return flagPage{head, values}, b.String()
}
