package offline

func germanTalk() []rule {
	return []rule{
		{class: classHelp, patterns: []string{
			`[zeig|zeige|zeigen sie] [@please] [die] (hilfe|hilfeseite|hilfe seite) [anzeigen|an|zeigen|aufrufen]`,
			`hilf [@please]`, `helfen sie [@please]`,
			`ich (brauche|bräuchte|benötige) [@please] [etwas|ein bisschen|deine|ihre|mal] hilfe`,
			`(kannst|könntest|würdest) du [@please] [weiter] (helfen|weiterhelfen)`,
			`(können|könnten|würden) sie [@please] (helfen|weiterhelfen)`,
			`(wobei|womit|bei was|mit was|wie) (kannst du|können sie|könntest du) [@please] [noch|sonst|alles|sonst noch] [helfen|weiterhelfen|unterstützen]`,
			`bei was alles kannst du helfen`,
			`was (kannst du|können sie|könntest du|kann jarvis|kannst) [@please] [eigentlich|alles|denn|so|sonst|noch|denn alles|alles so|so alles|` +
				`sonst noch|noch alles|eigentlich alles|denn so|wirklich|für mich] [alles] [tun|machen|für mich tun|für mich machen|anstellen]`,
			`was (verstehst du|verstehen sie|weißt du|bietest du|bieten sie|beherrschst du|machst du|unterstützt du) [alles|eigentlich|denn|so|an] [alles]`,
			`(zeig|zeige|zeigen sie|sag|sage|erklär|erkläre) [@please] was (du|sie) [alles] (kannst|können|draufhast|verstehst)`,
			`was (du|sie) [alles] (kannst|können)`,
			`was (kann|könnte|soll|darf|muss) ich [dich|sie|dir|hier|alles|denn|bei dir|zu dir] [hier|alles|so] (fragen|sagen|eingeben|machen|tun|tippen|` +
				`schreiben|nutzen) [lassen]`,
			`(welche|was für) (funktionen|fähigkeiten|befehle|kommandos|möglichkeiten|optionen|features|anfragen|fragen|aufgaben|sachen|dinge) (hast du|` +
				`haben sie|gibt es|kannst du|kennst du|verstehst du|bietest du|kann ich dir stellen|kann ich [dir|hier] (eingeben|stellen|geben|nutzen)|` +
				`beherrschst du|stehen zur verfügung|beantwortest du|unterstützt du|verstehen sie|kennen sie) [hier|alles|beantworten|übernehmen|erledigen|` +
				`machen]`,
			`[zeig|zeige|liste|nenne|nenn|gib] [@please] [alle|die|deine|verfügbare|verfügbaren|alle verfügbaren] (befehle|funktionen|kommandos|` +
				`möglichkeiten|fähigkeiten|optionen|features|beispiele) [anzeigen|auf|an|auflisten|zeigen|aus]`,
			`was sind deine (funktionen|fähigkeiten|befehle|möglichkeiten|stärken|features)`,
			`wie (funktioniert|geht) (das|es|jarvis|dies|das hier|das ganze) [hier|alles|eigentlich|denn]`,
			`wie (bediene|bedien|benutze|benutz|nutze|nutz|verwende|gebrauche|steuere) ich (dich|das|jarvis|sie|es|das programm|das hier)`,
			`wie (bedient|benutzt|nutzt|verwendet) man (dich|das|jarvis|sie|es|das programm|das hier)`,
			`wie funktionierst du`,
			`gib [@please] [ein] [paar|einige|ein paar] beispiele [was ich [dir|hier] (eingeben|fragen|sagen) kann]`,
			`[hast du|gibt es] [ein paar|ein] (beispiel|beispiele) [für mich]`,
			`was ich [dir|hier|dich] [alles] (eingeben|fragen|sagen) kann`,
			`ich weiß nicht (weiter|was ich (fragen|sagen|eingeben|tun) (soll|kann))`,
			`was geht [hier|alles|so|bei dir]`,
			`was ist [hier|alles] möglich`,
			`was (kann|versteht|macht|weiß|bietet) (jarvis|dieses programm|das programm|das ding|der assistent|es) [alles|so|eigentlich|denn|denn so|so alles]`,
			`[gib|gib mir|zeig|zeig mir|zeige mir|geben sie mir|nenne mir|ich brauche|ich hätte gern|ich möchte] [@please] [eine|die|ne] (übersicht|` +
				`liste|auflistung|befehlsübersicht|funktionsübersicht|befehlsliste) [(über|aller|der|von|deiner|zu|mit) [alle|allen|deine|deiner|deinen|die|` +
				`der|den|verfügbaren] (befehle|befehlen|funktionen|möglichkeiten|fähigkeiten|kommandos)]`,
			`(was|wie) (hast du|haben sie) [denn|so|alles|denn so|so alles] [alles] drauf`,
			`kann (mir|uns) (jemand|wer|einer) [mal|bitte] helfen`,
			`ich weiß nicht was ich (machen|tun|fragen|sagen|eingeben|schreiben) (soll|kann|muss)`,
			`(erklär|erkläre|erklären sie|beschreib|beschreibe|sag|sage|erzähl|erzähle) [@please] (wie du funktionierst|wie (das|es|` +
				`jarvis) [hier] funktioniert|was du [alles] (kannst|machst|verstehst)|was ich (tun|machen|fragen|sagen|eingeben) kann|wie ich dich (benutze|` +
				`bediene|nutze|verwende)|was sie [alles] können|was hier geht)`,
			`welche (anfragen|themen|fragen|aufgaben|sprachbefehle) (verstehst|kennst|beherrschst|beantwortest|unterstützt|kannst) du [beantworten|` +
				`bearbeiten|lösen]`,
			`ich (benötige|brauche) (unterstützung|hilfestellung)`,
			`wie kann ich (dich|das|jarvis|sie) (nutzen|benutzen|bedienen|verwenden)`,
			`(was|wie) kannst du (mir|für mich) (bieten|anbieten|helfen|tun|machen)`,
			`welche (befehle|kommandos|funktionen) (kann|soll|darf) ich (nutzen|benutzen|verwenden|eingeben|geben)`,
			`(anleitung|bedienungsanleitung|befehle|befehlsliste|hilfetext|handbuch|menü|kommandos|help)`,
			`gibt es [hier] [eine] (hilfe|anleitung|übersicht|befehlsübersicht)`,
			`wofür (bist du|kann ich dich) [da|gut|nutzen|gebrauchen|benutzen|verwenden]`,
			`was bist du in der lage zu tun`,
			`wozu bist du (da|gut|fähig)`, `ich (komme|komm) nicht weiter`, `wo fange ich an`, `worin bist du gut`, `was hast du drauf`,
			`was sind meine möglichkeiten`,
		}},
		{class: classSmalltalk, topic: "how", patterns: []string{
			`[hallo|hi|hey|na|moin] [jarvis] [na] wie geht es [dir|ihnen|denn|denn so|so] [heute|so|denn|denn so]`,
			`(alles klar|alles gut|na alles klar|wie läuft es|wie steht es|wie gehts|was geht ab|alles fit|alles okay) [bei dir|mit dir|so]`,
			`geht es dir gut`,
		}},
		{class: classSmalltalk, topic: "thanks", patterns: []string{
			`[super|prima|toll|klasse|perfekt|ok|okay|alles klar|gut|cool|wunderbar|sehr gut|ja|na dann] (danke|dankeschön|danke schön|vielen dank|` +
				`besten dank|herzlichen dank|tausend dank|danke sehr|danke dir|ich danke dir|ich danke ihnen|merci|thx|dank dir|haben sie vielen dank|` +
				`lieben dank|schönen dank) [schön|sehr|vielmals|dir|ihnen|jarvis|auch|nochmal|nochmals|danke] [für (die|deine|ihre|alles|das) [hilfe|antwort|` +
				`auskunft|info|mühe|schnelle hilfe]] [das (war|hat) [sehr] (hilfreich|geholfen|nett)]`,
			`das (war|ist) (hilfreich|super|toll|nett|nett von dir|lieb|alles)`,
			`(gut gemacht|gute arbeit|super gemacht|toll gemacht|prima|klasse|perfekt|super|toll|sehr gut|spitze|ausgezeichnet)`,
			`du bist (super|toll|klasse|der beste|die beste|großartig|hilfreich|spitze)`,
			`das hat [mir] [sehr] geholfen`,
		}},
		{class: classSmalltalk, topic: "night", patterns: []string{`gute nacht [jarvis]`, `gut nacht`, `schlaf (gut|schön)`, `nacht`}},
		{class: classSmalltalk, topic: "bye", patterns: []string{
			`(tschüss|tschüß|tschuess|tschau|ciao|auf wiedersehen|wiedersehen|servus und tschüss|bis (bald|dann|später|morgen|demnächst|nachher|` +
				`nächstes mal|zum nächsten mal)|ade|mach es gut|machs gut|auf wiederhören|bye|tschüssi|man sieht sich|wir sehen uns) [dann|bis (bald|dann|` +
				`später|morgen)] [jarvis]`,
			`(schönen|einen schönen|schönes|ein schönes|noch einen schönen) (tag|abend|feierabend|wochenende|nachmittag) [noch|dir|ihnen|dir noch|wünsche ich]`,
			`ich bin (dann mal weg|weg|raus)`,
		}},
		{class: classSmalltalk, topic: "identity", patterns: []string{
			`(wer|was) [genau|eigentlich|denn] bist du [eigentlich|denn|genau|überhaupt|denn eigentlich]`,
			`(wer|was) sind sie [eigentlich|denn|genau]`,
			`wie heißt du [eigentlich|denn]`,
			`wie heißen sie`, `wie ist dein name`, `was ist dein name`, `wer ist (da|das|jarvis|dort)`, `was ist jarvis`,
			`bist du [eigentlich|wirklich] [ein|eine|ne] [echter|echte|richtiger|echtes] (roboter|bot|ki|mensch|person|sprachmodell|maschine|chatgpt|` +
				`computer|programm|künstliche intelligenz|llm|assistent|chatbot|gpt|claude|alexa|siri)`,
			`sind sie [eigentlich|wirklich] [ein|eine] (roboter|bot|ki|mensch|person|sprachmodell|maschine|computer|programm|künstliche intelligenz)`,
			`(erzähl|erzähle|sag) [mir] [etwas|was] über dich`,
			`stell dich [@please] vor`,
			`stellen sie sich [@please] vor`,
			`hast du einen namen`, `dein name`,
			`welches (modell|sprachmodell) (bist du|nutzt du|ist das|verwendest du)`,
			`was für ein (modell|sprachmodell|bot|programm|assistent) bist du`,
			`mit wem (spreche|rede|schreibe|chatte) ich [hier|gerade|eigentlich]`,
			`bist du jarvis`,
			`wie (soll|kann|darf) ich dich nennen`,
		}},
		{class: classSmalltalk, topic: "greeting", patterns: []string{
			`(hallo|hi|hey|moin|moin moin|servus|guten (tag|morgen|abend)|grüß dich|grüß gott|grüezi|na|tag|morgen|abend|hallöchen|schönen guten (tag|` +
				`morgen|abend)|guten|mahlzeit|gruezi|tach|huhu|hallo zusammen|hallo du|hi du|willkommen zurück|freut mich|freut mich dich kennenzulernen|` +
				`ahoi|gutn tag) [jarvis|du|zusammen|lieber jarvis|mein freund|da|alle|auch|hallo|dir]`,
			`hi hi`, `hallo hallo`, `(ich bin|bin) wieder da`,
		}},
	}
}
