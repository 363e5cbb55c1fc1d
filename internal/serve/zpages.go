package serve

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/internal/wire"
	"github.com/admsim/admsim/pkg/kubeversion"
)

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

// A zpage is what the server shows about itself: kubernetes/apiserver:pkg/server/statusz, flagz; up to 1.34
// kubernetes/component-base:zpages.
type zpage struct {
	path, kind string
	component  string // what the server calls itself
	heading    string

	// content returns the page as an object and as text.
	content func(x *exchange, head pageHead) (object any, text string)
}

// ComponentName is what every API server calls itself.
const ComponentName = "apiserver"

// zpages returns the pages of the server.
func (x *exchange) zpages() (all []zpage) {
	release := x.sim.Release()
	if release.GateOn("ComponentFlagz") {
		all = append(all, zpage{"/flagz", wire.Flagz, componentIf(release.Has(kubeversion.PagesInBeta)), "flagz", flagz})
		if !release.Has(kubeversion.PagesAsObjects) {
			all[0].heading = "flags"
		}
	}
	if release.GateOn("ComponentStatusz") {
		all = append(all, zpage{"/statusz", wire.Statusz, componentIf(release.Has(kubeversion.StatusListsPaths)), "statusz", statusz})
	}
	return all
}

// componentIf returns the name of the server on a page, which is that of all API servers, or only of kube-apiserver.
func componentIf(ofAll bool) string {
	if ofAll {
		return ComponentName
	}
	return "kube-apiserver"
}

// zpage answers a request for a page. It returns false if the path is not that of one.
func (x *exchange) zpage(path string) bool {
	all := x.zpages()
	i := slices.IndexFunc(all, func(p zpage) bool { return p.path == path })
	if i < 0 {
		return false
	}
	if page := all[i]; x.sim.Release().Has(kubeversion.PagesAsObjects) {
		x.negotiate(page)
	} else if wire.AcceptsText(x.r.Header.Get("Accept")) {
		x.sendPage(page, textAsUTF8)
	} else {
		x.text(http.StatusNotAcceptable, "media type not acceptable, must be: text/plain\n")
	}
	return true
}

// textAsUTF8 is the media type of most texts.
const textAsUTF8 = "text/plain; charset=utf-8"

// negotiate answers a request for a page in the form that the client prefers.
func (x *exchange) negotiate(page zpage) {
	beta := x.sim.Release().Has(kubeversion.PagesInBeta)
	offer := wire.Offer{Formats: append(wire.Formats(true, false), wire.Text), Page: page.kind, PageVersions: []string{"v1alpha1"}}
	if beta {
		offer.Formats = slices.Insert(x.formats(false), 2, wire.Text)
		offer.PageVersions = []string{"v1alpha1", "v1beta1"}
	}
	media, ok := x.accept(offer)
	document := Counted{Resource: page.path[1:], Component: ComponentName}
	if media.As != "" {
		kind := media.Kind()
		document.Group, document.Version = kind.Group, kind.Version
	}
	x.countAs(kubeversion.PagesInBeta, document)
	switch negotiated := strings.TrimSpace(x.r.Header.Get("Accept")) != ""; {
	case !negotiated:
		x.sendPage(page, textAsUTF8)
	case !ok:
		x.status(notAcceptable(mediaTypes(offer.Formats)))
	case media.Format == wire.Text && page.kind == wire.Statusz && !beta:
		x.sendPage(page, string(wire.Text))
	case media.Format == wire.Text:
		x.sendPage(page, textAsUTF8)
	case media.Format != wire.JSON && !beta:
		x.status(&metav1.Status{
			Status: metav1.StatusFailure, Code: http.StatusInternalServerError,
			Message: fmt.Sprintf("content negotiation failed: unsupported media type '%s'", media.Format),
		})
	default:
		x.sendPageAs(page, media)
	}
}

// sendPage sends a page as text.
func (x *exchange) sendPage(page zpage, contentType string) {
	_, text := page.content(x, pageHead{})
	heading := fmt.Sprintf("\n%s %s\nWarning: This endpoint is not meant to be machine parseable, has no formatting compatibility guarantees and is for debugging purposes only.\n", page.component, page.heading)
	x.send(http.StatusOK, contentType, []byte(heading+text))
}

// sendPageAs sends a page as the object that the client asked for.
func (x *exchange) sendPageAs(page zpage, media wire.Media) {
	kind := media.Kind()
	object, _ := page.content(x, pageHead{metav1.TypeMeta{Kind: kind.Kind, APIVersion: kind.GroupVersion().String()}, metav1.ObjectMeta{Name: page.component}})
	data, err := json.Marshal(object)
	if err == nil {
		data, err = media.FromJSON(data, reflect.TypeOf(object))
	}
	if err != nil {
		x.unknown(err)
		return
	}
	if kind.Version == "v1alpha1" && x.sim.Release().Has(kubeversion.PagesInBeta) {
		x.annotate(map[string]string{"k8s.io/deprecated": "true"})
		x.warn([]string{fmt.Sprintf("This version of the %s endpoint is deprecated. Please use a newer version.", page.path[1:])})
	}
	x.send(http.StatusOK, typeAs(media), data)
}

// drawDelimiter returns what separates names and values in a text. It is drawn, so that no program parses the texts.
func drawDelimiter() string {
	all := []string{":", ": ", "=", " "}
	return all[rand.IntN(len(all))]
}

// typeAs returns the media type of an answer whose kind the client asked for.
func typeAs(m wire.Media) string {
	kind := m.Kind()
	return fmt.Sprintf("%s;g=%s;v=%s;as=%s", m.Format, kind.Group, kind.Version, kind.Kind)
}

func statusz(x *exchange, head pageHead) (object any, text string) {
	release := x.sim.Release()
	info := versionOf(release)
	s := statusPage{
		pageHead:  head,
		StartTime: metav1.NewTime(x.started), UptimeSeconds: int64(time.Since(x.started).Seconds()),
		GoVersion: info.GoVersion, BinaryVersion: strings.TrimPrefix(info.GitVersion, "v"), EmulationVersion: release.Version,
		Paths: folders(x.paths()),
	}
	up := s.UptimeSeconds
	lines := [][2]string{
		{"Started", x.started.Format(time.UnixDate)},
		{"Up", fmt.Sprintf("%d hr %02d min %02d sec", up/3600, up/60%60, up%60)},
		{"Go version", s.GoVersion},
		{"Binary version", s.BinaryVersion},
		{"Emulation version", s.EmulationVersion},
	}
	switch paths := strings.Join(s.Paths, " "); {
	case release.Has(kubeversion.PagesAsObjects):
		lines = append(lines, [2]string{"Paths", paths})
	case release.Has(kubeversion.StatusListsPaths):
		lines = append(lines, [2]string{"Paths", " " + paths})
	}
	var b strings.Builder
	b.WriteByte('\n')
	delimiter := drawDelimiter()
	for _, line := range lines {
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

func flagz(x *exchange, head pageHead) (object any, text string) {
	release := x.sim.Release()
	values := x.flags()
	var b strings.Builder
	if !release.Has(kubeversion.PagesAsObjects) {
		b.WriteByte('\n')
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		fmt.Fprintf(&b, "%s%s%s\n", name, x.flagDelimiter, values[name])
	}
	return flagPage{head, values}, b.String()
}
