package offline

// english is the grammar of English requests.
func english() source {
	return source{
		lang: "en",
		macros: [][2]string{
			{"what", `what is|what are|what|calc|eval|how about|what about|what does|what would be|how much is|how much are|how much does|how many is|` +
				`how many are|calculate|compute|work out|figure out|solve|evaluate|determine|find|find out|give|show|the result of|the value of|tell|how much`},
			{"is", `is|are|was|will be|makes|make|equals|equal|gives|give|be`},
			{"todos", `list of [my] (tasks|todos|to dos|things to do)|todo list|to do list|todolist|todos list|todo lists|task list|tasks list|todo|todos|to dos|` +
				`to do|list|tasks|agenda`},
			{"mylist", `[my|the|our|that] [open|current] @todos`},
			{"item", `todo|to do|task|item|entry|todo item|to do item|todo entry|list item|number|no`},
			{"discount", `discount|off|reduction|rebate|price reduction|markdown`},
			{"tax", `vat|tax|sales tax|gst`},
			{"now", `now|right now|currently|at the moment|just now|at present|today|exactly|here|this minute`},
			{"time", `[exact|current|local|right|correct|precise|actual|present] time [of day]`},
			{"day", `day|weekday|day of the week|week day`},
		},
		lead: []string{
			`please`, `pls`, `hey`, `hi`, `hello`, `jarvis`, `ok`, `okay`, `so`, `and`, `then`, `now`, `well`, `quick`, `quickly`,
			`quick question`, `quick (math|maths)`, `um`, `uh`, `oh`, `sorry`, `excuse me`, `great`, `perfect`, `also`, `just`, `but`,
			`(can|could|would|will) you [please|kindly|maybe|quickly|just] [tell me|let me know|show me|give me|help me|say]`,
			`would you mind telling me`, `would you mind`, `do you know`, `do you happen to know`, `may i (ask|know)`,
			`(tell|show|give) me`, `let me know`,
			`i (want|would like|need|wish) to know`,
			`i would like`, `i would like you to`,
			`i (want|would like|need|wish|have) to`,
			`i want you to`, `i need you to`, `i need`, `i want`, `i wonder`, `i was wondering`, `can i (have|get|see)`,
			`could i (have|get|see)`, `can you`, `could you`, `be so kind and`,
			`any idea`, `say`, `if i`, `if you`, `if we`,
			`what do (i|you|we) get (if|when) (i|you|we)`,
			`what happens if i`, `what if i`, `help me`, `let us`, `quick one`, `question`,
			`good (morning|evening|afternoon)`,
			`remind me`,
		},
		tail: []string{
			`please`, `plz`, `pls`, `thanks`, `thank you`, `thx`, `jarvis`, `for me`, `now`, `right now`, `then`, `again`, `quickly`,
			`exactly`, `at the moment`, `currently`, `here`, `today`, `atm`, `if you can`, `if you do not mind`, `would you`, `could you`,
			`can you`, `ok`, `okay`, `mate`, `buddy`, `will you`,
			`what do (i|you|we) (get|have|pay)`,
			`what does (that|it) make`,
			`what is (that|it|the result|the answer|the total|the price|the final price)`,
			`how much is (that|it)`,
			`how much (do i|would i|will i) (pay|have|get)`,
			`is what`, `equals what`, `makes what`, `by the way`, `to me`, `as a number`, `is how much`, `= what`,
		},
		common: []string{
			"the", "of", "is", "what", "you", "my", "i", "to", "do", "how", "many", "much", "in", "and", "with", "that", "this", "who", "which", "are", "does",
			"did", "was", "were", "why", "when", "where", "write", "read", "play", "tell", "translate", "open", "best", "time", "people", "live", "it", "for",
			"from", "by", "at", "a", "an", "me", "miles", "feet", "inches", "pounds", "minutes", "hours", "seconds", "days", "weeks", "years", "months", "plus",
			"times", "divided", "squared", "cubed", "percent", "good", "buy", "call", "pay", "water",
		},
		rules: append(append(append(englishTalk(), englishSums()...), englishTodo()...), englishTime()...),
	}
}
