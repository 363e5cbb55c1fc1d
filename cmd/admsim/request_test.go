package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"

	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// request is a client such as curl: it sends one request to the server that KUBECONFIG names, and prints the status
// code and body of the answer.
//
//	request [-H 'NAME: VALUE']... [-b BODY] METHOD PATH
func request() {
	header := http.Header{}
	flag.Func("H", "", func(text string) error {
		name, value, _ := strings.Cut(text, ":")
		header.Add(name, strings.TrimSpace(value))
		return nil
	})
	body := flag.String("b", "", "")
	only := flag.Bool("nobody", false, "show nobody's credentials")
	flag.Parse()
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	fail(err)
	if *only {
		config = rest.AnonymousClientConfig(config)
	}
	client, err := rest.HTTPClientFor(config)
	fail(err)
	request, err := http.NewRequest(flag.Arg(0), config.Host+flag.Arg(1), strings.NewReader(*body))
	fail(err)
	request.Header = header
	answer, err := client.Do(request)
	fail(err)
	defer answer.Body.Close()
	warnings, errs := utilnet.ParseWarningHeaders(answer.Header["Warning"])
	for _, w := range warnings {
		fmt.Fprintln(os.Stderr, "Warning:", w.Text)
	}
	fail(errors.Join(errs...))
	text, err := io.ReadAll(answer.Body)
	fmt.Printf("%d %s\n", answer.StatusCode, text)
	fail(err)
}

func fail(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
