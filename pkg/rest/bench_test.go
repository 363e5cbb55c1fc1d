package rest

import (
	"context"
	"testing"
)

// BenchmarkCreate sends a request without any plugins, to measure the server itself.
func BenchmarkCreate(b *testing.B) {
	w := newWorld()
	server := w.server()
	for name, body := range map[string]string{
		"configmap": `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c"},"data":{"a":"1"}}`,
		"pod":       `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i","env":[{"name":"A","value":"1"}]}]}}`,
	} {
		b.Run("kind="+name, func(b *testing.B) {
			req, _, err := requestOf(server, "create "+name+"s shop/", []byte(body))
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if r, err := server.Do(context.Background(), w.state, req); err != nil || r.Code != 201 {
					b.Fatal(r.Code, err)
				}
				w.plugin.notes.Reset()
			}
		})
	}
}
