package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/saysolint/sayso/internal/config"
)

func newInit(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "init",
		Short: "Write a " + config.FileName + " to start from",
		Long: `Write a ` + config.FileName + ` at the top of the work tree in which everything is a
comment: nothing changes until a line is uncommented. A file that is there is left alone.`,
		Example: "  sayso init",
		Args:    none,
		RunE: func(cmd *cobra.Command, _ []string) error {
			repo, err := a.open(cmd.Context(), "")
			if err != nil {
				return err
			}
			defer repo.Close()
			if repo.Root() == "" {
				return usageError("init", "a bare repository has no work tree", "run it in a clone")
			}
			path := filepath.Join(repo.Root(), config.FileName)
			f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
			if errors.Is(err, os.ErrExist) {
				return usageError("init", config.FileName+" is there already", "sayso config show prints what holds")
			}
			if err != nil {
				return ioError("init", err)
			}
			_, err = f.Write(config.Template())
			if cerr := f.Close(); err == nil {
				err = cerr
			}
			if err != nil {
				_ = os.Remove(path)
				return ioError("init", err)
			}
			fmt.Fprintf(a.stdout, "wrote %s\n", config.FileName)
			return nil
		},
	}
}
