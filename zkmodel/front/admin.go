package front

import (
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io"
	"mime"
	"net"
	"net/http"
	"time"
)

// The admin page can end sessions, so no web site may reach it through a
// browser on this machine: it listens on a loopback address, and a request that
// names another host (a name that was made to point here) or that another
// origin's page sends is refused.

// startAdmin serves the admin page if there is to be one.
func (f *Front) startAdmin() error {
	if f.o.Admin == "" {
		return nil
	}
	const allowed = "allowed: HOST:PORT with a loopback host, as 127.0.0.1:0"
	host, _, err := net.SplitHostPort(f.o.Admin)
	if err != nil {
		return fmt.Errorf("admin page on %q: %w; %s", f.o.Admin, err, allowed)
	}
	if !loopback(host) {
		return fmt.Errorf("admin page on %q: no loopback host; %s", f.o.Admin, allowed)
	}
	l, err := net.Listen("tcp", f.o.Admin)
	if err != nil {
		return fmt.Errorf("admin page: %w", err)
	}
	f.adminAddr = l.Addr().String()
	f.admin = &http.Server{
		Handler:           guard(f.adminPages()),
		ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second, WriteTimeout: 10 * time.Second,
		MaxHeaderBytes: 1 << 16,
	}
	f.wg.Add(1)
	go func() {
		defer f.wg.Done()
		_ = f.admin.Serve(l) // ends when it is closed
	}()
	return nil
}

// AdminAddr is the address of the admin page, empty if there is none.
func (f *Front) AdminAddr() string { return f.adminAddr }

// loopback says whether a host, a name or an address, is this machine's own.
func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// guard refuses what a page of another site may send.
func guard(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, err := net.SplitHostPort(r.Host)
		if err != nil {
			host = r.Host
		}
		origin := r.Header.Get("Origin")
		if !loopback(host) || origin != "" && origin != "http://"+r.Host {
			http.Error(w, "foreign Host or Origin; allowed: those of this page", http.StatusForbidden)
			return
		}
		h.ServeHTTP(w, r)
	})
}

func (f *Front) adminPages() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'")
		_ = adminPage.Execute(w, f.State())
	})
	mux.HandleFunc("GET /state", func(w http.ResponseWriter, _ *http.Request) { f.writeState(w) })
	mux.HandleFunc("POST /faults", func(w http.ResponseWriter, r *http.Request) {
		form, script, err := scriptOf(w, r)
		if err == nil {
			var rules []Rule
			if rules, err = ParseRules("script", script); err == nil {
				err = f.AddRules(rules)
			}
		}
		f.answer(w, r, form, err)
	})
	mux.HandleFunc("POST /faults/drop", func(w http.ResponseWriter, r *http.Request) {
		f.DropRules()
		f.answer(w, r, isForm(r), nil)
	})
	return mux
}

func isForm(r *http.Request) bool {
	t, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	return t == "application/x-www-form-urlencoded"
}

// scriptOf is the script that a request carries: its body, or the field script
// of the page's form.
func scriptOf(w http.ResponseWriter, r *http.Request) (form bool, script []byte, err error) {
	r.Body = http.MaxBytesReader(w, r.Body, maxScript)
	if isForm(r) {
		err = r.ParseForm()
		return true, []byte(r.PostForm.Get("script")), err
	}
	script, err = io.ReadAll(r.Body)
	return false, script, err
}

// answer ends a change: the page again for its forms, the state for others.
func (f *Front) answer(w http.ResponseWriter, r *http.Request, form bool, err error) {
	var tooLong *http.MaxBytesError
	switch {
	case errors.As(err, &tooLong):
		http.Error(w, fmt.Sprintf("script of more than %d bytes", maxScript), http.StatusRequestEntityTooLarge)
	case err != nil:
		http.Error(w, err.Error(), http.StatusBadRequest)
	case form:
		http.Redirect(w, r, "/", http.StatusSeeOther)
	default:
		f.writeState(w)
	}
}

func (f *Front) writeState(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/json")
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	_ = e.Encode(f.State())
}

var adminPage = template.Must(template.New("admin").Parse(`<!doctype html>
<html lang="en"><meta charset="utf-8"><title>zoosim serve</title>
<style>body{font:16px/1.4 sans-serif;margin:2em;max-width:60em}table{border-collapse:collapse;margin-bottom:1.5em}td,th{border:1px solid #bbb;padding:.2em .6em;text-align:left}textarea{width:100%;font-family:monospace}</style>
<h1>zoosim serve</h1>
<h2>Servers</h2>
<table><tr><th>address<th>mode<th>zxid<th>connections<th>received<th>sent</tr>
{{range .Servers}}<tr><td>{{.Address}}<td>{{.Mode}}<td>{{.Zxid}}<td>{{.Connections}}<td>{{.Received}}<td>{{.Sent}}</tr>
{{end}}</table>
<h2>Sessions</h2>
<table><tr><th>number<th>id<th>timeout<th>connected<th>cut off for<th>ephemerals</tr>
{{range .Sessions}}<tr><td>{{.Number}}<td>{{.ID}}<td>{{.Timeout}}<td>{{.Connected}}<td>{{.CutOff}}<td>{{range .Ephemerals}}{{.}} {{end}}</tr>
{{end}}</table>
<h2>Faults</h2>
<table><tr><th>fault<th>session<th>for<th>at request<th>of<th>seen<th>effect</tr>
{{range .Faults}}<tr><td>{{.Do}}<td>{{if .Session}}{{.Session}}{{else}}that of the request{{end}}<td>{{if .For}}{{.For}}{{end}}<td>{{.Count}}<td>{{if .Op}}{{.Op}}{{else}}any type{{end}} {{.Path}}{{if .By}} by session {{.By}}{{end}}<td>{{.Seen}}<td>{{.Effect}}</tr>
{{end}}</table>
<form method="post" action="/faults/drop"><button>Forget all faults</button></form>
<h2>More faults</h2>
<form method="post" action="/faults"><textarea name="script" rows="6">faults:
  - {do: cut-reply, op: create, count: 3}
</textarea><br><button>Add</button></form>
`))
