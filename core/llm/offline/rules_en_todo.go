package offline

func englishTodo() []rule {
	return []rule{
		{class: classTodoDone, patterns: []string{
			`(complete|finish|close|check|tick|cross|strike|mark|set|check off|tick off|cross off|cross out|strike off|mark off|tick of|strike out|` +
				`finish off|do) [off|out] [the] [todo|to do|task|item|entry|list item|todo item|number] <num> [off|out] [(as|to|is) [being] (done|completed|` +
				`complete|finished|checked|closed|checked off)] [(on|off|from|in|of) @mylist]`,
			`(mark|set|check|tick|cross|flag|change) [off|out] [the] [todo|to do|task|item|entry] <ref> [off|out] (as|to|is) [being] (done|completed|` +
				`complete|finished|checked|closed|checked off) [(on|off|from|in) @mylist]`,
			`(complete|finish|close|check|tick|cross|strike|mark) [off|out] [the] (todo|to do|task|item|entry|list item|todo item) <ref> [off|out] [(on|` +
				`off|from|in|of) @mylist]`,
			`(check off|tick off|cross off|cross out|strike off|mark off|strike out|tick of) <ref> [(on|off|from|in|of) @mylist]`,
			`(check|tick|cross|strike|mark|take|get) <ref> (off|out) [(on|of|from|in) @mylist|my list|the list|@mylist]`,
			`(complete|finish|close|check) <ref> (on|in|from|off) @mylist`,
			`mark <ref> (done|completed|complete|finished|off)`,
			`done [with] [:] <ref>`,
			`(todo|to do|task|item|entry|number) [number|no] <num> [is|has been|was|now] [now|already] (done|completed|finished|complete|checked)`,
			`(todo|task|to do|item) (done|completed|finished|complete) [:] <ref>`,
			`[the] <num> [one|task|todo|item] [is|has been|was|are] [now|already|all] (done|completed|finished|complete|checked off)`,
			`(completed|finished|complete) <num>`,
			`i [have] [just|already|now|finally] (finished|completed|ticked off|done|did) (todo|task|item|number) <ref>`,
			`i [have] [just|already|now] (finished|completed|done|did) <num>`,
			`(i am|we are|am) [now|already|just] (done|finished|through) with [the] [todo|task|item] <ref>`,
			`i (have|did|am|have already|already|just|finally) [already|just] [done with|finished with|finished|completed|done|did|` +
				`with] <ref> [already] [so|and|please|you can|now] (tick|check|cross|mark|strike|take) (it|that|this|them) (off|done|as done|as completed|` +
				`as finished|as complete|out|off the list) [(on|off|from|of) @mylist]`,
			`i [have] [already|just|finally] <ref> [already] [so|and|please|you can|now|could you|can you] [please] (tick|check|cross|mark|strike|` +
				`take) (it|that|this|them) (off|done|as done|as completed|as finished|as complete|out|off the list) [(on|off|from|of) @mylist]`,
			`<ref> [is|are|has been] [already|now] [done|finished|completed] [so|and|please|you can] [please] (tick|check|cross|mark|strike) (it|that|` +
				`this) (off|done|as done|as completed|out)`,
			`<ref> (is|has been|was|are|got) [now|already|all|finally] (done|completed|finished|complete|taken care of|checked off)`,
			`<ref> [is] done`,
		}},
		{class: classTodoList, patterns: []string{
			`[(show|display|list|read|print|view|see|open|get|give|tell|check|read out|read me|bring up|pull up|look at)] [me] [all|all of|the rest of|` +
				`what is on] [my|the|our] [open|current|pending|remaining|outstanding|unfinished|entire|whole|full] (todo|todos|to dos|to do|todo list|` +
				`to do list|todolist|todos list|task list|tasks|list of tasks|list of todos|open tasks|open items|todo items|to do items|open todos|` +
				`tasks list|todo lists)`,
			`(show|display|read|print|open|view|list|check) [me] (my|the) list [of (todos|tasks|things to do)]`,
			`what (is|are|do i have|have i got|stands|remains|else is|is there|do we have) [still|left|all|there|currently|now|next] [open|left|` +
				`written] (on|in) @mylist [today]`,
			`what are [my|the] [open|current|remaining|pending|outstanding] (tasks|todos|to dos|todo items|to do items)`,
			`what do i [still] (have|need|got) [left] to (do|get done) [today|next|still]`,
			`what (is|are) [still] (left|open|there) [to do]`,
			`what is left to (do|be done)`,
			`what else do i (have|need) to do`,
			`(is|are) there [still] (anything|something|any tasks|any todos|any items|any open tasks|any open todos) [left|open|still] [to do|(on|in) @mylist]`,
			`(do|have) i (have|got) [any|some] [open|more|left] (tasks|todos|to dos|things to do|items on @mylist|todos left|tasks left)`,
			`do i have (anything|something) [left] (to do|(on|in) @mylist)`,
			`any [open|more] (todos|tasks|to dos) [left]`,
			`(which|what) (tasks|todos|to dos|items|things) (are|do i have|have i got|remain|is) [still|there|on] [open|left|pending|to do|outstanding|` +
				`undone|@mylist|on @mylist|there]`,
			`how many [open] (todos|tasks|to dos|items) (do i have|are there|are open|are left|have i got|are on @mylist) [left|open|on @mylist]`,
			`todo list`, `what did i put on @mylist`,
			`what have i (put|got|written) on @mylist`,
			`(my|the) (list|agenda)`,
			`what should i (do|work on) (today|next|now)`,
			`(read|tell|show) me what (is|i have) (on|to do) [on] [@mylist]`,
			`what is on [my|the] @todos`, `what is (next|pending|open)`, `whats open`,
		}},
		{class: classTodoAdd, patterns: []string{
			`i (need|have|must|want|should|ought|got) [to] <text> [please|so please|so|and|can you|could you|can you please|could you please|now] (add|` +
				`put|write|stick|note|place|enter) (that|it|this) [please] (to|on|onto|in|into|down on) @mylist`,
			`i must <text> (add|put|write) (that|it|this) (to|on|onto|in) @mylist`,
			`(add|put|write|place|stick|enter|include|append|note|jot|throw|get|set|save|create|make|insert|log) [a|an|the|another|one] [new|more|` +
				`following] [item|entry|task|todo|point] (to|on|onto|in|into) @mylist [that i (need|have) to] [the task] [:] <text>`,
			`(add|put|write|place|stick|enter|include|append|jot|throw|pop|chuck|note|get|set|save|insert|slap|log) [down] [a|the|another] [new] [todo|` +
				`task|item|entry] [to|:] <text> (to|on|onto|in|into|down on|as) [my|the|our|that] [a] (todo|todos|to do|to dos|todo list|to do list|todolist|` +
				`todos list|list|task list|tasks list|tasks|list of tasks|list of todos|agenda|task|todo item)`,
			`@mylist [:] add <text>`,
			`(add|create|make|set up|new|enter|insert) [me] [a|an|another|one|the|following] [new|more|following] (todo item|to do item|list item|todo|` +
				`to do|task|todo entry|entry|item) [for me] [item] [to|saying|called|named|that says|which says|titled|with the text|with|about|for|:|` +
				`i need to|that i need to|reading|labelled] <text>`,
			`(new|next|another) (todo|task|to do|todo item|item|entry) [is|to|:] <text>`,
			`todo [:|is|to|add] <text>`, `to do [:] <text>`, `task [:] <text>`,
			`<text> (should|must|needs to|has to|goes|belongs|needs) [to] [go|be|be added|be put] (on|to|onto|in) @mylist`,
			`<text> (on|to|onto) [my|the] (todo list|to do list|todos|task list|todolist|to do)`,
			`i (want|need|would like) <text> on @mylist`,
			`@mylist (add|plus|new) <text>`,
		}},
	}
}
