package checks

import "math"

// The weights and thresholds of the agreement engine, version 1.
//
// Every number is a log-odds: what a piece of evidence adds to the suspicion that
// a claim is false. They follow the third version of a prototype that was fitted on 13,539 honest
// and 1,923 falsified messages; rules whose model degenerated into "any evidence is
// enough" (scope statements, named files) are fixed steps. Support is negative, evidence positive.
const (
	thresholdLikely = 1.73 // dev: five false alarms in a thousand honest commits
	thresholdStrong = 3.04 // dev: two in a thousand
	purposeLikely   = 3.75 // the whole subject: stricter, and never strong

	noSuspicion = -4.2 // a message in which nothing speaks against any claim
)

// calibrate maps suspicion to the probability that the claim is false, at even
// odds of honest and false messages.
func calibrate(s float64) float64 {
	return 1 / (1 + math.Exp(-(calibrationSlope*s + calibrationOffset)))
}

const (
	calibrationSlope  = 1.0
	calibrationOffset = 0.9
)

// Type: the conventional type against the kinds of files and lines.
const (
	typeBias         = -1.18
	typePerfAllDoc   = 4.09
	typeFeatAllTest  = 3.23
	typeFeatAllDoc   = 3.12
	typeDocsCI       = 3.12
	typeDocsCode     = 2.96 // ten or more lines of source code and no document; grows to twice that at thirty more
	typeDocsLine     = 3.30 // one or two lines without a string in them, and no comment
	typeDocsFewCode  = 2.55 // three to nine
	typePerfAllTest  = 2.54
	typeTestNone     = 2.32
	typeTestSource   = 0.95 // and three or more lines of source code
	typeCINone       = 1.72 // twice that with source code
	typeRefactorDoc  = 1.63
	typeFixAllDoc    = 0.79
	typeDocsMixed    = 0.69
	typeFeatAllCI    = 0.66
	typeWordPresent  = -0.11
	typeStyleWord    = -0.23
	typeScopeInPath  = -0.26
	typeNameChanged  = -0.29
	typeNamedFileHit = -1.72
	typeNamedDocHit  = -0.92
	typeWordAbsent   = 0.44
)

// Identifier: a named thing that is defined in an untouched file.
const (
	identifierBias        = -0.36
	identifierSubjectDef  = 4.70
	identifierOwnDef      = 3.50
	identifierLocation    = -0.2 // in X
	identifierNotSource   = -1.5 // defined in tests, examples or documents only
	identifierSecondary   = -1.2 // of X, for X, to X: not the object itself
	identifierFarther     = -2.2 // from X
	identifierPartPresent = 0.35 // share of the weight lost when all parts of the name are in the diff
	identifierOtherHit    = -0.20
	identifierFileHit     = -0.99
	identifierInvented    = 2.9
	identifierStillThere  = 2.6
	identifierTickedOnly  = -0.7 // a plain word in backticks
)

// Component.
const (
	componentBias        = -0.54
	componentRealAbsent  = 3.40
	componentRealInFile  = 1.60
	componentHistory     = 0.51
	componentHistoryFor  = -0.72
	componentNameHit     = -0.60
	componentFileHit     = -2.67
	componentWordDir     = 1.30
	componentWordStem    = 1.45
	componentWordShape   = 0.80
	componentWordHistory = 0.50
	componentStyle       = -0.60
)

// Quantity.
const (
	quantityBias        = -0.66
	quantityToAbsent    = 4.00
	quantityFromAbsent  = 1.97
	quantityStep        = 3.90 // the line that arrives at B comes from elsewhere than A
	quantityBumpAbsent  = 3.19
	quantityPlainAbsent = 1.63
	quantityNoneAdded   = 1.34
	quantityNumberAdded = 1.86
	quantityNumberStep  = 1.82
	quantityYear        = 2.75
	quantityNamedLine   = 3.90 // a line with the dependency's own name arrives at another version
	quantityCountMore   = 3.20
	quantityTestsFewer  = 2.90
	quantityContextOnly = -1.73
)

// Action.
const (
	actionBias      = -0.91
	addZero         = 3.18
	removeZero      = 3.36
	addZeroMixed    = 2.30
	removeZeroMixed = 1.70
	addLop          = 1.90
	removeLop       = 1.60
	addLopMixed     = 1.20
	removeLopMixed  = 0.50
	actionObjectBad = 1.60
	actionNameBad   = 2.90 // a code name that stands on the wrong side only
	actionStatus    = 1.10
	actionBehaves   = -1.60
	actionObjectOK  = -1.80
	actionLopOK     = -2.90
	actionStyle     = -0.98
	actionToggle    = 4.20
	actionStep      = 3.40
	actionRename    = 4.40
	actionRenameID  = 3.00
)

// Purpose: the whole subject.
const (
	purposeBias      = -0.90
	purposeAbsent    = 0.90  // a word of four letters or more that is nowhere in the touched files
	purposeElsewhere = 1.00  // earlier commits that said it touched other folders
	purposeHere      = -1.20 // or these
	purposePresent   = -1.00 // a word that is in the diff
	purposeSimilar   = -1.20 // its letters run as those of the change do
)
