package offline

func germanSums() []rule {
	return []rule{
		{class: classPercent, calc: []string{"({x1}) / ({x2}) in %"}, patterns: []string{
			`<x1> @is (wie viel|welcher|wie viele|was in) (prozent|%|prozentsatz) (von|vom|aus) <x2>`,
			`(wie viel|wie viele|welcher) (prozent|%|prozentsatz) (sind|ist|wären|machen|entsprechen) <x1> (von|aus|vom) <x2>`,
			`(wie viel|wie viele|welcher) (prozent|%|prozentsatz) von <x2> (sind|ist|wären|machen|entsprechen) <x1>`,
			`[@what] <x1> (von|aus) <x2> [als|in] (prozent|%|prozentsatz|prozentual)`,
			`[@what] <x1> von <x2> (in|als) (prozent|%|prozentsatz)`,
			`<x1> von <x2> (sind|ist) (wie viel|wie viele) (prozent|%)`,
			`[@what] [der] (prozentsatz|anteil|prozentuale anteil) von <x1> (an|von|zu) <x2>`,
			`gib <x1> von <x2> in prozent an`,
			`<x1> (sind|ist) (wie viel|wie viele) (prozent|%) von <x2>`,
			`wie viel (prozent|%) (von|aus) <x2> ergeben <x1>`,
		}},
		{class: classPercent, calc: []string{"(({x2}) - ({x1})) / ({x1}) in %"}, patterns: []string{
			`[@what] [die|der|das] (prozentuale|prozentualer|prozentuales) (änderung|veränderung|anstieg|steigerung|zunahme|abnahme|rückgang|unterschied|` +
				`wachstum|zuwachs|differenz) (von|zwischen) <x1> (auf|zu|und|nach) <x2>`,
			`[@what] [die|der] (änderung|veränderung|anstieg|steigerung|zunahme|abnahme|rückgang|wachstum|zuwachs) (von|zwischen) <x1> (auf|zu|` +
				`und) <x2> in (prozent|%)`,
			`um (wie viel|wie viele) (prozent|%) [ist|steigt|sinkt|wächst|fällt|hat sich] [das|es|der preis] (von|zwischen) <x1> (auf|` +
				`zu) <x2> [gestiegen|gesunken|gewachsen|gefallen|erhöht|verändert]`,
			`von <x1> (auf|zu) <x2> (sind|ist|wie) (wie viel|wie viele|viel) (prozent|%) [änderung|steigerung|anstieg|mehr|weniger]`,
			`von <x1> auf <x2> [in|als] (prozent|prozentual|%)`,
		}},
		{class: classPercent, calc: []string{
			"({x}) + {p}",
		}, patterns: []string{
			`(erhöhe|erhöh|steigere|vermehre) <x> um <p>`,
			`<x> um <p> (erhöht|erhöhen|gesteigert|steigern|vermehrt|mehr|teurer)`,
			`(schlag|schlage|rechne|pack|addiere|leg|lege|gib|tu) [@please] <p> [@tax] (auf|zu|zu den|auf die) <x> [drauf|dazu|auf|hinzu|oben drauf|obendrauf]`,
			`(addiere|rechne|schlage|schlag) [@please] <p> zu <x> [dazu|hinzu]`,
			`[@what] <x> (plus|und|mit|zuzüglich|zzgl) <p> [mehr|extra|aufschlag|dazu|drauf|zinsen|zuschlag]`,
			`[@what] <p> mehr als <x>`,
		}},
		{class: classPercent, calc: []string{
			"({x}) - {p}",
		}, patterns: []string{
			`(verringere|verringer|senke|senk|reduziere|reduzier|vermindere|kürze|kürz) <x> um <p>`,
			`<x> um <p> (verringert|verringern|gesenkt|senken|reduziert|reduzieren|vermindert|gekürzt|kürzen|weniger|billiger|günstiger)`,
			`(zieh|ziehe|nimm|subtrahiere) [@please] <p> von <x> [ab|weg]`,
			`<p> von <x> (abziehen|abgezogen|ab|weg)`,
			`[@what] <x> (abzüglich|minus|weniger) <p>`,
			`[@what] <p> weniger als <x>`,
		}},
		{class: classPercent, calc: []string{
			"({x}) * 100 / (100 * {p})",
		}, patterns: []string{
			`<x> (sind|ist) <p> (von was|von wie viel|wovon|von welcher zahl)`,
			`(wovon|von welcher zahl|von was) (sind|ist) <x> <p>`,
		}},
		{class: classPercent, calc: []string{
			"({p}) of ({x})",
		}, patterns: []string{
			`@what <p> (von|vom|auf|aus|bei|in|der|des) <x>`,
			`<p> (vom|aus|in) <x>`,
			`[@what] [die] <p> von [den|der|dem] <x>`,
		}},
		{class: classArithmetic, calc: []string{
			"({x1}) + ({x2})",
		}, patterns: []string{
			`(addiere|addier|addieren sie|zähle|zähl|rechne|summiere) <x1> (und|zu|mit|plus) <x2> [zusammen|dazu|hinzu]`,
			`[@what] <x1> und <x2> (zusammen|addiert|zusammengezählt|zusammengerechnet|insgesamt|summiert|addieren|addiere|zusammenzähle|zusammenrechne|` +
				`in summe) [@is]`,
			`[@what] [die] summe (von|aus|der zahlen) <x1> und <x2>`,
			`zähle <x1> und <x2> zusammen`,
			`[@what] [ergeben|sind|ergibt|ist] <x1> und <x2> [zusammen]`,
			`<x1> und <x2> (macht|ist|sind|ergibt|ergeben) [was|wie viel]`,
		}},
		{class: classArithmetic, calc: []string{
			"sum({list})",
		}, patterns: []string{
			`[@what] [die] (summe|gesamtsumme) (von|aus|der zahlen) <list>`,
			`(addiere|addier|summiere|zähle|zähl|rechne) [@please] [die zahlen] <list> [zusammen|auf]`,
			`[@what] <list> (zusammen|addiert|summiert|zusammengezählt|insgesamt|zusammengerechnet|in summe)`,
		}},
		{class: classArithmetic, calc: []string{
			"({x2}) - ({x1})",
		}, patterns: []string{
			`(subtrahiere|subtrahier|subtrahieren sie|zieh|ziehe|ziehen sie|nimm) [@please] <x1> von <x2> [ab|weg]`,
			`<x1> von <x2> (abziehen|abgezogen|subtrahiert|subtrahieren|weg|ab|abziehe|subtrahiere|wegnehme|abzieht)`,
			`[@what] <x1> weniger als <x2>`,
		}},
		{class: classArithmetic, calc: []string{"({x1}) - ({x2})"}, patterns: []string{`(zieh|ziehe|ziehen sie|subtrahiere|nimm) [@please] von <x1> <x2> [ab|weg]`}},
		{class: classArithmetic, calc: []string{
			"abs(({x1}) - ({x2}))",
		}, patterns: []string{
			`[@what] [die|der] (differenz|unterschied) (zwischen|von|aus|der zahlen) <x1> und <x2>`,
		}},
		{class: classArithmetic, calc: []string{
			"({x1}) * ({x2})",
		}, patterns: []string{
			`(multipliziere|multiplizier|multiplizieren sie|nimm|malnehmen) <x1> (mit|mal|und|und nimm es mal) <x2>`,
			`[@what] [das] produkt (von|aus|der zahlen) <x1> (und|mal|mit) <x2>`,
			`<x1> (multipliziert mit|mit) <x2> (multipliziert|multiplizieren|malgenommen|malnehmen)`,
			`[@what] <x1> malgenommen mit <x2>`,
			`<x1> mal <x2> (genommen|nehmen|nehme)`,
			`<x1> (mit|mal) <x2> (multipliziere|multipliziert|nehme|malnehme)`,
		}},
		{class: classArithmetic, calc: []string{
			"({x1}) / ({x2})",
		}, patterns: []string{
			`(teile|teil|dividiere|dividier|teilen sie|dividieren sie) <x1> (durch|mit|auf|in) <x2> [teile|personen|leute|gleiche teile]`,
			`[@what] [der] (quotient|bruch) (von|aus) <x1> (und|durch) <x2>`,
			`wie oft (passt|geht|passen) [die] <x2> in [die] <x1>`,
			`<x1> (durch|auf) <x2> (teilen|geteilt|dividieren|dividiert|aufgeteilt|aufteilen|personen|teile|teilt|dividiere|aufteile)`,
		}},
		{class: classArithmetic, calc: []string{
			"({x1}) mod ({x2})",
		}, patterns: []string{
			`[@what] [der] rest (von|bei|wenn man|der division|der division von) <x1> (geteilt durch|durch|und|:|/) <x2> [teilt]`,
			`was bleibt [übrig|als rest] wenn man <x1> durch <x2> teilt`,
		}},
		{class: classArithmetic, calc: []string{
			"avg({list})",
		}, patterns: []string{
			`[@what] [der|das] (durchschnitt|mittelwert|mittel|arithmetische mittel|schnitt|durchschnittswert) (von|aus|der zahlen) <list>`,
			`durchschnitt <list>`,
		}},
		{class: classArithmetic, calc: []string{
			"max({list})",
		}, patterns: []string{
			`[@what] [das|die] (maximum|größte|größte zahl|höchste|höchste zahl|größte wert) (von|aus|der zahlen) <list>`,
		}},
		{class: classArithmetic, calc: []string{
			"min({list})",
		}, patterns: []string{
			`[@what] [das|die] (minimum|kleinste|kleinste zahl|niedrigste) (von|aus|der zahlen) <list>`,
		}},
		{class: classArithmetic, calc: []string{
			"({x})^2",
		}, patterns: []string{
			`[@what] <x> (zum|im) quadrat`,
			`[@what] [das] quadrat (von|der zahl) <x>`,
			`quadriere <x>`,
		}},
		{class: classArithmetic, calc: []string{
			"({x})^3",
		}, patterns: []string{
			`[@what] [die] (dritte potenz|kubikzahl) von <x>`,
			`[@what] <x> (zur dritten|hoch drei|kubik)`,
		}},
		{class: classArithmetic, calc: []string{
			"sqrt({x})",
		}, patterns: []string{
			`[@what|zieh|ziehe|ziehen sie] [die] (wurzel|quadratwurzel|zweite wurzel) (aus|von) <x>`,
		}},
		{class: classArithmetic, calc: []string{"cbrt({x})"}, patterns: []string{`[@what|zieh|ziehe] [die] (kubikwurzel|dritte wurzel|3 wurzel) (aus|von) <x>`}},
		{class: classArithmetic, calc: []string{
			"({x})^({ord})",
		}, patterns: []string{
			`[@what] <x> [zur] <ord> potenz`,
			`[@what] die <ord> potenz von <x>`,
			`[@what] <x> zur <ord>`,
		}},
		{class: classArithmetic, calc: []string{"({x})!"}, patterns: []string{`[@what] [die] fakultät (von|der zahl) <x>`, `[@what] <x> fakultät`}},
		{class: classArithmetic, calc: []string{
			"({x}) / 2",
		}, patterns: []string{
			`[@what] [die] hälfte (von|der|aus) <x>`,
			`halbiere <x>`, `[@what] <x> halbiert`, `[@what] halb <x>`,
		}},
		{class: classArithmetic, calc: []string{
			"2 * ({x})",
		}, patterns: []string{
			`[@what] [das] (doppelte|zweifache) (von|der zahl) <x>`,
			`verdopple <x>`, `[@what] <x> verdoppelt`, `[@what] doppelt <x>`,
			`[@what] doppelt so viel wie <x>`,
		}},
		{class: classArithmetic, calc: []string{"3 * ({x})"}, patterns: []string{`[@what] [das] dreifache (von|der zahl) <x>`, `verdreifache <x>`}},
		{class: classArithmetic, calc: []string{"({x}) / 3"}, patterns: []string{`[@what] [ein|das|der] drittel (von|aus) <x>`}},
		{class: classArithmetic, calc: []string{"({x}) / 4"}, patterns: []string{`[@what] [ein|das] viertel (von|aus) <x>`}},
		{class: classArithmetic, calc: []string{
			"round({x}; {n})",
		}, patterns: []string{
			`[@what] [runde|rund|runden sie] <x> [gerundet] auf <n> (stellen|nachkommastellen|dezimalstellen|dezimalen|kommastellen|nachkommastelle|` +
				`stelle|stellen nach dem komma) [genau|gerundet|runden]`,
		}},
		{class: classArithmetic, calc: []string{
			"round({x})",
		}, patterns: []string{
			`(runde|rund|runden sie) <x> [auf (eine ganze zahl|ganze|die nächste ganze zahl|ganze zahlen)|auf|ab]`,
			`[@what] <x> gerundet [auf (eine ganze zahl|ganze)]`,
		}},
		{class: classArithmetic, calc: []string{
			"gcd({x1}; {x2})",
		}, patterns: []string{
			`[@what] [der] (ggt|größte gemeinsame teiler|größter gemeinsamer teiler) von <x1> und <x2>`,
		}},
		{class: classArithmetic, calc: []string{
			"lcm({x1}; {x2})",
		}, patterns: []string{
			`[@what] [das] (kgv|kleinste gemeinsame vielfache|kleinstes gemeinsames vielfaches) von <x1> und <x2>`,
		}},
		{class: classUnits, calc: []string{"({q}) in {u}"}, patterns: []string{
			`(wandle|wandel|rechne|wandeln sie|rechnen sie|konvertiere|konvertier|konvertieren sie|umrechne|verwandle|übertrage) [@please] <q> (in|zu|` +
				`nach|auf) <u> [um]`,
			`[@what] <q> (in|zu|nach|als|auf|umgerechnet in|gerechnet in|umgewandelt in|ausgedrückt in) <u> [umrechnen|umgerechnet|umwandeln|umgewandelt|` +
				`konvertieren|ausgedrückt]`,
			`(wie viel|wie viele) <u> (sind|ist|hat|haben|ergeben|ergibt|machen|macht|entsprechen|entspricht|passen in|gehen in|stecken in|sind in|` +
				`hat ein|gibt es in|wären|wiegen|wiegt|pro|enthält|enthalten|dauern|dauert|umfasst|kommen auf|sind das bei|in) <q> [enthalten]`,
			`<q> (sind|ist|hat|haben|ergeben|macht|machen|entsprechen|entspricht|in) (wie viel|wie viele) <u>`,
			`wie (heiß|warm|kalt|schnell|lang|weit|schwer|groß|hoch|breit|tief|viel|viele|alt) (ist|sind) <q> (in|als) <u>`,
			`[@what] [die anzahl der] <u> (in|pro|je|sind in) <q>`,
			`<q> wie (viel|viele) <u>`,
			`(umrechnung|umwandlung) [von] <q> (in|nach|zu) <u>`,
			`in <u> (sind|ist) <q> [wie viel]`,
			`wie lange (sind|dauern|ist) <q> in <u>`,
			`<q> <u>`,
			`was (wiegen|wiegt|misst|messen) <q> in <u>`,
			`<q> umgerechnet <u>`, `wenn ich <q> in <u> umrechne`, `drücke <q> in <u> aus`,
			`(ich wiege|ich bin|ich habe|es sind|es ist|es hat|es wiegt|er ist|sie ist|er wiegt|sie wiegt|das sind|das ist|draußen sind|ich brauche|` +
				`ich bin gelaufen|ich lief|der ofen hat) <q> [groß|schwer|alt|hoch|lang|warm|heiß|draußen|heute|breit|tief|weit|gelaufen|` +
				`gefahren] [und] (wie viel|was|wie viele|wie weit|wie lang|wie groß|wie warm) (ist|sind|wäre|wären) das [in|auf] <u>`,
			`(ich wiege|ich bin|ich habe|es sind|das sind) <q> [groß|schwer|lang|gelaufen] (wie viel|wie viele) <u> (ist|sind) das`,
			`wie viel (sind|ist|wären|macht|machen) <q> (in|umgerechnet in) <u> [umgerechnet]`,
			`wie (viel|viele) <u> (sind|ist|hat|haben) (in|auf) <q>`,
		}},
		{class: classUnits, calc: []string{
			"(1 {u1}) in {u2}",
		}, patterns: []string{
			`(wie viel|wie viele) <u2> (pro|je|hat|sind|ergeben) (ein|eine|einem|einer|einen) <u1>`,
			`(wandle|rechne) <u1> in <u2> um`,
		}},
		{class: classArithmetic, calc: []string{"{e}"}, patterns: []string{
			`[@what] <e> [@is] [was|wie viel]`,
			`(rechne|rechnen sie|berechne|berechnen sie|wandle|wandeln sie|rechne aus|löse|konvertiere) [@please] [aus] [was] <e> [@is] [aus|um]`,
			`wie (heiß|warm|kalt|schnell|lang|weit|schwer|groß|hoch|viel|viele) (ist|sind) <e>`,
			`(das|die) ergebnis (von|aus|für) <e>`,
			`[@what] [das|die] (ergebnis|lösung|wert) (von|aus|für|der rechnung|der aufgabe) <e>`,
			`was kommt (bei|da bei) <e> (raus|heraus)`,
			`was ist das ergebnis von <e>`,
			`wie viel (ergibt|macht|ist|sind|gibt|wären) <e> [zusammen|insgesamt]`,
			`[@what] @is <e>`, `<e> =`,
			`(ergibt|ist) <e> (was|wie viel)`,
			`kannst du <e> (rechnen|ausrechnen|berechnen)`,
			`was (wäre|wären) <e>`,
			`<e> (umrechnen|ausrechnen|berechnen|umwandeln|umgerechnet|rechnen)`,
		}},
	}
}
