package web_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"

	"github.com/PuerkitoBio/goquery"

	"countersign/internal/demo"
)

// walk follows every link of every page, and reads every list and every entry, as people of every role.
func (p *product) walk() {
	for _, name := range []string{"maker1", "checker1", "supervisor1", "admin1"} {
		p.walkPages(name)
		p.walkLists(name)
	}
}

// maxPages bounds the pages one person looks at: one of each kind of page and many of each list.
const maxPages = 250

func (p *product) walkPages(name string) {
	jar, err := cookiejar.New(nil)
	must(p.t, err)
	client := &http.Client{Jar: jar}
	form := url.Values{"realm": {demo.Realm}, "username": {name}, "password": {demo.UserPassword}, "next": {"/"}}
	r, err := http.NewRequestWithContext(p.t.Context(), http.MethodPost, p.server.URL+"/signin", strings.NewReader(form.Encode()))
	must(p.t, err)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	status, body := p.do(client, r)
	if status != http.StatusOK {
		p.t.Fatalf("%s cannot sign in: %d %.300s", name, status, body)
	}
	seen, waiting := map[string]bool{"/": true}, []string{"/"}
	for len(waiting) > 0 && len(seen) <= maxPages {
		path := waiting[0]
		waiting = waiting[1:]
		r, err := http.NewRequestWithContext(p.t.Context(), http.MethodGet, p.server.URL+path, nil)
		must(p.t, err)
		status, body := p.do(client, r)
		if status >= http.StatusInternalServerError || status == http.StatusNotFound {
			p.t.Errorf("%s looks at %s: %d", name, path, status)
		}
		page, err := goquery.NewDocumentFromReader(strings.NewReader(body))
		must(p.t, err)
		page.Find("a[href^='/']").Each(func(_ int, link *goquery.Selection) {
			next, _, _ := strings.Cut(link.AttrOr("href", ""), "#")
			if !seen[next] && !strings.HasPrefix(next, "/api/docs") && !strings.Contains(next, "sort=") {
				seen[next] = true
				waiting = append(waiting, next)
			}
		})
	}
	if len(seen) < 10 {
		p.t.Errorf("%s saw %d pages only", name, len(seen))
	}
}

// token signs a person in at the API.
func (p *product) token(name string) string { return p.tokenOf(demo.Realm, demo.Backoffice, name) }

// tokenOf signs a person of a realm in at the API, behind a client.
func (p *product) tokenOf(realm, client, name string) string {
	form := url.Values{
		"grant_type": {"password"}, "client_id": {client}, "client_secret": {demo.ClientSecret}, "username": {name},
		"password": {demo.UserPassword},
	}
	r, err := http.NewRequestWithContext(
		p.t.Context(), http.MethodPost, p.server.URL+"/api/auth/v1/realms/"+realm+"/login", strings.NewReader(form.Encode()),
	)
	must(p.t, err)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("X-Request-Id", "walk")
	_, body := p.do(http.DefaultClient, r)
	var set struct {
		AccessToken string `json:"access_token"`
	}
	must(p.t, json.Unmarshal([]byte(body), &set))
	return set.AccessToken
}

func (p *product) walkLists(name string) {
	token := p.token(name)
	read := func(path, accept string) (status int, list map[string]any) {
		r, err := http.NewRequestWithContext(context.Background(), http.MethodGet, p.server.URL+path, nil)
		must(p.t, err)
		r.Header.Set("Authorization", "Bearer "+token)
		r.Header.Set("X-Request-Id", "walk")
		r.Header.Set("Accept", accept)
		status, body := p.do(http.DefaultClient, r)
		if status >= http.StatusInternalServerError {
			p.t.Errorf("%s reads %s as %s: %d %s", name, path, accept, status, body)
		}
		_ = json.Unmarshal([]byte(body), &list) // XML is no list
		return status, list
	}
	for noun, key := range map[string]string{
		"transaction": "transactions", "interface": "messages", "error": "errors", "account": "accounts",
	} {
		_, list := read("/api/common/v1/"+noun+"/list?pageSize=100", "application/json")
		entries, _ := list[key].([]any)
		for _, entry := range entries {
			id, _ := entry.(map[string]any)[map[string]string{"transaction": "internalId"}[noun]].(string)
			if noun == "interface" {
				id, _ = entry.(map[string]any)["id"].(string)
				read("/api/common/v1/interface/"+id, "application/xml")
			}
			if id == "" {
				continue
			}
			for _, below := range map[string][]string{"transaction": {"", "/history", "/audit", "/related", "/messages"}, "interface": {""}}[noun] {
				if status, _ := read("/api/common/v1/"+noun+"/"+id+below, "application/json"); status == http.StatusNotFound {
					p.t.Errorf("%s: %s %s%s of the list is not there", name, noun, id, below)
				}
			}
		}
	}
}
