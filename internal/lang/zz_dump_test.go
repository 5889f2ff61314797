package lang

import (
	"fmt"
	"os"
	"testing"
)

func TestZZDump(t *testing.T) {
	f := os.Getenv("DUMP")
	if f == "" {
		return
	}
	b, err := os.ReadFile(f)
	if err != nil {
		t.Fatal(err)
	}
	l := ByPath(f, b)
	fmt.Println(l.Name())
	for _, d := range l.Defs(b) {
		fmt.Printf("%d-%d %s %s %v %x\n", d.Line, d.End, d.What, d.Qualified, d.Exported, d.Signature&0xffff)
	}
	if os.Getenv("CLASS") != "" {
		cl := l.Classify(b)
		i := 0
		eachLine(b, func(n int, s []byte) {
			if n < len(cl) {
				fmt.Printf("%c %s\n", "_CcP"[cl[n]], s)
			}
			i++
		})
	}
}

func TestZZImports(t *testing.T) {
	f := os.Getenv("DUMPI")
	if f == "" {
		return
	}
	b, _ := os.ReadFile(f)
	l := ByPath(f, b)
	for _, d := range l.Imports(b) {
		fmt.Printf("%d %s %v\n", d.Line, d.Path, d.Relative)
	}
}

func TestZZAll(t *testing.T) {
	f := os.Getenv("DUMPALL")
	if f == "" {
		return
	}
	b, _ := os.ReadFile(f)
	eachLine(b, func(_ int, p []byte) {
		src, err := os.ReadFile(string(p))
		if err != nil {
			return
		}
		l := ByPath(string(p), src)
		for _, d := range l.Defs(src) {
			fmt.Printf("D\t%s\t%s\t%d\t%d\t%s\n", p, d.Name, d.Line, d.End, d.What)
		}
	})
}
