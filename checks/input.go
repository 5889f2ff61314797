package checks

import (
	"github.com/saysolint/sayso/change"
	"github.com/saysolint/sayso/claim"
)

// Tree answers what the repository held at the change: the post-image for
// names of files, the parent's tree as well where a claim is about removal.
// Everything it is asked was fetched before Judge is called: no method does I/O.
type Tree interface {
	HasFile(path string) bool          // exact path in the post-image
	HasDir(path string) bool           // exact folder path, without trailing slash, in the post-image
	FilesNamed(base string) []string   // paths whose base name equals base without regard to case; sorted
	DirsNamed(name string) []string    // folders whose last part equals name without regard to case; sorted
	FilesStemmed(stem string) []string // source and test files whose base name up to the first dot (less a trailing _test or _spec) equals stem without regard to case; sorted
	HasExtension(ext string) bool      // "go", without dot, lower case
	ProjectNames() []string            // what the project calls itself, lower case: manifest names, module path's last part, root folder; sorted

	// Definitions is where a name is defined in the post-image, at most 20
	// sites, sorted. known is false where there is no index to ask.
	Definitions(name string) (sites []Site, known bool)
	// Occurs says whether the name is in the post-image's code at all.
	Occurs(name string) (occurs, known bool)
}

// Site is one place in the tree.
type Site struct {
	Path string
	Line int // from 1, 0 unknown
}

// History answers what the ancestors of the change said and touched. Never a
// descendant, never the commit itself.
type History interface {
	Commits() int                                  // ancestors counted, 0 when there is no history index
	Scope(scope string) (said, named int)          // earlier commits with this header scope or prefix; those of them that touched a path which has it as a whole component (folder or file stem)
	ScopeTouching(scope string, dirs []string) int // earlier commits with this scope or prefix that touched a file directly in or below one of dirs
	Word(stem string) int                          // earlier commits whose subject has the stem
	WordTouching(stem string, dirs []string) int   // those of them that touched one of dirs
	Touching(dirs []string) int                    // earlier commits that touched one of dirs
	Scoped(dirs []string) (all, touching int)      // earlier commits with any header scope or prefix; those of them that touched one of dirs
	Echo(stem string) int                          // earlier commits whose subject has the stem and that touched a path which has it too
}

// Reference is what the repository knows of a commit that a text names.
type Reference struct {
	Known    bool    // the question could be answered: the history is whole enough
	Exists   bool    // there is such a commit
	Ancestor bool    // and it is an ancestor of the change
	Read     bool    // its own diff could be read
	Lines    int     // changed lines of its diff
	Undone   float64 // share of those that this change takes back, 0..1
	Subject  string
}

// Graph answers which files depend on which. Everything it is asked was built before.
type Graph interface {
	// Dependents is the files outside the touched ones that import them, sorted;
	// known is false where some touched source file's language has no graph.
	Dependents(paths []string) (files []string, known bool)
	// Unit is the package or folder that a file belongs to.
	Unit(path string) string
}

// Input is all that Judge needs.
type Input struct {
	Messages   []*claim.Message     // one for a commit; title and body for a pull request
	Facts      *change.Facts        // never nil
	Tree       Tree                 // nil where the tree could not be read
	History    History              // nil where there is no index
	References map[string]Reference // by the object name as claimed, lower case
	Graph      Graph                // nil where there is none
	GraphFrom  string               // where the graph came from, for the coverage
	Levels     map[string]string    // check id to gate, advisory or off; missing is the check's default
	Scopes     map[string][]string  // conventional scope to the paths it stands for, already matched: path prefixes or globs resolved by Matches
	Matches    func(glob, path string) bool
	Exceptions func(check string, paths []string) string // the reason of an exception in force, "" for none
	Abstain    string                                    // why nothing is to be judged: "merge commit", ...
	Ranged     bool                                      // the change is a range of several commits
	Weights    *Weights                                  // nil: the shipped table
}
