package scaffold

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/pkg/dispatch"
)

// showing names a case by what it shows: the request, in the caller's words, and what decided, such as
// create-pod-web-denied-by-require-team.
func showing(request string, r *result) string {
	by := func(did string, names []string) string {
		switch len(names) {
		case 0:
			return did
		case 1:
			return did + "-by-" + names[0]
		}
		return did + "-by-" + names[0] + "-and-others"
	}
	switch {
	case !r.Allowed() && r.deniedBy().plugin != "":
		did := "denied"
		if _, h := r.Decider(); h != nil && (hook{Hook: *h}).failure() != nil {
			did = "failed"
		}
		return plainName(request + "-" + by(did, []string{deciderName(r.deniedBy())}))
	case !r.Allowed() && r.Code == http.StatusUnprocessableEntity:
		return plainName(request + "-invalid")
	case !r.Allowed():
		return plainName(request + "-refused")
	}
	if changed := hookNames(r, func(h hook) bool { return h.changed }); len(changed) > 0 {
		return plainName(request + "-" + by("changed", changed))
	}
	called := hookNames(r, func(h hook) bool { return h.called() && h.failure() == nil })
	if i := slices.Index(called, dispatch.ConversionWebhook); i >= 0 {
		request, called = request+"-with-conversion", slices.Delete(called, i, i+1)
	}
	return plainName(request + "-" + by("allowed", called))
}

// deciderName returns the name of a policy, the first word of a webhook's name, or a plugin.
func deciderName(d decider) string {
	switch {
	case d.plugin == dispatch.ConversionWebhook:
		return d.plugin
	case d.configuration == "":
		return d.plugin
	case strings.HasSuffix(d.plugin, "Webhook"):
		word, _, _ := strings.Cut(d.name, ".")
		return word
	}
	return d.configuration
}

// hookNames returns the names of the hooks of a request for which fits returns true, without duplicates.
func hookNames(r *result, fits func(hook) bool) (names []string) {
	for _, h := range r.hooks {
		if name := deciderName(decider{h.plugin, h.Configuration, h.Name}); fits(h) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// namesWhere returns the webhooks and policies of a request for which fits returns true, as expectations name them.
func namesWhere(r *result, fits func(hook) bool) (names []string) {
	for _, h := range r.hooks {
		name := hookPattern(h, r.hooks)
		if strings.HasSuffix(h.plugin, "Policy") {
			name = h.Configuration
		}
		if fits(h) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// hookPattern names a webhook so that no other of hooks is meant: by its name, or with its configuration.
func hookPattern(h hook, hooks []hook) string {
	if h.plugin == dispatch.ConversionWebhook || slices.ContainsFunc(hooks, func(o hook) bool { return o.Name == h.Name && o.Configuration != h.Configuration }) {
		return h.Configuration + "/" + h.Name
	}
	return h.Name
}

// requestWords returns the operation, kind and name of a recorded request.
func requestWords(r *admissionv1.AdmissionRequest) string {
	words := []string{string(r.Operation), r.Kind.Kind}
	name := r.Name
	var object struct{ Metadata metav1.ObjectMeta }
	if name == "" && json.Unmarshal(r.Object.Raw, &object) == nil {
		name = strings.TrimSuffix(object.Metadata.GenerateName, "-")
	}
	if name != "" {
		words = append(words, name)
	}
	return strings.Join(words, "-")
}

// plainName turns a text into the name of a case: short, and without characters that are special in regular
// expressions, file names and shells.
func plainName(text string) string {
	plain := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '-', r == '.':
			return r
		}
		return '-'
	}, strings.ToLower(text))
	const longest = 80
	return strings.Trim(plain[:min(len(plain), longest)], "-.")
}

// freeName returns a name that is not taken: the given one, or one with a number appended.
func freeName(name string, taken func(string) bool) string {
	for n := 2; ; n++ {
		if !taken(name) {
			return name
		}
		name = fmt.Sprintf("%s-%d", strings.TrimSuffix(name, fmt.Sprintf("-%d", n-1)), n)
	}
}
