package edges

import (
	"fmt"
	"strings"
	"testing"
)

// Each expression gives the values at its edges, place by place.
func TestOf(t *testing.T) {
	in := Context{
		Variables: map[string]string{
			"most":       `5`,
			"bad":        `object.spec.list.filter(i, i > 3)`,
			"prefixes":   `params.images.map(p, p.replace('*', ''))`,
			"containers": `object.spec.containers + (has(object.spec.initContainers) ? object.spec.initContainers : [])`,
		},
		Params: []map[string]any{{
			"most": int64(7), "teams": []any{"a", "b"}, "images": []any{"ab*"},
			"labels": []any{map[string]any{"key": "env", "regex": "^a$"}},
		}},
	}
	for expression, want := range map[string]string{
		`object.spec.replicas <= 5`:                                            `object.spec.replicas: absent 4 5 6`,
		`variables.most >= object.spec.replicas`:                               `object.spec.replicas: absent 4 5 6`,
		`object.spec.replicas < params.most`:                                   `object.spec.replicas: absent 6 7 8`,
		`!has(object.spec.x) || object.spec.x == 'a'`:                          `object.spec.x: absent typical-0 "a" "ax" "xa" "" "A" typical-1`,
		`object.spec.hostNetwork`:                                              `object.spec.hostNetwork: absent true false`,
		`object.spec.hostNetwork == true || size(object.a) > 2`:                `object.spec.hostNetwork: absent true false; object.a: absent size-1 size-2 size-3`,
		`'env' in object.metadata.labels`:                                      `object.metadata.labels: absent with-env size-0 typical-0`,
		`object.metadata.labels['env'] == 'ab'`:                                `object.metadata.labels.env: absent "ab" "abx" "xab" "" "a" "b" "AB" typical-0 typical-1`,
		`object.metadata.?labels['a/b'].orValue('') == 'x'`:                    `object.metadata.labels["a/b"]: absent "" "x" "xx" "X" typical-0 typical-1`,
		`object.spec.containers.all(c, has(c.limits))`:                         `object.spec.containers: absent size-0 size-1 size-2; object.spec.containers[*].limits: absent typical-0`,
		`variables.containers.exists(c, c.privileged)`:                         `object.spec.initContainers: absent typical-0 size-0 size-1 size-2; object.spec.containers: absent size-0 size-1 size-2; object.spec.containers[*].privileged: absent true false; object.spec.initContainers[*].privileged: absent true false`,
		`object.spec.list.filter(i, i > 3).size() <= 1`:                        `object.spec.list: absent size-0 size-1 size-2; object.spec.list[*]: absent 2 3 4`,
		`['aa', 'bb'].exists(p, object.x.startsWith(p))`:                       `object.x: absent "aa" "aax" "xaa" "" "a" "AA" "bb" "bbx" "xbb" "b" "BB" typical-0 typical-1`,
		`quantity(object.m).isLessThan(quantity('1Gi'))`:                       `object.m: absent "1Gi" "1073741824" "1073741823" "1073741825" typical-0 typical-1`,
		`object.spec.replicas == oldObject.spec.replicas`:                      `object.spec.replicas: absent typical-0 typical-1 typical-2; oldObject.spec.replicas: absent typical-0 typical-1 typical-2`,
		`cel.bind(r, object.spec.replicas, r > 1 && r < 10)`:                   `object.spec.replicas: absent 0 1 2 9 10 11`,
		`object.metadata.labels.all(k, k.startsWith('b'))`:                     `object.metadata.labels: absent size-0 size-1 size-2; object.metadata.labels[*]: absent "b" "bx" "xb" "" "B" typical-0 typical-1`,
		`params.teams.exists(t, object.team == t)`:                             `object.team: absent "a" "ax" "xa" "" "A" "b" "bx" "xb" "B" typical-0 typical-1`,
		`request.userInfo.username == 'root'`:                                  `request.userInfo.username: absent "root" "rootx" "xroot" "" "roo" "oot" "ROOT" typical-0 typical-1`,
		`object.x.startsWith('a') && object.x.endsWith('z')`:                   `object.x: absent "a" "ax" "xa" "" "A" typical-0 typical-1 "z" "zx" "xz" "Z" "az" "axz" "xaz"`,
		`size(variables.bad) == 0`:                                             `object.spec.list: absent size-0 size-1 size-2; object.spec.list[*]: absent 2 3 4`,
		`variables.prefixes.exists(p, object.x.startsWith(p))`:                 `object.x: absent "ab" "abx" "xab" "" "a" "b" "AB" typical-0 typical-1`,
		`params.labels.all(l, l.key in object.metadata.labels)`:                `object.metadata.labels: absent with-env size-0 typical-0`,
		`params.labels.all(l, object.metadata.labels[l.key].matches(l.regex))`: `object.metadata.labels.env: absent "a" "a!" "!a" "ax" "xa" "" "A" typical-0 typical-1`,
		`this is no expression`:                                                ``,
		`object.spec.template.spec.volumes.all(v, !has(v.hostPath))`:           `object.spec.template.spec.volumes: absent size-0 size-1 size-2; object.spec.template.spec.volumes[*].hostPath: absent typical-0`,
	} {
		if got := show(Of(expression, in)); got != want {
			t.Errorf("Of(%s)\n got %s\nwant %s", expression, got, want)
		}
	}
}

// A pattern gives texts at the edges of its repetitions.
func TestOfPattern(t *testing.T) {
	got := show(Of(`object.name.matches('^a{2,3}$')`, Context{}))
	for _, want := range []string{`"aa"`, `"aaa"`, `"aaaa"`, `"a"`, `"AA"`, `"xaa"`, `"aa!"`} {
		if !strings.Contains(got+" ", " "+want+" ") {
			t.Errorf("%s is not in %s", want, got)
		}
	}
}

func show(all []Variation) string {
	var lines []string
	for _, v := range all {
		words := []string{v.Place.String() + ":"}
		for _, one := range v.Values {
			switch one.Sort {
			case Absent:
				words = append(words, "absent")
			case Literal:
				if text, ok := one.Is.(string); ok {
					words = append(words, fmt.Sprintf("%q", text))
				} else {
					words = append(words, fmt.Sprint(one.Is))
				}
			case Member:
				words = append(words, fmt.Sprintf("with-%v", one.Is))
			case Size:
				words = append(words, fmt.Sprintf("size-%v", one.Is))
			case Typical:
				words = append(words, fmt.Sprintf("typical-%v", one.Is))
			}
		}
		lines = append(lines, strings.Join(words, " "))
	}
	return strings.Join(lines, "; ")
}
