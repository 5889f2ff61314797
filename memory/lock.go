package memory

import (
	"context"
	"errors"
	"os"
	"time"
)

// ErrBusy is a lock that others held for all of the time that was waited.
var ErrBusy = errors.New("another process holds the lock")

// Lock takes the lock of an open folder against all processes that take it, and
// waits for it at most as long as patience. The lock ends with the process.
func Lock(ctx context.Context, folder *os.Root, patience time.Duration) (release func(), err error) {
	end := time.NewTimer(patience)
	defer end.Stop()
	for wait := time.Millisecond; ; wait = min(2*wait, 50*time.Millisecond) {
		release, held, err := tryLock(folder)
		if err != nil {
			return nil, err
		}
		if !held {
			return release, nil
		}
		pause := time.NewTimer(wait)
		select {
		case <-pause.C:
		case <-ctx.Done():
			pause.Stop()
			return nil, context.Cause(ctx)
		case <-end.C:
			pause.Stop()
			return nil, ErrBusy
		}
	}
}
