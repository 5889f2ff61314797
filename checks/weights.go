package checks

import (
	"math"
	"sort"
)

// weight names one number of the table. The checks ask for numbers by these
// names only, so that the table can be fitted anew without a change to a check.
type weight int

const (
	thresholdLikely weight = iota // dev: five false alarms in a thousand honest commits
	thresholdStrong               // dev: two in a thousand
	purposeLikely                 // the whole subject: stricter, and never strong
	noSuspicion                   // a message in which nothing speaks against any claim

	// Type: the conventional type against the kinds of files and lines.
	typeBias
	typePerfAllDoc
	typeFeatAllTest
	typeFeatAllDoc
	typeDocsCI
	typeDocsCode    // ten or more lines of source code and no document; grows to twice that at thirty more
	typeDocsLine    // one or two lines without a string in them, and no comment
	typeDocsFewCode // three to nine
	typePerfAllTest
	typeTestNone
	typeTestSource // and three or more lines of source code
	typeCINone     // twice that with source code
	typeRefactorDoc
	typeFixAllDoc
	typeDocsMixed
	typeFeatAllCI
	typeWordPresent
	typeStyleWord
	typeNameChanged
	typeNamedFileHit
	typeNamedDocHit
	typeWordAbsent

	// Identifier: a named thing that is defined in an untouched file.
	identifierBias
	identifierSubjectDef
	identifierOwnDef
	identifierLocation    // in X
	identifierNotSource   // defined in tests, examples or documents only
	identifierSecondary   // of X, for X, to X: not the object itself
	identifierFarther     // from X
	identifierPartPresent // share of the weight lost when all parts of the name are in the diff
	identifierOtherHit
	identifierFileHit
	identifierInvented
	identifierStillThere
	identifierTickedOnly // a plain word in backticks
	identifierMany       // defined in more than six places
	identifierMeans      // use X, call X
	identifierHeader     // in the place of the scope

	// Component: the scope or prefix of the header names a part of the tree that is not touched.
	componentBias
	componentPlace           // times the surprise, in nats, that a commit of this scope touches no path of its name
	componentPartsInDiff     // the diff speaks of all its parts
	componentInFile          // or a touched file does, off the changed lines
	componentGeneral         // a general word, which this project uses for a place
	componentNew             // no earlier commit has the scope
	componentYoung           // no history to speak of
	componentFolders         // the scope goes with the touched folders more than by chance
	componentFiles           // with the touched files
	componentOtherFiles      // less than by chance
	componentFoldersOfScopes // more than other scopes go with the touched folders
	componentFoldersOfOthers // less than other scopes do
	componentFilesOfOthers   // the same for the files
	componentTogether        // an earlier commit of this scope touched one of the files
	componentWordPresent     // each word of the subject that is in the change, four at most
	componentFileHit
	componentStyle
	componentFeature // written as in code

	// A plain word of the subject that names a folder or a file.
	componentWordBias
	componentWordDir
	componentWordStem
	componentWordShape
	componentWordHistory
	componentWordPlace
	componentWordNew
	componentNameHit
	componentWordFileHit
	componentWordStyle

	// Quantity.
	quantityBias
	quantityToAbsent
	quantityFromAbsent
	quantityStep // the line that arrives at B comes from elsewhere than A
	quantityBumpAbsent
	quantityPlainAbsent
	quantityNoneAdded
	quantityNumberAdded
	quantityYear
	quantityNamedLine  // a line with the dependency's own name arrives at another version
	quantityNamed      // behind the name of what it belongs to, where another number comes or goes
	quantityHeading    // the changelog's heading is another version
	quantityUnnamed    // and what is bumped is nowhere in the diff either
	quantitySole       // one version is all that comes
	quantityNumberStep // one number is all that changes
	quantityStatus     // a status code of HTTP, where the change has another one
	quantityCountMore
	quantityTestsFewer

	// Action.
	actionBias
	addZero
	removeZero
	addZeroMixed
	removeZeroMixed
	addLop
	removeLop
	addLopMixed
	removeLopMixed
	actionObjectBad
	actionNameBad // a code name that stands on the wrong side only
	actionFile    // the file itself has the opposite status
	actionThing   // what the object counts (tests, comments, imports) stands on the wrong side only
	actionMade    // a definition made of the object's words is created
	actionStatus
	actionBehaves
	actionStyle
	actionToggle
	actionStep
	actionRename
	actionRenameID

	// Purpose: the whole subject.
	purposeBias
	purposePresent        // a word that is in the change
	purposeVague          // a word that rarely comes back in a change, three at most
	purposeAbsent         // a word of four letters or more that is nowhere in the touched files, five at most
	purposeNew            // such a word that no earlier commit says, three at most
	purposeEcho           // times the surprise, in nats, that no path has words which paths used to have
	purposeBestEcho       // times the largest surprise of one word
	purposeHere           // times how much the words go with the touched folders
	purposeHereFiles      // with the touched files
	purposeElsewhere      // or with other files
	purposeName           // a code name that is not in the change, two at most
	purposeLines          // times the logarithm of the changed lines
	purposeStyle          // speaks of style
	purposeDoc            // only documents are touched
	purposeTest           // only tests
	purposeScope          // the scope of the header is touched
	purposeScopeElsewhere // times the surprise, in nats, that it is not
	purposeSimilar        // its letters run as those of the change do

	// What is added to all suspicion of a check whose own steps are fixed.
	scopeOffset
	pathOffset
	testsOffset
	revertOffset

	weightCount
)

// Sign is what a fit may make of a weight.
type Sign int8

const (
	Lowers Sign = -1 // zero or below: it can only lower suspicion
	Either Sign = 0  // either: where a check starts from
	Raises Sign = 1  // zero or above: it can only raise suspicion
	Fixed  Sign = 2  // a threshold, or a share: not fitted with the others
)

// Term is one row of the table. Value is in log-odds unless the name says otherwise.
type Term struct {
	Name  string // unique, lower case, words joined by hyphens
	Sign  Sign
	Value float64
}

// Knot is one point of the calibration: a message whose suspicion is At is false with probability P.
type Knot struct{ At, P float64 }

// Weights is a whole table. It is a value: never change one that is in use.
type Weights struct {
	Version     int
	Terms       []Term // in the order of the names in weights.go
	Calibration Calibration
}

// Shipped is a copy of the table that is compiled in.
func Shipped() *Weights {
	w := shipped
	w.Terms = append([]Term(nil), shippedTerms[:]...)
	w.Calibration.Knots = append([]Knot(nil), shipped.Calibration.Knots...)
	return &w
}

var shipped = Weights{Version: shippedVersion, Terms: shippedTerms[:], Calibration: shippedCalibration}

// Calibration maps suspicion to the probability that a claim or message is
// false: piecewise linear between the knots and level beyond them, or, where
// there are none, logistic.
type Calibration struct {
	Slope, Offset float64
	Knots         []Knot // ascending in both
}

// Probability is the calibrated one of a suspicion.
func (c *Calibration) Probability(s float64) float64 {
	k := c.Knots
	if len(k) == 0 {
		return 1 / (1 + math.Exp(-(c.Slope*s + c.Offset)))
	}
	i := sort.Search(len(k), func(i int) bool { return k[i].At >= s })
	switch {
	case i == 0:
		return k[0].P
	case i == len(k):
		return k[len(k)-1].P
	}
	a, b := k[i-1], k[i]
	return a.P + (b.P-a.P)*(s-a.At)/(b.At-a.At)
}

// w is a number of the table in force.
func (x *judging) w(id weight) float64 {
	if x.asked != nil {
		x.asked[id] = true
	}
	return x.weights.Terms[id].Value
}

func (x *judging) calibrate(s float64) float64 { return x.weights.Calibration.Probability(s) }

// BaseRate is the share of false messages that a score supposes: as a
// probability it means nothing without one. 1.7 % of agents' pull requests
// were found inconsistent with their code (Gong et al. 2026, 406 of 23,247).
const BaseRate = 0.017
