package offline

// german is the grammar of German requests.
func german() source {
	return source{
		lang: "de",
		macros: [][2]string{
			{"what", `was ist|was ist denn|wie viel ist denn|wie viel sind denn|was sind|was sind denn|was ergibt|was ergeben|was macht|was machen|was gibt|` +
				`was wäre|was wären|was kommt raus bei|was kommt heraus bei|was bekomme ich bei|was|wie viel|wie viel ist|wie viel sind|wie viel macht|` +
				`wie viel machen|wie viel ergibt|wie viel ergeben|wie viel gibt|wie viel wären|wie viele sind|berechne|berechnen|rechne|rechnen|berechnet|` +
				`ermittle|bestimme|löse|wie lautet|wie hoch ist|wie groß ist|das ergebnis von|ergebnis von|sag|zeig|nenn`},
			{"is", `ist|sind|war|macht|machen|ergibt|ergeben|gibt|gleich|wären|entspricht|entsprechen|sei`},
			{"todos", `todo liste|todoliste|todolist|todo list|to do liste|to do list|aufgabenliste|aufgaben liste|todo|todos|liste|aufgaben|to dos|to do|agenda|` +
				`merkliste|erledigungsliste|to dos liste`},
			{"mylist", `[meine|meiner|meinen|die|der|den|das|unsere|unserer] [offene|offenen|aktuelle|aktuellen] @todos`},
			{"item", `todo|aufgabe|punkt|eintrag|nummer|nr`},
			{"please", `bitte|mal|mir|doch|eben|kurz|schnell|bitte mal|mal bitte|mir bitte|mir mal|bitte mir|mir bitte mal|noch|auch|mal schnell|mal kurz|uns|` +
				`gerade|noch mal|bitte auch|mir auch`},
			{"now", `jetzt|gerade|grad|grade|im moment|momentan|aktuell|derzeit|heute|nun|eigentlich|denn|denn jetzt|denn gerade|jetzt gerade|gerade eben|hier|` +
				`bei uns|eben|jetzt eigentlich|jetzt so|bei mir|genau|ungefähr|zurzeit|zur zeit`},
			{"time", `[genaue|aktuelle|lokale|momentane|jetzige|exakte|richtige|örtliche|aktuell genaue] (uhrzeit|zeit|ortszeit|lokalzeit|uhr zeit)`},
			{"day", `tag|wochentag|wochen tag`},
			{"tax", `mwst|mehrwertsteuer|ust|umsatzsteuer|steuer|steuern`},
			{"get", `haben|bekommen|kriegen`},
		},
		lead: []string{
			`bitte`, `hey`, `hallo`, `hi`, `jarvis`, `ok`, `okay`, `so`, `und`, `also`, `dann`, `nun`, `jetzt`, `na`, `äh`, `ähm`, `sorry`,
			`entschuldigung`, `entschuldige`, `entschuldigen sie`, `moin`, `mal`, `kurz`, `kurze frage`, `schnell`, `super`,
			`guten (tag|morgen|abend)`, `verzeihung`, `du`, `ach`, `aber`, `ja`, `doch`,
			`(kannst|könntest|würdest|magst|willst) du [@please] [sagen|verraten]`,
			`(können|könnten|würden|möchten) sie [@please] [sagen|verraten]`,
			`(kannst|könntest|würdest|magst) du [@please]`,
			`(können|könnten|würden) sie [@please]`,
			`(weißt|weisst|weiß) du [@please] [zufällig|vielleicht|eigentlich|gerade]`,
			`wissen sie [zufällig|vielleicht]`,
			`(sag|sage|sagt|sagen sie|verrat|verrate|verraten sie|nenn|nenne|nennen sie|zeig|zeige|zeigen sie|gib|geben sie) [@please]`,
			`ich (wüsste|möchte|will|würde|muss|brauche|hätte|wollte) [@please] [gern|gerne|nur|wissen|gern wissen|gerne wissen|noch wissen]`,
			`mich (würde interessieren|interessiert)`,
			`ich frage mich`, `hast du eine ahnung`,
			`kann ich [@please] [erfahren|wissen]`,
			`darf ich [@please] (fragen|wissen)`,
			`rechne [@please] [aus]`, `rechnen sie [@please]`, `wenn ich`, `wenn man`,
			`was (bekomme|kriege|erhalte) ich wenn ich`,
			`was ist wenn ich`, `frage`, `ich brauche [@please]`, `ich bräuchte [@please]`, `mir`,
		},
		tail: []string{
			`bitte`, `danke`, `dankeschön`, `danke schön`, `vielen dank`, `danke dir`, `jarvis`, `für mich`, `jetzt`, `gerade`, `grad`,
			`mal`, `dann`, `denn`, `aus`, `ist`, `sagen`, `nennen`, `ausrechnen`, `berechnen`, `verraten`, `bitte sagen`, `zeigen`, `um`,
			`bitte mal`, `im moment`, `aktuell`, `momentan`, `eigentlich`, `schnell`, `nochmal`, `noch mal`, `noch einmal`, `kurz`, `heute`,
			`bitte aus`, `für mich aus`, `mitteilen`, `anzeigen`, `geben`, `hier`, `genau`,
			`was (ist|macht|ergibt|gibt) das`,
			`wie viel (ist|macht|ergibt|sind) das`,
			`was (bekomme|kriege|erhalte|habe) ich [dann|da|raus]`,
			`wie viel (zahle|bezahle|zahl|habe|muss) ich [zahlen|bezahlen|dann]`,
			`was kommt (da|dabei) [raus|heraus]`,
			`was zahle ich`, `was kostet (das|es) [dann]`, `wenns geht`, `wenn es geht`, `ja`, `oder`, `ergibt`, `macht`, `gleich`, `sind`,
			`wie viel`, `was ist das netto`, `erfahren`, `wissen`, `angeben`, `gern`, `gerne`,
		},
		common: []string{
			"der", "die", "das", "und", "ist", "sind", "wie", "was", "wer", "wo", "wann", "warum", "welche", "welcher", "welches", "ich", "du", "mir", "mich",
			"dir", "ein", "eine", "einen", "von", "vom", "zu", "zum", "zur", "auf", "für", "mit", "nicht", "kein", "meine", "mein", "bitte", "viel", "viele",
			"im", "am", "um", "bei", "aus", "nach", "schreib", "erkläre", "übersetze", "stell", "schick", "spiel", "erzähl", "wird", "werden", "wurde", "hat",
			"haben", "gibt", "mal", "geteilt", "durch", "hoch", "prozent", "meilen", "fuß", "zoll", "pfund", "minuten", "stunden", "sekunden", "tage", "wochen",
			"jahre", "monate", "grad", "liter", "kaufen", "anrufen", "putzen", "in", "tag", "woche", "stunde", "sekunde", "jahr", "besser", "leben", "menschen",
			"teile", "acht", "sieben", "neun",
		},
		rules: append(append(append(germanTalk(), germanSums()...), germanTodo()...), germanTime()...),
	}
}
