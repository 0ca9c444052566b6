// This file makes the matrix of the walk: for one account every set, every method and every way to reach a record, with what the truth
// says of the answer. It is long because it is one list of ways; each is a few lines.
import {
  type EntitySet,
  type EntityType,
  entityType,
  type Member,
  type Model,
  type Navigation,
  type Property,
} from '../../src/edm/model.ts';
import { NO_KEY, type Row, WORD } from './data.ts';
import { RECORDED, simple, type Truth } from './truth.ts';

/** What must be true of an answer. */
interface Expected {
  /** Exactly these records, where it lists any. */
  readonly uids?: ReadonlySet<number>;
  /** No other records than these, where it lists any. */
  readonly within?: ReadonlySet<number>;
  /** The number that it gives. */
  readonly count?: number;
  /** The number that it gives is at most this. */
  readonly atMost?: number;
  /** The same request for what is not there: it must be answered alike. */
  readonly like?: Ask;
  /** It must not succeed. */
  readonly refused?: true;
}

export interface Ask {
  readonly way: string;
  readonly method: string;
  /** Below the service root, with its query. */
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

export interface Step extends Ask {
  /** One of many navigations is tried. */
  readonly ofNavigation?: true;
  readonly expected: Expected;
}

/** What the ways need to know. */
export interface Ground {
  readonly model: Model;
  readonly truth: Truth;
  readonly rows: readonly Row[];
  /** Keys of the records that a navigation leads to: `ServiceRequests(7)/Caller`. */
  readonly linked: ReadonlyMap<string, readonly number[]>;
}

/** Everything that is asked in the name of the account. */
export function* walkSteps(ground: Ground): Generator<Step> {
  for (const set of setsOf(ground)) {
    for (const step of setSteps(ground, set))
      yield set.administrative === true && !OWN_RECORDS.has(set.name) ? refused(step) : step;
  }
  yield* spanningSteps(ground);
}

/** All sets; what the service itself writes down as it is asked is left out for those who may read it. */
function setsOf({ model, truth }: Ground): readonly EntitySet[] {
  return [...model.sets.values()].filter(
    (set) => set.kind === 'set' && !(set.grantable === true && truth.mayAudit()),
  );
}

/** The sets of the engine in which every account sees its own records. In the walk, nobody has any. */
const OWN_RECORDS: ReadonlySet<string> = new Set([
  'Sessions',
  'ApiKeys',
  'ConsoleViews',
  'ConsoleDashboards',
]);

/** What belongs to the engine is for administrators alone. */
function refused(step: Step): Step {
  return { ...step, expected: { ...step.expected, refused: true } };
}

// ---- a set ----------------------------------------------------------------------------------------------------------

interface Place {
  readonly set: EntitySet;
  readonly type: EntityType;
  readonly rows: readonly Row[];
  readonly seen: ReadonlySet<number>;
}

function* setSteps(ground: Ground, set: EntitySet): Generator<Step> {
  const { truth, model } = ground;
  const rows = ground.rows.filter(({ place }) => place === set.name);
  const seen = uidsOf(rows.filter((row) => truth.sees(row)));
  const place = { set, type: entityType(model, set.type), rows, seen };
  yield* listSteps(ground, place);
  yield* hiddenMemberSteps(ground, place);
  for (const row of samples(ground, place)) {
    yield* rowSteps(ground, place, row);
    yield* writeSteps(ground, place, row);
  }
  for (const navigation of navigationsOf(ground, place)) {
    for (const step of navigationSteps(ground, place, navigation))
      yield { ...step, ofNavigation: true };
  }
  yield* createSteps(ground, place);
}

/** One that can be seen and one that cannot. */
function samples({ truth }: Ground, { rows }: Place): readonly Row[] {
  const visible = rows.find((row) => truth.sees(row));
  const hidden = rows.find((row) => !truth.sees(row));
  return [visible, hidden].filter((row) => row !== undefined);
}

function* listSteps({ model }: Ground, { set, type, rows, seen }: Place): Generator<Step> {
  const { name } = set;
  const all = { expected: { uids: seen, count: seen.size } };
  yield get('list', `${name}?$count=true`, all.expected);
  yield get('list of part', `${name}?$select=Uid&$top=50`, { uids: seen });
  yield get('page', `${name}?$top=2&$count=true`, { within: seen, count: seen.size });
  yield get('number', `${name}/$count`, { count: seen.size });
  yield get('references', `${name}/$ref`, { within: seen });
  yield get('index', `${name}?$orderby=Uid desc&$skip=1`, { within: seen });
  yield get('aggregate', `${name}?$apply=aggregate($count as N)`, { count: seen.size });
  yield get('groups', `${name}?$apply=groupby((Uid))`, { uids: seen });
  yield get('computed', `${name}?$compute=Uid add 0 as Own&$select=Own`, { atMost: seen.size });
  yield get('filter segment', `${name}/$filter(@f)?@f=Uid gt 0`, { uids: seen });
  yield get('negation', `${name}?$filter=not (Uid eq 0)`, { uids: seen });
  yield get('search', `${name}?$search=${WORD}`, { within: seen });
  yield get('full metadata', `${name}`, { uids: seen }, { accept: FULL });
  yield get('Atom', name, { within: seen }, { accept: 'application/xml' });
  yield get('tracked', name, { uids: seen }, { prefer: 'odata.track-changes' });
  yield { ...get('HEAD', name, {}), method: 'HEAD' };
  yield {
    ...ask('query in a body', 'POST', `${name}/$query`),
    ...text('$filter=Uid gt 0'),
    expected: { uids: seen },
  };
  yield batched(get('batch', `${name}?$select=Uid`, { uids: seen }));
  yield get('concat', `${name}?$apply=concat(aggregate($count as N),filter(Uid lt 0))`, {
    count: seen.size,
  });
  if (rows.some(({ values }) => values.Folder !== undefined)) {
    for (const folder of [190001, 190002, 190003]) {
      const inFolder = rows.filter(
        ({ uid, values }) => seen.has(uid) && Number(values.Folder) === folder,
      );
      yield get('folder', `${name}?$filter=Folder/Value eq ${folder}`, { uids: uidsOf(inFolder) });
    }
  }
  for (const property of textsOf(model, type).slice(0, 2)) {
    yield get('filter', `${name}?$select=Uid&$filter=contains(${property},'${WORD}')`, {
      within: seen,
    });
    yield get('order', `${name}?$select=Uid&$orderby=${property} desc`, { within: seen });
    yield get('groups of texts', `${name}?$apply=groupby((${property}))`, { atMost: seen.size });
    yield get('greatest', `${name}?$apply=aggregate(${property} with max as M)`, {});
  }
}

const FULL = 'application/json;odata.metadata=full';

/** What no record shows to the account cannot be asked for in any way. */
function* hiddenMemberSteps({ truth, model }: Ground, place: Place): Generator<Step> {
  const { set, type, rows } = place;
  const shown = rows.find((row) => truth.sees(row));
  for (const name of truth.hiddenOf(simple(type.name))) {
    if (!truth.neverReads(simple(type.name), name) || shown === undefined) continue;
    const member = model.members(type).get(name);
    const refused = { refused: true } as const;
    const path = member === undefined ? name : pathInto(model, member);
    if (path === undefined) continue;
    yield get('hidden: expression', `${set.name}?$filter=${path} eq null`, refused);
    yield get('hidden: negation', `${set.name}?$filter=not (${path} ne null)`, refused);
    yield get('hidden: order', `${set.name}?$orderby=${path}`, refused);
    yield get('hidden: groups', `${set.name}?$apply=groupby((${path}))`, refused);
    yield get('hidden: computed', `${set.name}?$compute=${path} as X&$select=X`, refused);
    yield get('hidden: case', `${set.name}?$orderby=case(${path} eq null:1,true:2)`, refused);
    yield get('hidden: path', `${set.name}(${shown.uid})/${path}`, refused);
    yield get(
      'hidden: crossjoin',
      `$crossjoin(${set.name},Codes)?$filter=${set.name}/${path} eq null`,
      refused,
    );
    yield get('hidden: in a body', `${set.name}?$filter=${path} in (null)`, refused);
    if (member?.kind === 'property') {
      yield get('hidden: selected', `${set.name}?$select=${name}`, refused);
      yield get('hidden: value', `${set.name}(${shown.uid})/${path}/$value`, refused);
    } else {
      yield get('hidden: expanded', `${set.name}?$expand=${name}`, refused);
    }
  }
}

/** A path to a single value in the member. */
function pathInto(model: Model, member: Member): string | undefined {
  if (member.kind === 'navigation')
    return member.collection ? `${member.name}/$count` : member.name;
  if (member.collection) return undefined;
  const type = model.types.get(member.type);
  if (type?.kind !== 'complex') return member.name;
  const inner = [...model.members(type).values()].find(
    (one) => one.kind === 'property' && !one.collection && one.type.startsWith('Edm.'),
  );
  return inner === undefined ? undefined : `${member.name}/${inner.name}`;
}

// ---- a record -------------------------------------------------------------------------------------------------------

function* rowSteps({ truth, model }: Ground, { set, type }: Place, row: Row): Generator<Step> {
  const [one, none] = [`${set.name}(${row.uid})`, `${set.name}(${NO_KEY})`];
  const seen = truth.sees(row);
  const own = new Set(seen ? [row.uid] : []);
  const property = textsOf(model, type).find((name) => !seen || truth.reads(row, name));
  const reads: readonly (readonly [string, string, Expected])[] = [
    ['key', '', { uids: own }],
    ['reference', '/$ref', {}],
    ['rights', '/EffectiveRights()', {}],
    ['all of it', '?$expand=*', {}],
    ...(property === undefined
      ? []
      : ([
          ['property', `/${property}`, {}],
          ['raw value', `/${property}/$value`, {}],
        ] as const)),
  ];
  for (const [way, tail, expected] of reads) {
    const step = get(way, `${one}${tail}`, expected);
    yield seen ? step : alike(step, get(way, `${none}${tail}`, {}));
    if (way !== 'all of it')
      yield seen ? batched(step) : alike(batched(step), batched(get(way, `${none}${tail}`, {})));
  }
  const entity = get('$entity', `$entity?$id=${one}`, {});
  yield seen ? entity : alike(entity, get('$entity', `$entity?$id=${none}`, {}));
  const head = { ...get('HEAD of key', one, {}), method: 'HEAD' };
  yield seen ? head : alike(head, { ...ask('HEAD of key', 'HEAD', none) });
  yield get('key in a filter', `${set.name}/$count?$filter=Uid eq ${row.uid}`, { count: own.size });
  yield get('key in a list', `${set.name}?$filter=Uid in (${row.uid},${NO_KEY})`, { uids: own });
  yield get(
    'root in a filter',
    `Codes?$top=1&$filter=$root/${one}/Uid eq ${row.uid}`,
    seen ? {} : { within: new Set() },
  );
  const cached = get('known version', one, {}, { 'if-none-match': '*' });
  yield seen ? cached : alike(cached, get('known version', none, {}, { 'if-none-match': '*' }));
}

function* writeSteps({ truth, model }: Ground, { set, type }: Place, row: Row): Generator<Step> {
  const [one, none] = [`${set.name}(${row.uid})`, `${set.name}(${NO_KEY})`];
  const seen = truth.sees(row);
  const writes = [...textsOf(model, type), 'Blocked'].filter((name) =>
    isSettable(model, type, name),
  );
  const member = writes.find((name) => truth.sets(row, name)) ?? writes[0] ?? 'Uid';
  const value = member === 'Blocked' ? true : 'changed';
  const mayChange = truth.may('change', row) && truth.sets(row, member);
  const changes: readonly (readonly [string, string, string, unknown, boolean])[] = [
    ['change', 'PATCH', '', { [member]: value }, mayChange],
    [
      'replace',
      'PUT',
      '',
      { [member]: value },
      mayChange && writes.every((name) => truth.sets(row, name)),
    ],
    ['change of a property', 'PUT', `/${member}`, { value }, mayChange],
    ['delete of a property', 'DELETE', `/${member}`, undefined, mayChange],
    ['delete', 'DELETE', '', undefined, truth.may('delete', row)],
    ['bytes', 'PUT', '/$value', 'x', false],
  ];
  for (const [way, method, tail, body, may] of changes) {
    const step = write(way, method, `${one}${tail}`, body, may);
    const other = write(way, method, `${none}${tail}`, body, false);
    yield seen ? step : alike(step, other);
    yield seen ? batched(step) : alike(batched(step), batched(other));
    const matched = { headers: { ...step.headers, 'if-match': 'W/"77"' } };
    if (!seen) yield alike({ ...step, ...matched }, { ...other, ...matched });
  }
  for (const name of writes.filter((name) => seen && !truth.sets(row, name)).slice(0, 4)) {
    yield write('member', 'PATCH', one, { [name]: name === 'Blocked' ? true : 'changed' }, false);
  }
  const many = `${set.name}/$filter(@f)/$each?@f=Uid eq ${row.uid}`;
  if (!truth.changesMany() || (seen && !mayChange))
    yield write('each', 'PATCH', many, { [member]: value }, false);
}

/** Preferences that leave everything as it is. */
const DRY = { prefer: 'dry-run', 'odata-version': '4.01', 'odata-maxversion': '4.01' };

function write(way: string, method: string, url: string, body: unknown, may: boolean): Step {
  const step = {
    ...ask(way, method, url),
    headers: DRY,
    ...(body === undefined ? {} : { body }),
  };
  return { ...step, expected: may ? {} : { refused: true } };
}

function* createSteps(
  { truth, model, rows: all }: Ground,
  { set, type, rows }: Place,
): Generator<Step> {
  const sample: Row = { uid: 0, place: set.name, type: simple(type.name), values: {} };
  const required = [...model.members(type).values()].flatMap((member) =>
    member.kind === 'property' &&
    !member.nullable &&
    member.type === 'Edm.String' &&
    member.computed !== true
      ? [[member.name, 'made'] as const]
      : [],
  );
  const body = { ...Object.fromEntries(required), ...(required.length === 0 ? {} : {}) };
  const may = truth.mayCreate(sample);
  yield write('create', 'POST', set.name, body, may);
  yield batched(write('create', 'POST', set.name, body, may));
  yield write('upsert', 'PATCH', `${set.name}(${NO_KEY})`, body, false);
  for (const member of model.members(type).values()) {
    if (member.kind !== 'navigation' || member.contained || member.computed === true) continue;
    const target = set.bindings[member.name];
    const hidden = all.find((row) => row.place === target && !truth.sees(row));
    if (target === undefined || hidden === undefined || rows.length === 0) continue;
    const bind = (uid: number) => {
      const url = `${target}(${uid})`;
      return { ...body, [`${member.name}@odata.bind`]: member.collection ? [url] : url };
    };
    const step = write('bind', 'POST', set.name, bind(hidden.uid), false);
    yield alike(step, write('bind', 'POST', set.name, bind(NO_KEY), false));
  }
}

// ---- a navigation ---------------------------------------------------------------------------------------------------

function navigationsOf({ model }: Ground, { type }: Place): readonly Navigation[] {
  return [...model.members(type).values()].filter((member) => member.kind === 'navigation');
}

function* navigationSteps(ground: Ground, place: Place, navigation: Navigation): Generator<Step> {
  const { truth, rows: all, linked } = ground;
  const { set, rows } = place;
  const { name, collection } = navigation;
  const visible = new Set(all.filter((row) => truth.sees(row)).map(({ uid }) => uid));
  const leadsTo = (row: Row) =>
    (linked.get(`${set.name}(${row.uid})/${name}`) ?? []).filter((uid) => visible.has(uid));
  const shown = rows.filter((row) => visible.has(row.uid));
  const finding = uidsOf(shown.filter((row) => leadsTo(row).length > 0));
  const inner = leadsToText(ground, navigation);
  yield get('expanded', `${set.name}?$select=Uid&$expand=${name}`, {});
  yield get('expanded references', `${set.name}?$select=Uid&$expand=${name}/$ref`, {});
  yield get('$apply over', `${set.name}?$apply=groupby((${name}/Uid))`, {});
  if (collection) {
    const total = shown.reduce((sum, row) => sum + leadsTo(row).length, 0);
    // A record that several lead to is aggregated once.
    const targets = new Set(shown.flatMap(leadsTo)).size;
    yield get('lambda', `${set.name}?$select=Uid&$filter=${name}/any()`, { uids: finding });
    yield get('count in a filter', `${set.name}?$select=Uid&$filter=${name}/$count gt 0`, {
      uids: finding,
    });
    yield get('order by number', `${set.name}?$orderby=${name}/$count desc&$select=Uid`, {
      within: visible,
    });
    yield get('nested number', `${set.name}?$select=Uid&$expand=${name}/$count`, { atMost: total });
    yield get('sum over', `${set.name}?$apply=aggregate(${name}/$count as N)`, { count: targets });
    if (inner !== undefined) {
      const lambda = `${name}/any(x:contains(x/${inner},'${WORD}'))`;
      yield get('lambda over text', `${set.name}?$select=Uid&$filter=${lambda}`, {
        within: finding,
      });
    }
  } else {
    yield get('path in a filter', `${set.name}?$select=Uid&$filter=${name}/Uid gt 0`, {
      uids: finding,
    });
    // That a person has an account is shown with its name.
    const isThere = (row: Row) => (linked.get(`${set.name}(${row.uid})/${name}`) ?? []).length > 0;
    const known = simple(navigation.target) === 'Account' && set.administrative !== true;
    yield get('null in a filter', `${set.name}?$select=Uid&$filter=${name} ne null`, {
      uids: known ? uidsOf(shown.filter(isThere)) : finding,
    });
    if (inner !== undefined) {
      yield get(
        'path to text',
        `${set.name}?$select=Uid&$filter=contains(${name}/${inner},'${WORD}')`,
        { within: finding },
      );
      yield get('order by path', `${set.name}?$select=Uid&$orderby=${name}/${inner}`, {
        within: visible,
      });
      yield get('computed path', `${set.name}?$compute=${name}/${inner} as X&$select=Uid,X`, {});
    }
  }
  for (const row of samples(ground, place)) {
    const path = `${set.name}(${row.uid})/${name}`;
    const seen = visible.has(row.uid);
    const targets = new Set(seen ? leadsTo(row) : []);
    const none = `${set.name}(${NO_KEY})/${name}`;
    const step = get('related', `${path}?$select=Uid`, { uids: targets });
    yield seen ? step : alike(step, get('related', `${none}?$select=Uid`, {}));
    const references = get('related references', `${path}/$ref`, {});
    yield seen ? references : alike(references, get('related references', `${none}/$ref`, {}));
    if (collection) yield get('related number', `${path}/$count`, { count: targets.size });
    yield* relationSteps(ground, place, row, navigation);
  }
}

function* relationSteps(
  { truth, linked, rows, model }: Ground,
  { set, type }: Place,
  row: Row,
  navigation: Navigation,
): Generator<Step> {
  const { name, collection } = navigation;
  const path = `${set.name}(${row.uid})/${name}`;
  const hidden = (linked.get(path) ?? []).find((uid) => {
    const target = rows.find((one) => one.uid === uid);
    return target !== undefined && !truth.sees(target);
  });
  if (collection && hidden !== undefined && truth.sees(row)) {
    yield alike(
      get('related by key', `${path}(${hidden})`, {}),
      get('related by key', `${path}(${NO_KEY})`, {}),
    );
    const gone = (uid: number) =>
      write('related away', 'DELETE', `${path}(${uid})`, undefined, false);
    if (navigation.contained) yield alike(gone(hidden), gone(NO_KEY));
  }
  if (isFile(model, navigation)) yield* fileSteps(truth, path, linked.get(path) ?? [], row);
  if (navigation.contained) {
    if (name === 'HistoryLines') yield* recordedSteps(truth, rows, row, set.name);
    yield write(
      'deep insert',
      'POST',
      path,
      deepBody(model, navigation),
      mayInsert(truth, row, navigation),
    );
    return;
  }
  const may = truth.may('change', row) && truth.sets(row, name);
  const target = set.bindings[name];
  const other = rows.find((one) => one.place === target && !truth.sees(one));
  if (target !== undefined && other !== undefined) {
    const body = { '@id': `${target}(${other.uid})` };
    const none = { '@id': `${target}(${NO_KEY})` };
    const method = collection ? 'POST' : 'PUT';
    yield alike(
      write('relate', method, `${path}/$ref`, body, false),
      write('relate', method, `${path}/$ref`, none, false),
    );
  }
  if (!may && !collection && type.kind === 'entity') {
    yield write('unrelate', 'DELETE', `${path}/$ref`, undefined, false);
  }
}

/** What the service has written is read-only, for those who may change the record and all of its lines too. */
function* recordedSteps(
  truth: Truth,
  rows: readonly Row[],
  row: Row,
  set: string,
): Generator<Step> {
  const line = rows.find((one) => one.parent === row && truth.isRecorded(one));
  if (line === undefined) return;
  const [record, lines] = [`${set}(${row.uid})`, `${set}(${row.uid})/HistoryLines`];
  const path = `${lines}(${line.uid})`;
  const [forged, kept] = [{ Subject: 'forged' }, { '@id': path }];
  const gone = { '@removed': { reason: 'deleted' }, ...kept };
  const tries: readonly (readonly [string, string, unknown])[] = [
    ['PATCH', path, forged],
    ['PATCH', path, { Kind: { Value: 202002 } }],
    ['PUT', path, forged],
    ['DELETE', path, undefined],
    ['PUT', `${path}/Subject`, { value: 'forged' }],
    ['DELETE', `${path}/Subject`, undefined],
    ['PATCH', `${path}/Kind`, { Value: 202002 }],
    ['PATCH', `${lines}/$each`, forged],
    ['DELETE', `${lines}/$each`, undefined],
    ['PATCH', lines, { '@context': '#$delta', value: [{ ...kept, ...forged }] }],
    ['PATCH', lines, { '@context': '#$delta', value: [gone] }],
    ['PATCH', record, { 'HistoryLines@delta': [gone] }],
    ['PATCH', record, { HistoryLines: [{ ...kept, ...forged }] }],
  ];
  for (const [method, url, body] of tries) {
    const step = write('recorded', method, url, body, false);
    yield step;
    yield batched(step);
  }
  for (const Value of RECORDED) {
    const body = { ...forged, Kind: { Value } };
    yield write('recorded kind', 'POST', lines, body, false);
    yield write('recorded kind', 'PATCH', record, { 'HistoryLines@delta': [body] }, false);
  }
  const headers = { ...DRY, 'content-type': 'text/plain' };
  yield { ...write('recorded', 'POST', `${path}/Attachments`, 'x', false), headers };
}

function isFile(model: Model, { contained, target }: Navigation): boolean {
  return contained && entityType(model, target).hasStream === true;
}

/** Bytes are reached by who may see the record, and put by who may attach to it. */
function* fileSteps(
  truth: Truth,
  path: string,
  files: readonly number[],
  row: Row,
): Generator<Step> {
  const none = path.replace(/\(\d+\)/, `(${NO_KEY})`);
  for (const file of files.slice(0, 1)) {
    const [bytes, missing] = [`${path}(${file})/$value`, `${none}(${file})/$value`];
    if (!truth.sees(row)) {
      yield alike(get('bytes of a file', bytes, {}), get('bytes of a file', missing, {}));
      yield alike(
        write('file away', 'DELETE', `${path}(${file})`, undefined, false),
        write('file away', 'DELETE', `${none}(${file})`, undefined, false),
      );
    }
    if (truth.may('attach', row)) continue;
    yield write('file away', 'DELETE', `${path}(${file})`, undefined, false);
    yield {
      ...write('bytes put', 'PUT', bytes, 'x', false),
      headers: { ...DRY, 'content-type': 'text/plain' },
    };
  }
}

function mayInsert(truth: Truth, row: Row, { target }: Navigation): boolean {
  const type = simple(target);
  const child: Row = { uid: 0, place: '', type, parent: row, values: {} };
  return (
    truth.sees(row) && (type === 'Attachment' ? truth.may('attach', row) : truth.mayCreate(child))
  );
}

function deepBody(model: Model, { target }: Navigation): object {
  const [first] = textsOf(model, entityType(model, target));
  return first === undefined ? {} : { [first]: 'made' };
}

// ---- over all sets --------------------------------------------------------------------------------------------------

function* spanningSteps(ground: Ground): Generator<Step> {
  const { truth, rows } = ground;
  const seen = uidsOf(rows.filter((row) => truth.sees(row)));
  yield get('$all', '$all', { within: seen });
  yield get('$all counted', '$all?$count=true&$top=0', {});
  yield get('Me', 'Me', { within: seen });
  yield get('service document', '', {});
  const sets = setsOf(ground);
  for (const [index, set] of sets.entries()) {
    const other = sets[(index + 1) % sets.length];
    if (other === undefined) continue;
    const number = (name: string) =>
      rows.filter((row) => row.place === name && truth.sees(row)).length;
    const count = number(set.name) * number(other.name);
    const pair = `$crossjoin(${set.name},${other.name})`;
    yield get('crossjoin', `${pair}?$count=true&$top=3`, { count });
    yield get('crossjoin', `${pair}?$expand=${set.name}&$top=3`, {});
    yield get('crossjoin', `${pair}?$filter=${set.name}/Uid ne ${other.name}/Uid&$count=true`, {
      count,
    });
    yield get('$all of a type', `$all/${set.type}`, { within: seen });
  }
}

// ---- requests -------------------------------------------------------------------------------------------------------

function ask(way: string, method: string, url: string): Ask {
  return { way, method, url };
}

function get(way: string, url: string, expected: Expected, headers?: Ask['headers']): Step {
  return { ...ask(way, 'GET', url), expected, ...(headers === undefined ? {} : { headers }) };
}

function alike(step: Step, like: Ask): Step {
  return { ...step, expected: { ...step.expected, refused: true, like } };
}

function text(body: string): Pick<Ask, 'body' | 'headers'> {
  return { body, headers: { 'content-type': 'text/plain' } };
}

/** The request as the one part of a batch. */
function batched(step: Step): Step {
  const { way, method, url, headers, body, expected } = step;
  const part = {
    id: '1',
    method: method.toLowerCase(),
    url,
    headers: headers ?? {},
    ...(body === undefined ? {} : { body }),
  };
  return {
    ...ask(`batch: ${way}`, 'POST', '$batch'),
    headers: { 'content-type': 'application/json' },
    body: { requests: [part] },
    expected,
  };
}

// ---- members --------------------------------------------------------------------------------------------------------

/** Texts that are filtered and sorted by; of those that identify, the name comes first. */
function textsOf(model: Model, type: EntityType): readonly string[] {
  return [...model.members(type).values()]
    .filter(
      (member): member is Property =>
        member.kind === 'property' && member.type === 'Edm.String' && !member.collection,
    )
    .map(({ name }) => name);
}

function isSettable(model: Model, type: EntityType, name: string): boolean {
  const member = model.members(type).get(name);
  return member?.kind === 'property' && member.computed !== true && member.immutable !== true;
}

function leadsToText({ truth, model }: Ground, { target }: Navigation): string | undefined {
  const type = entityType(model, target);
  const hidden = new Set(truth.hiddenOf(simple(type.name)));
  return textsOf(model, type).find((name) => !hidden.has(name));
}

function uidsOf(rows: readonly Row[]): ReadonlySet<number> {
  return new Set(rows.map(({ uid }) => uid));
}
