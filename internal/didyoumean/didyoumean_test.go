package didyoumean

import "testing"

func TestNearest(t *testing.T) {
	known := []string{"Pod", "PodTemplate", "Deployment", "DaemonSet", "LimitRanger", "1.36", "1.35", "owner.shop.example"}
	for _, test := range []struct{ word, want, reason string }{
		{"LimitRange", "LimitRanger", "a letter is missing"},
		{"Deploymnet", "Deployment", "two letters are swapped"},
		{"deployment", "Deployment", "only the case differs"},
		{"Pdo", "Pod", "short words may have one slip"},
		{"1.37", "1.36", "the first of two that are equally near"},
		{"Xyz", "", "nothing in common"},
		{"Gateway", "", "too many slips"},
		{"", "", "nothing to compare"},
		{"policy.shop.example", "", "another word in front of the same domain"},
		{"buyer.shop.example", "", "another word with the same ending"},
		{"Daemon", "DaemonSet", "the only one with this beginning"},
		{"limit", "LimitRanger", "the only one with this beginning, ignoring case"},
		{"1.3", "1.36", "the first of two that are equally near"},
		{"Podtempl", "PodTemplate", "the only one with this beginning"},
		{"De", "", "too little of a word"},
		{"ownr.shp.exmaple", "owner.shop.example", "slips here and there"},
		{"own.shop.example", "owner.shop.example", "the end of a word is missing"},
		{"o.shop.example", "owner.shop.example", "much of a word is missing"},
	} {
		if got := Nearest(test.word, known); got != test.want {
			t.Errorf("Nearest(%q) = %q, want %q: %s", test.word, got, test.want, test.reason)
		}
	}
}

func TestUnknown(t *testing.T) {
	known := []string{"LimitRanger"}
	if got, want := Unknown("no plugin \"LimitRange\"", "LimitRange", known).Error(), `no plugin "LimitRange"; did you mean "LimitRanger"?`; got != want {
		t.Errorf("Error() = %s, want %s", got, want)
	}
	if e := Unknown("no plugin \"X\"", "X", known); e.Error() != `no plugin "X"` || e.Hint() != "" {
		t.Errorf("Error() = %s, Hint() = %q, want no hint", e, e.Hint())
	}
}
