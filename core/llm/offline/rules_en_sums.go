package offline

func englishSums() []rule {
	return []rule{
		{class: classPercent, calc: []string{"({x1}) / ({x2}) in %"}, patterns: []string{
			`<x1> @is (what|how many|how much|which) (percent|percentage|%|per cent) of <x2>`,
			`[@what] [what] (percent|percentage|%|per cent) [share] of <x2> @is <x1>`,
			`(what|which) (percent|percentage|%|per cent) @is <x1> [out] of <x2>`,
			`how many (percent|%|per cent) (is|are) <x1> [out] of <x2>`,
			`[@what] <x1> [out] of <x2> [expressed] (as|in) [a|%] (percentage|percent|%|per cent)`,
			`[@what] <x1> as [a] (percentage|percent) of <x2>`,
			`express <x1> as [a] (percentage|percent) of <x2>`,
			`<x1> out of <x2> is (what|how many) (percent|percentage|%)`,
			`[@what] [the] percentage of <x1> (in|out of|from) <x2>`,
			`what percent of <x2> does <x1> make`,
			`how many (percent|%) of <x2> (is|are) <x1>`,
		}},
		{class: classPercent, calc: []string{"(({x2}) - ({x1})) / ({x1}) in %"}, patterns: []string{
			`[@what] [the] (percentage|percent|%) (change|increase|decrease|difference|growth|drop|rise) (from|between) <x1> (to|and) <x2>`,
			`[@what] [the] (change|increase|growth|decrease) from <x1> to <x2> (in percent|as a percentage|in %)`,
			`from <x1> to <x2> (is|in) (what|how many) (percent|percentage) [change|increase|decrease]`,
			`by (what|how many) (percent|percentage) (does|did) [it] (grow|increase|rise|fall|drop) from <x1> to <x2>`,
		}},
		{class: classPercent, calc: []string{
			"({x}) + {p}",
		}, patterns: []string{
			`(increase|raise|grow|up) <x> by <p>`,
			`<x> (increased|raised|up) by <p>`,
			`add <p> [@tax|tip|interest|more|on] [on] [to|on|onto] <x>`,
			`[@what] <x> (plus|and|with) [a|an] <p> [more|extra|on top|surcharge|increase|interest|added]`,
			`[@what] <p> more than <x>`,
			`[@what] <x> (grown|rising) by <p>`,
			`[@what] <x> with <p> added`,
		}},
		{class: classPercent, calc: []string{
			"({x}) - {p}",
		}, patterns: []string{
			`(decrease|reduce|lower|cut|drop|discount) <x> by <p>`,
			`(take|subtract|deduct|remove) <p> [off|away] [from|of] <x>`,
			`<x> (decreased|reduced|lowered|cut|discounted|down) by <p>`,
			`[@what] <p> less than <x>`,
		}},
		{class: classPercent, calc: []string{
			"({x}) * 100 / (100 * {p})",
		}, patterns: []string{
			`<x> is <p> of (what|which|how much) [number|amount]`,
			`<p> of (what|which) [number] is <x>`,
			`of (what|which) [number] is <x> <p>`,
		}},
		{class: classPercent, calc: []string{
			"{p} of ({x})", "({x}) + {p}",
		}, patterns: []string{
			`(leave|give|pay|tip|add) [a|an] <p> [tip] (on|for) [a|an|the|my] <x> [bill|check|meal|dinner|lunch|taxi]`,
		}},
		{class: classPercent, calc: []string{
			"({p}) of ({x})",
		}, patterns: []string{
			`@what <p> (from|on|in|out of|for) <x>`,
			`<p> (from|out of|on) <x>`, `[@what] the <p> of <x>`,
		}},
		{class: classArithmetic, calc: []string{
			"({x1}) + ({x2})",
		}, patterns: []string{
			`(add|sum|sum up|adding) <x1> (and|to|with|plus) <x2> [together]`,
			`[@what] <x1> (and|added to|together with) <x2> (added|together|combined|in total|summed up|summed|added together|added up)`,
			`[@what] [the] (sum|total) of <x1> and <x2>`,
			`[@what] <x1> added to <x2>`, `put <x1> and <x2> together`,
			`what (do|does) <x1> and <x2> (add up to|make|give|come to|sum to|total|equal)`,
			`<x1> and <x2> (makes|make|is|are) [what|how much]`,
		}},
		{class: classArithmetic, calc: []string{
			"sum({list})",
		}, patterns: []string{
			`[@what] [the] (sum|total|result) of [adding] <list>`,
			`(add|sum|sum up|total) [up] [the numbers] <list> [together|up]`,
			`[@what] <list> (added|summed|added together|together|combined) [up]`,
			`[@what] <list> in total`,
		}},
		{class: classArithmetic, calc: []string{
			"({x2}) - ({x1})",
		}, patterns: []string{
			`(subtract|deduct|take|remove) <x1> [away] from <x2>`,
			`[@what] <x1> (subtracted|taken [away]|deducted) from <x2>`,
			`[@what] <x1> less than <x2>`,
		}},
		{class: classArithmetic, calc: []string{
			"({x1}) - ({x2})",
		}, patterns: []string{
			`[@what] <x1> (take away|takeaway) <x2>`,
			`[@what] left (if|when) (i|you|we) (take|subtract) <x2> [away] from <x1>`,
		}},
		{class: classArithmetic, calc: []string{"abs(({x1}) - ({x2}))"}, patterns: []string{`[@what] [the] difference (between|of) <x1> and <x2>`}},
		{class: classArithmetic, calc: []string{
			"({x1}) * ({x2})",
		}, patterns: []string{
			`(multiply|times|multiplying) <x1> (by|with|and|times) <x2>`,
			`[@what] [the] product of <x1> (and|times|by) <x2>`,
			`[@what] <x1> (multiplied by|multiplied with|lots of|groups of) <x2>`,
		}},
		{class: classArithmetic, calc: []string{
			"({x1}) / ({x2})",
		}, patterns: []string{
			`(divide|split|dividing) <x1> (by|with|into|through) <x2> [parts|ways|people|equal parts]`,
			`[@what] [the] (quotient|ratio) of <x1> (and|to|by) <x2>`,
			`<x2> into <x1>`,
			`how (many times|often) does <x2> (go|fit) (in|into) <x1>`,
			`[@what] <x1> (split|shared) (by|between|among) <x2> [people]`,
			`share <x1> (between|among) <x2> [people]`,
		}},
		{class: classArithmetic, calc: []string{
			"({x1}) mod ({x2})",
		}, patterns: []string{
			`[@what] [the] remainder (of|when [dividing]|from dividing|if you divide) <x1> [is] (divided by|by|and|over|/) <x2>`,
			`[@what] left over when <x1> is divided by <x2>`,
		}},
		{class: classArithmetic, calc: []string{
			"avg({list})",
		}, patterns: []string{
			`[@what] [the] (average|mean|arithmetic mean|average value) (of|between) <list>`,
			`average <list>`,
		}},
		{class: classArithmetic, calc: []string{
			"max({list})",
		}, patterns: []string{
			`[@what] [the] (maximum|largest|biggest|greatest|highest) [number|value] (of|in|among|out of) <list>`,
			`which [one|number] is (larger|bigger|greater|largest|the largest) <list>`,
		}},
		{class: classArithmetic, calc: []string{
			"min({list})",
		}, patterns: []string{
			`[@what] [the] (minimum|smallest|lowest|least) [number|value] (of|in|among|out of) <list>`,
		}},
		{class: classArithmetic, calc: []string{"({x})^2"}, patterns: []string{`[@what] [the] square of <x>`, `square <x>`}},
		{class: classArithmetic, calc: []string{"({x})^3"}, patterns: []string{`[@what] [the] cube of <x>`, `cube <x>`}},
		{class: classArithmetic, calc: []string{
			"sqrt({x})",
		}, patterns: []string{
			`[@what] [the] (square root|root|sqrt) (of|from) <x>`,
			`[take] [the] (square root|root) (of|from) <x>`,
		}},
		{class: classArithmetic, calc: []string{"cbrt({x})"}, patterns: []string{`[@what] [the] (cube root|cubic root|third root|3rd root) (of|from) <x>`}},
		{class: classArithmetic, calc: []string{"({x})^({ord})"}, patterns: []string{`[@what] <x> [raised] to the <ord> [power]`, `[@what] the <ord> power of <x>`}},
		{class: classArithmetic, calc: []string{"({x})!"}, patterns: []string{`[@what] [the] factorial (of|from) <x>`}},
		{class: classArithmetic, calc: []string{"({x}) / 2"}, patterns: []string{`[@what] half [of] [the] <x>`, `halve <x>`}},
		{class: classArithmetic, calc: []string{"2 * ({x})"}, patterns: []string{`[@what] [the] (double|twice) [of] <x>`, `[@what] <x> doubled`}},
		{class: classArithmetic, calc: []string{"3 * ({x})"}, patterns: []string{`[@what] [the] triple [of] <x>`, `[@what] <x> tripled`}},
		{class: classArithmetic, calc: []string{
			"round({x}; {n})",
		}, patterns: []string{
			`[@what] [round] <x> [rounded] to <n> (decimals|decimal places|digits|places|decimal digits|decimal place|places after the decimal point)`,
		}},
		{class: classArithmetic, calc: []string{
			"round({x})",
		}, patterns: []string{
			`round <x> [to (the nearest (integer|whole number|whole)|an integer|a whole number)]`,
			`[@what] <x> rounded [to (the nearest (integer|whole number)|an integer)]`,
		}},
		{class: classArithmetic, calc: []string{"10 * round(({x}) / 10)"}, patterns: []string{`round <x> to the nearest ten`}},
		{class: classArithmetic, calc: []string{"100 * round(({x}) / 100)"}, patterns: []string{`round <x> to the nearest hundred`}},
		{class: classArithmetic, calc: []string{
			"gcd({x1}; {x2})",
		}, patterns: []string{
			`[@what] [the] (greatest common divisor|gcd|greatest common factor|highest common factor|gcf) of <x1> and <x2>`,
		}},
		{class: classArithmetic, calc: []string{
			"lcm({x1}; {x2})",
		}, patterns: []string{
			`[@what] [the] (least common multiple|lcm|lowest common multiple|smallest common multiple) of <x1> and <x2>`,
		}},
		{class: classUnits, calc: []string{"({q}) in {u}"}, patterns: []string{
			`(convert|change|turn|express|transform|translate|give|show|write|calculate|compute) <q> (to|into|in|as|from) <u>`,
			`[@what] <q> (to|into|in|as|converted to|converted into|expressed in|measured in|equals|equal) <u>`,
			`how many <u> [of] (is|are|in|are in|are there in|is in|does|do|make|makes|make up|equal|fit in|fit into|go into|has|have|would be|` +
				`are equal to|is equal to|equals|to|per|is that in|there are in|are there to|correspond to) <q> [have|has|contain|contains|make|makes|equal|` +
				`correspond to|is|in total|last]`,
			`<q> (equals|is|are|makes|make|=|contains|has|in) (how many|what in|how much in) <u>`,
			`how (hot|cold|warm|fast|long|far|heavy|big|much|tall|high|large|wide|deep|many|old|quick|slow|strong) (is|are) <q> (in|to|as|expressed in|` +
				`measured in) <u>`,
			`(what|how much) (is|are) <q> [when] converted (to|into) <u>`,
			`[@what] [the number of] <u> (in|per|are in|for) <q>`,
			`<q> how many <u>`,
			`in <u> [how (much|many|long|far|fast|hot|heavy)|what] (is|are) <q>`,
			`what does <q> (equal|make|weigh|measure|come to|correspond to) in <u>`,
			`what (would|will) <q> be in <u>`,
			`(what|which) temperature is <q> (in|to) <u>`,
			`(i weigh|i am|i have|it is|it weighs|he is|she is|he weighs|she weighs|that is|there are|my height is|my weight is|i ran|i drove|i walked|` +
				`it costs|the oven is at|it takes|i need) <q> [tall|old|high|long|heavy|outside|today|wide|deep|far|away|here] [and] (how much|what|how far|` +
				`how long|how tall|how heavy|how hot|how warm) (is|are|would be) (that|it|this|those) [in|to|as|converted to] <u>`,
			`(i weigh|i am|i have|it is|that is|i ran|i drove|i walked|i need) <q> [tall|long|high] how many <u> (is|are) (that|it)`,
			`how (much|many) <u> (is|are) [there in] <q>`,
			`conversion [of|from] <q> (to|into|in) <u>`,
			`how (much|long|far) (does|do) <q> (weigh|last|measure) in <u>`,
			`<q> <u>`,
			`i have <q> how many <u> is (that|it)`,
			`change <q> from <u2> to <u>`,
		}},
		{class: classUnits, calc: []string{
			"(1 {u1}) in {u2}",
		}, patterns: []string{
			`how many <u2> (to|in|per) (the|one|each|every) <u1>`,
			`(convert|change) <u1> to <u2>`,
		}},
		{class: classArithmetic, calc: []string{"{e}"}, patterns: []string{
			`[@what] <e> [@is] [what|how much]`,
			`what (does|do|would|will) <e> (equal|make|come to|give|add up to|amount to|come out (as|to)|yield|be|total)`,
			`how much (does|do|would|will) <e> (make|give|equal|come to|be|total)`,
			`how (hot|cold|warm|fast|long|far|heavy|big|much|tall|high|large|many) (is|are) <e>`,
			`[@what] [the] (result|answer|value|outcome) (of|for|to) <e>`,
			`(convert|change|turn|do|run|please do|count) <e>`,
			`(what|how much) (is|are) <e> (equal to|worth)`,
			`[@what] @is <e>`, `<e> = [what]`, `(work|figure) <e> out`,
			`calculate [the result of|for me] <e>`,
			`(i need|do) the (math|maths|calculation) [for|on|of|:] <e>`,
			`can you (do|solve|calculate|compute) <e>`,
		}},
	}
}
