package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"

	"github.com/saysolint/sayso/bench/decisions/labels"
	"github.com/saysolint/sayso/internal/git"
)

// largest is more than any file of the sample has, in bytes.
const largest = 4 << 20

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "texts:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) (err error) {
	flags := flag.NewFlagSet("texts", flag.ContinueOnError)
	mirror := flags.String("mirror", "", "folder with a clone of each repository")
	split := flags.String("split", "", "dev or test (both if empty)")
	file := flags.String("out", "", "write id and text of each statement there, as JSON lines")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *mirror == "" {
		return errors.New("say with -mirror where the clones are; fetch.md tells how to make them")
	}
	splits := labels.Splits()
	if *split != "" {
		splits = []string{*split}
	}
	var all []labels.Statement
	for _, name := range splits {
		list, err := labels.Load(name)
		if err != nil {
			return err
		}
		all = append(all, list...)
	}
	var enc *json.Encoder
	if *file != "" {
		f, err := os.Create(*file)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, f.Close()) }()
		enc = json.NewEncoder(f)
		enc.SetEscapeHTML(false)
	}
	return verify(ctx, *mirror, all, enc, out)
}

// verify reads every text, repository by repository as they are in order, and
// says how many were right. Those that were not make an error together.
func verify(ctx context.Context, mirror string, all []labels.Statement, enc *json.Encoder, out io.Writer) error {
	var wrong []error
	right, repos := 0, 0
	for len(all) > 0 {
		n := 1
		for n < len(all) && all[n].Repo == all[0].Repo {
			n++
		}
		texts, errs := read(ctx, mirror, all[:n])
		if err := ctx.Err(); err != nil {
			return err
		}
		wrong = append(wrong, errs...)
		for _, s := range all[:n] {
			text, ok := texts[s.ID]
			if !ok {
				continue
			}
			right++
			if enc != nil {
				if err := enc.Encode(map[string]string{"id": s.ID, "text": text}); err != nil {
					return err
				}
			}
		}
		repos++
		all = all[n:]
	}
	fmt.Fprintf(out, "%d texts of %d repositories read and verified, %d not\n", right, repos, len(wrong))
	return errors.Join(wrong...)
}

// read returns the texts of one repository's statements by their ids.
func read(ctx context.Context, mirror string, list []labels.Statement) (texts map[string]string, wrong []error) {
	dir, err := clone(mirror, list[0].Repo)
	if err == nil {
		var repo *git.Repo
		if repo, err = git.Open(ctx, dir, git.Options{}); err == nil {
			defer repo.Close()
			texts = map[string]string{}
			for _, s := range list {
				raw, err := repo.Blob(ctx, s.Commit+":"+s.Path, largest)
				if err != nil {
					wrong = append(wrong, fmt.Errorf("%s: %s at %s of %s: %w", s.ID, s.Path, s.Commit, s.Repo, err))
					continue
				}
				text, err := s.Text(raw)
				if err != nil {
					wrong = append(wrong, err)
					continue
				}
				texts[s.ID] = text
			}
			return texts, wrong
		}
	}
	for _, s := range list {
		wrong = append(wrong, fmt.Errorf("%s: %w", s.ID, err))
	}
	return nil, wrong
}

// clone finds a repository's git directory or work tree below the mirror.
func clone(mirror, repo string) (string, error) {
	plus := strings.ReplaceAll(repo, "/", "+")
	for _, name := range []string{plus + "/repo", plus, plus + ".git", repo, repo + ".git"} {
		dir := filepath.Join(mirror, filepath.FromSlash(name))
		for _, head := range []string{"HEAD", filepath.Join(".git", "HEAD")} {
			if _, err := os.Stat(filepath.Join(dir, head)); err == nil {
				return dir, nil
			}
		}
	}
	return "", fmt.Errorf("no clone of %s in %s: make one as %s.git, fetch.md tells how", repo, mirror, plus)
}
