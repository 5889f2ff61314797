package checks

// The shipped table. `sayso bench train` writes this file; it can be edited by
// hand as well. Every number is a log-odds: what a piece of evidence adds to the
// suspicion that a claim is false.
const shippedVersion = 2

var shippedCalibration = Calibration{Knots: []Knot{
	{-4.2, 0.0069},
	{-0.3, 0.1365},
	{0.68, 0.1728},
	{1.53, 0.3814},
	{2.66, 0.5723},
	{4.04, 0.9},
}}

var shippedTerms = [weightCount]Term{
	thresholdLikely: {"threshold-likely", Fixed, 1.73},
	thresholdStrong: {"threshold-strong", Fixed, 3.04},
	purposeLikely:   {"purpose-likely", Fixed, 3.75},
	noSuspicion:     {"no-suspicion", Fixed, -4.2},

	// Type: the conventional type against the kinds of files and lines.
	typeBias:         {"type-bias", Either, -1.18},
	typePerfAllDoc:   {"type-perf-all-doc", Raises, 4.09},
	typeFeatAllTest:  {"type-feat-all-test", Raises, 3.23},
	typeFeatAllDoc:   {"type-feat-all-doc", Raises, 3.12},
	typeDocsCI:       {"type-docs-ci", Raises, 3.12},
	typeDocsCode:     {"type-docs-code", Raises, 2.96},
	typeDocsLine:     {"type-docs-line", Raises, 3.30},
	typeDocsFewCode:  {"type-docs-few-code", Raises, 2.55},
	typePerfAllTest:  {"type-perf-all-test", Raises, 2.54},
	typeTestNone:     {"type-test-none", Raises, 2.32},
	typeTestSource:   {"type-test-source", Raises, 0.95},
	typeCINone:       {"type-ci-none", Raises, 1.72},
	typeRefactorDoc:  {"type-refactor-doc", Raises, 1.63},
	typeFixAllDoc:    {"type-fix-all-doc", Raises, 0.79},
	typeDocsMixed:    {"type-docs-mixed", Raises, 0.69},
	typeFeatAllCI:    {"type-feat-all-ci", Raises, 0.66},
	typeWordPresent:  {"type-word-present", Lowers, -0.11},
	typeStyleWord:    {"type-style-word", Lowers, -0.23},
	typeNameChanged:  {"type-name-changed", Lowers, -0.29},
	typeNamedFileHit: {"type-named-file-hit", Lowers, -1.72},
	typeNamedDocHit:  {"type-named-doc-hit", Lowers, -0.92},
	typeWordAbsent:   {"type-word-absent", Raises, 0.44},

	// Identifier: a named thing that is defined in an untouched file.
	identifierBias:        {"identifier-bias", Either, -0.36},
	identifierSubjectDef:  {"identifier-subject-def", Raises, 4.70},
	identifierOwnDef:      {"identifier-own-def", Raises, 3.50},
	identifierLocation:    {"identifier-location", Lowers, -0.2},
	identifierNotSource:   {"identifier-not-source", Lowers, -1.5},
	identifierSecondary:   {"identifier-secondary", Lowers, -1.2},
	identifierFarther:     {"identifier-farther", Lowers, -2.2},
	identifierPartPresent: {"identifier-part-present", Fixed, 0.35},
	identifierOtherHit:    {"identifier-other-hit", Lowers, -0.20},
	identifierFileHit:     {"identifier-file-hit", Lowers, -0.99},
	identifierInvented:    {"identifier-invented", Raises, 2.9},
	identifierStillThere:  {"identifier-still-there", Raises, 2.6},
	identifierTickedOnly:  {"identifier-ticked-only", Lowers, -0.7},

	// Component: the scope or prefix of the header names a part of the tree that is not touched.
	componentBias:            {"component-bias", Either, 2.43},
	componentPlace:           {"component-place", Raises, 0.93},
	componentPartsInDiff:     {"component-parts-in-diff", Lowers, -0.90},
	componentInFile:          {"component-in-file", Lowers, -0.23},
	componentGeneral:         {"component-general", Lowers, -0.34},
	componentNew:             {"component-new", Lowers, -0.39},
	componentYoung:           {"component-young", Lowers, -0.60},
	componentFolders:         {"component-folders", Lowers, -0.72},
	componentFiles:           {"component-files", Lowers, -0.84},
	componentOtherFiles:      {"component-other-files", Raises, 0.79},
	componentFoldersOfScopes: {"component-folders-of-scopes", Lowers, -0.40},
	componentFoldersOfOthers: {"component-folders-of-others", Raises, 0.31},
	componentFilesOfOthers:   {"component-files-of-others", Raises, 0.45},
	componentTogether:        {"component-together", Lowers, -0.49},
	componentWordPresent:     {"component-word-present", Lowers, -0.26},
	componentFileHit:         {"component-file-hit", Lowers, -0.19},
	componentStyle:           {"component-style", Lowers, -0.26},
	componentFeature:         {"component-feature", Lowers, -0.21},

	// A plain word of the subject that names a folder or a file.
	componentWordBias:    {"component-word-bias", Either, -0.54},
	componentWordDir:     {"component-word-dir", Raises, 1.30},
	componentWordStem:    {"component-word-stem", Raises, 1.45},
	componentWordShape:   {"component-word-shape", Raises, 0.80},
	componentWordHistory: {"component-word-history", Raises, 0.50},
	componentNameHit:     {"component-word-name-hit", Lowers, -0.60},
	componentWordFileHit: {"component-word-file-hit", Lowers, -2.67},
	componentWordStyle:   {"component-word-style", Lowers, -0.60},

	// Quantity.
	quantityBias:        {"quantity-bias", Either, -0.66},
	quantityToAbsent:    {"quantity-to-absent", Raises, 4.00},
	quantityFromAbsent:  {"quantity-from-absent", Raises, 1.97},
	quantityStep:        {"quantity-step", Raises, 3.90},
	quantityBumpAbsent:  {"quantity-bump-absent", Raises, 3.19},
	quantityPlainAbsent: {"quantity-plain-absent", Raises, 1.63},
	quantityNoneAdded:   {"quantity-none-added", Raises, 1.34},
	quantityNumberAdded: {"quantity-number-added", Raises, 1.86},
	quantityYear:        {"quantity-year", Raises, 2.75},
	quantityNamedLine:   {"quantity-named-line", Raises, 3.90},
	quantityCountMore:   {"quantity-count-more", Raises, 3.20},
	quantityTestsFewer:  {"quantity-tests-fewer", Raises, 2.90},

	// Action.
	actionBias:      {"action-bias", Either, -0.91},
	addZero:         {"add-zero", Raises, 3.18},
	removeZero:      {"remove-zero", Raises, 3.36},
	addZeroMixed:    {"add-zero-mixed", Raises, 2.30},
	removeZeroMixed: {"remove-zero-mixed", Raises, 1.70},
	addLop:          {"add-lop", Raises, 1.90},
	removeLop:       {"remove-lop", Raises, 1.60},
	addLopMixed:     {"add-lop-mixed", Raises, 1.20},
	removeLopMixed:  {"remove-lop-mixed", Raises, 0.50},
	actionObjectBad: {"action-object-bad", Raises, 1.60},
	actionNameBad:   {"action-name-bad", Raises, 2.90},
	actionFile:      {"action-file", Raises, 4.20},
	actionThing:     {"action-thing", Raises, 3.10},
	actionMade:      {"action-made", Raises, 3.00},
	actionStatus:    {"action-status", Raises, 1.10},
	actionBehaves:   {"action-behaves", Lowers, -1.60},
	actionStyle:     {"action-style", Lowers, -0.98},
	actionToggle:    {"action-toggle", Raises, 4.20},
	actionStep:      {"action-step", Raises, 3.40},
	actionRename:    {"action-rename", Raises, 4.40},
	actionRenameID:  {"action-rename-id", Raises, 3.00},

	// Purpose: the whole subject.
	purposeBias:      {"purpose-bias", Either, -0.90},
	purposeAbsent:    {"purpose-absent", Raises, 0.90},
	purposeElsewhere: {"purpose-elsewhere", Raises, 1.00},
	purposeHere:      {"purpose-here", Lowers, -1.20},
	purposePresent:   {"purpose-present", Lowers, -1.00},
	purposeSimilar:   {"purpose-similar", Lowers, -1.20},

	// What is added to all suspicion of a check whose own steps are fixed.
	scopeOffset:  {"scope-offset", Either, 0},
	pathOffset:   {"path-offset", Either, 0},
	testsOffset:  {"tests-offset", Either, 0},
	revertOffset: {"revert-offset", Either, 0},
}
