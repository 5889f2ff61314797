package action

import (
	"net/url"
	"path"
	"strings"

	"github.com/saysolint/sayso/internal/secret"
	"github.com/saysolint/sayso/report"
)

// This file has the escapers of the sinks that package report does not know. Each
// takes hostile text and states its law; the fuzz tests hold it to that law.

// md is text for a line of a comment: credentials masked, cut, inert. Law: that of
// report.Markdown. Masking comes first: half a token has no shape.
func md(s string, most int) string {
	s, _ = secret.Mask(s)
	return report.Markdown(clip(s, most))
}

// plain is text for a field that is shown as it stands: the title and message of
// an annotation, a line of a log. Law: one line, no control character, no
// credential of a known shape.
func plain(s string, most int) string {
	s, _ = secret.Mask(s)
	return clip(report.Terminal(s), most)
}

// lineLink is a link to a line of a file at a commit, its text the place. Law: it is
// one link, to that repository on the server that was given, whatever the path is;
// or text without a link, where the path has a credential in it.
func lineLink(t Target, sha, file string, line int) string {
	file = strings.TrimPrefix(path.Clean("/"+file), "/")
	text := file
	u := strings.TrimSuffix(t.Server, "/")
	if u == "" {
		u = "https://github.com"
	}
	u += "/" + t.Repo.String() + "/blob/" + url.PathEscape(sha)
	for part := range strings.SplitSeq(file, "/") {
		u += "/" + linkSafe.Replace(url.PathEscape(strings.ToValidUTF8(part, "\uFFFD")))
	}
	if line > 0 {
		u += "#L" + itoa(line)
		text += ":" + itoa(line)
	}
	if len(secret.Find(file)) > 0 {
		return "<code>" + md(text, 300) + "</code>"
	}
	return "[" + md(text, 300) + "](" + u + ")"
}

// linkSafe escapes what a path may have in an address and Markdown not in a link.
var linkSafe = strings.NewReplacer("(", "%28", ")", "%29", "'", "%27", "*", "%2A", "@", "%40", "$", "%24", "&", "%26", "!", "%21", "~", "%7E", "_", "%5F", ":", "%3A", "=", "%3D", "+", "%2B")
