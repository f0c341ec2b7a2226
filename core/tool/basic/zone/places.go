package zone

import (
	"strings"
	"sync"
)

// places maps folded names to IANA zones; it is made on first use: no start of a program waits for it.
var places = sync.OnceValue(buildPlaces)

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
Europe/Berlin: germany, deutschland, munich, münchen, hamburg, cologne, köln, frankfurt, frankfurt am main, stuttgart, düsseldorf, dortmund, essen, leipzig, bremen, dresden, hannover, hanover, nuremberg, nürnberg, bonn, kiel, mainz, freiburg, heidelberg, karlsruhe, mannheim, augsburg, rostock, erfurt, potsdam, münster, aachen, cet, cest, mez, mesz, central european time, mitteleuropäische zeit, wuppertal, bielefeld, bochum, duisburg, braunschweig, magdeburg, halle, chemnitz, lübeck, wiesbaden, saarbrücken, ulm, regensburg, würzburg, göttingen, kassel, jena, weimar, trier, oldenburg, osnabrück, schwerin, konstanz, bavaria, bayern
Europe/Vienna: wien, austria, österreich, graz, salzburg, linz, innsbruck, klagenfurt, bregenz, villach
Europe/Zurich: zürich, switzerland, schweiz, der schweiz, bern, berne, basel, geneva, genf, lausanne, luzern, lucerne, winterthur, st gallen, lugano, luzern, davos
Europe/London: united kingdom, uk, great britain, großbritannien, england, britain, vereinigtes königreich, scotland, schottland, wales, manchester, birmingham, edinburgh, glasgow, liverpool, leeds, bristol, oxford, cambridge, cardiff, belfast, sheffield, newcastle, nottingham, brighton, leicester, aberdeen, york
Europe/Dublin: ireland, irland, cork, galway
Europe/Paris: france, frankreich, lyon, marseille, toulouse, nice, nizza, bordeaux, strasbourg, straßburg, lille, nantes, montpellier, cannes, rennes, corsica, korsika
Europe/Madrid: spain, spanien, barcelona, valencia, seville, sevilla, malaga, bilbao, mallorca, palma, granada, ibiza, zaragoza, saragossa, alicante, palma de mallorca
Atlantic/Canary: canary islands, kanaren, kanarische inseln, tenerife, teneriffa, gran canaria, las palmas
Europe/Lisbon: lissabon, portugal, porto, faro, coimbra
Europe/Rome: rom, roma, italy, italien, milan, mailand, milano, naples, neapel, turin, florence, florenz, venice, venedig, bologna, palermo, verona, genoa, genua, pisa, sicily, sizilien, sardinia, sardinien, catania, bari, triest, trieste, südtirol, bozen
Europe/Amsterdam: netherlands, the netherlands, niederlande, den niederlanden, holland, rotterdam, the hague, den haag, utrecht, eindhoven
Europe/Brussels: brüssel, belgium, belgien, antwerp, antwerpen, ghent, gent, bruges, brügge
Europe/Luxembourg: luxemburg
Europe/Copenhagen: kopenhagen, denmark, dänemark, aarhus
Europe/Stockholm: sweden, schweden, gothenburg, göteborg, malmö
Europe/Oslo: norway, norwegen, bergen, trondheim
Europe/Helsinki: finland, finnland, tampere, espoo
Atlantic/Reykjavik: iceland, island, reykjavík
Europe/Warsaw: warschau, poland, polen, krakow, krakau, cracow, danzig, gdansk, breslau, wroclaw, posen, poznan, lodz, lublin, stettin, szczecin, kattowitz, katowice
Europe/Prague: prag, czechia, czech republic, tschechien, brno, brünn
Europe/Bratislava: pressburg, slovakia, slowakei
Europe/Budapest: hungary, ungarn
Europe/Bucharest: bukarest, romania, rumänien
Europe/Sofia: bulgaria, bulgarien
Europe/Athens: athen, greece, griechenland, thessaloniki, crete, kreta, rhodos, rhodes, korfu, corfu, patras
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
Asia/Jerusalem: israel, tel aviv, haifa, eilat, israel
Asia/Beirut: lebanon, libanon
Asia/Damascus: damaskus, syria, syrien
Asia/Amman: jordan, jordanien
Asia/Baghdad: bagdad, iraq, irak
Asia/Tehran: teheran, iran
Asia/Riyadh: riad, saudi arabia, saudi-arabien, jeddah, mecca, mekka
Asia/Kuwait:
Asia/Qatar: katar, doha
Asia/Bahrain: manama
Asia/Dubai: abu dhabi, united arab emirates, uae, vereinigte arabische emirate, den vereinigten arabischen emiraten, sharjah, emirates, den emiraten, vae
Asia/Muscat: maskat, oman
Asia/Tbilisi: tiflis, georgia country, georgien
Asia/Yerevan: eriwan, jerewan, armenia, armenien
Asia/Baku: azerbaijan, aserbaidschan
Asia/Kabul: afghanistan
Asia/Karachi: karatschi, pakistan, islamabad, lahore, rawalpindi
Asia/Kolkata: calcutta, kalkutta, india, indien, new delhi, neu delhi, neu-delhi, delhi, mumbai, bombay, bangalore, bengaluru, chennai, hyderabad, pune, indian standard time, ahmedabad, jaipur, goa, lucknow, surat, agra, kochi
Asia/Kathmandu: nepal, katmandu
Asia/Colombo: sri lanka
Asia/Dhaka: bangladesh, dakka
Asia/Yangon: rangoon, rangun, myanmar
Asia/Bangkok: thailand, phuket, chiang mai, pattaya, koh samui
Asia/Ho_Chi_Minh: saigon, ho chi minh city, ho-chi-minh-stadt, vietnam, hanoi, da nang, hue, ha noi
Asia/Phnom_Penh: cambodia, kambodscha
Asia/Vientiane: laos
Asia/Kuala_Lumpur: malaysia
Asia/Singapore: singapur
Asia/Jakarta: java, bandung, indonesia west, surabaya
Asia/Makassar: bali, denpasar
Asia/Manila: philippines, philippinen, den philippinen, cebu, davao, quezon city
Asia/Hong_Kong: hongkong
Asia/Macau: macao
Asia/Shanghai: schanghai, china, beijing, peking, shenzhen, guangzhou, kanton, chengdu, wuhan, chongqing, xian, nanjing, hangzhou, tianjin, hong kong island, harbin, qingdao, xiamen, dalian, suzhou, tibet, lhasa
Asia/Taipei: taipeh, taiwan
Asia/Seoul: south korea, südkorea, korea, busan, kst, incheon, daegu
Asia/Pyongyang: pjöngjang, north korea, nordkorea
Asia/Tokyo: tokio, japan, osaka, kyoto, kioto, nagoya, sapporo, hiroshima, yokohama, fukuoka, jst, kobe, okinawa, nara, sendai
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
Africa/Casablanca: morocco, marokko, marrakesh, marrakech, marrakesch, rabat, tangier, tanger, fes
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
America/New_York: new york city, nyc, boston, washington, washington dc, washington d.c., miami, philadelphia, atlanta, orlando, baltimore, pittsburgh, charlotte, cleveland, florida, est, edt, eastern time, us eastern time, eastern standard time, brooklyn, manhattan, ostküste, us east coast, new jersey, massachusetts, pennsylvania, ohio, virginia, north carolina, buffalo, tampa, jacksonville, georgia, new york state, washington d c, north america east, ny
America/Detroit: michigan
America/Toronto: ottawa, ontario, montreal, montréal, quebec, hamilton ontario, toronto canada
America/Halifax: nova scotia
America/St_Johns: newfoundland, neufundland, st johns
America/Chicago: houston, dallas, austin, san antonio, minneapolis, new orleans, st louis, milwaukee, kansas city, nashville, memphis, texas, illinois, wisconsin, minnesota, louisiana, cst, cdt, central time, us central time, oklahoma city, oklahoma, omaha, st paul, fort worth, el paso, missouri, iowa, kansas, arkansas, alabama, tennessee, birmingham alabama
America/Winnipeg: manitoba
America/Denver: salt lake city, albuquerque, colorado, utah, mst, mdt, mountain time, new mexico, boulder, colorado springs, wyoming, montana
America/Edmonton: calgary, alberta
America/Phoenix: arizona, tucson
America/Los_Angeles: la, l.a., san francisco, san diego, seattle, las vegas, portland, sacramento, san jose, silicon valley, california, kalifornien, oregon, pst, pdt, pacific time, us pacific time, westküste, us west coast, nevada, hollywood, oakland, san fran, long beach, reno, seattle washington, palo alto, cupertino, washington state, los angles, pacific
America/Vancouver: british columbia, victoria, victoria bc
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
America/Sao_Paulo: são paulo, rio, rio de janeiro, brasilia, brasília, brazil, brasilien, curitiba, porto alegre, belo horizonte
Australia/Sydney: canberra, new south wales, aest, aedt, wollongong
Australia/Melbourne:
Australia/Brisbane: queensland, gold coast
Australia/Perth: western australia
Australia/Adelaide:
Australia/Darwin:
Australia/Hobart: tasmania, tasmanien
Pacific/Auckland: new zealand, neuseeland, wellington, christchurch, queenstown
Pacific/Fiji: fidschi, suva
Pacific/Tahiti: papeete
Pacific/Guam:
Pacific/Apia: samoa
Africa/Asmara:
Africa/Asmera:
Africa/Bamako: mali
Africa/Bangui:
Africa/Banjul: gambia
Africa/Bissau:
Africa/Blantyre: malawi
Africa/Brazzaville:
Africa/Bujumbura:
Africa/Ceuta:
Africa/Conakry:
Africa/Djibouti:
Africa/Douala: cameroon, kamerun, yaounde
Africa/El_Aaiun:
Africa/Freetown: sierra leone
Africa/Juba:
Africa/Libreville: gabon, gabun
Africa/Lome: togo
Africa/Lubumbashi:
Africa/Malabo:
Africa/Maseru: lesotho
Africa/Mbabane:
Africa/Mogadishu: mogadischu, somalia
Africa/Monrovia: liberia
Africa/Ndjamena: chad, tschad
Africa/Niamey: niger
Africa/Nouakchott:
Africa/Ouagadougou: burkina faso
Africa/Porto-Novo:
Africa/Sao_Tome:
Africa/Timbuktu:
America/Adak:
America/Anguilla:
America/Antigua:
America/Araguaina:
America/Argentina/ComodRivadavia:
America/Argentina/Cordoba:
America/Argentina/La_Rioja:
America/Argentina/Rio_Gallegos:
America/Argentina/Salta:
America/Argentina/San_Juan:
America/Argentina/San_Luis:
America/Argentina/Tucuman:
America/Argentina/Ushuaia:
America/Aruba:
America/Atikokan:
America/Atka:
America/Bahia: salvador
America/Bahia_Banderas:
America/Barbados:
America/Belem:
America/Belize:
America/Blanc-Sablon:
America/Boa_Vista:
America/Boise: idaho
America/Cambridge_Bay:
America/Campo_Grande:
America/Cayenne:
America/Cayman:
America/Chihuahua:
America/Ciudad_Juarez:
America/Coral_Harbour:
America/Coyhaique:
America/Creston:
America/Cuiaba:
America/Curacao: curaçao
America/Danmarkshavn:
America/Dawson:
America/Dawson_Creek:
America/Dominica:
America/Eirunepe:
America/El_Salvador: san salvador
America/Ensenada:
America/Fort_Nelson:
America/Fort_Wayne:
America/Fortaleza:
America/Glace_Bay:
America/Godthab:
America/Goose_Bay:
America/Grand_Turk:
America/Grenada:
America/Guadeloupe:
America/Guyana: georgetown
America/Hermosillo:
America/Indiana/Indianapolis: indianapolis, indiana
America/Indiana/Knox:
America/Indiana/Marengo:
America/Indiana/Petersburg:
America/Indiana/Tell_City:
America/Indiana/Vevay:
America/Indiana/Vincennes:
America/Indiana/Winamac:
America/Inuvik:
America/Iqaluit:
America/Juneau:
America/Kentucky/Monticello:
America/Kralendijk:
America/Lower_Princes:
America/Maceio:
America/Managua: nicaragua
America/Manaus:
America/Marigot:
America/Martinique:
America/Matamoros:
America/Mazatlan:
America/Menominee:
America/Merida:
America/Metlakatla:
America/Miquelon:
America/Moncton:
America/Monterrey:
America/Montreal:
America/Montserrat:
America/Nassau: bahamas, den bahamas
America/Nipigon:
America/Nome:
America/Noronha:
America/North_Dakota/Beulah:
America/North_Dakota/New_Salem:
America/Nuuk: greenland, grönland, godthab
America/Ojinaga:
America/Pangnirtung:
America/Paramaribo: suriname
America/Port-au-Prince: haiti
America/Port_of_Spain: trinidad
America/Porto_Acre:
America/Porto_Velho:
America/Punta_Arenas:
America/Rainy_River:
America/Rankin_Inlet:
America/Recife:
America/Regina: saskatchewan
America/Resolute:
America/Rio_Branco:
America/Santa_Isabel:
America/Santarem:
America/Scoresbysund:
America/Sitka:
America/St_Barthelemy:
America/St_Kitts:
America/St_Lucia:
America/St_Thomas:
America/St_Vincent:
America/Swift_Current:
America/Tegucigalpa: honduras
America/Thule:
America/Thunder_Bay:
America/Tortola:
America/Virgin:
America/Whitehorse:
America/Yakutat:
America/Yellowknife:
Antarctica/Casey:
Antarctica/Davis:
Antarctica/DumontDUrville:
Antarctica/Macquarie:
Antarctica/Mawson:
Antarctica/McMurdo:
Antarctica/Palmer:
Antarctica/Rothera:
Antarctica/South_Pole:
Antarctica/Syowa:
Antarctica/Troll:
Antarctica/Vostok:
Asia/Aden: yemen, jemen
Asia/Anadyr:
Asia/Aqtau:
Asia/Aqtobe:
Asia/Ashgabat: aschgabat, turkmenistan
Asia/Atyrau:
Asia/Barnaul:
Asia/Brunei: brunei
Asia/Chita:
Asia/Choibalsan:
Asia/Chongqing:
Asia/Dili:
Asia/Dushanbe: duschanbe, tajikistan, tadschikistan
Asia/Famagusta:
Asia/Gaza:
Asia/Hebron:
Asia/Hovd:
Asia/Irkutsk:
Asia/Jayapura:
Asia/Khandyga:
Asia/Krasnoyarsk:
Asia/Kuching:
Asia/Magadan:
Asia/Novokuznetsk:
Asia/Omsk:
Asia/Oral:
Asia/Pontianak:
Asia/Qostanay:
Asia/Qyzylorda:
Asia/Sakhalin:
Asia/Samarkand:
Asia/Srednekolymsk:
Asia/Thimphu: bhutan
Asia/Tomsk:
Asia/Urumqi:
Asia/Ust-Nera:
Asia/Yakutsk:
Atlantic/Azores: azoren, the azores
Atlantic/Bermuda:
Atlantic/Cape_Verde: kap verde, cabo verde
Atlantic/Faroe: faroe islands, färöer
Atlantic/Jan_Mayen:
Atlantic/Madeira:
Atlantic/South_Georgia:
Atlantic/St_Helena:
Atlantic/Stanley:
Australia/Broken_Hill:
Australia/Currie:
Australia/Eucla:
Australia/Lindeman:
Australia/Lord_Howe:
Europe/Andorra:
Europe/Astrakhan:
Europe/Belfast:
Europe/Busingen:
Europe/Gibraltar:
Europe/Guernsey:
Europe/Isle_of_Man:
Europe/Jersey:
Europe/Kaliningrad: königsberg
Europe/Kirov:
Europe/Mariehamn:
Europe/Podgorica: montenegro
Europe/Samara:
Europe/San_Marino:
Europe/Saratov:
Europe/Simferopol:
Europe/Tiraspol:
Europe/Ulyanovsk:
Europe/Vaduz: liechtenstein
Europe/Vatican: vatican city, vatikan, vatikanstadt
Europe/Volgograd:
Indian/Antananarivo: madagascar, madagaskar
Indian/Chagos:
Indian/Christmas:
Indian/Cocos:
Indian/Comoro:
Indian/Kerguelen:
Indian/Mahe: seychelles, seychellen, den seychellen
Indian/Mayotte:
Pacific/Bougainville:
Pacific/Chatham:
Pacific/Chuuk:
Pacific/Easter:
Pacific/Efate:
Pacific/Enderbury:
Pacific/Fakaofo:
Pacific/Funafuti:
Pacific/Galapagos:
Pacific/Gambier:
Pacific/Guadalcanal:
Pacific/Johnston:
Pacific/Kanton:
Pacific/Kiritimati:
Pacific/Kosrae:
Pacific/Kwajalein:
Pacific/Majuro:
Pacific/Marquesas:
Pacific/Nauru:
Pacific/Niue:
Pacific/Norfolk:
Pacific/Noumea: new caledonia, neukaledonien
Pacific/Pago_Pago:
Pacific/Palau:
Pacific/Pitcairn:
Pacific/Pohnpei:
Pacific/Port_Moresby: papua new guinea, papua-neuguinea
Pacific/Rarotonga:
Pacific/Saipan:
Pacific/Tarawa:
Pacific/Tongatapu: tonga
Pacific/Wake:
Pacific/Wallis:
`

// Words lists the single words of names, for telling what a misspelt one may mean.
func Words() []string {
	var out []string
	for n := range places() {
		for w := range strings.FieldsSeq(n) {
			if len(w) > 3 {
				out = append(out, w)
			}
		}
	}
	return out
}
