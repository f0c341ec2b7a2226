package offline

func germanTodo() []rule {
	return []rule{
		{class: classTodoDone, patterns: []string{
			`(hak|hake|haken sie|streich|streiche|streichen sie|hakt) [@please] [das|die|den|der] [todo|aufgabe|punkt|eintrag|nummer|nr] <ref> (ab|weg|` +
				`durch|aus|von @mylist|auf @mylist ab|auf @mylist durch|als erledigt ab|in @mylist ab|von @mylist ab)`,
			`(streich|streiche|streichen sie) [@please] <ref> (von|aus) @mylist [ab|runter|heraus|raus|weg|durch]`,
			`(markier|markiere|markieren sie|kennzeichne|setz|setze|setzen sie|mach|stell|stelle|trag|trage|melde|vermerk) [@please] [das|die|den] [todo|` +
				`aufgabe|punkt|eintrag|nummer] <ref> (als|auf) (erledigt|fertig|abgeschlossen|gemacht|done|abgehakt|beendet) [ein]`,
			`(erledige|schließe|beende|schließ|schließen sie|beenden sie|erledigen) [@please] [todo|aufgabe|punkt|eintrag|nummer] <num> [ab]`,
			`(erledige|schließe|beende|schließ) [@please] [das|die|den] (todo|aufgabe|punkt|eintrag) <ref> [ab]`,
			`(erledigt|fertig|done|abgehakt|geschafft) [:] <ref>`,
			`(todo|aufgabe|punkt|eintrag|nummer) [nr|nummer] <ref> [ist|sind|wurde|hab ich|habe ich] [jetzt|nun|schon|bereits|inzwischen] (erledigt|` +
				`fertig|abgeschlossen|gemacht|geschafft|abgehakt|abhaken|abgearbeitet|durch|done|durchstreichen|streichen|beendet)`,
			`[todo|aufgabe|punkt|eintrag|nummer] [nr|nummer] <ref> [ist|sind|wurde|hab ich|habe ich] [jetzt|nun|schon|bereits|inzwischen] (erledigt|` +
				`fertig|abgeschlossen|gemacht|geschafft|abgehakt|abhaken|abgearbeitet|durch|done|durchstreichen|streichen|beendet)`,
			`[ich] (hab|habe) [@now|schon|gerade|bereits] [das|die] [todo|aufgabe|punkt|nummer] <ref> [schon|jetzt|gerade|bereits] (erledigt|fertig|` +
				`abgeschlossen|gemacht|geschafft|abgehakt|fertiggestellt|beendet) [bitte abhaken|hak das ab]`,
			`(ich bin|bin) [jetzt|nun] mit [der|dem|todo|aufgabe|punkt] <ref> (fertig|durch)`,
			`<ref> (hab ich|habe ich|ist|sind|wurde|wurden|haben wir) [schon|jetzt|gerade|bereits|nun|inzwischen] (erledigt|fertig|abgeschlossen|gemacht|` +
				`geschafft|abgehakt|getan|durch)`,
			`<text> (hak|hake|streich|haken sie) (das|es|den punkt|die aufgabe|den) [@please] (ab|durch|weg) [:] <ref>`,
			`<ref> (hak|hake|streich|haken sie) (das|es|den punkt|die aufgabe|den) [@please] (ab|durch|weg) [von @mylist]`,
			`<ref> (abhaken|ist erledigt|als erledigt markieren|erledigt markieren|durchstreichen|von @mylist streichen|auf erledigt setzen|als erledigt|` +
				`abgehakt|erledigt)`,
			`(aufgabe|todo) (erledigt|fertig|abhaken) [:] <ref>`,
			`ich bin fertig mit <ref>`,
			`mit <ref> bin ich (fertig|durch)`,
			`<ref> [ist] erledigt (bitte|also) (abhaken|streichen)`,
			`(hak|hake) <ref> auf @mylist ab`,
		}},
		{class: classTodoList, patterns: []string{
			`[zeig|zeige|zeigen sie|zeigt|liste|listen sie|lies|lese|lesen sie|nenn|nenne|nennen sie|gib|öffne|sag|sage] [@please] [alle|alle meine|` +
				`mal] [meine|meinen|die|deine|unsere|meiner] [offenen|offene|aktuellen|aktuelle|heutigen|ausstehenden|unerledigten|ganze|gesamte|` +
				`komplette] (todo|todos|todo liste|todoliste|todolist|todo list|to do liste|to do list|to dos|to do|aufgabenliste|aufgaben|aufgaben liste|` +
				`liste|offenen punkte|punkte|todo listen) [an|auf|vor|anzeigen|zeigen|auflisten|vorlesen|ansehen|anschauen|ausgeben|aus|sehen|öffnen|` +
				`von heute|für heute]`,
			`was (steht|ist|habe ich|hab ich|liegt|haben wir|stehen) [noch|alles|denn|denn noch|heute|so|noch alles|da|aktuell|gerade|jetzt|` +
				`eigentlich] [alles] (auf|in|an) @mylist [noch] [heute|drauf|an|offen]`,
			`was (muss|soll|habe|hab|sollte) ich [heute|noch|alles|heute noch|noch alles|denn|denn noch|jetzt|eigentlich|jetzt noch] [zu] (tun|erledigen|machen)`,
			`was (habe|hab) ich [heute|noch|alles|noch alles|heute noch] [noch] (zu tun|zu erledigen|offen|vor)`,
			`was (ist|steht|liegt) [noch|heute|alles|denn noch|heute noch|noch alles] (offen|zu tun|zu erledigen|an|übrig|aus)`,
			`(welche|was für|wie viele) [offenen|offene] (aufgaben|todos|to dos|punkte|todo einträge|einträge) (habe ich|hab ich|sind|gibt es|stehen|` +
				`bleiben|sind denn|haben wir|liegen|stehen denn) [noch|heute|denn|aktuell|denn noch|mir|auf @mylist|in @mylist] [noch|alles] [offen|übrig|an|` +
				`zu erledigen|zu tun|auf @mylist|aus|in @mylist|unerledigt]`,
			`(gibt es|habe ich|hab ich|ist|sind|steht|haben wir) [noch|da] [noch] [etwas|was|irgendwas|offene|irgendwelche|noch] [offene|offenes|` +
				`noch] (todos|aufgaben|zu tun|zu erledigen|offen|auf @mylist|offene todos|offene aufgaben|to dos|punkte|in @mylist|offen auf @mylist)`,
			`(offene|meine|aktuelle|die|ausstehende) [offenen|offene|aktuellen] (todos|aufgaben|todo liste|todoliste|liste|to dos|punkte|aufgabenliste|` +
				`to do liste)`,
			`was ist [noch] [auf|in] @mylist`,
			`[was] steht [noch] [was|etwas] (auf|in) @mylist`,
			`(todo|todos|aufgaben) (zeigen|anzeigen|auflisten|liste|ansehen|ausgeben|auflistung)`,
			`was habe ich [mir] [alles|noch] (notiert|aufgeschrieben|vorgenommen) [auf @mylist]`,
			`was fehlt noch [auf @mylist]`,
			`(schau|guck) [@please] (auf|in) @mylist [was da steht|nach|was (noch offen|offen) ist]`,
			`wie (sieht|schaut) @mylist aus`,
			`ist [noch] (etwas|was) offen`,
		}},
		{class: classTodoAdd, patterns: []string{
			`ich (muss|soll|sollte|will|möchte) [noch|unbedingt] <text> (schreib|schreibe|setz|setze|pack|packe|trag|trage|füg|füge|notier|notiere|nimm|` +
				`tu|schreiben sie|setzen sie) (das|es|dies|den punkt|sie) [@please] (auf|in|zu|an|zur) @mylist [ein|hinzu|auf|dazu]`,
			`(füg|füge|fügen sie|trag|trage|tragen sie|schreib|schreibe) [@please] [auf|in|zu|an|zur|zum] (meine|meiner|die|der|meinen|den|unserer|` +
				`unsere|das) @todos [@please] [:] <text> (hinzu|ein|auf|dazu)`,
			`(ergänze|ergänz|ergänzen sie|erweitere) [@please] (meine|meiner|die|der|meinen|den|unserer|unsere|das) @todos [@please] um <text>`,
			`(auf|in|zu) (meine|meiner|die|der|unsere) @todos [:|kommt|soll|noch] <text>`,
			`(schreib|schreibe|schreiben sie|setz|setze|setzen sie|pack|packe|packen sie|trag|trage|tragen sie|füg|füge|fügen sie|notier|notiere|` +
				`notieren sie|nimm|nehmen sie|tu|mach|leg|ergänze|ergänz|hau|stell|nehm|hefte|speicher|speichere) [@please] [auf|in|zu|an|zur|zum] (meine|` +
				`meiner|die|der|meinen|den|unserer|unsere|das) @todos [@please] [ein|hinzu|auf|dazu] [:] <text> [hinzu|ein|auf|dazu]`,
			`(schreib|schreibe|schreiben sie|setz|setze|setzen sie|pack|packe|packen sie|trag|trage|tragen sie|füg|füge|fügen sie|notier|notiere|` +
				`notieren sie|nimm|nehmen sie|tu|mach|leg|ergänze|ergänz|hau|stell|nehm|schmeiß|speicher|speichere|erfasse|merk|ergänzen sie|` +
				`stelle) [@please] [das todo|die aufgabe|den punkt|als todo|als aufgabe|noch|auch|den eintrag] [:] <text> [@please] (auf|in|zu|an|zur|zum|` +
				`bei) [meine|meiner|die|der|meinen|den|unserer|unsere|das|meinem|dem] @todos [@please] [ein|hinzu|auf|dazu|drauf|an|mit auf|zu]`,
			`(füge|füg|fügen sie|ergänze|trag|trage|speichere|notiere|nimm) [@please] (das todo|die aufgabe|ein todo|eine aufgabe|als todo|als aufgabe|` +
				`den punkt|den eintrag) [:] <text> (hinzu|ein|auf|an|zu)`,
			`(füge|füg|fügen sie|ergänze|trag|trage|speichere|notiere|nimm) [@please] (das todo|die aufgabe|ein todo|eine aufgabe|als todo|als aufgabe|` +
				`den punkt|den eintrag) [:] <text>`,
			`(füge|füg|fügen sie|ergänze|trag|trage|speichere|notiere|nimm|schreib) [@please] <text> als (todo|aufgabe) [hinzu|ein|auf|an]`,
			`(erstelle|erstell|erstellen sie|lege|leg|legen sie|mach|mache|füge|füg|fügen sie|trag|trage) [@please] [ein|eine|einen|das|die|den] [neues|` +
				`neue|neuen|weiteres|weitere|weiteren] (todo|aufgabe|todo eintrag|eintrag|task|punkt|to do|todoeintrag) [mit dem titel|namens|für|mit|zum|` +
				`um] <text> (an|hinzu|ein)`,
			`(erstelle|erstell|erstellen sie|lege|leg|legen sie|mach|mache|machen sie|erzeuge|anlegen|schreib|schreibe|füge|füg|fügen sie|trag|trage|` +
				`notiere|ergänze|speichere) [@please] [ein|eine|einen|das|die|den] [neues|neue|neuen|weiteres|weitere|weiteren] (todo|aufgabe|todo eintrag|` +
				`eintrag|task|punkt|to do|todoeintrag) [@please] [an|hinzu|ein] [mit dem titel|namens|für|mit|zum|um|dass ich|mit dem text|:] <text> [an|` +
				`hinzu|ein|auf]`,
			`(neues|neue|neuer|weiteres|weitere|noch ein|noch eine|ein|eine) [neues|neue] (todo|aufgabe|task|eintrag|to do|punkt|todo eintrag) [ist|:|` +
				`anlegen|erstellen|hinzufügen] <text> [anlegen|erstellen|hinzufügen]`,
			`(todo|aufgabe|to do|eintrag) (hinzufügen|anlegen|erstellen|ergänzen|eintragen|neu) [:] <text>`,
			`todo [:] <text> [hinzufügen|anlegen|eintragen]`,
			`to do [:] <text>`, `aufgabe [:] <text>`,
			`@todos [:|noch|auch] <text> (hinzufügen|ergänzen|eintragen|aufnehmen)`,
			`<text> (auf|in|zu|zur) [meine|meiner|die|der|meinen|den|unsere] @todos [setzen|schreiben|packen|hinzufügen|eintragen|aufnehmen|notieren|` +
				`bitte setzen|bitte|bitte schreiben|dazu|stellen|tun|ergänzen]`,
			`<text> (muss|soll|sollte|gehört|kommt|müssen) [noch|auch|bitte] (auf|in|zu) @mylist`,
			`<text> als (todo|aufgabe) (hinzufügen|anlegen|eintragen|speichern|notieren|aufnehmen|aufschreiben|ergänzen)`,
		}},
	}
}
