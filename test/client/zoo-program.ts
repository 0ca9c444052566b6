// This program uses a client of the odd model, which the journey of typed clients generates beside it as zoo.ts.
import {
  AllSpecies,
  AnimalCollectionGrown,
  AnimalFeed,
  AnimalMove,
  Animals,
  AnimalWeigh,
  BirdInfo,
  connect,
  type DocketClient,
  Enclosures,
  Keepers,
  Mascot,
  Oddities,
  Samples,
  Self,
  Sum,
  tokenSignIn,
} from './zoo.ts';

export const open = (root: string, token: string) => connect({ root, signIn: tokenSignIn(token) });

/** Never called: the compiler checks it. */
export function mistakes(zoo: DocketClient): unknown {
  return [
    // @ts-expect-error not a member of the enumeration
    zoo.collection(Animals).where((a) => a.Diet.eq('Grass')),
    // @ts-expect-error only birds have a wingspan
    zoo.collection(Animals).where((a) => a.Wingspan.gt(1)),
    // @ts-expect-error only birds have a wingspan
    zoo.collection(Animals).create({ Name: 'x', '@odata.type': '#Odd.Zoo.Animal', Wingspan: 1 }),
    // @ts-expect-error the key has two parts
    zoo.collection(Enclosures).key({ Wing: 'A' }),
    // @ts-expect-error Food is required
    zoo.collection(Animals).key(1).call(AnimalFeed, {}),
    // @ts-expect-error the parameters are required
    zoo.collection(Animals).key(1).call(AnimalFeed),
    // @ts-expect-error not bound to keepers
    zoo.collection(Keepers).key(1).call(AnimalFeed, { Food: 'x' }),
    // @ts-expect-error bound to a collection
    zoo.collection(Animals).key(1).call(AnimalCollectionGrown, { least: 1 }),
    // @ts-expect-error geographies are compared with null only
    zoo.collection(Samples).where((s) => s.Spot.eq('x')),
  ];
}

export const visit = async (zoo: DocketClient) => {
  const animals = zoo.collection(Animals);
  const enclosures = zoo.collection(Enclosures);
  await enclosures.create({ Wing: "A'/ä", Number: 1, Name: 'First' });
  const home = enclosures.key({ Wing: "A'/ä", Number: 1 });
  const bird = await animals.create({
    '@odata.type': '#Odd.Zoo.Bird',
    Name: 'Polly',
    Wingspan: 2.5,
    Diet: 'Meat',
    Skills: 'Runs,Flies',
    Born: '2020-02-29',
    Weight: 1.25,
    Nicknames: ['Po'],
    Habits: [{ Name: 'sings', Loud: true }],
    'Enclosure@odata.bind': home.reference,
  });
  const fish = await animals.create({
    '@odata.type': '#Odd.Zoo.Fish',
    Name: 'Wanda',
    Depth: 'Abyss',
  });
  const names = async (query: AsyncIterable<{ readonly Name: string }>) => {
    const all: string[] = [];
    for await (const { Name } of query) all.push(Name);
    return all;
  };
  await animals.key(bird.Id).call(AnimalFeed, { Food: "Fish & 'chips'" });
  const fed = await animals.key(bird.Id).get((a) => a.expand('Notes'));
  const moved = await animals
    .key(fish.Id)
    .call(AnimalMove, { To: { '@odata.id': home.reference } });
  await zoo.collection(AllSpecies).create({ Latin: 'Ara / 100% "x"', Title: 'Macaw' });
  const species = zoo.collection(AllSpecies).key('Ara / 100% "x"');
  const moment = new Date('2026-01-02T03:04:05.000Z');
  const sample = {
    Tag: '01234567-89ab-cdef-0123-456789abcdef',
    Day: '2026-01-02',
    Moment: moment,
    Clock: '03:04:05.678',
    Span: 'PT1H',
    Bytes: 'AQID',
    Numbers: [1, 2],
    Amounts: [1.5],
    Spot: { type: 'Point', coordinates: [5, 52] },
    Double: -Infinity,
  };
  const invalidDate = await zoo
    .collection(Samples)
    .create({ Moment: new Date('tomorrow') })
    .catch((error: Error) => error.message);
  await zoo.collection(Samples).create(sample);
  const matching = await zoo
    .collection(Samples)
    .where((s) => s.Tag.eq(sample.Tag).and(s.Day.eq(sample.Day)).and(s.Moment.eq(moment)))
    .where((s) => s.Clock.eq(sample.Clock).and(s.Span.eq(sample.Span)).and(s.Bytes.ne(null)))
    .where((s) =>
      s.Numbers.any((n) => n.gt(1))
        .and(s.Spot.ne(null))
        .and(s.Day.eq(moment)),
    )
    .count();
  await zoo.collection(Oddities).create({ Name: 'Open', Height: 3, Colour: "r'ed" });
  const open = zoo.collection(Oddities).where((o) => o.$property('Colour').eq("r'ed"));
  return {
    derived: bird['@odata.type'],
    enumeration: await names(animals.where((a) => a.Diet.eq('Meat'))),
    flags: await names(animals.where((a) => a.Skills.has('Flies'))),
    cast: await names(animals.where((a) => a.$as(BirdInfo).Wingspan.gt(2))),
    birds: (await animals.as(BirdInfo).toArray()).map(({ Wingspan }) => Wingspan),
    path: await names(animals.where((a) => a.Enclosure.Name.eq('First').and(a.Mother.$eq(null)))),
    values: await names(animals.where((a) => a.Nicknames.any((n) => n.eq('Po')))),
    nested: await names(
      animals.where((a) => a.Enclosure.Animals.any((b) => b.Habits.all((h) => h.Name.ne(a.Name)))),
    ),
    fed: [fed.Remark, fed.Notes.length],
    moved: moved?.Name,
    weighed: await animals.key({ Number: fish.Number ?? 0 }).call(AnimalWeigh, { Weight: 2.5 }),
    grown: (await animals.call(AnimalCollectionGrown, { least: 2 })).map(({ Name }) => Name),
    sum: [await zoo.call(Sum, { a: 1.5, b: 2 }), await zoo.call(Sum, { a: -1 })],
    self: await zoo.call(Self),
    mascot: zoo.single(Mascot).reference,
    species: (await species.get()).Title,
    matching,
    infinite: await zoo
      .collection(Samples)
      .where((s) => s.Double.eq(-Infinity))
      .count(),
    invalidDate,
    open: (await open.first())?.Name,
  };
};
