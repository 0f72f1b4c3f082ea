package parse

// Limits of what is given to PostgreSQL's parser. It is C code that recurses over the tree it builds:
// a text of 60 kB that nests deep enough (`select 1+1+…`) overflows a thread's stack and ends the
// process. So every text is measured by its tokens first; what is over a limit is not parsed and goes
// to the home database unchanged, which has limits of its own.
const (
	// TextBytesMax is the size of a text that is still parsed, in bytes.
	TextBytesMax = 1 << 20
	// TokensMax is the number of tokens of a text, comments included.
	TokensMax = 400_000
	// StatementsMax is the number of statements of one text.
	StatementsMax = 10_000
	// NestingMax bounds the depth of the tree that a text may come to, counted in tokens (see nesting).
	// Stacks of 8 MiB held for 8000 levels and overflowed at 16000; a token opens at most one level that
	// costs as much.
	NestingMax = 3_000
	// OptionsMax is the number of options of one WITH or OPTIONS clause.
	OptionsMax = 500
	// TransformsMax is the number of elements of PARTITIONED BY.
	TransformsMax = 64
	// identBytesMax is where PostgreSQL cuts an identifier, in bytes.
	identBytesMax = 63
)
