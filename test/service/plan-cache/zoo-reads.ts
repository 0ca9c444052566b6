// This file lists templates of reads of the zoo: literals of every type, keys of every kind, operations and open types.
import {
  between,
  binary,
  date,
  decimal,
  duration,
  either,
  guid,
  limit,
  listOf,
  literal,
  moment,
  nothing,
  oneOf,
  smallNumber,
  text,
  textOf,
  time,
  truth,
} from './random.ts';
import { batchOf, get, type Template, url } from './template.ts';

const animal = oneOf(15, 18, 19, 20, 15, 18, 37, 1, 99, -1);
const keeper = oneOf(4, 5, 6, 4, 5, 99);
const sample = oneOf(23, 24, 25, 26, 27, 99);
const number = oneOf(1, 2, 3, 4, 1, 2, 99, -1);
const name = textOf([
  'Polly',
  'Chick',
  'Nemo',
  'Rex',
  'polly',
  'x',
  '',
  "Cy O'Neil",
  'Pol',
  'icky',
  'i',
]);
const wing = textOf(['A', 'B', 'C', '', "A'", 'a', 'A,Number=1', 'AAAAAAAAAAAAAAAA']);
const latin = textOf([
  'Animalia',
  'Aves',
  'Pisces',
  'aves',
  '',
  'A/b',
  "o'clock",
  '健',
  'x y',
  '%41ves',
]);
const email = textOf(['ann@zoo.example', 'bob@zoo.example', 'x', '', "o'k@zoo.example"]);
const country = textOf(['NL', 'DE', 'nl', '', 'NLX']);
const diet = oneOf(
  "'Meat'",
  "'Plants'",
  "Odd.Zoo.Diet'Everything'",
  "Zoo.Diet'Meat'",
  "'meat'",
  "'0'",
  '1',
  "'9'",
);
const skills = oneOf(
  "'Runs'",
  "'Runs,Flies'",
  "'Flies,Runs'",
  "'5'",
  "Odd.Zoo.Skills'Swims,Dives'",
  "''",
  "'Dives'",
);
const depth = oneOf("'Surface'", "'Abyss'", "'-1'", "Odd.Zoo.Depth'9007199254740993'");
const point = oneOf(
  ...[
    "geography'SRID=4326;Point(4.9 52.37)'",
    "geography'Point(0 0)'",
    "geography'SRID=4326;Point(181 0)'",
  ],
  ...["geometry'Point(4 5)'", "geography'SRID=4326;Point(5 52)'"],
);
const area = oneOf(
  "geography'SRID=4326;Polygon((0 0,10 0,10 60,0 60,0 0))'",
  "geography'SRID=4326;Polygon((0 0,1 0,1 1,0 1,0 0))'",
  "geography'Polygon((0 0,1 0,0 0))'",
);
/** Keys of path segments are texts without quotes. */
const segment = literal((random) => random.pick(['1', '2', '4', 'x', '99', '01']));
const latinSegment = literal((random) => random.pick(['Aves', 'Pisces', 'A%2Fb', 'x']));

const keys: readonly Template[] = [
  get(url`Animals(${animal})`),
  get(url`Animals(${limit})?$select=Id`),
  get(url`Animals(Number=${limit})?$select=Id,Number`),
  get(url`Animals(${animal})/Odd.Zoo.Bird/Wingspan`),
  get(url`Animals(${animal})/Mother?$select=Name`),
  get(url`Animals(${animal})/Notes(${oneOf(17, 17, 1)})/Text`),
  get(url`Animals(${animal})/Nicknames`),
  get(url`Animals(${animal})/Habits?$filter=TimesADay gt ${smallNumber}`),
  get(url`Animals(${animal})/Care/Room/Name/$value`),
  get(url`Animals(${animal})/Keepers(${keeper})?$select=Name`),
  get(url`Animals(${animal})/Keepers/$ref`),
  get(url`Animals/${segment}?$select=Name`, () => ({ 'odata-maxversion': '4.01' })),
  get(url`AllSpecies(${latin})`),
  get(url`AllSpecies(Latin=${latin})/Parts?$filter=Title eq ${text}`),
  get(url`AllSpecies(${latin})/Parent/Title/$value`),
  get(url`AllSpecies/${latinSegment}`),
  get(url`AllSpecies(@k)?@k=${latin}`),
  get(url`Enclosures(Wing=${wing},Number=${number})`),
  get(url`Enclosures(Number=${number},Wing=${wing})/Name`),
  get(url`Enclosures(Wing=${wing},Number=${limit})/Feedings(${oneOf(8, 16, 9)})`),
  get(url`Enclosures(Wing='A',Number=1)/Feedings(${either(oneOf(8, 16), limit)})`),
  get(url`Enclosures(Wing='A',Number=${either(number, limit)})`),
  get(url`Samples(${either(sample, limit)})/Words`),
  get(url`Enclosures(Wing='A',Number=${number})/Feedings/${oneOf(0, 1, 2, -1)}`),
  get(url`Enclosures(Wing=@w,Number=@n)?@w=${wing}&@n=${number}`),
  get(url`Keepers(Email=${email})?$select=Name`),
  get(
    url`Keepers(Country=${country},No=${number})/Animals?$filter=Weight gt ${decimal}&$select=Name`,
  ),
  get(url`Keepers(${keeper})/Boss/Boss/Name`),
  get(url`Pictures(${guid})`),
  get(url`Samples(${sample})/${oneOf('Big', 'Words', 'Exact', 'Bytes', 'Unknown')}/$value`),
  get(url`Samples(${sample})/Bytes/$value`),
  get(url`Samples(${sample})/Big`, () => ({ accept: 'application/json;IEEE754Compatible=true' })),
];

const values: readonly Template[] = [
  ...['Small', 'Tiny', 'Short', 'Whole', 'Big'].flatMap((property) => [
    get(withName(property, url`Samples?$filter=@@ eq ${limit}&$select=Id,@@`)),
    get(withName(property, url`Samples?$filter=@@ gt ${limit} and @@ le ${limit}&$select=Id`)),
    get(withName(property, url`Samples?$filter=@@ in ${listOf(limit)}&$select=Id`)),
    get(withName(property, url`Samples?$filter=@@ add ${limit} gt ${limit}&$select=Id`)),
  ]),
  ...['Exact', 'Free', 'Single', 'Double', 'Load'].flatMap((property) => [
    get(withName(property, url`Samples?$filter=@@ eq ${decimal}&$select=Id`)),
    get(withName(property, url`Samples?$filter=@@ lt ${decimal} or @@ gt ${limit}&$select=Id`)),
    get(
      withName(
        property,
        url`Samples?$filter=round(@@) eq ${decimal} or floor(${decimal}) eq @@&$select=Id`,
      ),
    ),
    get(
      withName(
        property,
        url`Samples?$filter=@@ mul ${decimal} sub ${smallNumber} ge ${decimal}&$select=Id`,
      ),
    ),
  ]),
  get(url`Samples?$filter=Day eq ${date}&$select=Id,Day`),
  get(url`Samples?$filter=Day gt ${date} and Moment lt ${moment}&$select=Id`),
  get(url`Samples?$filter=Moment eq ${moment}&$select=Id`),
  get(url`Samples?$filter=Instant ge ${moment} or Moment in ${listOf(moment)}&$select=Id`),
  get(url`Samples?$filter=Clock ge ${time}&$select=Id`),
  get(url`Samples?$filter=Clock eq ${time} or hour(${time}) eq ${smallNumber}&$select=Id`),
  get(url`Samples?$filter=Span eq ${duration}&$select=Id`),
  get(
    url`Samples?$filter=Span gt ${duration} and totalseconds(${duration}) lt ${decimal}&$select=Id`,
  ),
  get(url`Samples?$filter=Moment sub ${duration} lt ${moment}&$select=Id`),
  get(url`Samples?$filter=Moment sub ${moment} lt ${duration}&$select=Id`),
  get(url`Samples?$filter=Tag eq ${guid}&$select=Id`),
  get(url`Samples?$filter=Bytes eq ${binary}&$select=Id`),
  get(url`Samples?$filter=Words eq ${text}&$select=Id`),
  get(url`Samples?$filter=contains(Words,${text})&$select=Id`),
  get(url`Samples?$filter=Flag eq ${truth}&$select=Id`),
  get(url`Samples?$filter=Diet eq ${diet}&$select=Id`),
  get(
    url`Samples?$filter=Words eq ${either(text, nothing)} and Whole eq ${either(limit, nothing)}&$select=Id`,
  ),
  get(url`Samples?$filter=Numbers/any(n:n gt ${smallNumber})&$select=Id`),
  get(url`Samples?$filter=Amounts/all(a:a lt ${decimal})&$select=Id`),
  get(url`Samples?$filter=Diets/any(d:d eq ${diet})&$select=Id`),
  get(url`Samples?$filter=hassubset(Numbers,[${smallNumber},${smallNumber}])&$select=Id`),
  get(url`Samples?$filter=geo.distance(Spot,${point}) lt ${decimal}&$select=Id`),
  get(url`Samples?$filter=fractionalseconds(${time}) eq ${decimal}&$select=Id`),
  get(url`Samples?$filter=cast(Whole,Edm.String) eq ${oneOf("'7'", "'-5'", 7)}&$select=Id`),
  get(url`Samples?$filter=cast(${text},Edm.Int32) eq Whole&$select=Id`),
  get(url`Samples?$filter=-Whole lt ${limit}&$select=Id`),
  get(url`Samples?$filter=Anything eq ${either(text, decimal)}&$select=Id`),
];

/** Conditions that many records meet, whatever the literals: each literal changes the response. */
const inequalities: readonly Template[] = [
  get(url`Samples?$filter=Id gt round(${decimal}) add ${between(20, 30)}&$select=Id`),
  get(url`Samples?$filter=Id sub 20 gt hour(${time}) or Id sub 25 lt minute(${time})&$select=Id`),
  get(
    url`Samples?$filter=Id sub 20 lt totalseconds(${duration}) div ${between(100, 900)}&$select=Id`,
  ),
  get(url`Samples?$filter=Id mul ${decimal} gt ${between(0, 60)}&$select=Id`),
  get(url`Samples?$filter=Id sub 20 lt day(${date})&$select=Id`),
  get(url`Samples?$filter=Moment add ${duration} gt ${moment} or Clock gt ${time}&$select=Id`),
  get(
    url`Samples?$filter=Double lt ${decimal} or Exact gt ${decimal} or Free ge ${decimal}&$select=Id`,
  ),
  get(url`Samples?$filter=Big gt ${limit} or Whole lt ${limit} or Tiny gt ${limit}&$select=Id`),
  get(
    url`Samples?$filter=Id add cast(${between(-9, 9)},Edm.Int64) gt ${between(20, 40)}&$select=Id`,
  ),
  get(
    url`Samples?$filter=Words gt ${text} and substring(Words,${smallNumber}) ne ${text}&$select=Id`,
  ),
  get(url`Samples?$filter=contains(Words,${name}) or Id gt ${between(20, 40)}&$select=Id`),
  get(url`Samples?$filter=geo.distance(Spot,${point}) gt ${between(0, 900000)}&$select=Id`),
  get(
    url`Samples?$filter=hassubset(Numbers,[${smallNumber}]) or Numbers/any(n:n mod ${between(2, 5)} gt ${smallNumber})&$select=Id`,
  ),
  get(url`Samples?$filter=Diet ne ${diet} or Tag eq ${guid}&$select=Id,Diet`),
  get(
    url`Samples?$compute=Id mul ${decimal} as Much,substring(Words,${smallNumber}) as Rest&$select=Much,Rest`,
  ),
  get(url`Samples?$orderby=Id mod ${between(2, 9)},Id&$select=Id&$top=9`),
];

/** The URL with the name of a property in place of `@@`. */
function withName(name: string, made: Template['url']): Template['url'] {
  return (random) => made(random).replaceAll('@@', name);
}

const animals: readonly Template[] = [
  get(url`Animals?$filter=Name eq ${name}&$select=Name`),
  get(url`Animals?$filter=startswith(Name,${name}) or contains(Remark,${text})&$select=Name`),
  get(url`Animals?$filter=Weight gt ${decimal}&$select=Name`),
  get(url`Animals?$filter=Weight in ${listOf(decimal)}&$select=Name`),
  get(url`Animals?$filter=Diet eq ${diet}&$select=Name,Diet`),
  get(url`Animals?$filter=Skills has ${skills}&$select=Name,Skills`),
  get(url`Animals?$filter=Skills eq ${skills}&$select=Name`),
  get(url`Animals?$filter=Odd.Zoo.Fish/Depth eq ${depth}&$select=Name`),
  get(url`Animals/Odd.Zoo.Fish?$filter=Depth ge ${depth}&$select=Name`),
  get(url`Animals/Odd.Zoo.Bird?$filter=Wingspan gt ${decimal}&$select=Name`),
  get(url`Animals?$filter=Born lt ${date}&$select=Name`),
  get(
    url`Animals?$filter=year(Born) eq ${oneOf(2015, 2020, 2024)} and day(Born) eq ${between(1, 31)}&$select=Name`,
  ),
  get(url`Animals?$filter=Mood/Value eq ${oneOf(1001, 1002, 1003, 5)}&$select=Name`),
  get(
    url`Animals?$filter=Mood/Text eq ${textOf(['Calm', 'calm', 'Kalm', 'Angry', 'x'])}&$select=Name`,
    (random) => ({
      'accept-language': random.pick(['en', 'nl']),
    }),
  ),
  get(url`Animals?$filter=Size/Value gt ${smallNumber}&$select=Name`),
  get(url`Animals?$filter=Nicknames/any(n:n eq ${name} or contains(n,${text}))&$select=Name`),
  get(
    url`Animals?$filter=Habits/any(h:h/Name eq ${text} and h/TimesADay lt ${smallNumber})&$select=Name`,
  ),
  get(url`Animals?$filter=Habits/any(h:h/Loud eq ${either(truth, text)})&$select=Name`),
  get(
    url`Animals?$filter=Keepers/any(k:k/Badge eq ${number} and k/Animals/any(a:a/Weight gt ${decimal}))&$select=Name`,
  ),
  get(url`Animals?$filter=Care/Room/Floor eq ${either(number, nothing)}&$select=Name`),
  get(
    url`Animals?$filter=Species/Latin eq ${latin} or Species/Parent/Latin eq ${latin}&$select=Name`,
  ),
  get(url`Animals?$filter=Label eq ${textOf(['Polly!', 'Rex!', 'x'])}&$select=Label`),
  get(url`Animals?$filter=geo.distance(Enclosure/Place,${point}) lt ${decimal}&$select=Name`),
  get(url`Enclosures?$filter=geo.intersects(Place,${area})&$select=Name`),
  get(
    url`Animals?$expand=Keepers($filter=Badge gt ${number};$select=Name),Species($select=Latin)&$filter=Name ne ${name}&$select=Name`,
  ),
  get(
    url`Animals?$expand=Keepers($filter=Animals/any(a:a/Name eq ${name});$select=Name;$expand=Boss($select=Name))&$select=Name`,
  ),
  get(
    url`Animals?$orderby=Weight mul ${decimal} desc,Name&$select=Name&$skip=${oneOf(0, 1, 2, 9)}`,
  ),
  get(
    url`Animals?$orderby=Name&$top=${oneOf(0, 1, 3, 9)}&$skip=${oneOf(0, 1, 2, 9)}&$count=true&$select=Name`,
  ),
  get(
    url`Animals?$search=${oneOf('Polly', 'Rex', 'nuts', 'NOT Rex', '"No species"', 'wild_cat', '100%')}&$select=Name`,
  ),
  get(
    url`Animals?$compute=Weight mul ${decimal} as Much,concat(Name,${text}) as Title&$select=Much,Title`,
  ),
  get(url`Animals?$apply=filter(Weight gt ${decimal})/aggregate(Weight with sum as Sum)`),
  get(
    url`Animals?$apply=compute(Weight mul ${decimal} as Much)/filter(Much lt ${limit})/aggregate(Much with max as M)`,
  ),
  get(
    url`Animals?$apply=groupby((Diet),aggregate(Weight mul ${smallNumber} with max as M))&$orderby=Diet`,
  ),
  get(
    url`AllSpecies?$apply=descendants($root/AllSpecies,Tree,Latin,filter(Latin eq ${latin}),${smallNumber})&$orderby=Latin`,
  ),
  get(
    url`AllSpecies?$apply=ancestors($root/AllSpecies,Tree,Latin,filter(Latin eq ${latin}),keep start)&$orderby=Latin`,
  ),
  get(url`AllSpecies?$filter=Title eq ${text} or Latin gt ${latin}`),
];

const operations: readonly Template[] = [
  get(url`Sum(a=${decimal},b=${decimal})`),
  get(url`Sum(a=${either(decimal, nothing)})`),
  get(url`Sum(a=@a,b=@b)?@a=${decimal}&@b=${either(decimal, nothing)}`),
  get(url`Heavy(least=${decimal})?$select=Name`),
  get(url`Heavy(least=${decimal})/$count`),
  get(url`Heavy(least=@w)?@w=${decimal}&$filter=Weight lt ${decimal}&$select=Name`),
  get(url`Animals(${animal})/Odd.Zoo.Age(on=${date})`),
  get(url`Animals(${animal})/Odd.Zoo.Grandmother()/Name`),
  get(url`Animals/Odd.Zoo.Grown(least=${decimal})?$select=Name&$top=${smallNumber}`),
  get(url`Animals?$filter=$it/Odd.Zoo.Age(on=${date}) gt ${duration}&$select=Name`),
  get(url`Self()/Name?$filter=${text}`),
  get(url`Animals/$filter(@f)/$count?@f=Weight gt ${decimal}`),
  get(url`Animals?$filter=Keepers/$count gt ${smallNumber}&$select=Name`),
];

const open: readonly Template[] = [
  get(url`Oddities?$filter=Colour eq ${either(text, nothing)}`),
  get(url`Oddities?$filter=Size gt ${decimal} and Missing eq ${either(nothing, text)}`),
  get(url`Oddities(${oneOf(22, 99)})/Colour`),
  get(url`Oddities?$filter=First/Extra eq ${text}&$orderby=Size add ${smallNumber}`),
];

const batches: readonly Template[] = [
  batchOf(
    get(url`AllSpecies(${latin})`),
    get(url`Samples?$filter=Big gt ${limit}&$select=Id`),
    get(url`Animals?$filter=Weight gt ${decimal} and Name ne ${name}&$select=Name`),
  ),
];

export const ZOO_READS: readonly Template[] = [
  keys,
  values,
  inequalities,
  animals,
  operations,
  open,
  batches,
].flat();
