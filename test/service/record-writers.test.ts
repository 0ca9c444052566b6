// This file sends the same reads to a service whose database writes the JSON of each record, and to one that writes it from columns. The
// responses must be the same bytes.

import { describe, expect, test } from 'vitest';
import type { Dialect } from '../../src/sql/dialect/dialect.ts';
import { InstalledCodes } from '../../src/store/codes/code-catalog.ts';
import type { Desk } from '../journeys/desk.ts';
import { sampleSize } from '../sample-size.ts';
import { type Difference, difference, isSame, Party } from './plan-cache/compare.ts';
import { DESK_ACCOUNTS, openVariedDesk } from './plan-cache/desk.ts';
import { DESK_READS } from './plan-cache/desk-reads.ts';
import { Random } from './plan-cache/random.ts';
import { type Asked, ask, mixed, type Template } from './plan-cache/template.ts';
import { openVariedZoo, ZOO_ACCOUNTS } from './plan-cache/zoo.ts';
import { ZOO_READS } from './plan-cache/zoo-reads.ts';

/** Requests of each template. RECORDS=50 SEED=7 searches longer, with other literals. */
const TIMES = Number(process.env.RECORDS ?? sampleSize(3, 6));
const SEED = Number(process.env.SEED ?? 1);
/** Each URL is sent in one of so many formats. */
const EVERY = sampleSize(3, 1);
/** Differences after which the comparison ends. */
const ENOUGH = 10;

const LEVELS = ['none', 'minimal', 'full'];
const FORMATS = ['', ';IEEE754Compatible=true', ';ExponentialDecimals=true'];
const VERSIONS = ['4.0', '4.01'];
const PREFERENCES = ['', 'omit-values=nulls', 'omit-values=defaults'];
const LANGUAGES = ['en', 'nl', 'de'];

type Headers = Readonly<Record<string, string>>;

function headersOf(
  level: string,
  format: string,
  version: string,
  prefer: string,
  language: string,
): Headers {
  return {
    accept: `application/json;odata.metadata=${level}${format}`,
    'odata-maxversion': version,
    'accept-language': language,
    ...(prefer === '' ? {} : { prefer }),
  };
}

const randomHeaders = (random: Random): Headers =>
  headersOf(
    random.pick(LEVELS),
    random.pick(FORMATS),
    random.pick(VERSIONS),
    random.pick(PREFERENCES),
    random.pick(LANGUAGES),
  );

/** Each level in each format, with the other headers in turn. */
const ALL_HEADERS: readonly Headers[] = [
  { accept: 'application/atom+xml' },
  ...LEVELS.flatMap((level, one) =>
    FORMATS.map((format, other) => {
      const turn = (one + other) % 3;
      const version = VERSIONS[other % 2] ?? '4.0';
      return headersOf(level, format, version, PREFERENCES[turn] ?? '', LANGUAGES[turn] ?? 'en');
    }),
  ),
];

function writtenBy(
  recordsWrittenBy: Dialect['json']['recordsWrittenBy'],
  service: Desk['service'],
): Desk['service'] {
  const { dialect } = service;
  return { ...service, dialect: { ...dialect, json: { ...dialect.json, recordsWrittenBy } } };
}

/** The service with the texts of codes in its statements and templates, as `docket serve` has them. */
async function withCodeTexts(service: Desk['service']): Promise<Desk['service']> {
  const { catalog } = await InstalledCodes.read(service.database, service.layout);
  return { ...service, layout: { ...service.layout, codeTexts: catalog.texts } };
}

/** Two services over the same records, of which the second one writes them itself. */
class Comparison {
  readonly party: Party;
  readonly #columns: Desk['service'];
  readonly differences: Difference[] = [];
  asked = 0;
  /** Responses with records. */
  found = 0;

  constructor(service: Desk['service'], principals: ConstructorParameters<typeof Party>[1]) {
    this.party = new Party(writtenBy('database', service), principals);
    this.#columns = writtenBy('service', service);
  }

  get isOver(): boolean {
    return this.differences.length >= ENOUGH;
  }

  /** Sends the request to both, and then follows its next and delta links. */
  async send(asked: Asked, depth = 0): Promise<string | undefined> {
    const database = await this.party.ask(asked);
    const service = await this.party.ask(asked, this.#columns);
    this.asked++;
    if (database.status === 200 && /"\w+":/.test(database.body ?? '')) this.found++;
    if (!isSame(database, service)) this.differences.push(difference([asked], database, service));
    const next = /"@(?:odata\.)?(?:next|delta)Link":"[^"]*?\/odata\/([^"]*)"/.exec(
      database.body ?? '',
    );
    if (next?.[1] !== undefined && asked.method === 'GET' && depth < 2)
      await this.send({ ...asked, url: next[1] }, depth + 1);
    return database.headers.ETag;
  }

  async sendAll(templates: readonly Template[], accounts: readonly string[]): Promise<void> {
    const random = new Random(SEED);
    for (const { template, number, account } of mixed(templates, accounts, random, TIMES)) {
      if (this.isOver) return;
      const asked = ask(template, number, account, random);
      const headers = { ...randomHeaders(random), ...asked.headers };
      random.etag = (await this.send({ ...asked, headers })) ?? random.etag;
    }
  }

  /** Sends the URLs in every format, or in most runs each in a third of the formats, in turn. */
  async sendEach(urls: readonly string[], accounts: readonly string[]): Promise<void> {
    for (const [number, url] of urls.entries()) {
      for (const [place, headers] of ALL_HEADERS.entries()) {
        if ((number + place) % EVERY !== 0) continue;
        for (const account of new Set(accounts)) {
          if (this.isOver) return;
          await this.send({ template: 0, account, method: 'GET', url, headers });
        }
      }
    }
  }

  check(least: number): void {
    expect(this.differences).toEqual([]);
    expect(this.party.failures).toEqual([]);
    expect(this.found).toBeGreaterThan(least);
  }
}

const DESK_URLS = [
  'ServiceRequests?$top=5&$count=true',
  'ServiceRequests?$top=2&$expand=*',
  'ServiceRequests?$top=3&$expand=Caller($expand=*),HistoryLines($count=true;$top=1),Workorders/$count',
  'ServiceRequests?$top=5&$select=Status/Text,Priority/Value,Registration,ID&$compute=ID mul 2 as Twice',
  'ServiceRequests?$filter=ID lt 0&$count=true',
  'ServiceRequests/$ref?$top=3',
  'Persons?$top=5&$expand=*',
  'Workorders?$top=5&$expand=*($levels=2)',
  'ServiceRequests?$apply=groupby((Status/Value,Caller/Name),aggregate($count as Total,ID with average as Mean))',
];

const ZOO_SETS = [
  'Animals',
  'Samples',
  'Keepers',
  'Enclosures',
  'AllSpecies',
  'Oddities',
  'Passports',
  'Director',
];

const ZOO_URLS = [
  ...ZOO_SETS.flatMap((set) => [
    set,
    `${set}?$expand=*`,
    `${set}?$select=*&$expand=*/$ref`,
    `${set}?$expand=*($levels=2)&$count=true`,
  ]),
  'Animals/Odd.Zoo.Bird',
  'Animals?$select=Name,Care/Mood,Care/Room,Habits,Nicknames&$expand=Keepers($count=true;$top=1)',
  'Animals?$select=Habits($filter=TimesADay gt 1;$orderby=Name desc;$top=1),Nicknames($top=1)',
  'Animals?$compute=Weight div 0 as Fails',
  'Animals?$compute=Weight mul 2 as Double,concat(Name,\'"x"\') as Quoted&$select=Double,Quoted',
  'Animals?$apply=groupby((Diet,Species/Title),aggregate(Weight with sum as Total,$count as N))',
  'Oddities?$select=Name,Legs,Big,Colour',
  '$crossjoin(Animals,Keepers)?$expand=Animals($select=Name),Keepers&$top=4',
  '$all?$top=6',
];

describe('records written by the service', { timeout: 300_000 }, () => {
  test('are those that the database writes, in every format', async () => {
    const desk = await openVariedDesk(0);
    const comparison = new Comparison(await withCodeTexts(desk.desk.service), desk.principals);
    await comparison.sendEach(DESK_URLS, ['admin', 'agent', 'reader']);
    comparison.check(200 / EVERY);
    await desk.desk.close();
    const zoo = await openVariedZoo();
    const other = new Comparison(await withCodeTexts(zoo.desk.service), zoo.principals);
    await other.sendEach(ZOO_URLS, ZOO_ACCOUNTS);
    other.check(1000 / EVERY);
    await zoo.desk.close();
  });

  test('are those that the database writes, for requests of all kinds', async () => {
    const desk = await openVariedDesk(0);
    const comparison = new Comparison(await withCodeTexts(desk.desk.service), desk.principals);
    await comparison.sendAll(DESK_READS, DESK_ACCOUNTS);
    comparison.check(500);
    await desk.desk.close();
    const zoo = await openVariedZoo();
    const other = new Comparison(await withCodeTexts(zoo.desk.service), zoo.principals);
    await other.sendAll(ZOO_READS, ZOO_ACCOUNTS);
    other.check(300);
    await zoo.desk.close();
  });
});
