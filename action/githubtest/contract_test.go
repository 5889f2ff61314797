//go:build contract

package githubtest

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

func TestTheContractTellsRightFromWrong(t *testing.T) {
	s := New()
	s.AddToken("ghs_x", JobToken())
	s.AddRepo("acme", "app").AddPull(Pull{Issue: Issue{Number: 7}})
	ask := func(method, path, body string) Exchange {
		req := httptest.NewRequest(method, path, strings.NewReader(body))
		req.Header.Set("Authorization", "Bearer ghs_x")
		req.Header.Set("Content-Type", "application/json")
		s.ServeHTTP(httptest.NewRecorder(), req)
		all := s.Exchanges()
		return all[len(all)-1]
	}
	good := ask("POST", "/repos/acme/app/issues/7/comments", `{"body":"hello"}`)
	if good.Status != http.StatusCreated || s.check(good) != nil {
		t.Fatalf("%d, %v", good.Status, s.check(good))
	}
	for name, change := range map[string]func(*Exchange){
		"a call that the API does not have": func(e *Exchange) { e.URL = &url.URL{Path: "/repos/acme/app/issues/7/remarks"} },
		"a request without its field":       func(e *Exchange) { e.Body = []byte(`{"text":"hello"}`) },
		"a field of another type":           func(e *Exchange) { e.Body = []byte(`{"body":7}`) },
		"an answer that lacks a field":      func(e *Exchange) { e.Answer = []byte(`{"id":1}`) },
		"a status that is not described":    func(e *Exchange) { e.Status = http.StatusAccepted },
	} {
		e := good
		change(&e)
		if s.check(e) == nil {
			t.Errorf("%s passes", name)
		}
	}
	s.Verify(t)
}
