package reference

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// Etcd is an etcd that we started. It is accessed through its JSON gateway, so that no etcd client is needed as a
// dependency.
type Etcd struct {
	url     string
	process *process
}

// A Value is what etcd stores under a key.
type Value struct {
	Key         []byte `json:"key"`
	Value       []byte `json:"value"`
	ModRevision string `json:"mod_revision"`
}

// FindEtcd returns the etcd on the PATH.
func FindEtcd() (binary string, err error) {
	if binary, err = exec.LookPath("etcd"); err != nil {
		err = fmt.Errorf("%w\nhint: Debian and Ubuntu have it: apt-get install etcd-server", err)
	}
	return binary, err
}

// StartEtcd starts the etcd on the PATH, with its data in folder.
func StartEtcd(ctx context.Context, folder string) (*Etcd, error) {
	binary, err := FindEtcd()
	if err != nil {
		return nil, err
	}
	client, err := freeAddress()
	if err != nil {
		return nil, err
	}
	peer, err := freeAddress()
	if err != nil {
		return nil, err
	}
	e := &Etcd{url: "http://" + client}
	e.process, err = start(ctx, folder, "etcd", exec.Command(binary, "--data-dir="+filepath.Join(folder, "etcd"),
		"--listen-client-urls="+e.url, "--advertise-client-urls="+e.url,
		"--listen-peer-urls=http://"+peer, "--initial-advertise-peer-urls=http://"+peer, "--initial-cluster=default=http://"+peer))
	if err != nil {
		return nil, err
	}
	return e, e.process.until(ctx, time.Minute, func() bool { _, err := e.All(ctx, "/nothing/"); return err == nil })
}

// PID returns the process ID of etcd.
func (e *Etcd) PID() int { return e.process.cmd.Process.Pid }

// URL returns the address of the etcd for its clients.
func (e *Etcd) URL() string { return e.url }

// Stop ends etcd.
func (e *Etcd) Stop() { e.process.stop() }

// Put writes a value.
func (e *Etcd) Put(ctx context.Context, key string, value []byte) error {
	return e.do(ctx, "put", map[string]any{"key": []byte(key), "value": value}, nil)
}

// Replace writes a value if the key still has the old one.
func (e *Etcd) Replace(ctx context.Context, key string, old Value, value []byte) (written bool, err error) {
	var answer struct {
		Succeeded bool `json:"succeeded"`
	}
	err = e.do(ctx, "txn", map[string]any{
		"compare": []any{map[string]any{"key": []byte(key), "target": "MOD", "result": "EQUAL", "mod_revision": old.ModRevision}},
		"success": []any{map[string]any{"request_put": map[string]any{"key": []byte(key), "value": value}}},
	}, &answer)
	return answer.Succeeded, err
}

// Delete removes a key.
func (e *Etcd) Delete(ctx context.Context, key string) error {
	return e.do(ctx, "deleterange", map[string]any{"key": []byte(key)}, nil)
}

// All returns the values of the keys that begin with prefix, by key.
func (e *Etcd) All(ctx context.Context, prefix string) (map[string]Value, error) {
	end := []byte(prefix)
	end[len(end)-1]++
	var got struct {
		Kvs []Value `json:"kvs"`
	}
	if err := e.do(ctx, "range", map[string]any{"key": []byte(prefix), "range_end": end}, &got); err != nil {
		return nil, err
	}
	all := make(map[string]Value, len(got.Kvs))
	for _, v := range got.Kvs {
		all[string(v.Key)] = v
	}
	return all, nil
}

func (e *Etcd) do(ctx context.Context, call string, body, into any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, e.url+"/v3/kv/"+call, bytes.NewReader(text))
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("etcd %s: %s: %s", call, resp.Status, answer)
	}
	if into == nil {
		return nil
	}
	return json.Unmarshal(answer, into)
}

// writeFiles writes files into a folder.
func writeFiles(folder string, files map[string][]byte) error {
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(folder, name), text, 0o600); err != nil {
			return err
		}
	}
	return nil
}
