package offline

func germanTime() []rule {
	return []rule{
		{class: classZone, topic: "difference", patterns: []string{
			`[@what] [die|der|den] (zeitunterschied|zeitdifferenz|zeitverschiebung|unterschied der zeit) (zwischen|von) <zone1> (und|zu|nach) <zone2>`,
			`[@what] [die|der] (zeitverschiebung|zeitunterschied|zeitdifferenz) (nach|zu|mit|in) <zone1>`,
			`wie viele stunden (ist|liegt) <zone1> (vor|hinter|voraus)`,
			`wie groß ist (der zeitunterschied|die zeitverschiebung) (nach|zu) <zone1>`,
		}},
		{class: classZone, patterns: []string{
			`wie (spät|spaet) (ist es|haben wir es|haben die es|haben sie es|es ist|haben es die leute|es|ist|ists|haben es die|ist es eigentlich|` +
				`wird es) [@now] [@now] [da drüben|dort drüben|drüben|dort|bei euch|bei dir|bei ihnen] (in|auf|bei) [der|den] <zone> [@now] [ist]`,
			`wie viel uhr (ist es|haben wir|haben sie|haben die|es ist|ist|haben wir es|haben die leute|ist es eigentlich) [@now] [da drüben|dort drüben|` +
				`drüben|dort|bei euch|bei dir|bei ihnen] (in|auf|bei|nach) [der|den] <zone> [@now] [ist]`,
			`[@what] [die|der] @time [@now] [ist es|haben die|haben sie|ist] [@now] [drüben] [in|auf|von|für|nach|bei] [der|den] <zone> [@now]`,
			`(welche|was für eine|was ist die) @time (ist es|haben wir|haben sie|haben die|herrscht|ist|gilt|haben die leute|gibt es) [@now] (in|auf|bei|` +
				`nach|für) [der|den] <zone> [@now]`,
			`<zone> [@now] (zeit|uhrzeit|ortszeit|time)`,
			`(in|auf|für) [der|den] <zone> (wie spät ist es|wie viel uhr ist es|welche uhrzeit|wie spät|was ist die uhrzeit|wie spät haben die es) [@now] [dort]`,
			`wie (spät|spaet) [@now] in <zone>`,
			`wie spät es [@now] (in|auf) [der|den] <zone> [@now] ist`,
			`wie viel uhr es [@now] in [der|den] <zone> [@now] ist`,
			`was sagt die uhr in <zone>`,
			`(welche|in welcher|was für eine) zeitzone (hat|ist|gilt in|haben|liegt) <zone>`,
			`was ist in <zone> für (eine uhrzeit|eine zeit)`,
			`(und|was ist mit|wie sieht es aus) [in] <zone> (uhrzeit|zeitlich)`,
			`[die] zeit in [der|den] <zone>`,
			`welches datum (ist|hat|haben wir|ist es) [@now] in <zone>`,
			`welcher tag ist [@now] in <zone>`,
			`[wie spät|wie viel uhr|uhrzeit|zeit] <zone> zeit`,
			`wann ist [es] [@now] in <zone>`,
		}},
		{class: classDate, topic: "week", patterns: []string{
			`(welche|die wievielte|wievielte|was für eine|in welcher|welcher) (kalenderwoche|woche|kw|wochennummer|woche des jahres) (haben wir|ist|` +
				`ist es|ist das|sind wir|ist heute|läuft|befinden wir uns|haben wir denn|steht an|schreiben wir|ist denn) [@now] [es] [@now]`,
			`[@what] [die|der] [aktuelle|heutige|momentane|laufende] (kalenderwoche|kw|wochennummer|woche des jahres|nummer der woche|woche) [ist|` +
				`haben wir] [@now]`,
			`(welche|in welcher) (kalenderwoche|woche|kw) (ist|hat|liegt|fällt|war|haben wir) [der|die|das|am] <when>`,
			`[die] (kalenderwoche|kw) (vom|am|von|des|für|zum) [den] <when>`,
			`in welche (kw|kalenderwoche|woche) fällt [der] <when>`,
			`wievielte woche [des jahres] [@now]`,
		}},
		{class: classDate, topic: "until", patterns: []string{
			`wie (viele tage|lange|viel tage) [sind|ist|dauert|haben wir|bleiben|fehlen] [es|noch] [noch] [es] (bis|bis zu|bis zum|bis zur|zu) <when> [noch]`,
			`[noch] (wie viele|wie viel) tage (bis|bis zum|bis zu) <when>`,
			`tage (bis|bis zum|bis zu) <when>`,
			`in wie vielen tagen (ist|haben wir|beginnt) <when>`,
			`wie (viele tage|lange) (noch bis|noch bis zum|noch bis zu) <when>`,
			`wie weit ist [es] [noch] [bis] <when>`,
		}},
		{class: classDate, topic: "since", past: true, patterns: []string{
			`(vor wie vielen tagen|wie viele tage ist es her seit|wie lange ist) (war|es her seit|es seit|seit)  <when> [her]`,
			`(wie viele tage|wie lange|wie viel tage) (sind|ist|ist es) [es] [vergangen] seit [dem] <when> [vergangen|her]`,
			`tage seit [dem] <when>`,
		}},
		{class: classDate, past: true, patterns: []string{
			`(welcher|welches|was für ein|was für einen|was) (@day|datum) (war|hatten wir|war es) [der|am|das|denn|es] <when>`,
			`(welches|was für ein) datum (war|hatten wir) <when>`,
			`der wievielte (war|war es) <when>`,
			`den wievielten hatten wir <when>`,
			`(an|auf) (welchem|was für einem|welchen|was für einen) (@day) (war|fiel|fand) [der|das] <when> [statt]`,
			`was war [der|das|am|es] <when> für (ein|einen) (@day|datum)`,
			`wann war <when>`,
			`was war <when> [denn] für (ein tag|ein datum|ein wochentag)`,
			`der <when> war [ein] (welcher|was für ein) @day`,
		}},
		{class: classDate, patterns: []string{
			`(welches|was für ein|was ist das|was) [heutige|genaue|aktuelle] datum (haben wir|ist|ist es|ist heute|steht|schreiben wir|ist denn|hat|` +
				`ist das|wird|wäre|haben wir denn|ist dann|wird sein) [denn|der] [@now|<when>] [denn|@now]`,
			`(welches|was für ein) datum <when>`,
			`[@what] [das|der|die] [heutige|heutiger|aktuelle|genaue|heutiges|aktuelles|vollständige] (datum|tag|wochentag|tagesdatum) [@now|ist|` +
				`von heute|heute|ist es|von <when>|vom <when>|am <when>|für <when>|<when>]`,
			`datum [von|vom|am|für] <when>`,
			`(welcher|welchen|was für ein|was für einen|was ist das für ein) [@day|wochentag|tag der woche] (ist|haben wir|haben wir denn|ist es|` +
				`ist denn|ist das|hat|wird|wäre|ist dann) [der|am|das|es|denn|eigentlich] [@now|<when>] [denn|@now|der] [<when>]`,
			`(welcher|was für ein) (@day|tag der woche) [ist] [der|am] <when> [ist]`,
			`was (ist|haben wir|wäre|wird) [der|am|es|denn] [@now|<when>] [denn|eigentlich] für (ein|einen|nen|n|welchen) (@day|datum|wochentag|tag der woche)`,
			`(der|den) wievielte [tag] (ist|haben wir|ist es|wird|wäre|ist das) [denn] [@now|<when>] [denn|es]`,
			`(der|den) wievielten [tag] (ist|haben wir|ist es|haben wir denn) [denn] [@now|<when>] [denn]`,
			`wievielter ist <when>`,
			`(an|auf|am) (welchem|welchen|was für einem|was für einen) @day (ist|fällt|liegt|haben wir|findet|wird|wäre) [der|das|die|am|` +
				`den] [feiertag] <when> [statt|sein|dieses jahr]`,
			`(auf|an) (welchen|welchem) (@day) fällt [der|das] <when> [dieses jahr]`,
			`(wochentag|tag) (vom|am|von|des|für) <when>`,
			`[der|am] <when> (ist|fällt auf|liegt auf|wird) (welcher|was für ein|welchen|ein welcher|einen) @day`,
			`wann (ist|haben wir|wird) [dieses jahr|heuer] <when> [dieses jahr|sein]`,
			`(welchen|welcher|was für einen|was für ein) monat (haben wir|ist|ist es) [@now]`,
			`(welches|was für ein) jahr (haben wir|ist|ist es|schreiben wir) [@now]`,
			`[das] datum`, `wochentag`, `heutiges datum`,
			`wie (ist|lautet) das [heutige] datum [@now]`,
			`heutiger tag`,
			`[ist] heute [ein|schon] (montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag)`,
			`was ist heute`, `welches datum`, `welcher tag`, `der wievielte`, `heute ist der`, `welcher tag <when>`, `wann ist <when>`,
			`was für ein datum ist in <when>`,
			`welches datum (ist|haben wir) <when>`,
			`datum und wochentag`,
		}},
		{class: classTime, patterns: []string{
			`wie (spät|spaet) (ist es|haben wir es|haben wir|es ist|ists|haben sie es|hast du es|ist das|es|haben es wir|ist) [@now] [@now] [ist]`,
			`wie (spät|spaet)`, `wie spät [@now]`,
			`wie viel uhr (ist es|haben wir|es ist|ist|haben wir es|haben sie|hast du|ist es denn|zeigt die uhr) [@now] [@now]`,
			`wie viel uhr [@now]`,
			`[@what] [die|der] @time [@now] [ist|ist es|bitte|haben wir|ist gerade] [@now]`,
			`(welche|was für eine|was ist die) @time (ist es|haben wir|ist|zeigt die uhr|haben sie|hast du|ist denn) [@now] [@now]`,
			`@time [@now]`,
			`(hast du|haben sie) [@please] die (uhrzeit|zeit) [für mich|parat|da]`,
			`wie spät es [@now] ist`, `wie viel uhr es [@now] ist`,
			`was (sagt|zeigt) die uhr [@now] [an]`,
			`uhr`, `[die] uhrzeit und [das] datum`, `datum und uhrzeit`, `schau [@please] auf die uhr`,
			`welche stunde hat es geschlagen`,
			`welche uhrzeit`, `uhrzeit jetzt`, `zeitansage`,
		}},
	}
}
