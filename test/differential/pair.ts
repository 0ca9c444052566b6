// This file opens the same installation on SQLite and on PostgreSQL, sends each request to both, and compares responses and stored rows.
import type { Principal } from '../../src/access/principal.ts';
import type { Desk } from '../journeys/desk.ts';
import { postgresUrl } from '../postgres.ts';
import { describeRequest, isSame, Party } from '../service/plan-cache/compare.ts';
import type { Asked } from '../service/plan-cache/template.ts';

interface Opened {
  readonly desk: Desk;
  readonly principals: ReadonlyMap<string, Principal>;
}

/** Opens an installation with a database: the URL of one of PostgreSQL, or SQLite if undefined. */
export type Open = (database: string | undefined) => Promise<Opened>;

type Shown = Awaited<ReturnType<Party['ask']>>;

export interface Pair {
  readonly desks: readonly [sqlite: Desk, postgres: Desk];
  readonly parties: readonly [sqlite: Party, postgres: Party];
}

export async function openPair(open: Open): Promise<Pair> {
  const [sqlite, postgres] = [await open(undefined), await open(await postgresUrl())];
  const party = ({ desk, principals }: Opened) => new Party(desk.service, principals);
  return { desks: [sqlite.desk, postgres.desk], parties: [party(sqlite), party(postgres)] };
}

export async function closePair({ desks }: Pair): Promise<void> {
  for (const desk of desks) await desk.close();
}

/** A request to both. Links of responses contain the numbers of changes, so each is followed in its own form. */
export type AskedPair = readonly [sqlite: Asked, postgres: Asked];

export interface Compared {
  /** The response of SQLite. */
  readonly shown: Shown;
  readonly difference: string | undefined;
  /** Whether one of them rejected a calculation that the other did not carry out, since it looked at fewer rows. */
  readonly failedOnce: boolean;
  /** The next request, if the response has a next or delta link. */
  readonly next: AskedPair | undefined;
}

/** Sends a request to both. */
export async function askBoth({ parties }: Pair, asked: Asked | AskedPair): Promise<Compared> {
  const requests: AskedPair = 'url' in asked ? [asked, asked] : asked;
  const failures = parties.map((party) => party.failures.length);
  const [shown, other] = await Promise.all([
    parties[0].ask(requests[0]),
    parties[1].ask(requests[1]),
  ]);
  const reported = parties.flatMap((party, index) => party.failures.slice(failures[index]));
  const hasDistance = requests[0].url.includes('geo.');
  const [left, right] = [comparable(shown, hasDistance), comparable(other, hasDistance)];
  const isEqual = isSame(left, right) && reported.length === 0;
  const difference = isEqual
    ? undefined
    : [describeRequest(requests[0]), ...differing(left, right), ...reported].join('\n');
  const failedOnce =
    reported.length === 0 &&
    (isCalculationError(shown) !== isCalculationError(other) || hasCalculatedPattern(other));
  return { shown, difference, failedOnce, next: nextOf(requests, shown, other) };
}

/** Which rows a database calculates is its own choice: those of a result without rows, of constants, or after the end of a page. */
function isCalculationError({ status, body }: Shown): boolean {
  return status === 400 && /sql\.(?:overflow|pattern|division-by-zero)/.test(body ?? '');
}

/** PostgreSQL translates patterns before the statement runs, so it has none that are calculated. */
function hasCalculatedPattern({ status, body }: Shown): boolean {
  return status === 501 && body?.includes('matchesPattern') === true;
}

function nextOf(
  [asked, same]: AskedPair,
  ...shown: readonly [Shown, Shown]
): AskedPair | undefined {
  const [left, right] = shown.map(({ body }) => LINK.exec(body ?? '')?.[1]);
  if (asked.method !== 'GET' || left === undefined || right === undefined) return undefined;
  return [
    { ...asked, url: left },
    { ...same, url: right },
  ];
}

const LINK = /"@(?:odata\.)?(?:next|delta)Link":"[^"]*?\/odata\/([^"]*)"/;

/**
 * A rolled back transaction leaves a gap in the numbers of changes on PostgreSQL, which delta links contain. Of several violated unique keys
 * the databases name different ones. Distances on a sphere differ by up to 1e-12 (docs/databases.md).
 */
function comparable({ body, ...rest }: Shown, hasDistance: boolean): Shown {
  const withoutNumbers = body
    ?.replaceAll(/(deltatoken=[^"&]*\.)\d+/g, '$1')
    .replaceAll(/("code":"store\.unique")[^}]*/g, '$1');
  const rounded = withoutNumbers?.replaceAll(/\d+\.\d+/g, (text) => Number(text).toPrecision(12));
  return { ...rest, body: hasDistance ? rounded : withoutNumbers };
}

/** The members of two responses that differ, the bodies from shortly before the first different character. */
function differing(sqlite: Shown, postgres: Shown): readonly string[] {
  const names = (['status', 'headers', 'body'] as const).filter(
    (name) => !isSame(sqlite[name], postgres[name]),
  );
  return names.flatMap((name) => {
    const [left, right] = [sqlite, postgres].map((one) => JSON.stringify(one[name]) ?? '');
    const from = Math.max(0, commonLength(left ?? '', right ?? '') - 60);
    return [
      `  sqlite   ${name} ${left?.slice(from, from + 300)}`,
      `  postgres ${name} ${right?.slice(from, from + 300)}`,
    ];
  });
}

function commonLength(left: string, right: string): number {
  let at = 0;
  while (at < left.length && left[at] === right[at]) at++;
  return at;
}
