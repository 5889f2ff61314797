package recall

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"sync"

	"github.com/saysolint/sayso/checks"
	"github.com/saysolint/sayso/internal/checkpoint"
)

// verdictsName is the file of the rulings that were made before. A commit does not
// change, and neither does what was said: a ruling is made once.
const verdictsName = "verdicts.v1"

// maxVerdicts is how large that file may grow, in bytes, before it begins anew.
const maxVerdicts = 16 << 20

// Kept wraps a judge with the rulings that it made before. They lie below the common git
// folder and hold for one basis: whatever else a ruling hangs on, such as the version of
// the program and the configuration. A ruling for which something was missing is not
// kept, since it may be there the next time. Save writes what is new.
type Kept struct {
	judge Judge
	dir   string
	basis string

	lock  sync.Mutex
	known map[string]keptRuling
	fresh []keptRuling
	size  int64 // of the file; negative where it has to begin anew
}

// keptRuling is one line of the file.
type keptRuling struct {
	Key      string          `json:"k"`
	Verdict  checks.Verdict  `json:"v"`
	Strength checks.Strength `json:"s,omitempty"`
	Why      string          `json:"w"`
	Graph    string          `json:"g,omitempty"`
}

// Keep opens the rulings of a repository.
func Keep(commonDir, basis string, judge Judge) *Kept {
	k := &Kept{judge: judge, dir: checkpoint.Dir(commonDir), basis: digest(basis), known: map[string]keptRuling{}, size: -1}
	f, err := os.Open(filepath.Join(k.dir, verdictsName))
	if err != nil {
		return k
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxVerdicts {
		return k
	}
	in := bufio.NewReader(io.LimitReader(f, maxVerdicts))
	if head, err := in.ReadString('\n'); err != nil || head != k.basis+"\n" {
		return k
	}
	k.size = info.Size()
	for {
		line, err := in.ReadBytes('\n')
		var r keptRuling
		switch {
		case err == nil && json.Unmarshal(line, &r) == nil && r.valid():
			k.known[r.Key] = r
		case errors.Is(err, io.EOF) && len(line) == 0:
			return k
		default: // torn: what stands before it is good, and the file begins anew
			k.size = -1
			return k
		}
	}
}

func (r *keptRuling) valid() bool {
	return r.Verdict == checks.Corroborated || r.Verdict == checks.Contradicted || r.Verdict == checks.Neutral
}

// Judge is the ruling that was made before, else the judge's.
func (k *Kept) Judge(ctx context.Context, commit string, tier Tier, text string) (Ruling, error) {
	key := digest(commit + "\n" + string(tier) + "\n" + text)
	k.lock.Lock()
	old, ok := k.known[key]
	k.lock.Unlock()
	if ok {
		return Ruling{Verdict: old.Verdict, Strength: old.Strength, Why: old.Why, Graph: old.Graph}, nil
	}
	r, err := k.judge.Judge(ctx, commit, tier, text)
	if err != nil {
		return r, err
	}
	made := keptRuling{Key: key, Verdict: r.Verdict, Strength: r.Strength, Why: r.Why, Graph: r.Graph}
	if made.valid() && len(r.Missing) == 0 {
		k.lock.Lock()
		k.known[key], k.fresh = made, append(k.fresh, made)
		k.lock.Unlock()
	}
	return r, nil
}

// Save adds what is new to the file. Two processes that save at the same time may each
// lose the other's lines at worst, never mix them up: a line is written whole or is torn.
func (k *Kept) Save() error {
	k.lock.Lock()
	defer k.lock.Unlock()
	if len(k.fresh) == 0 {
		return nil
	}
	var b []byte
	flags := os.O_WRONLY | os.O_CREATE | os.O_APPEND
	if k.size < 0 {
		flags |= os.O_TRUNC
		b = append(b, k.basis+"\n"...)
	}
	for _, r := range k.fresh {
		line, err := json.Marshal(r)
		if err != nil {
			return err
		}
		b = append(append(b, line...), '\n')
	}
	if err := os.MkdirAll(k.dir, 0o700); err != nil {
		return bare(err)
	}
	f, err := os.OpenFile(filepath.Join(k.dir, verdictsName), flags, 0o600)
	if err != nil {
		return bare(err)
	}
	_, err = f.Write(b)
	k.fresh = nil
	return bare(errors.Join(err, f.Close()))
}

func digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:16])
}
