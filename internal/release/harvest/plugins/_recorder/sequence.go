//go:build go1.21

package recorder

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"reflect"
	"sync"
	"time"

	"k8s.io/client-go/rest"
)

// The answers of some plugins depend on what they were asked before.
var (
	instancesMu sync.Mutex
	instances   = map[interface{}]*instance{} // by plugin, each of which is kept so that no other gets its address
)

// An instance is a plugin of a test.
type instance struct {
	name  string
	calls int
}

// inSequence numbers the calls of a plugin that remembers them.
func (c *call) inSequence(receiver interface{}) {
	instancesMu.Lock()
	defer instancesMu.Unlock()
	of := instances[receiver]
	if of == nil {
		of = &instance{name: fmt.Sprintf("%d-%d", os.Getpid(), len(instances))}
		instances[receiver] = of
	}
	of.calls++
	c.Instance, c.Number = of.name, of.calls
}

// A limit is one of the plugin EventRateLimit. The plugin does not keep its configuration, only what was made of it.
type limit struct {
	Type      string `json:"type"`
	QPS       int32  `json:"qps"`
	Burst     int32  `json:"burst"`
	CacheSize int    `json:"cacheSize,omitempty"`
}

// limitsOf returns the limits of a plugin, and the time on their clock.
func limitsOf(receiver interface{}) (limits []limit, now time.Time, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("limits of events: %v", p)
		}
	}()
	eachField(receiver, func(name string, f reflect.Value) {
		if name != "limitEnforcers" {
			return
		}
		for i := 0; i < f.Len(); i++ {
			enforcer := f.Index(i)
			l := limit{Type: fieldOf(enforcer, "limitType").String()}
			cache := concrete(fieldOf(enforcer, "cache"))
			limiter := cache
			if factory, ok := fieldIn(cache, "rateLimiterFactory"); ok {
				limiter = factory.Call(nil)[0]
				if size, ok := sizeOf(fieldOf(cache, "cache")); ok {
					l.CacheSize = size
				}
			} else {
				limiter = fieldOf(cache, "rateLimiter")
			}
			l.QPS = int32(deep(limiter, "qps").Float())
			l.Burst = int32(deep(limiter, "limiter").MethodByName("Burst").Call(nil)[0].Int())
			now = deep(limiter, "clock").Interface().(interface{ Now() time.Time }).Now()
			limits = append(limits, l)
		}
	})
	return limits, now, nil
}

// limited records the limits of a plugin as its settings.
func (c *call) limited(receiver interface{}) {
	limits, now, err := limitsOf(receiver)
	switch {
	case err != nil:
		c.lose(err.Error())
	case len(limits) > 0:
		c.inSequence(receiver)
		c.At = now.UnixNano()
		c.Settings["limits"], _ = json.Marshal(limits)
	}
}

// concrete returns the struct that a value is or refers to.
func concrete(v reflect.Value) reflect.Value {
	for v.Kind() == reflect.Interface || v.Kind() == reflect.Ptr {
		v = v.Elem()
	}
	return v
}

func fieldIn(v reflect.Value, name string) (reflect.Value, bool) {
	v = concrete(v)
	for i := 0; v.Kind() == reflect.Struct && v.CanAddr() && i < v.NumField(); i++ {
		if v.Type().Field(i).Name == name {
			return field(v, i), true
		}
	}
	return reflect.Value{}, false
}

func fieldOf(v reflect.Value, name string) reflect.Value {
	f, ok := fieldIn(v, name)
	if !ok {
		panic(fmt.Sprintf("%s has no field %s", concrete(v).Type(), name))
	}
	return f
}

// deep returns a field of a struct, or of one that is embedded in it.
func deep(v reflect.Value, name string) reflect.Value {
	if f, ok := fieldIn(v, name); ok {
		return f
	}
	v = concrete(v)
	for i := 0; v.Kind() == reflect.Struct && i < v.NumField(); i++ {
		if !v.Type().Field(i).Anonymous {
			continue
		}
		if f, ok := fieldIn(field(v, i), name); ok {
			return f
		}
	}
	panic(fmt.Sprintf("%s has no field %s", v.Type(), name))
}

// sizeOf returns how many entries a cache has at most: it wraps one of the known packages for such caches.
func sizeOf(cache reflect.Value) (int, bool) {
	for _, name := range []string{"size", "MaxEntries"} {
		if f, ok := fieldIn(cache, name); ok && f.Kind() == reflect.Int {
			return int(f.Int()), true
		}
	}
	for _, name := range []string{"lru", "cache"} {
		if f, ok := fieldIn(cache, name); ok {
			return sizeOf(f)
		}
	}
	return 0, false
}

// An exchange is a request to the service that a plugin calls, with the answer.
type exchange struct {
	Asked  json.RawMessage `json:"asked"`
	Code   int             `json:"code"`
	Type   string          `json:"type,omitempty"`
	Answer string          `json:"answer,omitempty"`
}

// listening passes on requests, and notes them.
type listening struct {
	http.RoundTripper
	call *call
}

func (l listening) RoundTrip(r *http.Request) (*http.Response, error) {
	asked, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	_ = r.Body.Close()
	r = r.Clone(r.Context())
	r.Body = io.NopCloser(bytes.NewReader(asked))
	response, err := l.RoundTripper.RoundTrip(r)
	if err != nil {
		l.call.lose("its service cannot be reached")
		return response, err
	}
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, err
	}
	_ = response.Body.Close()
	response.Body = io.NopCloser(bytes.NewReader(answer))
	l.call.Exchanges = append(l.call.Exchanges, exchange{asked, response.StatusCode, response.Header.Get("Content-Type"), string(answer)})
	return response, nil
}

// callsThrough listens to what a plugin and its service send to each other, and returns a function that stops this.
func (c *call) callsThrough(receiver interface{}) (restore func()) {
	restore = func() {}
	eachField(receiver, func(name string, f reflect.Value) {
		if name != "webhook" || f.Kind() != reflect.Ptr || f.IsNil() {
			return
		}
		service, ok := fieldIn(f, "RestClient")
		if !ok {
			return
		}
		client, ok := service.Interface().(*rest.RESTClient)
		if !ok || client.Client == nil {
			c.lose("the client of its service is not known")
			return
		}
		before := client.Client.Transport
		through := before
		if through == nil {
			through = http.DefaultTransport
		}
		client.Client.Transport = listening{through, c}
		restore = func() { client.Client.Transport = before }
		c.inSequence(receiver)
	})
	return restore
}
