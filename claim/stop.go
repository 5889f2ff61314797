package claim

// Stop holds the words that name nothing: grammar, changing, quality, empty
// nouns. Matched as whole words, never as stems, so that handle is one and handler is not.
var Stop = set(`ability about across add added adding additional address addresses adds after again against all allow allows allowed along also am an and any
applied applies apply are around as at available avoid avoids bad be because been before behavior behaviour being better between bit both break
breaks broken bug bugs build builds bump bumps by call called calls can cannot cant case cases change changed changelog changes check checking checks
chore ci clean cleanup close closed closes code com comment comments convert converts correct correctly could crash crashes create created
creates current currently default defaults delete deleted deletes dep dependencies dependency deprecate deprecated deprecates deps did didnt
disable disabled disables do doc docs documentation documented does doesn doesnt doing don done dont drop dropped drops duplicate during each
eg either enable enabled enables end ends ensure ensures entire entirely error errors etc even every existing export exports expose exposed exposes extra
fail failing fails failure faster feat feature features feedback few file files final first fix fixed fixes follow followup for format
formatted formatting from further general generally get github give gives good grammar great handle handles handling has have he high his how however
if implement implemented implements improve improved improves improvement improvements in include included includes increase increases indent
indentation initial instead into introduce introduced introduces is isn issue it its just keep keeps last latest less let lets like
line lines lint linter linting little lot low made make makes making many may me merge might minor misc missing more most move moved moves much must my
need needed needs neither new next nice no not now of off old on one only optimise optimization optimize optional or org other our out over
part parts pass passed passes per perf performance possible possibly prevent prevents problem problems project proper
properly provide provided provides pull put puts readme recent reduce reduces redundant ref refactor refactored refactoring refs regression regressions related release remove
removed removes removing rename renamed renames reorganize replace replaced replaces request required resolve resolved resolves return returns revert review
run running runs same see set sets several shall she should show shows simple simpler simplified simplify simplifies simply small so some speed spelling start started starts
still stop stops stuff style support supported supports sure switch switched switches take takes tests test tested testing than thanks that the their them then
there they thing things this three through to too tries try trying turn turns tweak tweaks two typo typos under unnecessary unneeded unused up
update updated updates updating upgrade upgrades us use used uses using various version versions very via vs want was way we what when where whether
which while who whole why will wip with within without wont wording work working works would wrong www yet you your don't doesn't isn't can't won't it's`)
