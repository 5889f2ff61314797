package githubtest

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// This file has the JSON of answers, with every field that GitHub's published
// description requires. Addresses are made up of the same parts as the real ones.

type (
	obj  = map[string]any
	list = []any
)

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

func node(kind string, id int64) string { return fmt.Sprintf("%s_%d", kind, id) }

func (s *Server) user(login string, bot bool) obj {
	u := s.base + "/users/" + url.PathEscape(login)
	kind := "User"
	if bot || strings.HasSuffix(login, "[bot]") {
		kind = "Bot"
	}
	id := s.id(login)
	return obj{
		"login": login, "id": id, "node_id": node("U", id), "avatar_url": "https://avatars.github.test/u/" + strconv.FormatInt(id, 10), "gravatar_id": "",
		"url": u, "html_url": "https://github.test/" + url.PathEscape(login), "followers_url": u + "/followers", "following_url": u + "/following{/other_user}",
		"gists_url": u + "/gists{/gist_id}", "starred_url": u + "/starred{/owner}{/repo}", "subscriptions_url": u + "/subscriptions",
		"organizations_url": u + "/orgs", "repos_url": u + "/repos", "events_url": u + "/events{/privacy}", "received_events_url": u + "/received_events",
		"type": kind, "site_admin": false,
	}
}

func (s *Server) fullUser(login string) obj {
	u := s.user(login, false)
	for _, k := range []string{"bio", "blog", "company", "email", "hireable", "location", "name"} {
		u[k] = nil
	}
	u["blog"] = ""
	for _, k := range []string{"followers", "following", "public_gists", "public_repos"} {
		u[k] = 0
	}
	u["created_at"], u["updated_at"], u["user_view_type"] = now(), now(), "public"
	return u
}

func (s *Server) minimal(owner, name string, r *Repo) obj {
	at := s.base + "/repos/" + owner + "/" + name
	var id int64 = 1
	private := false
	if r != nil {
		id, private = r.id, r.Private
	}
	o := obj{
		"id": id, "node_id": node("R", id), "name": name, "full_name": owner + "/" + name, "owner": s.user(owner, false), "private": private,
		"html_url": "https://github.test/" + owner + "/" + name, "description": nil, "fork": false, "url": at,
	}
	for _, k := range strings.Fields("archive assignees blobs branches collaborators comments commits compare contents contributors deployments downloads events forks git_commits git_refs git_tags hooks issue_comment issue_events issues keys labels languages merges milestones notifications pulls releases stargazers statuses subscribers subscription tags teams trees") {
		o[k+"_url"] = at + "/" + strings.ReplaceAll(k, "_", "/")
	}
	return o
}

func (s *Server) repository(owner, name string, r *Repo) obj {
	o := s.minimal(owner, name, r)
	web := "https://github.test/" + owner + "/" + name
	o["clone_url"], o["git_url"], o["ssh_url"], o["svn_url"] = web+".git", "git:github.test/"+owner+"/"+name+".git", "git@github.test:"+owner+"/"+name+".git", web
	o["default_branch"] = "main"
	if r != nil {
		o["default_branch"] = r.DefaultBranch
	}
	for _, k := range strings.Fields("forks forks_count open_issues open_issues_count size stargazers_count watchers watchers_count") {
		o[k] = 0
	}
	for _, k := range strings.Fields("has_issues has_projects has_wiki has_pages has_discussions has_downloads archived disabled") {
		o[k] = false
	}
	for _, k := range strings.Fields("homepage language mirror_url license") {
		o[k] = nil
	}
	o["pushed_at"], o["created_at"], o["updated_at"] = now(), now(), now()
	return o
}

func (c *call) issue(i *Issue, p *Pull) obj {
	at := c.s.base + "/repos/" + c.repo.Owner + "/" + c.repo.Name
	here := at + "/issues/" + strconv.Itoa(i.Number)
	o := obj{
		"id": i.id, "node_id": node("I", i.id), "number": i.Number, "title": i.Title, "body": i.Body, "state": i.State, "locked": false,
		"url": here, "repository_url": at, "labels_url": here + "/labels{/name}", "comments_url": here + "/comments", "events_url": here + "/events",
		"html_url": "https://github.test/" + c.repo.Owner + "/" + c.repo.Name + "/issues/" + strconv.Itoa(i.Number),
		"user":     c.s.user(i.Author, false), "labels": c.labels(i.Labels), "assignee": nil, "assignees": list{}, "milestone": nil,
		"comments": 0, "created_at": stamp(i.made), "updated_at": stamp(i.made), "closed_at": nil, "author_association": "NONE",
	}
	if i.NoBody {
		o["body"] = nil
	}
	if p != nil {
		o["pull_request"] = obj{"url": at + "/pulls/" + strconv.Itoa(i.Number), "html_url": "https://github.test/p", "diff_url": "https://github.test/p.diff", "patch_url": "https://github.test/p.patch", "merged_at": nil}
	}
	return o
}

func (c *call) labels(names []string) list {
	out := list{}
	for i, n := range names {
		out = append(out, obj{"id": i + 1, "node_id": node("LA", int64(i+1)), "url": c.s.base + "/labels/" + url.PathEscape(n), "name": n, "description": "", "color": "ededed", "default": false})
	}
	return out
}

// side is the head or the base of a pull request; repo "-" is one that is gone.
func (c *call) side(repo, ref, sha string) obj {
	owner, name := c.repo.Owner, c.repo.Name
	if o, n, ok := strings.Cut(repo, "/"); ok {
		owner, name = o, n
	}
	out := obj{"label": owner + ":" + ref, "ref": ref, "sha": sha, "user": c.s.user(owner, false), "repo": nil}
	if repo != "-" {
		out["repo"] = c.s.repository(owner, name, c.s.repos[strings.ToLower(owner+"/"+name)])
	}
	return out
}

func (c *call) simplePull(p *Pull) obj {
	at := c.s.base + "/repos/" + c.repo.Owner + "/" + c.repo.Name
	here, web := at+"/pulls/"+strconv.Itoa(p.Number), "https://github.test/"+c.repo.Owner+"/"+c.repo.Name+"/pull/"+strconv.Itoa(p.Number)
	o := c.issue(&p.Issue, nil)
	delete(o, "repository_url")
	delete(o, "labels_url")
	delete(o, "events_url")
	for k, v := range (obj{
		"url": here, "html_url": web, "diff_url": web + ".diff", "patch_url": web + ".patch", "issue_url": at + "/issues/" + strconv.Itoa(p.Number),
		"commits_url": here + "/commits", "review_comments_url": here + "/comments", "review_comment_url": at + "/pulls/comments{/number}",
		"comments_url": at + "/issues/" + strconv.Itoa(p.Number) + "/comments", "statuses_url": at + "/statuses/" + p.Head,
		"merge_commit_sha": nil, "merged_at": nil, "draft": p.Draft, "auto_merge": nil, "requested_reviewers": list{}, "requested_teams": list{},
		"head": c.side(p.HeadRepo, p.HeadRef, p.Head), "base": c.side("", p.BaseRef, p.Base),
		"_links": obj{"self": obj{"href": here}, "html": obj{"href": web}, "issue": obj{"href": here}, "comments": obj{"href": here}, "commits": obj{"href": here},
			"review_comments": obj{"href": here}, "review_comment": obj{"href": here}, "statuses": obj{"href": here}},
	}) {
		o[k] = v
	}
	if p.MergeCommit != "" {
		o["merge_commit_sha"] = p.MergeCommit
	}
	if p.Merged {
		o["merged_at"], o["closed_at"], o["state"] = now(), now(), "closed"
	}
	return o
}

func (c *call) fullPull(p *Pull) obj {
	o := c.simplePull(p)
	add, del := 0, 0
	for _, f := range p.Files {
		a, d := countPatch(f.Patch)
		add, del = add+a, del+d
	}
	commits, files := len(p.CommitList), len(p.Files)
	if p.CommitsCount > 0 {
		commits = p.CommitsCount
	}
	if p.FilesCount > 0 {
		files = p.FilesCount
	}
	for k, v := range (obj{
		"merged": p.Merged, "mergeable": true, "rebaseable": true, "mergeable_state": "clean", "merged_by": nil, "comments": 0, "review_comments": 0,
		"maintainer_can_modify": p.Maintainable, "commits": commits, "additions": add, "deletions": del, "changed_files": files,
	}) {
		o[k] = v
	}
	return o
}

func (c *call) comment(k *Comment) obj {
	at := c.s.base + "/repos/" + c.repo.Owner + "/" + c.repo.Name
	return obj{
		"id": k.ID, "node_id": node("IC", k.ID), "url": at + "/issues/comments/" + strconv.FormatInt(k.ID, 10),
		"html_url":  fmt.Sprintf("https://github.test/%s/%s/pull/%d#issuecomment-%d", c.repo.Owner, c.repo.Name, k.Issue, k.ID),
		"issue_url": at + "/issues/" + strconv.Itoa(k.Issue), "user": c.s.user(k.Author, k.Bot), "body": k.Body,
		"created_at": stamp(k.Made), "updated_at": stamp(k.Edited), "author_association": "NONE", "performed_via_github_app": nil,
	}
}

func (c *call) commit(sha string, files []File) obj {
	at := c.s.base + "/repos/" + c.repo.Owner + "/" + c.repo.Name
	k := c.repo.Commits[sha]
	if k == nil {
		k = &Commit{}
	}
	parents := list{}
	for _, p := range k.Parents {
		parents = append(parents, obj{"sha": p, "url": at + "/commits/" + p, "html_url": at + "/commit/" + p})
	}
	who := obj{"name": or(k.Author, "nobody"), "email": "nobody@example.com", "date": "2026-01-02T03:04:05Z"}
	var author any
	if k.Author != "" {
		author = c.s.user(k.Author, false)
	}
	o := obj{
		"sha": sha, "node_id": "C_" + sha, "url": at + "/commits/" + sha, "html_url": "https://github.test/commit/" + sha, "comments_url": at + "/commits/" + sha + "/comments",
		"commit": obj{"author": who, "committer": who, "message": k.Message, "tree": obj{"sha": Hash("tree" + sha), "url": at + "/git/trees/" + sha}, "url": at + "/git/commits/" + sha, "comment_count": 0,
			"verification": obj{"verified": false, "reason": "unsigned", "signature": nil, "payload": nil, "verified_at": nil}},
		"author": author, "committer": author, "parents": parents,
	}
	if files != nil {
		o["stats"] = obj{"total": 0, "additions": 0, "deletions": 0}
		o["files"] = c.rows(files)
	}
	return o
}

func (c *call) diffEntry(f File, add, del int, patch string) obj {
	at := c.s.base + "/repos/" + c.repo.Owner + "/" + c.repo.Name + "/contents/" + (&url.URL{Path: f.Path}).EscapedPath()
	o := obj{
		"sha": or(f.SHA, Hash(f.Path+f.Patch)), "filename": f.Path, "status": or(f.Status, "modified"), "additions": add, "deletions": del, "changes": add + del,
		"blob_url": at, "raw_url": at, "contents_url": at,
	}
	if patch != "" {
		o["patch"] = patch
	}
	if f.Previous != "" {
		o["previous_filename"] = f.Previous
	}
	return o
}

func (s *Server) integration(slug string, id int64) obj {
	return obj{
		"id": id, "slug": slug, "node_id": node("A", id), "owner": s.user(slug+"-owner", false), "name": slug, "description": nil,
		"external_url": "https://example.com", "html_url": "https://github.test/apps/" + slug, "created_at": now(), "updated_at": now(),
		"permissions": obj{"checks": "write"}, "events": list{"push"},
	}
}

func (s *Server) installation(a *App, r *Repo) obj {
	id := strconv.FormatInt(r.Installation, 10)
	return obj{
		"id": r.Installation, "app_id": a.ID, "app_slug": a.Slug, "target_id": 1, "target_type": "Organization", "single_file_name": nil,
		"repository_selection": "selected", "access_tokens_url": s.base + "/app/installations/" + id + "/access_tokens", "html_url": "https://github.test/installations/" + id,
		"repositories_url": s.base + "/installation/repositories", "events": list{}, "account": s.user(r.Owner, false), "permissions": obj{"checks": "write"},
		"created_at": now(), "updated_at": now(), "suspended_by": nil, "suspended_at": nil,
	}
}

func (c *call) checkRun(r *CheckRun) obj {
	at := c.s.base + "/repos/" + c.repo.Owner + "/" + c.repo.Name + "/check-runs/" + strconv.FormatInt(r.ID, 10)
	null := func(s string) any {
		if s == "" {
			return nil
		}
		return s
	}
	o := obj{
		"id": r.ID, "node_id": node("CR", r.ID), "head_sha": r.SHA, "name": r.Name, "url": at, "html_url": "https://github.test/runs/" + strconv.FormatInt(r.ID, 10),
		"details_url": null(r.DetailsURL), "external_id": r.ExternalID, "status": r.Status, "conclusion": null(r.Conclusion),
		"started_at": stamp(r.made), "completed_at": nil, "check_suite": obj{"id": 1}, "app": c.s.integration(or(r.App, "github-actions"), 15368), "pull_requests": list{},
		"output": obj{"title": null(r.Title), "summary": null(r.Summary), "text": null(r.Text), "annotations_count": len(r.Annotations), "annotations_url": at + "/annotations"},
	}
	if r.Conclusion != "" {
		o["completed_at"] = stamp(r.made)
	}
	return o
}

func (c *call) status(s *Status) obj {
	return obj{"id": 1, "node_id": "ST_1", "state": s.State, "context": s.Context, "description": nil, "target_url": s.URL, "avatar_url": nil, "url": c.s.base, "created_at": now(), "updated_at": now()}
}

func (c *call) reviewNote(n *ReviewNote) obj {
	at := c.s.base + "/repos/" + c.repo.Owner + "/" + c.repo.Name + "/pulls/" + strconv.Itoa(n.Pull)
	return obj{
		"id": n.ID, "node_id": node("PRRC", n.ID), "url": at + "/comments", "pull_request_review_id": 1, "diff_hunk": "@@", "path": n.Path, "commit_id": n.SHA, "original_commit_id": n.SHA,
		"user": c.s.user(n.Author, n.Bot), "body": n.Body, "created_at": now(), "updated_at": now(), "html_url": at, "pull_request_url": at, "author_association": "NONE",
		"line": n.Line, "side": n.Side, "_links": obj{"self": obj{"href": at}, "html": obj{"href": at}, "pull_request": obj{"href": at}},
	}
}
