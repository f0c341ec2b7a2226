package zone

import "strings"

// places maps folded names to IANA zones.
var places = buildPlaces()

func buildPlaces() map[string]string {
	m := map[string]string{}
	for line := range strings.SplitSeq(strings.TrimSpace(placeList), "\n") {
		iana, names, _ := strings.Cut(line, ":")
		if _, city, ok := strings.Cut(iana, "/"); ok {
			if i := strings.LastIndex(city, "/"); i >= 0 {
				city = city[i+1:]
			}
			m[Fold(strings.ReplaceAll(city, "_", " "))] = iana
		}
		for n := range strings.SplitSeq(names, ",") {
			if n = Fold(n); n != "" {
				m[n] = iana
			}
		}
	}
	return m
}

// placeList: an IANA zone (its own city is a name too), then what else it is called in English and German. A country stands
// here only when it has one time, or one that nearly everybody there lives by.
const placeList = `
UTC: utc, coordinated universal time, universal time, zulu, zulu time, utc time, utc zeit, weltzeit, koordinierte weltzeit
Etc/GMT: gmt, gmt time, gmt zeit, greenwich, greenwich mean time
Europe/Berlin: germany, deutschland, munich, münchen, hamburg, cologne, köln, frankfurt, frankfurt am main, stuttgart, düsseldorf, dortmund, essen, leipzig, bremen, dresden, hannover, hanover, nuremberg, nürnberg, bonn, kiel, mainz, freiburg, heidelberg, karlsruhe, mannheim, augsburg, rostock, erfurt, potsdam, münster, aachen, cet, cest, mez, mesz, central european time, mitteleuropäische zeit
Europe/Vienna: wien, austria, österreich, graz, salzburg, linz, innsbruck
Europe/Zurich: zürich, switzerland, schweiz, der schweiz, bern, berne, basel, geneva, genf, lausanne, luzern, lucerne, winterthur, st gallen
Europe/London: united kingdom, uk, great britain, großbritannien, england, britain, vereinigtes königreich, scotland, schottland, wales, manchester, birmingham, edinburgh, glasgow, liverpool, leeds, bristol, oxford, cambridge, cardiff, belfast
Europe/Dublin: ireland, irland, cork, galway
Europe/Paris: france, frankreich, lyon, marseille, toulouse, nice, nizza, bordeaux, strasbourg, straßburg, lille, nantes
Europe/Madrid: spain, spanien, barcelona, valencia, seville, sevilla, malaga, bilbao, mallorca, palma
Atlantic/Canary: canary islands, kanaren, kanarische inseln, tenerife, teneriffa, gran canaria, las palmas
Europe/Lisbon: lissabon, portugal, porto
Europe/Rome: rom, roma, italy, italien, milan, mailand, milano, naples, neapel, turin, florence, florenz, venice, venedig, bologna, palermo, verona, genoa, genua
Europe/Amsterdam: netherlands, the netherlands, niederlande, den niederlanden, holland, rotterdam, the hague, den haag, utrecht, eindhoven
Europe/Brussels: brüssel, belgium, belgien, antwerp, antwerpen, ghent, gent, bruges, brügge
Europe/Luxembourg: luxemburg
Europe/Copenhagen: kopenhagen, denmark, dänemark, aarhus
Europe/Stockholm: sweden, schweden, gothenburg, göteborg, malmö
Europe/Oslo: norway, norwegen, bergen, trondheim
Europe/Helsinki: finland, finnland, tampere, espoo
Atlantic/Reykjavik: iceland, island, reykjavík
Europe/Warsaw: warschau, poland, polen, krakow, krakau, cracow, danzig, gdansk, breslau, wroclaw, posen, poznan
Europe/Prague: prag, czechia, czech republic, tschechien, brno, brünn
Europe/Bratislava: pressburg, slovakia, slowakei
Europe/Budapest: hungary, ungarn
Europe/Bucharest: bukarest, romania, rumänien
Europe/Sofia: bulgaria, bulgarien
Europe/Athens: athen, greece, griechenland, thessaloniki, crete, kreta
Europe/Belgrade: belgrad, serbia, serbien
Europe/Zagreb: croatia, kroatien, split, dubrovnik
Europe/Ljubljana: laibach, slovenia, slowenien
Europe/Sarajevo: bosnia, bosnien
Europe/Skopje: north macedonia, nordmazedonien
Europe/Tirane: tirana, albania, albanien
Europe/Vilnius: lithuania, litauen
Europe/Riga: latvia, lettland
Europe/Tallinn: estonia, estland
Europe/Kyiv: kiev, kiew, kyjiw, ukraine, der ukraine, lviv, lwiw, odessa
Europe/Minsk: belarus, weißrussland
Europe/Chisinau: moldova, moldawien
Europe/Moscow: moskau, st petersburg, saint petersburg, sankt petersburg
Europe/Istanbul: turkey, türkei, der türkei, ankara, izmir, antalya
Europe/Malta: valletta
Europe/Monaco: monte carlo
Asia/Nicosia: cyprus, zypern, nikosia
Asia/Jerusalem: israel, tel aviv, haifa
Asia/Beirut: lebanon, libanon
Asia/Damascus: damaskus, syria, syrien
Asia/Amman: jordan, jordanien
Asia/Baghdad: bagdad, iraq, irak
Asia/Tehran: teheran, iran
Asia/Riyadh: riad, saudi arabia, saudi-arabien, jeddah, mecca, mekka
Asia/Kuwait:
Asia/Qatar: katar, doha
Asia/Bahrain: manama
Asia/Dubai: abu dhabi, united arab emirates, uae, vereinigte arabische emirate, den vereinigten arabischen emiraten
Asia/Muscat: maskat, oman
Asia/Tbilisi: tiflis, georgia country, georgien
Asia/Yerevan: eriwan, jerewan, armenia, armenien
Asia/Baku: azerbaijan, aserbaidschan
Asia/Kabul: afghanistan
Asia/Karachi: karatschi, pakistan, islamabad, lahore
Asia/Kolkata: calcutta, kalkutta, india, indien, new delhi, neu delhi, neu-delhi, delhi, mumbai, bombay, bangalore, bengaluru, chennai, hyderabad, pune, indian standard time
Asia/Kathmandu: nepal, katmandu
Asia/Colombo: sri lanka
Asia/Dhaka: bangladesh, bangladesch, dakka
Asia/Yangon: rangoon, rangun, myanmar
Asia/Bangkok: thailand, phuket, chiang mai
Asia/Ho_Chi_Minh: saigon, ho chi minh city, ho-chi-minh-stadt, vietnam, hanoi
Asia/Phnom_Penh: cambodia, kambodscha
Asia/Vientiane: laos
Asia/Kuala_Lumpur: malaysia
Asia/Singapore: singapur
Asia/Jakarta: java, bandung
Asia/Makassar: bali, denpasar
Asia/Manila: philippines, philippinen, den philippinen, cebu
Asia/Hong_Kong: hongkong
Asia/Macau: macao
Asia/Shanghai: schanghai, china, beijing, peking, shenzhen, guangzhou, kanton, chengdu, wuhan, chongqing, xian, nanjing, hangzhou, tianjin
Asia/Taipei: taipeh, taiwan
Asia/Seoul: south korea, südkorea, korea, busan, kst
Asia/Pyongyang: pjöngjang, north korea, nordkorea
Asia/Tokyo: tokio, japan, osaka, kyoto, kioto, nagoya, sapporo, hiroshima, yokohama, fukuoka, jst
Asia/Ulaanbaatar: ulan bator, mongolia, mongolei, der mongolei
Asia/Almaty: astana, kazakhstan, kasachstan
Asia/Tashkent: taschkent, uzbekistan, usbekistan
Asia/Bishkek: bischkek, kyrgyzstan, kirgistan
Asia/Novosibirsk: nowosibirsk
Asia/Yekaterinburg: jekaterinburg
Asia/Vladivostok: wladiwostok
Asia/Kamchatka: kamtschatka
Indian/Maldives: malediven, den malediven, male
Indian/Mauritius:
Indian/Reunion: réunion
Africa/Cairo: kairo, egypt, ägypten, alexandria
Africa/Johannesburg: south africa, südafrika, cape town, kapstadt, durban, pretoria
Africa/Nairobi: kenya, kenia, mombasa
Africa/Lagos: nigeria, abuja
Africa/Accra: ghana
Africa/Abidjan: ivory coast, elfenbeinküste
Africa/Dakar: senegal
Africa/Casablanca: morocco, marokko, marrakesh, marrakech, marrakesch, rabat
Africa/Algiers: algier, algeria, algerien
Africa/Tunis: tunisia, tunesien
Africa/Tripoli: tripolis, libya, libyen
Africa/Khartoum: khartum, sudan
Africa/Addis_Ababa: addis abeba, ethiopia, äthiopien
Africa/Kampala: uganda
Africa/Dar_es_Salaam: daressalam, tanzania, tansania, zanzibar, sansibar
Africa/Kigali: rwanda, ruanda
Africa/Lusaka: zambia, sambia
Africa/Harare: zimbabwe, simbabwe
Africa/Maputo: mozambique, mosambik
Africa/Luanda: angola
Africa/Windhoek: namibia, windhuk
Africa/Gaborone: botswana
Africa/Kinshasa:
America/New_York: new york city, nyc, boston, washington, washington dc, washington d.c., miami, philadelphia, atlanta, orlando, baltimore, pittsburgh, charlotte, cleveland, florida, est, edt, eastern time, us eastern time, eastern standard time, brooklyn, manhattan, ostküste, us east coast, new jersey, massachusetts, pennsylvania, ohio, virginia, north carolina
America/Detroit: michigan
America/Toronto: ottawa, ontario, montreal, montréal, quebec
America/Halifax: nova scotia
America/St_Johns: newfoundland, neufundland, st johns
America/Chicago: houston, dallas, austin, san antonio, minneapolis, new orleans, st louis, milwaukee, kansas city, nashville, memphis, texas, illinois, wisconsin, minnesota, louisiana, cst, cdt, central time, us central time
America/Winnipeg: manitoba
America/Denver: salt lake city, albuquerque, colorado, utah, mst, mdt, mountain time, new mexico
America/Edmonton: calgary, alberta
America/Phoenix: arizona, tucson
America/Los_Angeles: la, l.a., san francisco, san diego, seattle, las vegas, portland, sacramento, san jose, silicon valley, california, kalifornien, oregon, pst, pdt, pacific time, us pacific time, westküste, us west coast, nevada, hollywood, oakland
America/Vancouver: british columbia, victoria
America/Anchorage: alaska
Pacific/Honolulu: hawaii
America/Mexico_City: mexiko-stadt, mexiko stadt, mexico, mexiko, guadalajara
America/Cancun: cancún
America/Tijuana:
America/Havana: havanna, cuba, kuba
America/Jamaica: kingston, jamaika
America/Puerto_Rico: san juan
America/Santo_Domingo: dominican republic, dominikanische republik, punta cana
America/Guatemala: guatemala city
America/Costa_Rica:
America/Panama: panama city, panama-stadt
America/Bogota: bogotá, colombia, kolumbien, medellin, cartagena
America/Caracas: venezuela
America/Guayaquil: ecuador, quito
America/Lima: peru
America/La_Paz: bolivia, bolivien
America/Santiago: chile, santiago de chile
America/Asuncion: paraguay, asunción
America/Montevideo: uruguay
America/Argentina/Buenos_Aires: argentina, argentinien
America/Sao_Paulo: são paulo, rio, rio de janeiro, brasilia, brasília, brazil, brasilien
Australia/Sydney: canberra, new south wales, aest, aedt
Australia/Melbourne:
Australia/Brisbane: queensland, gold coast
Australia/Perth: western australia
Australia/Adelaide:
Australia/Darwin:
Australia/Hobart: tasmania, tasmanien
Pacific/Auckland: new zealand, neuseeland, wellington, christchurch
Pacific/Fiji: fidschi, suva
Pacific/Tahiti: papeete
Pacific/Guam:
Pacific/Apia: samoa
`

// Words lists the names that are one word, for telling what a misspelt one may mean.
func Words() []string {
	var out []string
	for n := range places {
		if !strings.Contains(n, " ") {
			out = append(out, n)
		}
	}
	return out
}
