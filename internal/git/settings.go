package git

import (
	"context"
	"io"
	"strings"
	"sync"
)

// configArgs ask for all settings that this package reads, in one process.
var configArgs = []string{"config", "-z", "--get-regexp",
	`^(commit\.(cleanup|verbose)|core\.comment(char|string)|i18n\.commitencoding|remote\.origin\.url)$`}

// Remote is the address of origin, "" where there is none.
func (r *Repo) Remote(ctx context.Context) (string, error) {
	if r.plain != nil {
		return "", nil
	}
	rows, err := r.readSettings(ctx)
	address := ""
	for _, row := range rows {
		if key, value, _ := strings.Cut(row, "\n"); key == "remote.origin.url" {
			address = strings.TrimSpace(value)
		}
	}
	return address, err
}

// readSettings is what configArgs asks for, a row each: the key in lower case, a line
// end and the value; without the line end where the key stands without a value.
// Of a key that is there more than once the last row counts.
func (r *Repo) readSettings(ctx context.Context) ([]string, error) {
	if r.asked != nil {
		return r.asked.rows(ctx)
	}
	out, err := r.Run(ctx, nil, configArgs...)
	return configRows(out, err)
}

func configRows(out []byte, err error) ([]string, error) {
	if err != nil && code(err) != 1 { // 1 is: none of them is set
		return nil, err
	}
	return strings.FieldsFunc(string(out), func(c rune) bool { return c == 0 }), nil
}

// settings is a `git config` that runs beside other work, and its answer.
type settings struct {
	mu   sync.Mutex
	proc *Process // nil when the answer was read
	read []string
	err  error
}

// startSettings asks for the settings and does not wait for the answer. Where git
// runs is all it depends on, so the repository need not be found yet.
func (r *Repo) startSettings() *settings {
	s := &settings{}
	s.proc, s.err = r.Start(configArgs...)
	return s
}

func (s *settings) rows(ctx context.Context) ([]string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.proc != nil {
		release := s.proc.Guard(ctx)
		out, err := io.ReadAll(s.proc.Out)
		release()
		s.read, s.err = configRows(out, s.proc.End(ctx, err))
		s.proc = nil
	}
	return s.read, s.err
}

func (s *settings) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.proc != nil {
		s.proc.Kill()
		s.proc = nil
	}
}
