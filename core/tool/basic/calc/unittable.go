package calc

// row is one unit: its label, size in base units, and every name it is called by in either language. Names are looked up as
// written first, then in lower case.
type row struct {
	label, factor, names string // names are separated by commas
}

// table holds the units by kind; factors are exact by definition (international foot and pound, US gallon of 231 in³).
var table = []struct {
	kind string // what GRAMMAR.md calls it
	dim  dim
	rows []row
}{
	{"length (base: metre)", lengthDim, []row{
		{"m", "1", "m,meter,meters,metre,metres,metern"},
		{"km", "1000", "km,kms,kilometer,kilometers,kilometre,kilometres,kilometern"},
		{"dm", "1/10", "dm,decimeter,decimeters,decimetre,decimetres,dezimeter,dezimetern"},
		{"cm", "1/100", "cm,centimeter,centimeters,centimetre,centimetres,zentimeter,zentimetern"},
		{"mm", "1/1000", "mm,millimeter,millimeters,millimetre,millimetres,millimetern"},
		{"µm", "1/1000000", "µm,μm,micrometer,micrometers,micrometre,micrometres,micron,microns,mikrometer,mikrometern"},
		{"nm", "1/1000000000", "nm,nanometer,nanometers,nanometre,nanometres,nanometern"},
		{"mi", "1609.344", "mi,mile,miles,meile,meilen"},
		{"yd", "0.9144", "yd,yds,yard,yards"},
		{"ft", "0.3048", "ft,foot,feet,fuß,fuss,',′"},
		{"in", "0.0254", "inch,inches,zoll,\",″"},
		{"furlongs", "201.168", "furlong,furlongs"},
		{"fathoms", "1.8288", "fathom,fathoms"},
		{"nmi", "1852", "nmi,nautical mile,nautical miles,seemeile,seemeilen"},
		{"ly", "9460730472580800", "ly,light year,light years,light-year,light-years,lightyear,lightyears,lichtjahr,lichtjahre,lichtjahren"},
		{"au", "149597870700", "au,astronomical unit,astronomical units,astronomische einheit,astronomische einheiten"},
	}},
	{"mass (base: kilogram)", massDim, []row{
		{"kg", "1", "kg,kgs,kilo,kilos,kilogram,kilograms,kilogramm"},
		{"g", "1/1000", "g,gram,grams,gramm,grammes"},
		{"mg", "1/1000000", "mg,milligram,milligrams,milligramm"},
		{"µg", "1/1000000000", "µg,μg,microgram,micrograms,mikrogramm"},
		{"t", "1000", "t,tonne,tonnes,metric ton,metric tons,tonnen"},
		{"lb", "0.45359237", "lb,lbs,pound,pounds"},
		{"Pfund", "1/2", "pfund"},
		{"Zentner", "50", "zentner"},
		{"oz", "0.028349523125", "oz,ounce,ounces,unze,unzen"},
		{"st", "6.35029318", "st,stone,stones"},
		{"short tons", "907.18474", "short ton,short tons,us ton,us tons,ton,tons"},
		{"long tons", "1016.0469088", "long ton,long tons"},
		{"ct", "1/5000", "ct,carat,carats,karat"},
	}},
	{"volume (base: cubic metre)", dim{3}, []row{
		{"l", "1/1000", "l,L,liter,liters,litre,litres,litern"},
		{"dl", "1/10000", "dl,deciliter,deciliters,decilitre,decilitres,deziliter"},
		{"cl", "1/100000", "cl,centiliter,centiliters,centilitre,centilitres,zentiliter"},
		{"ml", "1/1000000", "ml,mL,milliliter,milliliters,millilitre,millilitres,millilitern,cc,ccm"},
		{"hl", "1/10", "hl,hectoliter,hectoliters,hektoliter"},
		{"gal", "0.003785411784", "gal,gallon,gallons,us gallon,us gallons,us-gallon,us-gallons,us-gallone,us-gallonen,gallone,gallonen"},
		{"imp gal", "0.00454609", "imperial gallon,imperial gallons,uk gallon,uk gallons"},
		{"qt", "0.000946352946", "qt,quart,quarts"},
		{"pt", "0.000473176473", "pt,pint,pints,us pint,us pints"},
		{"cups", "0.0002365882365", "cup,cups"},
		{"fl oz", "0.0000295735295625", "fl oz,floz,fluid ounce,fluid ounces"},
		{"tbsp", "0.00001478676478125", "tbsp,tablespoon,tablespoons"},
		{"tsp", "0.00000492892159375", "tsp,teaspoon,teaspoons"},
		{"EL", "0.000015", "EL,esslöffel,eßlöffel"},
		{"TL", "0.000005", "TL,teelöffel"},
		{"bbl", "0.158987294928", "bbl,barrel,barrels"},
		{"m³", "1", "cbm"},
	}},
	{"area (base: square metre)", dim{2}, []row{
		{"m²", "1", "qm,sqm"},
		{"km²", "1000000", "qkm,sqkm"},
		{"ha", "10000", "ha,hectare,hectares,hektar"},
		{"ar", "100", "ar"},
		{"acres", "4046.8564224", "acre,acres"},
		{"ft²", "0.09290304", "sqft"},
	}},
	{"speed (base: metre a second)", speedDim, []row{
		{"km/h", "5/18", "kmh,kph,stundenkilometer,stundenkilometern"},
		{"mph", "0.44704", "mph"},
		{"kn", "463/900", "kn,kt,kts,knot,knots,knoten"},
	}},
	{"time (base: second; a year has 365 days)", timeDim, []row{
		{"s", "1", "s,sec,secs,second,seconds,sek,sekunde,sekunden"},
		{"ms", "1/1000", "ms,millisecond,milliseconds,millisekunde,millisekunden"},
		{"µs", "1/1000000", "µs,μs,microsecond,microseconds,mikrosekunde,mikrosekunden"},
		{"ns", "1/1000000000", "ns,nanosecond,nanoseconds,nanosekunde,nanosekunden"},
		{"min", "60", "min,mins,minute,minutes,minuten"},
		{"Viertelstunden", "900", "viertelstunde,viertelstunden"},
		{"Dreiviertelstunden", "2700", "dreiviertelstunde,dreiviertelstunden"},
		{"h", "3600", "h,hr,hrs,hour,hours,std,stunde,stunden"},
		{"d", "86400", "d,day,days,tag,tage,tagen"},
		{"weeks", "604800", "wk,week,weeks,woche,wochen"},
		{"fortnights", "1209600", "fortnight,fortnights"},
		{"months", "2628000", "month,months,monat,monate,monaten"},
		{"years", "31536000", "yr,yrs,year,years,jahr,jahre,jahren"},
		{"decades", "315360000", "decade,decades,jahrzehnt,jahrzehnte,jahrzehnten"},
		{"centuries", "3153600000", "century,centuries,jahrhundert,jahrhunderte,jahrhunderten"},
	}},
	{"temperature", temperatureDim, []row{
		{"K", "1", "K,kelvin"},
		{"°C", "1", "C,°C,celsius,degree celsius,degrees celsius,grad celsius,centigrade,degrees centigrade,degrees C,degree C,grad C"},
		{"°F", "5/9", "F,°F,fahrenheit,degree fahrenheit,degrees fahrenheit,grad fahrenheit,degrees F,degree F,grad F"},
	}},
	{"data (decimal prefixes are powers of 1000, KiB MiB … of 1024; base: bit)", dataDim, []row{
		{"bit", "1", "bit,bits"},
		{"kbit", "1000", "Kb,kbit,kilobit,kilobits"},
		{"Mbit", "1000000", "Mb,mbit,megabit,megabits"},
		{"Gbit", "1000000000", "Gb,gbit,gigabit,gigabits"},
		{"B", "8", "B,byte,bytes"},
		{"kB", "8000", "kB,KB,kilobyte,kilobytes"},
		{"MB", "8000000", "MB,mb,megabyte,megabytes"},
		{"GB", "8000000000", "GB,gb,gigabyte,gigabytes"},
		{"TB", "8000000000000", "TB,tb,terabyte,terabytes"},
		{"PB", "8000000000000000", "PB,pb,petabyte,petabytes"},
		{"KiB", "8192", "KiB,kibibyte,kibibytes"},
		{"MiB", "8388608", "MiB,mebibyte,mebibytes"},
		{"GiB", "8589934592", "GiB,gibibyte,gibibytes"},
		{"TiB", "8796093022208", "TiB,tebibyte,tebibytes"},
	}},
	{"data rate", dim{2: -1, 4: 1}, []row{
		{"kbit/s", "1000", "kbps"}, {"Mbit/s", "1000000", "Mbps"}, {"Gbit/s", "1000000000", "Gbps"},
	}},
	{"energy (base: joule)", dim{0: 2, 1: 1, 2: -2}, []row{
		{"J", "1", "J,joule,joules"},
		{"kJ", "1000", "kJ,kilojoule,kilojoules"},
		{"MJ", "1000000", "MJ,megajoule,megajoules"},
		{"cal", "4.184", "cal,calorie,calories,kalorie,kalorien"},
		{"kcal", "4184", "kcal,kilocalorie,kilocalories,kilokalorie,kilokalorien"},
		{"Wh", "3600", "Wh,watt hour,watt hours,wattstunde,wattstunden"},
		{"kWh", "3600000", "kWh,kilowatt hour,kilowatt hours,kilowatt-hours,kilowattstunde,kilowattstunden"},
		{"MWh", "3600000000", "MWh,megawatt hour,megawatt hours,megawattstunde,megawattstunden"},
		{"BTU", "1055.05585262", "BTU"},
	}},
	{"power (base: watt)", dim{0: 2, 1: 1, 2: -3}, []row{
		{"W", "1", "W,watt,watts"},
		{"kW", "1000", "kW,kilowatt,kilowatts"},
		{"MW", "1000000", "MW,megawatt,megawatts"},
		{"hp", "745.69987158227022", "hp,horsepower"},
		{"PS", "735.49875", "PS,pferdestärke,pferdestärken"},
	}},
	{"force (base: newton)", dim{0: 1, 1: 1, 2: -2}, []row{
		{"N", "1", "N,newton,newtons"}, {"kN", "1000", "kN,kilonewton,kilonewtons"},
	}},
	{"pressure (base: pascal)", dim{0: -1, 1: 1, 2: -2}, []row{
		{"Pa", "1", "Pa,pascal,pascals"},
		{"hPa", "100", "hPa,hectopascal,hektopascal"},
		{"kPa", "1000", "kPa,kilopascal,kilopascals"},
		{"MPa", "1000000", "MPa,megapascal"},
		{"bar", "100000", "bar,bars"},
		{"mbar", "100", "mbar,millibar,millibars"},
		{"atm", "101325", "atm,atmosphere,atmospheres,atmosphäre,atmosphären"},
		{"mmHg", "133.322387415", "mmHg"},
		{"Torr", "20265/152", "torr"},
		{"psi", "4.4482216152605/0.00064516", "psi"},
	}},
	{"angle (base: degree)", angleDim, []row{
		{"°", "1", "°,deg,degree,degrees,grad"},
		{"rad", "", "rad,radian,radians,radiant"},
		{"gon", "9/10", "gon,gradian,gradians"},
		{"turns", "360", "turn,turns,revolution,revolutions,umdrehung,umdrehungen"},
	}},
	{"money (never converted: that needs a rate)", dim{6: 1}, []row{{"€", "1", "€,eur,euro,euros"}}},
	{"", dim{7: 1}, []row{{"$", "1", "$,usd,dollar,dollars"}, {"cents", "1/100", "cents"}}},
	{"", dim{8: 1}, []row{{"£", "1", "£,gbp"}}},
	{"", dim{9: 1}, []row{{"CHF", "1", "chf,franken,swiss franc,swiss francs"}}},
}

var (
	lengthDim      = dim{0: 1}
	massDim        = dim{1: 1}
	timeDim        = dim{2: 1}
	temperatureDim = dim{3: 1}
	dataDim        = dim{4: 1}
	angleDim       = dim{5: 1}
	speedDim       = dim{0: 1, 2: -1}
)

// preferences are the units that a computed quantity is written in: the first whose size it reaches, else the last.
var preferences = map[dim][]string{
	lengthDim: {"km", "m"}, timeDim: {"h", "min", "s"}, massDim: {"kg"}, dataDim: {"GB", "MB", "kB", "bit"},
	{0: 2, 1: 1, 2: -2}: {"kWh", "J"}, {0: 2, 1: 1, 2: -3}: {"W"}, {0: 1, 1: 1, 2: -2}: {"N"},
}

// spoken are units that people want to read as words: one in English, many in English, one in German, many in German.
var spoken = map[string][4]string{
	"d": {"day", "days", "Tag", "Tage"}, "weeks": {"week", "weeks", "Woche", "Wochen"}, "fortnights": {"fortnight", "fortnights", "vierzehn Tage", "mal vierzehn Tage"},
	"months": {"month", "months", "Monat", "Monate"}, "years": {"year", "years", "Jahr", "Jahre"}, "decades": {"decade", "decades", "Jahrzehnt", "Jahrzehnte"},
	"centuries": {"century", "centuries", "Jahrhundert", "Jahrhunderte"}, "acres": {"acre", "acres", "Acre", "Acres"}, "cups": {"cup", "cups", "Cup", "Cups"},
	"turns": {"turn", "turns", "Umdrehung", "Umdrehungen"}, "short tons": {"short ton", "short tons", "short ton", "short tons"},
	"long tons": {"long ton", "long tons", "long ton", "long tons"}, "cents": {"cent", "cents", "Cent", "Cent"},
	"Viertelstunden":     {"quarter of an hour", "quarters of an hour", "Viertelstunde", "Viertelstunden"},
	"Dreiviertelstunden": {"three quarters of an hour", "times three quarters of an hour", "Dreiviertelstunde", "Dreiviertelstunden"},
}
