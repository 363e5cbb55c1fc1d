//go:build unix

package process

import (
	"context"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/admsim/admsim/internal/certificate"
)

// behave makes the test binary behave as a webhook. It does not return.
func behave(name string, arguments []string) {
	switch name {
	case "serve", "noisy":
		if name == "noisy" {
			for range 5000 {
				fmt.Println(strings.Repeat("x", 99))
			}
		}
		flags := flag.NewFlagSet("", flag.ExitOnError)
		port := flags.String("port", os.Getenv("ADMSIM_PORT"), "")
		certs := flags.String("certs", os.Getenv("ADMSIM_CERT_DIR"), "")
		_ = flags.Parse(arguments)
		serve("127.0.0.1:"+*port, *certs)
	case "own variable":
		serve(os.Getenv("WHERE"), os.Getenv("ADMSIM_CERT_DIR"))
	case "own certificate":
		folder, err := os.MkdirTemp("", "own-")
		check(err)
		_, _, err = certificate.LoadOrNew(folder, time.Now(), certificate.Local()...)
		check(err)
		serve(os.Getenv("ADMSIM_ADDRESS"), folder)
	case "plain":
		l, err := net.Listen("tcp", os.Getenv("ADMSIM_ADDRESS"))
		check(err)
		fmt.Println("listening")
		for {
			_, err := l.Accept()
			check(err)
		}
	case "ready later", "never ready":
		asked := 0
		go func() {
			check(http.ListenAndServe("127.0.0.1:"+os.Getenv("ADMSIM_HEALTH_PORT"), http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				if asked++; asked < 3 || name == "never ready" {
					http.Error(w, "policies: 0\n of 3 read", http.StatusServiceUnavailable)
					return
				}
				fmt.Println("ready")
			})))
		}()
		serve(os.Getenv("ADMSIM_ADDRESS"), os.Getenv("ADMSIM_CERT_DIR"))
	case "silent":
		fmt.Println("thinking")
		forever()
	case "exit":
		fmt.Println("no such flag")
		fmt.Fprintln(os.Stderr, "usage: hook")
		os.Exit(3)
	case "environment":
		fmt.Println(strings.Join(os.Environ(), "\n"))
		os.Exit(3)
	case "exit silently":
		os.Exit(0)
	case "stubborn":
		signal.Ignore(syscall.SIGTERM)
		serve(os.Getenv("ADMSIM_ADDRESS"), os.Getenv("ADMSIM_CERT_DIR"))
	case "family": // like a shell script: in the end one child serves, another one ignores all requests to end
		startChild("stubborn child")
		startChild("serve")
		fmt.Println("family of", os.Getpid())
		forever()
	case "family, leader exits on demand":
		startChild("stubborn child")
		fmt.Println("family of", os.Getpid())
		serve(os.Getenv("ADMSIM_ADDRESS"), os.Getenv("ADMSIM_CERT_DIR"))
	case "stubborn child":
		signal.Ignore(syscall.SIGTERM)
		forever()
	case "caller killed":
		startAndShow()
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	case "caller interrupted":
		startAndShow()
		_ = syscall.Kill(os.Getpid(), syscall.SIGINT)
	case "caller panics":
		startAndShow()
		go panic("somewhere else")
	}
	forever()
}

func forever() {
	time.Sleep(time.Minute) // not forever, in case the test is broken
	os.Exit(9)
}

func check(err error) {
	if err != nil {
		fmt.Println("behaviour:", err)
		os.Exit(8)
	}
}

func serve(address, certs string) {
	l, err := net.Listen("tcp", address)
	check(err)
	fmt.Println("serving")
	http.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "hello") })
	http.HandleFunc("/die", func(http.ResponseWriter, *http.Request) {
		fmt.Println("dying")
		os.Exit(4)
	})
	check(http.ServeTLS(l, nil, filepath.Join(certs, "tls.crt"), filepath.Join(certs, "tls.key")))
}

// startChild starts a child that writes to the same output.
func startChild(name string) {
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), behaviour+"="+name)
	c.Stdout, c.Stderr = os.Stdout, os.Stderr
	check(c.Start())
	fmt.Println("child", c.Process.Pid)
}

// startAndShow acts as a program that uses this package.
func startAndShow() {
	_ = os.Unsetenv(behaviour)
	p, err := Start(context.Background(), allowed(), []string{os.Args[0]}, Options{Env: behaving("family"), StopTimeout: time.Second})
	check(err)
	for !strings.Contains(p.Output(), "family of") {
		time.Sleep(time.Millisecond)
	}
	fmt.Print(p.Output())
}
