package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// webhook is a webhook's program as users write them: it denies objects that are named bad.
func webhook() {
	port := flag.Int("port", 9443, "")
	folder := flag.String("cert-dir", "", "")
	reads := flag.String("reads", "", "kubeconfig of a cluster to read and write, or folder of a service account in it")
	plain := flag.Bool("plain", false, "serve over HTTP while the command in the arguments runs")
	delay := flag.Duration("delay", 0, "how long each answer takes")
	limit := flag.Int("limit", -1, "how many ConfigMaps there may be in a namespace")
	flag.Parse()
	if *folder == "" && !*plain {
		fmt.Fprintln(os.Stderr, "no certificate for me")
		os.Exit(1)
	}
	answer := func(w http.ResponseWriter, r *http.Request) {
		var review admissionv1.AdmissionReview
		if err := json.NewDecoder(r.Body).Decode(&review); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		time.Sleep(*delay)
		switch review.Request.Name {
		case "exit":
			fmt.Fprintln(os.Stderr, "cannot open the database")
			os.Exit(3)
		case "panic":
			panic("no such team")
		case "slow":
			time.Sleep(1500 * time.Millisecond)
		}
		review.Response = &admissionv1.AdmissionResponse{UID: review.Request.UID, Allowed: review.Request.Name != "bad"}
		if !review.Response.Allowed {
			review.Response.Result = &metav1.Status{Message: review.Request.Kind.Kind + " " + review.Request.Name + " is not welcome" + r.Header.Get("Authorization")}
		}
		if *reads != "" {
			there, note := look(*reads, review.Request)
			review.Response.Warnings = []string{note}
			if *limit >= 0 && there >= *limit {
				review.Response.Allowed, review.Response.Result = false, &metav1.Status{Message: fmt.Sprintf("there are %d already", there)}
			}
		}
		_ = json.NewEncoder(w).Encode(review)
	}
	if *plain {
		servePlain(*port, http.HandlerFunc(answer), flag.Args())
	}
	err := http.ListenAndServeTLS(fmt.Sprintf("127.0.0.1:%d", *port),
		filepath.Join(*folder, "tls.crt"), filepath.Join(*folder, "tls.key"), http.HandlerFunc(answer))
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// servePlain serves while a command runs, and exits as the command does.
func servePlain(port int, handler http.Handler, command []string) {
	listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	go func() { _ = http.Serve(listener, handler) }()
	c := exec.Command(command[0], command[1:]...)
	c.Stdout, c.Stderr = os.Stdout, os.Stderr
	if err := c.Run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// look counts the ConfigMaps in the namespace of a request, and records the call in a ServiceAccount.
func look(reads string, r *admissionv1.AdmissionRequest) (there int, note string) {
	client, host, err := clientOf(reads)
	if err != nil {
		return 0, err.Error()
	}
	of := host + "/api/v1/namespaces/" + r.Namespace
	var list struct{ Items []any }
	if _, err := ask(client, http.MethodGet, of+"/configmaps?labelSelector=app", "", &list); err != nil {
		return 0, err.Error()
	}
	noted, err := ask(client, http.MethodPost, of+"/serviceaccounts", `{"metadata":{"name":"asked-about-`+r.Name+`"}}`, nil)
	if err != nil {
		return 0, err.Error()
	}
	var self struct {
		Status struct{ UserInfo struct{ Username string } }
	}
	if _, err := ask(client, http.MethodPost, host+"/apis/authentication.k8s.io/v1/selfsubjectreviews", `{}`, &self); err != nil {
		return 0, err.Error()
	}
	return len(list.Items), fmt.Sprintf("%d before %s, noted with %d by %s", len(list.Items), r.Name, noted, self.Status.UserInfo.Username)
}

// clientOf returns a client as a program creates it, from a kubeconfig or as in a pod.
func clientOf(reads string) (client *http.Client, host string, err error) {
	config, err := clientcmd.BuildConfigFromFlags("", reads)
	if info, statErr := os.Stat(reads); statErr == nil && info.IsDir() {
		token, readErr := os.ReadFile(filepath.Join(reads, "token"))
		config, err = &rest.Config{
			Host:            "https://" + net.JoinHostPort(os.Getenv("KUBERNETES_SERVICE_HOST"), os.Getenv("KUBERNETES_SERVICE_PORT")),
			BearerToken:     string(token),
			TLSClientConfig: rest.TLSClientConfig{CAFile: filepath.Join(reads, "ca.crt")},
		}, readErr
	}
	if err != nil {
		return nil, "", err
	}
	client, err = rest.HTTPClientFor(config)
	return client, config.Host, err
}

func ask(client *http.Client, method, url, body string, into any) (code int, err error) {
	r, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		return 0, err
	}
	r.Header.Set("Content-Type", "application/json")
	answer, err := client.Do(r)
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close()
	if into != nil {
		err = json.NewDecoder(answer.Body).Decode(into)
	}
	return answer.StatusCode, err
}
