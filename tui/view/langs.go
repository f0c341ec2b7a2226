package view

import "strings"

// lang says how a language's code is told apart.
type lang struct {
	comment []string // to the end of the line
	blocks  []block  // over several lines
	quotes  string   // delimiters of strings in one line
	words   map[string]bool
	fold    bool // keywords in any case
	keys    bool // a word or string before a colon is a name
	calls   bool // a word before a bracket is a name
	dash    bool // words may hold dashes
	diff    bool
}

type block struct {
	open, end string
	text      bool // a string, not a comment
}

func words(s string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(s) {
		m[w] = true
	}
	return m
}

var constants = words("true false null nil None True False undefined iota NaN")

var aliases = map[string]string{
	"golang": "go", "py": "python", "python3": "python", "js": "javascript", "jsx": "javascript", "mjs": "javascript", "node": "javascript",
	"ts": "typescript", "tsx": "typescript", "c++": "cpp", "cc": "cpp", "cxx": "cpp", "hpp": "cpp", "h": "c", "cs": "csharp", "c#": "csharp",
	"rs": "rust", "rb": "ruby", "kt": "kotlin", "sh": "bash", "shell": "bash", "zsh": "bash", "console": "bash", "shell-session": "bash",
	"yml": "yaml", "jsonc": "json", "json5": "json", "jsonl": "json", "htm": "html", "xml": "html", "svg": "html", "vue": "html",
	"patch": "diff", "postgresql": "sql", "mysql": "sql", "sqlite": "sql", "docker": "dockerfile", "make": "makefile", "conf": "ini",
	"toml": "ini", "scss": "css", "less": "css", "ps1": "powershell",
}

var (
	cComments = []string{"//"}
	cBlocks   = []block{{open: "/*", end: "*/"}}
)

func cLike(kw string) *lang {
	return &lang{comment: cComments, blocks: cBlocks, quotes: `"'`, words: words(kw), calls: true}
}

func backtick(l *lang) *lang {
	l.blocks = append([]block{{open: "`", end: "`", text: true}}, l.blocks...)
	return l
}

const (
	cWords  = "auto break case char const continue default do double else enum extern float for goto if inline int long register return short signed sizeof static struct switch typedef union unsigned void volatile while bool include define ifdef ifndef endif"
	jsWords = "async await break case catch class const continue debugger default delete do else export extends finally for from function get if import in instanceof let new of return set static super switch this throw try typeof var void while with yield"
)

// langs are the languages by name.
var langs = map[string]*lang{
	"go": backtick(cLike("break case chan const continue default defer else fallthrough for func go goto if import interface map package range return select struct switch type var string int int64 uint64 uint byte rune bool error any float64 make len cap append copy new panic recover delete")),
	"python": {
		comment: []string{"#"}, quotes: `"'`, calls: true,
		blocks: []block{{`"""`, `"""`, true}, {`'''`, `'''`, true}},
		words:  words("and as assert async await break class continue def del elif else except finally for from global if import in is lambda match case nonlocal not or pass raise return try while with yield self"),
	},
	"javascript": backtick(cLike(jsWords)),
	"typescript": backtick(cLike(jsWords + " abstract any as boolean declare enum implements interface keyof namespace never number private protected public readonly string type unknown")),
	"java":       cLike("abstract assert boolean break byte case catch char class const continue default do double else enum extends final finally float for if implements import instanceof int interface long native new package private protected public record return short static super switch synchronized this throw throws try var void volatile while String"),
	"kotlin":     cLike("as break by catch class companion const continue data do else enum finally for fun if import in init interface internal is lateinit object open override package private protected public return sealed super suspend this throw try typealias val var when while"),
	"c":          cLike(cWords),
	"cpp":        cLike(cWords + " class catch constexpr delete explicit final friend namespace new noexcept nullptr operator override private protected public template this throw try typename using virtual std string vector"),
	"csharp":     cLike("abstract as async await base bool break case catch char class const continue decimal default delegate do double else enum event explicit extern finally fixed float for foreach get if implicit in int interface internal is lock long namespace new object operator out override params private protected public readonly record ref return sealed set short static string struct switch this throw try typeof uint using var virtual void while"),
	"rust":       {comment: cComments, blocks: cBlocks, quotes: `"`, calls: true, words: words("as async await break const continue crate dyn else enum extern fn for if impl in let loop match mod move mut pub ref return self Self static struct super trait type unsafe use where while bool char f32 f64 i32 i64 str u8 u32 u64 usize String Vec Option Result Some Ok Err")},
	"swift":      cLike("as break case catch class continue default defer do else enum extension for func guard if import in init inout internal is let nil open override private protocol public return self static struct super switch throw throws try var where while"),
	"php":        {comment: []string{"//", "#"}, blocks: cBlocks, quotes: `"'`, calls: true, words: words("abstract and array as break case catch class const continue declare default do echo else elseif extends final finally fn for foreach function global if implements include interface match namespace new or private protected public require return static switch throw trait try use var while")},
	"ruby":       {comment: []string{"#"}, blocks: []block{{open: "=begin", end: "=end"}}, quotes: `"'`, calls: true, words: words("alias and begin break case class def do else elsif end ensure for if in module next not or redo rescue retry return self super then undef unless until when while yield require attr_accessor puts")},
	"lua":        {comment: []string{"--"}, blocks: []block{{"--[[", "]]", false}, {"[[", "]]", true}}, quotes: `"'`, calls: true, words: words("and break do else elseif end for function goto if in local not or repeat return then until while")},
	"bash":       {comment: []string{"#"}, quotes: `"'`, dash: true, words: words("if then else elif fi for while until do done case esac in function select return exit export local readonly set unset shift source alias echo cd sudo eval exec trap")},
	"powershell": {comment: []string{"#"}, blocks: []block{{open: "<#", end: "#>"}}, quotes: `"'`, dash: true, fold: true, words: words("begin break catch continue do else elseif end exit filter finally for foreach function if in param process return switch throw trap try until while")},
	"sql":        {comment: []string{"--"}, blocks: cBlocks, quotes: `"'`, fold: true, calls: true, words: words("select from where and or not in is like between join left right inner outer full cross on using group by order having limit offset union all distinct as insert into values update set delete create alter drop table view index unique primary key foreign references constraint default check case when then else end exists with recursive returning begin commit rollback transaction int integer bigint text varchar boolean timestamp date numeric asc desc")},
	"json":       {comment: []string{"//"}, quotes: `"`, keys: true, words: words("")},
	"yaml":       {comment: []string{"#"}, quotes: `"'`, keys: true, dash: true, words: words("yes no on off")},
	"ini":        {comment: []string{"#", ";"}, quotes: `"'`, dash: true, words: words("")},
	"html":       {blocks: []block{{open: "<!--", end: "-->"}}, quotes: `"`, words: words("html head body div span a p ul ol li table tr td th script style link meta title h1 h2 h3 h4 img form input button label select option section nav main header footer template"), dash: true},
	"css":        {comment: cComments, blocks: cBlocks, quotes: `"'`, keys: true, dash: true, words: words("important media import root hover before after var")},
	"dockerfile": {comment: []string{"#"}, quotes: `"'`, words: words("FROM RUN CMD LABEL EXPOSE ENV ADD COPY ENTRYPOINT VOLUME USER WORKDIR ARG ONBUILD STOPSIGNAL HEALTHCHECK SHELL AS")},
	"makefile":   {comment: []string{"#"}, quotes: `"`, dash: true, words: words("ifeq ifneq ifdef ifndef else endif include define endef export override PHONY")},
	"diff":       {diff: true},
}
