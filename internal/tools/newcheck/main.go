package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
)

func main() {
	root := flag.String("C", ".", "the `FOLDER` of go.mod")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: go run ./internal/tools/newcheck [-C FOLDER] NAME")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() != 1 {
		flag.Usage()
		os.Exit(2)
	}
	steps, err := scaffold(*root, flag.Arg(0))
	if err != nil {
		fmt.Fprintln(os.Stderr, "newcheck:", err)
		if errors.Is(err, errName) {
			os.Exit(2)
		}
		os.Exit(1)
	}
	for _, s := range steps {
		fmt.Println(s)
	}
}
