package convert

import "testing"

func TestDenier(t *testing.T) {
	for _, tt := range []struct{ message, webhook, said string }{
		{`admission webhook "a.example.com" denied the request: no`, "a.example.com", "no"},
		{`admission webhook "a.example.com" denied the request without explanation`, "a.example.com", ""},
		{`pods "a" is forbidden: no`, "", `pods "a" is forbidden: no`},
		{`admission webhook "a.example.com" timed out`, "", `admission webhook "a.example.com" timed out`},
	} {
		if webhook, said := Denier(tt.message); webhook != tt.webhook || said != tt.said {
			t.Errorf("Denier(%s) = %q, %q, want %q, %q", tt.message, webhook, said, tt.webhook, tt.said)
		}
	}
}
