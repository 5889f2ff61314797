package githubtest

import (
	"context"
	"crypto/sha1"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/golang-jwt/jwt/v4"
)

// Limits as GitHub states them in its refusals.
const (
	maxBody        = 65536
	maxCheckText   = 65535
	maxAnnotations = 50
	maxCommits     = 250
	maxFiles       = 3000
)

var bodyTooLong = obj{
	"message":           "Validation Failed",
	"errors":            list{obj{"resource": "IssueComment", "code": "unprocessable", "field": "data", "message": "Body is too long (maximum is 65536 characters)"}},
	"documentation_url": "https://docs.github.com/rest/issues/comments#create-an-issue-comment",
	"status":            "422",
}

// call is one request on its way through the server, which is locked meanwhile.
type call struct {
	s     *Server
	w     *httptest.ResponseRecorder
	req   *http.Request
	token *Token
	app   *App // for requests with an app's JWT
	repo  *Repo
}

type callKey struct{}

func withCall(ctx context.Context, c *call) context.Context {
	return context.WithValue(ctx, callKey{}, c)
}

func (s *Server) routes() {
	s.mux = http.NewServeMux()
	plain := func(pattern string, h func(*call)) {
		s.mux.HandleFunc(pattern, func(_ http.ResponseWriter, req *http.Request) {
			c := req.Context().Value(callKey{}).(*call)
			c.req = req
			h(c)
		})
	}
	// in is a route below a repository; need is what must be written, "" for reading.
	in := func(method, below, need string, h func(*call)) {
		plain(method+" /repos/{owner}/{repo}"+below, func(c *call) {
			if c.enter(need) {
				h(c)
			}
		})
	}
	plain("GET /user", (*call).user)
	plain("POST /graphql", (*call).viewer)
	plain("GET /app", (*call).theApp)
	plain("POST /app/installations/{id}/access_tokens", (*call).installationToken)
	in("GET", "", "", (*call).getRepo)
	in("GET", "/installation", "", (*call).getInstallation)
	in("GET", "/pulls", "", (*call).listPulls)
	in("POST", "/pulls", "pull_requests", (*call).createPull)
	in("GET", "/pulls/{number}", "", (*call).getPull)
	in("PATCH", "/pulls/{number}", "pull_requests", (*call).editPull)
	in("GET", "/pulls/{number}/commits", "", (*call).pullCommits)
	in("GET", "/pulls/{number}/files", "", (*call).pullFiles)
	in("GET", "/pulls/{number}/comments", "", (*call).reviewNotes)
	in("POST", "/pulls/{number}/reviews", "pull_requests", (*call).createReview)
	in("GET", "/commits/{sha}", "", (*call).getCommit)
	in("GET", "/commits/{sha}/pulls", "", (*call).commitPulls)
	in("GET", "/commits/{sha}/check-runs", "", (*call).listCheckRuns)
	in("GET", "/commits/{sha}/status", "", (*call).getStatus)
	in("GET", "/compare/{range}", "", (*call).compare)
	in("GET", "/contents/{path...}", "", (*call).contents)
	in("GET", "/git/trees/{sha}", "", (*call).tree)
	in("GET", "/git/blobs/{sha}", "", (*call).blob)
	in("GET", "/collaborators/{login}/permission", "", (*call).permission)
	in("GET", "/issues", "", (*call).listIssues)
	in("POST", "/issues", "issues", (*call).createIssue)
	in("GET", "/issues/{number}", "", (*call).getIssue)
	in("PATCH", "/issues/{number}", "issues", (*call).editIssue)
	in("GET", "/issues/{number}/comments", "", (*call).listComments)
	in("POST", "/issues/{number}/comments", "issues", (*call).createComment)
	in("PATCH", "/issues/comments/{id}", "issues", (*call).editComment)
	in("DELETE", "/issues/comments/{id}", "issues", (*call).deleteComment)
	in("POST", "/issues/comments/{id}/reactions", "issues", (*call).react)
	in("POST", "/check-runs", "checks", (*call).createCheckRun)
	in("GET", "/check-runs/{id}", "", (*call).getCheckRun)
	in("PATCH", "/check-runs/{id}", "checks", (*call).editCheckRun)
}

// authenticate finds out who asks. Nobody is somebody who may read what is public.
func (c *call) authenticate() bool {
	h := c.req.Header.Get("Authorization")
	if h == "" {
		return true
	}
	_, secret, _ := strings.Cut(h, " ")
	if c.token = c.s.tokens[secret]; c.token != nil {
		return true
	}
	// An app signs with its own key.
	parsed, err := jwt.ParseWithClaims(secret, &jwt.RegisteredClaims{}, func(t *jwt.Token) (any, error) {
		id, _ := strconv.ParseInt(t.Claims.(*jwt.RegisteredClaims).Issuer, 10, 64)
		if c.app = c.s.apps[id]; c.app == nil {
			return nil, fmt.Errorf("no such app")
		}
		return jwt.ParseRSAPublicKeyFromPEM(c.app.Key)
	})
	if err == nil && parsed.Valid {
		return true
	}
	c.app = nil
	c.fail(http.StatusUnauthorized, "Bad credentials")
	return false
}

// enter finds the repository and asks whether the token may.
func (c *call) enter(need string) bool {
	name := c.req.PathValue("owner") + "/" + c.req.PathValue("repo")
	c.repo = c.s.repos[strings.ToLower(name)]
	if c.repo == nil || c.repo.Private && c.app == nil && (c.token == nil || !c.token.Private) {
		c.fail(http.StatusNotFound, "Not Found")
		return false
	}
	if to := c.repo.Moved; to != nil {
		c.w.Header().Set("Location", c.s.base+strings.Replace(c.req.URL.RequestURI(), "/repos/"+name, "/repos/"+to.Owner+"/"+to.Name, 1))
		c.reply(http.StatusMovedPermanently, obj{"message": "Moved Permanently", "url": c.s.base + "/repos/" + to.Owner + "/" + to.Name, "documentation_url": "https://docs.github.com/rest"})
		return false
	}
	if need == "" {
		return true
	}
	switch {
	case c.token == nil:
		c.fail(http.StatusUnauthorized, "Requires authentication")
		return false
	case need == "checks" && !c.token.Installation:
		c.fail(http.StatusForbidden, "You must authenticate via a GitHub App.")
		return false
	case !slices.Contains(c.token.Write, need) && !(need == "issues" && c.isPull() && slices.Contains(c.token.Write, "pull_requests")):
		message := "Resource not accessible by integration"
		if !c.token.Installation {
			message = "Resource not accessible by personal access token"
		}
		c.fail(http.StatusForbidden, message)
		return false
	}
	return true
}

// isPull says that the issue that is asked for is a pull request: its conversation
// is open to who may write either.
func (c *call) isPull() bool {
	if n := c.req.PathValue("number"); n != "" {
		return c.repo.Pulls[number(n)] != nil
	}
	for _, k := range c.repo.Comments {
		if strconv.FormatInt(k.ID, 10) == c.req.PathValue("id") {
			return c.repo.Pulls[k.Issue] != nil
		}
	}
	return false
}

func number(s string) int { n, _ := strconv.Atoi(s); return n }

func (c *call) reply(status int, v any) {
	c.w.WriteHeader(status)
	if v != nil {
		json.NewEncoder(c.w).Encode(v)
	}
}

func (c *call) fail(status int, message string) {
	c.reply(status, obj{"message": message, "documentation_url": "https://docs.github.com/rest", "status": strconv.Itoa(status)})
}

func (c *call) invalid(resource, field, message string) {
	c.reply(http.StatusUnprocessableEntity, obj{
		"message": "Validation Failed", "documentation_url": "https://docs.github.com/rest", "status": "422",
		"errors": list{obj{"resource": resource, "code": "custom", "field": field, "message": message}},
	})
}

func (c *call) read(v any) bool {
	if err := json.NewDecoder(c.req.Body).Decode(v); err != nil {
		c.fail(http.StatusBadRequest, "Problems parsing JSON")
		return false
	}
	return true
}

// page cuts a list to the page asked for and writes the Link header.
func page[T any](c *call, all []T, usual int) []T {
	q := c.req.URL.Query()
	size := number(q.Get("per_page"))
	if size <= 0 {
		size = usual
	}
	size = min(size, 100)
	at := max(number(q.Get("page")), 1)
	last := max((len(all)+size-1)/size, 1)
	var links []string
	link := func(n int, rel string) {
		u := *c.req.URL
		q := maps.Clone(q)
		q.Set("page", strconv.Itoa(n))
		u.RawQuery = q.Encode()
		links = append(links, fmt.Sprintf(`<%s%s>; rel="%s"`, c.s.base, u.RequestURI(), rel))
	}
	if at > 1 {
		link(at-1, "prev")
	}
	if at < last {
		link(at+1, "next")
		link(last, "last")
	}
	if at > 1 {
		link(1, "first")
	}
	if len(links) > 0 {
		c.w.Header().Set("Link", strings.Join(links, ", "))
	}
	from := min((at-1)*size, len(all))
	return all[from:min(from+size, len(all))]
}

func mapped[A any](all []A, f func(A) obj) list {
	out := list{}
	for _, a := range all {
		out = append(out, f(a))
	}
	return out
}

func (c *call) user() {
	switch {
	case c.token == nil:
		c.fail(http.StatusUnauthorized, "Requires authentication")
	case c.token.Installation:
		c.fail(http.StatusForbidden, "Resource not accessible by integration")
	default:
		c.reply(http.StatusOK, c.s.fullUser(c.token.Login))
	}
}

// viewer answers the one question that installations ask of GraphQL.
func (c *call) viewer() {
	var q struct {
		Query string `json:"query"`
	}
	if !c.read(&q) {
		return
	}
	if c.token == nil {
		c.fail(http.StatusUnauthorized, "Requires authentication")
		return
	}
	if !strings.Contains(q.Query, "viewer") {
		c.reply(http.StatusOK, obj{"errors": list{obj{"message": "this server knows viewer only"}}})
		return
	}
	c.reply(http.StatusOK, obj{"data": obj{"viewer": obj{"login": c.token.Login}}})
}

func (c *call) theApp() {
	if c.app == nil {
		c.fail(http.StatusUnauthorized, "A JSON web token could not be decoded")
		return
	}
	c.reply(http.StatusOK, c.s.integration(c.app.Slug, c.app.ID))
}

func (c *call) installationToken() {
	id := c.req.PathValue("id")
	if c.app == nil {
		c.fail(http.StatusUnauthorized, "A JSON web token could not be decoded")
		return
	}
	for _, r := range c.s.repos {
		if strconv.FormatInt(r.Installation, 10) != id {
			continue
		}
		secret := "ghs_" + Hash(fmt.Sprint(id, c.s.next()))[:36]
		t := JobToken()
		t.Login = c.app.Slug + "[bot]"
		c.s.tokens[secret] = &t
		c.reply(http.StatusCreated, obj{"token": secret, "expires_at": time.Now().Add(time.Hour).UTC().Format(time.RFC3339), "permissions": obj{"issues": "write", "checks": "write"}, "repository_selection": "selected"})
		return
	}
	c.fail(http.StatusNotFound, "Not Found")
}

func (c *call) getInstallation() {
	if c.app == nil {
		c.fail(http.StatusUnauthorized, "A JSON web token could not be decoded")
		return
	}
	if c.repo.Installation == 0 {
		c.fail(http.StatusNotFound, "Not Found")
		return
	}
	c.reply(http.StatusOK, c.s.installation(c.app, c.repo))
}

func (c *call) getRepo() {
	o := c.s.repository(c.repo.Owner, c.repo.Name, c.repo)
	o["network_count"], o["subscribers_count"] = 0, 0
	if !c.repo.HideSettings {
		o["allow_squash_merge"] = !c.repo.NoSquash
		o["squash_merge_commit_title"] = or(c.repo.SquashTitle, "COMMIT_OR_PR_TITLE")
		o["squash_merge_commit_message"] = or(c.repo.SquashMessage, "COMMIT_MESSAGES")
	}
	c.reply(http.StatusOK, o)
}

func (c *call) pull() *Pull {
	p := c.repo.Pulls[number(c.req.PathValue("number"))]
	if p == nil {
		c.fail(http.StatusNotFound, "Not Found")
	}
	return p
}

func (c *call) listPulls() {
	q := c.req.URL.Query()
	var found []*Pull
	for _, n := range slices.Sorted(maps.Keys(c.repo.Pulls)) {
		p := c.repo.Pulls[n]
		if s := or(q.Get("state"), "open"); s != "all" && s != p.State {
			continue
		}
		if h := q.Get("head"); h != "" && h != c.headOwner(p)+":"+p.HeadRef {
			continue
		}
		if b := q.Get("base"); b != "" && b != p.BaseRef {
			continue
		}
		found = append([]*Pull{p}, found...)
	}
	c.reply(http.StatusOK, mapped(page(c, found, 30), c.simplePull))
}

func (c *call) headOwner(p *Pull) string {
	if owner, _, ok := strings.Cut(p.HeadRepo, "/"); ok {
		return owner
	}
	return c.repo.Owner
}

func (c *call) createPull() {
	var in struct{ Title, Body, Head, Base string }
	if !c.read(&in) {
		return
	}
	for _, p := range c.repo.Pulls {
		if p.State == "open" && p.HeadRef == in.Head && p.HeadRepo == "" {
			c.invalid("PullRequest", "head", "A pull request already exists for "+c.repo.Owner+":"+in.Head+".")
			return
		}
	}
	if utf8.RuneCountInString(in.Body) > maxBody {
		c.invalid("Issue", "body", "body is too long (maximum is 65536 characters)")
		return
	}
	p := Pull{Issue: Issue{Number: c.nextNumber(), Title: in.Title, Body: in.Body, Author: c.token.Login}, HeadRef: in.Head, BaseRef: in.Base}
	p.fill(c.repo)
	p.Head, p.Base = Hash(in.Head), Hash(in.Base)
	c.repo.Pulls[p.Number] = &p
	c.reply(http.StatusCreated, c.fullPull(&p))
}

func (c *call) nextNumber() int { return len(c.repo.Pulls) + len(c.repo.Issues) + 1 }

func (c *call) getPull() {
	if p := c.pull(); p != nil {
		c.reply(http.StatusOK, c.fullPull(p))
	}
}

func (c *call) editPull() {
	p := c.pull()
	if p == nil || !c.edit(&p.Issue) {
		return
	}
	c.reply(http.StatusOK, c.fullPull(p))
}

// edit changes the text and state of an issue or a pull request.
func (c *call) edit(i *Issue) bool {
	var in struct{ Title, Body, State *string }
	if !c.read(&in) {
		return false
	}
	if in.Body != nil && utf8.RuneCountInString(*in.Body) > maxBody {
		c.invalid("Issue", "body", "body is too long (maximum is 65536 characters)")
		return false
	}
	for to, from := range map[*string]*string{&i.Title: in.Title, &i.Body: in.Body, &i.State: in.State} {
		if from != nil {
			*to = *from
		}
	}
	return true
}

func (c *call) pullCommits() {
	p := c.pull()
	if p == nil {
		return
	}
	all := p.CommitList[:min(len(p.CommitList), maxCommits)]
	c.reply(http.StatusOK, mapped(page(c, all, 30), func(sha string) obj { return c.commit(sha, nil) }))
}

func (c *call) pullFiles() {
	if p := c.pull(); p != nil {
		all := p.Files[:min(len(p.Files), maxFiles)]
		c.reply(http.StatusOK, c.rows(page(c, all, 30)))
	}
}

// rows are the files of one answer: what is over the budget of lines has zero
// changes and no patch.
func (c *call) rows(files []File) list {
	out, left := list{}, c.s.DiffLines
	for _, f := range files {
		add, del := f.Additions, f.Deletions
		if add+del == 0 {
			add, del = countPatch(f.Patch)
		}
		patch := f.Patch
		if left -= strings.Count(patch, "\n") + 1; left < 0 {
			add, del, patch = 0, 0, ""
		}
		out = append(out, c.diffEntry(f, add, del, patch))
	}
	return out
}

func countPatch(p string) (add, del int) {
	for _, l := range strings.Split(p, "\n") {
		switch {
		case strings.HasPrefix(l, "+"):
			add++
		case strings.HasPrefix(l, "-"):
			del++
		}
	}
	return add, del
}

func (c *call) getCommit() {
	sha := c.repo.resolve(c.req.PathValue("sha"))
	if sha == "" {
		c.invalid("Commit", "sha", "No commit found for SHA: "+c.req.PathValue("sha"))
		return
	}
	files := c.repo.Commits[sha].Files
	c.reply(http.StatusOK, c.commit(sha, page(c, files[:min(len(files), maxFiles)], 100)))
}

func (c *call) commitPulls() {
	sha := c.req.PathValue("sha")
	var found []*Pull
	for _, n := range slices.Sorted(maps.Keys(c.repo.Pulls)) {
		if p := c.repo.Pulls[n]; p.MergeCommit == sha || slices.Contains(p.CommitList, sha) {
			found = append(found, p)
		}
	}
	c.reply(http.StatusOK, mapped(page(c, found, 30), c.simplePull))
}

func (c *call) listCheckRuns() {
	sha := c.repo.resolve(c.req.PathValue("sha"))
	if sha == "" {
		sha = c.req.PathValue("sha")
	}
	var found []*CheckRun
	for _, r := range slices.Backward(c.repo.CheckRuns) {
		if name := c.req.URL.Query().Get("check_name"); r.SHA == sha && (name == "" || name == r.Name) {
			found = append(found, r)
		}
	}
	c.reply(http.StatusOK, obj{"total_count": len(found), "check_runs": mapped(page(c, found, 30), c.checkRun)})
}

func (c *call) getStatus() {
	sha := c.req.PathValue("sha")
	all, state := c.repo.Statuses[sha], "success"
	for _, s := range all {
		switch {
		case s.State == "failure" || s.State == "error":
			state = "failure"
		case s.State == "pending" && state == "success":
			state = "pending"
		}
	}
	if len(all) == 0 {
		state = "pending"
	}
	here := c.s.base + "/repos/" + c.repo.Owner + "/" + c.repo.Name
	c.reply(http.StatusOK, obj{
		"state": state, "sha": sha, "total_count": len(all), "url": here + "/commits/" + sha + "/status", "commit_url": here + "/commits/" + sha,
		"repository": c.s.minimal(c.repo.Owner, c.repo.Name, c.repo), "statuses": mapped(page(c, all, 30), c.status),
	})
}

func (c *call) compare() {
	from, to, ok := strings.Cut(c.req.PathValue("range"), "...")
	base, head := c.repo.resolve(from), c.repo.resolve(to)
	if !ok || base == "" || head == "" {
		c.fail(http.StatusNotFound, "Not Found")
		return
	}
	mine, theirs := c.repo.ancestors(head), c.repo.ancestors(base)
	merge := ""
	for sha, far := range mine {
		if _, common := theirs[sha]; common && (merge == "" || far < mine[merge] || far == mine[merge] && sha < merge) {
			merge = sha
		}
	}
	if merge == "" {
		c.fail(http.StatusNotFound, "No common ancestor between "+from+" and "+to+".")
		return
	}
	ahead, behind := 0, 0
	for sha := range mine {
		if _, ok := theirs[sha]; !ok {
			ahead++
		}
	}
	for sha := range theirs {
		if _, ok := mine[sha]; !ok {
			behind++
		}
	}
	status := "diverged"
	switch {
	case ahead == 0 && behind == 0:
		status = "identical"
	case behind == 0:
		status = "ahead"
	case ahead == 0:
		status = "behind"
	}
	here := "https://github.test/" + c.repo.Owner + "/" + c.repo.Name + "/compare/" + from + "..." + to
	c.reply(http.StatusOK, obj{
		"url": c.s.base + c.req.URL.Path, "html_url": here, "permalink_url": here, "diff_url": here + ".diff", "patch_url": here + ".patch",
		"base_commit": c.commit(base, nil), "merge_base_commit": c.commit(merge, nil),
		"status": status, "ahead_by": ahead, "behind_by": behind, "total_commits": ahead, "commits": list{}, "files": list{},
	})
}

func (c *call) files(revision string) (map[string]string, bool) {
	if revision == "" {
		revision = c.repo.DefaultBranch
	}
	files, ok := c.repo.Trees[revision]
	return files, ok
}

func blobHash(content string) string {
	return fmt.Sprintf("%x", sha1.Sum(fmt.Appendf(nil, "blob %d\x00%s", len(content), content)))
}

func (c *call) contents() {
	files, ok := c.files(c.req.URL.Query().Get("ref"))
	at := strings.Trim(c.req.PathValue("path"), "/")
	content, found := files[at]
	if !ok {
		c.fail(http.StatusNotFound, "No commit found for the ref "+c.req.URL.Query().Get("ref"))
		return
	}
	if found {
		c.reply(http.StatusOK, c.contentFile(at, content))
		return
	}
	var names []string
	for p := range files {
		if rest, below := strings.CutPrefix(p, at+"/"); below && !strings.Contains(rest, "/") {
			names = append(names, p)
		}
	}
	if len(names) == 0 {
		c.fail(http.StatusNotFound, "Not Found")
		return
	}
	sort.Strings(names)
	c.reply(http.StatusOK, mapped(names, func(p string) obj {
		o := c.contentFile(p, files[p])
		delete(o, "content")
		delete(o, "encoding")
		return o
	}))
}

func (c *call) contentFile(at, content string) obj {
	here := c.s.base + "/repos/" + c.repo.Owner + "/" + c.repo.Name
	sha := blobHash(content)
	u := here + "/contents/" + (&url.URL{Path: at}).EscapedPath()
	encoded, encoding := base64.StdEncoding.EncodeToString([]byte(content)), "base64"
	if len(content) > 1<<20 {
		encoded, encoding = "", "none"
	}
	return obj{
		"type": "file", "name": path.Base(at), "path": at, "sha": sha, "size": len(content), "content": encoded, "encoding": encoding,
		"url": u, "html_url": u, "git_url": here + "/git/blobs/" + sha, "download_url": u,
		"_links": obj{"self": u, "git": here + "/git/blobs/" + sha, "html": u},
	}
}

func (c *call) tree() {
	files, ok := c.files(c.req.PathValue("sha"))
	if !ok {
		c.fail(http.StatusNotFound, "Not Found")
		return
	}
	entries := list{}
	for _, p := range slices.Sorted(maps.Keys(files)) {
		entries = append(entries, obj{"path": p, "mode": "100644", "type": "blob", "sha": blobHash(files[p]), "size": len(files[p]), "url": c.s.base + "/blob"})
	}
	cut := len(entries) > 100000
	if cut {
		entries = entries[:100000]
	}
	c.reply(http.StatusOK, obj{"sha": Hash(c.req.PathValue("sha")), "url": c.s.base + c.req.URL.Path, "tree": entries, "truncated": cut})
}

func (c *call) blob() {
	for _, files := range c.repo.Trees {
		for _, content := range files {
			if blobHash(content) == c.req.PathValue("sha") {
				c.w.Header().Set("Content-Type", "application/vnd.github.raw; charset=utf-8")
				c.w.WriteString(content)
				return
			}
		}
	}
	c.fail(http.StatusNotFound, "Not Found")
}

func (c *call) permission() {
	login := c.req.PathValue("login")
	role := ""
	for who, r := range c.repo.Collaborators {
		if strings.EqualFold(who, login) {
			role = r
		}
	}
	permission := map[string]string{"admin": "admin", "maintain": "write", "write": "write", "triage": "read", "read": "read"}[role]
	switch {
	case role == "" && c.repo.Private:
		role, permission = "none", "none"
	case role == "":
		role, permission = "read", "read"
	}
	if c.s.users[strings.ToLower(login)] == 0 && role == "read" {
		c.fail(http.StatusNotFound, login+" is not a user")
		return
	}
	u := c.s.user(login, false)
	u["role_name"] = role
	c.reply(http.StatusOK, obj{"permission": permission, "role_name": role, "user": u})
}

func (c *call) issueNumber() (*Issue, *Pull) {
	i, p := c.repo.find(number(c.req.PathValue("number")))
	if i == nil {
		c.fail(http.StatusNotFound, "Not Found")
	}
	return i, p
}

func (c *call) listIssues() {
	q := c.req.URL.Query()
	var found []obj
	for n := c.nextNumber() + 1000; n > 0; n-- {
		i, p := c.repo.find(n)
		if i == nil {
			continue
		}
		if s := or(q.Get("state"), "open"); s != "all" && s != i.State {
			continue
		}
		if l := q.Get("labels"); l != "" && !slices.Contains(i.Labels, l) {
			continue
		}
		found = append(found, c.issue(i, p))
	}
	c.reply(http.StatusOK, mapped(page(c, found, 30), func(o obj) obj { return o }))
}

func (c *call) createIssue() {
	var in struct {
		Title, Body string
		Labels      []string
	}
	if !c.read(&in) {
		return
	}
	switch {
	case in.Title == "":
		c.invalid("Issue", "title", "title can't be blank")
		return
	case utf8.RuneCountInString(in.Body) > maxBody:
		c.invalid("Issue", "body", "body is too long (maximum is 65536 characters)")
		return
	}
	i := &Issue{Number: c.nextNumber(), Title: in.Title, Body: in.Body, Labels: in.Labels, Author: c.token.Login}
	i.fill(c.repo)
	c.repo.Issues[i.Number] = i
	c.reply(http.StatusCreated, c.issue(i, nil))
}

func (c *call) getIssue() {
	if i, p := c.issueNumber(); i != nil {
		if i.Transferred != "" {
			c.w.Header().Set("Location", c.s.base+"/repos/"+i.Transferred+"/issues/"+strconv.Itoa(i.Number))
			c.reply(http.StatusMovedPermanently, obj{"message": "Moved Permanently", "url": c.w.Header().Get("Location"), "documentation_url": "https://docs.github.com/rest"})
			return
		}
		c.reply(http.StatusOK, c.issue(i, p))
	}
}

func (c *call) editIssue() {
	if i, p := c.issueNumber(); i != nil && c.edit(i) {
		c.reply(http.StatusOK, c.issue(i, p))
	}
}

func (c *call) listComments() {
	if i, _ := c.issueNumber(); i == nil {
		return
	}
	var found []*Comment
	for _, k := range c.repo.Comments {
		if k.Issue == number(c.req.PathValue("number")) {
			found = append(found, k)
		}
	}
	c.reply(http.StatusOK, mapped(page(c, found, 30), c.comment))
}

// text reads a body and refuses what GitHub refuses.
func (c *call) text() (string, bool) {
	var in struct{ Body string }
	if !c.read(&in) {
		return "", false
	}
	switch {
	case strings.TrimSpace(in.Body) == "":
		c.invalid("IssueComment", "body", "Body cannot be blank")
		return "", false
	case utf8.RuneCountInString(in.Body) > maxBody:
		c.reply(http.StatusUnprocessableEntity, bodyTooLong)
		return "", false
	}
	return in.Body, true
}

func (c *call) createComment() {
	i, _ := c.issueNumber()
	if i == nil {
		return
	}
	if body, ok := c.text(); ok {
		k := c.repo.addComment(i.Number, c.token.Login, c.token.Bot, body)
		c.reply(http.StatusCreated, c.comment(k))
	}
}

func (c *call) findComment() *Comment {
	for _, k := range c.repo.Comments {
		if strconv.FormatInt(k.ID, 10) == c.req.PathValue("id") {
			return k
		}
	}
	c.fail(http.StatusNotFound, "Not Found")
	return nil
}

func (c *call) editComment() {
	k := c.findComment()
	if k == nil {
		return
	}
	if body, ok := c.text(); ok {
		k.Body, k.Edited = body, time.Now().UTC()
		k.Versions = append(k.Versions, body)
		c.reply(http.StatusOK, c.comment(k))
	}
}

func (c *call) deleteComment() {
	if k := c.findComment(); k != nil {
		c.repo.Comments = slices.DeleteFunc(c.repo.Comments, func(x *Comment) bool { return x == k })
		c.reply(http.StatusNoContent, nil)
	}
}

func (c *call) react() {
	k := c.findComment()
	var in struct{ Content string }
	if k == nil || !c.read(&in) {
		return
	}
	if !slices.Contains([]string{"+1", "-1", "laugh", "confused", "heart", "hooray", "rocket", "eyes"}, in.Content) {
		c.invalid("Reaction", "content", "is not a reaction")
		return
	}
	status := http.StatusOK
	at := slices.IndexFunc(c.repo.Reactions, func(r Reaction) bool { return r.Comment == k.ID && r.Login == c.token.Login && r.Content == in.Content })
	if at < 0 {
		status, at = http.StatusCreated, len(c.repo.Reactions)
		c.repo.Reactions = append(c.repo.Reactions, Reaction{k.ID, c.token.Login, in.Content, c.s.next()})
	}
	r := c.repo.Reactions[at]
	c.reply(status, obj{"id": r.id, "node_id": "REA_" + strconv.FormatInt(r.id, 10), "user": c.s.user(r.Login, c.token.Bot), "content": r.Content, "created_at": now()})
}

// checkWrite is what is sent of a check run.
type checkWrite struct {
	Name       *string `json:"name"`
	HeadSHA    *string `json:"head_sha"`
	Status     *string `json:"status"`
	Conclusion *string `json:"conclusion"`
	ExternalID *string `json:"external_id"`
	DetailsURL *string `json:"details_url"`
	Output     *struct {
		Title       *string      `json:"title"`
		Summary     *string      `json:"summary"`
		Text        *string      `json:"text"`
		Annotations []Annotation `json:"annotations"`
	} `json:"output"`
}

// valid says what GitHub would refuse of it.
func (w checkWrite) valid() string {
	if w.Output == nil {
		return ""
	}
	o := w.Output
	if o.Summary == nil || *o.Summary == "" {
		return "Invalid request.\n\n\"summary\" wasn't supplied."
	}
	for _, s := range []*string{o.Summary, o.Text} {
		if s != nil && utf8.RuneCountInString(*s) > maxCheckText {
			return fmt.Sprintf("Invalid request.\n\nOnly 65535 characters are allowed; %d were supplied.", utf8.RuneCountInString(*s))
		}
	}
	if n := len(o.Annotations); n > maxAnnotations {
		return fmt.Sprintf("Invalid request.\n\nNo more than 50 items are allowed; %d were supplied.", n)
	}
	for _, a := range o.Annotations {
		switch {
		case a.Path == "" || a.StartLine < 1 || a.EndLine < a.StartLine:
			return "Invalid request.\n\nFor 'annotations' items, path, start_line and end_line are required."
		case a.Message == "" || len(a.Message) > 64<<10 || len(a.Title) > 255:
			return "Invalid request.\n\nFor 'annotations' items, \"message\" or \"title\" is too long or missing."
		case a.Level != "notice" && a.Level != "warning" && a.Level != "failure":
			return "Invalid request.\n\n" + a.Level + " is not a member of [\"notice\", \"warning\", \"failure\"]."
		}
	}
	return ""
}

func (w checkWrite) apply(r *CheckRun) {
	for to, from := range map[*string]*string{&r.Name: w.Name, &r.Status: w.Status, &r.Conclusion: w.Conclusion, &r.ExternalID: w.ExternalID, &r.DetailsURL: w.DetailsURL} {
		if from != nil {
			*to = *from
		}
	}
	if r.Conclusion != "" {
		r.Status = "completed"
	}
	if o := w.Output; o != nil {
		for to, from := range map[*string]*string{&r.Title: o.Title, &r.Summary: o.Summary, &r.Text: o.Text} {
			if from != nil {
				*to = *from
			}
		}
		r.Annotations = append(r.Annotations, o.Annotations...)
	}
}

func (c *call) createCheckRun() {
	var in checkWrite
	if !c.read(&in) {
		return
	}
	if in.Name == nil || in.HeadSHA == nil || len(*in.HeadSHA) != 40 {
		c.fail(http.StatusUnprocessableEntity, "Invalid request.\n\n\"name\" and \"head_sha\" are required.")
		return
	}
	if why := in.valid(); why != "" {
		c.fail(http.StatusUnprocessableEntity, why)
		return
	}
	r := &CheckRun{ID: c.s.next(), SHA: *in.HeadSHA, App: strings.TrimSuffix(c.token.Login, "[bot]"), Status: "queued", made: time.Now().UTC()}
	in.apply(r)
	c.repo.CheckRuns = append(c.repo.CheckRuns, r)
	c.reply(http.StatusCreated, c.checkRun(r))
}

func (c *call) findCheckRun() *CheckRun {
	for _, r := range c.repo.CheckRuns {
		if strconv.FormatInt(r.ID, 10) == c.req.PathValue("id") {
			return r
		}
	}
	c.fail(http.StatusNotFound, "Not Found")
	return nil
}

func (c *call) getCheckRun() {
	if r := c.findCheckRun(); r != nil {
		c.reply(http.StatusOK, c.checkRun(r))
	}
}

func (c *call) editCheckRun() {
	var in checkWrite
	r := c.findCheckRun()
	if r == nil || !c.read(&in) {
		return
	}
	if why := in.valid(); why != "" {
		c.fail(http.StatusUnprocessableEntity, why)
		return
	}
	in.apply(r)
	c.reply(http.StatusOK, c.checkRun(r))
}

func (c *call) reviewNotes() {
	p := c.pull()
	if p == nil {
		return
	}
	var found []*ReviewNote
	for _, n := range c.repo.ReviewNotes {
		if n.Pull == p.Number {
			found = append(found, n)
		}
	}
	c.reply(http.StatusOK, mapped(page(c, found, 30), c.reviewNote))
}

func (c *call) createReview() {
	p := c.pull()
	var in struct {
		CommitID string `json:"commit_id"`
		Body     string
		Event    string
		Comments []struct {
			Path, Body, Side string
			Line             int
		}
	}
	if p == nil || !c.read(&in) {
		return
	}
	if in.Event == "COMMENT" && in.Body == "" {
		c.fail(http.StatusUnprocessableEntity, "Unprocessable Entity")
		return
	}
	for _, k := range in.Comments {
		// A line that the diff does not show cannot be commented on.
		if !slices.ContainsFunc(p.Files, func(f File) bool { return f.Path == k.Path && shows(f.Patch, k.Line, k.Side) }) {
			c.reply(http.StatusUnprocessableEntity, obj{"message": "Unprocessable Entity", "errors": []string{"Pull request review thread line must be part of the diff"}, "documentation_url": "https://docs.github.com/rest"})
			return
		}
	}
	for _, k := range in.Comments {
		c.repo.ReviewNotes = append(c.repo.ReviewNotes, &ReviewNote{ID: c.s.next(), Pull: p.Number, Author: c.token.Login, Bot: c.token.Bot,
			Path: k.Path, Line: k.Line, Side: or(k.Side, "RIGHT"), Body: k.Body, SHA: in.CommitID})
	}
	here := c.s.base + "/repos/" + c.repo.Owner + "/" + c.repo.Name + "/pulls/" + strconv.Itoa(p.Number)
	id := c.s.next()
	c.reply(http.StatusOK, obj{
		"id": id, "node_id": fmt.Sprintf("PRR_%d", id), "user": c.s.user(c.token.Login, c.token.Bot), "body": in.Body, "state": "COMMENTED",
		"commit_id": in.CommitID, "html_url": here, "pull_request_url": here, "author_association": "NONE", "submitted_at": now(),
		"_links": obj{"html": obj{"href": here}, "pull_request": obj{"href": here}},
	})
}

// shows says whether a patch shows a line of a side.
func shows(patch string, line int, side string) bool {
	oldLine, newLine := 0, 0
	for _, l := range strings.Split(patch, "\n") {
		switch {
		case strings.HasPrefix(l, "@@"):
			fmt.Sscanf(strings.NewReplacer(",", " , ", "-", "", "+", "").Replace(strings.Split(l, "@@")[1]), "%d", &oldLine)
			_, plus, _ := strings.Cut(l, "+")
			fmt.Sscanf(plus, "%d", &newLine)
			continue
		case strings.HasPrefix(l, "+"):
			if side != "LEFT" && newLine == line {
				return true
			}
			newLine++
		case strings.HasPrefix(l, "-"):
			if side == "LEFT" && oldLine == line {
				return true
			}
			oldLine++
		default:
			if side != "LEFT" && newLine == line || side == "LEFT" && oldLine == line {
				return true
			}
			oldLine, newLine = oldLine+1, newLine+1
		}
	}
	return false
}

func or(a, b string) string {
	if a == "" {
		return b
	}
	return a
}

func now() string { return time.Now().UTC().Format(time.RFC3339) }
