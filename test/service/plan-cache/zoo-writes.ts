// This file lists templates of writes to the zoo: values of every type, keys that clients assign, open types and actions.
import {
  anyOf,
  arrayOf,
  codeOf,
  days,
  flag,
  linkTo,
  type Members,
  moments,
  mostly,
  numbers,
  objectOf,
  partOf,
  plain,
  preferences,
  someText,
  spans,
  times,
  usually,
  type Value,
  variantsOf,
  wideNumbers,
} from './bodies.ts';
import { oneOf, Random, textOf } from './random.ts';
import { get, type Template, type Url, url } from './template.ts';

const random = new Random(8);
const animalKey = oneOf(15, 18, 19, 20, 15, 18, 37, 38, 1, 99);
const keeperKey = oneOf(4, 5, 6, 99);
const sampleKey = oneOf(23, 24, 25, 26, 27, 28, 29, 30, 99);
const oddityKey = oneOf(22, 22, 99);
const number = oneOf(1, 2, 3, 4, 99);
const latin = textOf(['Aves', 'Pisces', 'Felis', "o'clock", 'x y', '健', '']);
const wing = textOf(['A', 'B', 'C', 'AAAAAAAAAAAAAAAA']);

const diet = usually(['Meat', 'Plants', 'Everything', null], ['meat', 'Grass', '1']);
const skills = usually(['Runs', 'Runs,Flies', 'Flies,Runs', 'Dives', null], ['5', '', 'Walks']);
const moods = codeOf([1001n, 'Calm'], [1002n, 'Angry'], [1003n, 'Furious'], [1004n, 'Sleepy']);
const keepers = [
  "Email='ann@zoo.example'",
  '4',
  '5',
  '6',
  '4',
  '5',
  "Country='NL',No=2",
  "Email='x'",
  '99',
];
const species = ["'Aves'", "'Pisces'", "Latin='Animalia'", "'x'", "'o''clock'"];
const enclosures = ["Wing='A',Number=1", "Number=2,Wing='B'", "Wing='A',Number=9"];
const habit = partOf({ Name: plain, TimesADay: numbers, Loud: flag, Extra: someText }, 0.8);
const point: Value = mostly((own) =>
  own.pick([
    { type: 'Point', coordinates: [5n, 52n] },
    { type: 'Point', coordinates: [] },
    null,
    { type: 'Line' },
  ]),
);

const animal: Members = {
  Remark: someText,
  Weight: numbers,
  Born: days,
  Tame: flag,
  Diet: diet,
  Skills: skills,
  Mood: moods,
  Size: codeOf([1n, 'Small'], [2n, 'Large']),
  Care: partOf(
    {
      Since: moments,
      Mood: moods,
      Room: partOf({ Name: plain, Floor: numbers }, 0.8),
      'Vet@odata.bind': linkTo('Keepers', keepers),
    },
    0.6,
  ),
  Nicknames: arrayOf(someText, 3),
  Habits: arrayOf(habit, 3),
  'Species@odata.bind': linkTo('AllSpecies', species),
  'Enclosure@odata.bind': linkTo('Enclosures', enclosures),
  'Mother@odata.bind': linkTo('Animals', ['15', 'Number=2', '19', '99']),
  'Keepers@odata.bind': arrayOf(linkTo('Keepers', keepers), 3),
  Label: plain,
};
const sample: Members = {
  Bytes: anyOf('AAEC', '', 'AA-_', 'A', 'A'.repeat(140), null),
  Flag: flag,
  Small: numbers,
  Tiny: numbers,
  Short: numbers,
  Whole: numbers,
  Big: wideNumbers,
  Exact: wideNumbers,
  Free: wideNumbers,
  Single: numbers,
  Double: wideNumbers,
  Load: numbers,
  Tag: anyOf(
    '01234567-89ab-cdef-0123-456789abcdef',
    '01234567-89AB-CDEF-0123-456789ABCDEF',
    'x',
    null,
  ),
  Words: someText,
  Day: days,
  Moment: moments,
  Instant: moments,
  Clock: times,
  Span: spans,
  Spot: point,
  Anything: anyOf('x', 1n, null, { a: [1n] }, true),
  Diet: diet,
  Numbers: arrayOf(numbers, 4),
  Diets: arrayOf(diet, 3),
  Moments: arrayOf(moments, 2),
  Amounts: arrayOf(numbers, 3),
};

function write(method: string, made: Url, bodies: readonly Value[]): readonly Template[] {
  return bodies.map((body) => ({ method, url: made, body, headers: random.pick(preferences) }));
}

const typed = (type: string, members: Members): Members => ({
  '@odata.type': () => `#Odd.Zoo.${type}`,
  ...members,
});

export const ZOO_WRITES: readonly Template[] = [
  write('PATCH', url`Samples(${sampleKey})`, variantsOf(sample, {}, random, 40)),
  write('POST', url`Samples`, variantsOf(sample, {}, random, 20)),
  write('PUT', url`Samples(${sampleKey})`, variantsOf(sample, {}, random, 6)),
  write('PATCH', url`Animals(${animalKey})`, variantsOf(animal, {}, random, 24)),
  write(
    'PATCH',
    url`Animals(Number=${number})?$select=Name,Weight`,
    variantsOf(animal, {}, random, 4),
  ),
  write('POST', url`Animals`, variantsOf(animal, { Name: plain }, random, 12)),
  write(
    'POST',
    url`Animals`,
    variantsOf(
      { ...animal, Words: arrayOf(someText, 2), Eggs: arrayOf(objectOf({ Laid: days }), 3) },
      typed('Parrot', { Name: plain }),
      random,
      6,
    ),
  ),
  write('PATCH', url`Animals(${animalKey})/Odd.Zoo.Bird`, [objectOf({ Wingspan: numbers })]),
  write('POST', url`Animals(${animalKey})/Notes`, [objectOf({ Text: someText, At: moments })]),
  write('POST', url`Oddities`, [
    objectOf({ Name: someText, Colour: plain }),
    objectOf({ Colour: numbers, First: habit }),
  ]),
  write('PATCH', url`Oddities(${oddityKey})`, [
    objectOf({ Colour: someText }),
    objectOf({ 'Size@odata.type': anyOf('Int32', 'String'), Size: numbers }),
  ]),
  write('POST', url`AllSpecies`, [
    objectOf({ Latin: someText, Title: plain }),
    objectOf({ Latin: plain, 'Parent@odata.bind': linkTo('AllSpecies', species) }),
  ]),
  write('PATCH', url`AllSpecies(${latin})`, [
    objectOf({ Title: someText }),
    objectOf({ 'Parent@odata.bind': linkTo('AllSpecies', species) }),
  ]),
  write('PUT', url`AllSpecies(${latin})`, [objectOf({ Title: plain })]),
  write('PATCH', url`Enclosures(Wing=${wing},Number=${number})`, [
    objectOf({ Name: someText }),
    objectOf({ Place: point }),
  ]),
  write('POST', url`Enclosures(Wing='A',Number=${number})/Feedings`, [
    objectOf({ Hour: numbers, Food: plain }),
  ]),
  write(
    'PATCH',
    url`Keepers(${keeperKey})`,
    variantsOf(
      { Name: plain, Email: someText, Country: anyOf('NL', 'DE', 'NLX'), Badge: numbers },
      {},
      random,
      4,
    ),
  ),
  write('POST', url`Animals(${animalKey})/Odd.Zoo.Feed`, [
    objectOf({ Food: anyOf('Nuts', 'Plastic', '', "o'k") }),
  ]),
  write('POST', url`Animals(${animalKey})/Odd.Zoo.Weigh`, [objectOf({ Weight: numbers })]),
  write('POST', url`Animals(${animalKey})/Odd.Zoo.Settle`, [
    objectOf({ Room: partOf({ Name: plain, Floor: numbers }, 0.9), Mood: moods }),
  ]),
  write('POST', url`CloseZoo`, [objectOf({ Reason: someText })]),
  write('PUT', url`Animals(${animalKey})/Species/$ref`, [
    objectOf({ '@odata.id': linkTo('AllSpecies', species) }),
  ]),
  write('POST', url`Animals(${animalKey})/Keepers/$ref`, [
    objectOf({ '@odata.id': linkTo('Keepers', keepers) }),
  ]),
  write('POST', url`Animals(${animalKey})/Nicknames`, [objectOf({ value: someText })]),
  [
    { method: 'DELETE', url: url`Animals(${animalKey})/Mother/$ref` },
    { method: 'DELETE', url: url`AllSpecies(${latin})` },
    { method: 'DELETE', url: url`Samples(${oneOf(7, 8, 9, 10)})` },
    get(url`Samples(${sampleKey})`),
    get(url`Animals?$filter=Weight gt ${oneOf(1, 2, '0.5')}&$expand=Keepers($select=Name)`),
    get(url`AllSpecies(${latin})/Parts`),
    get(url`Oddities(${oddityKey})`),
  ],
].flat();
