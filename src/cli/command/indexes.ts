// The commands `docket index list`, `docket index add` and `docket index drop`.

import { counted } from '../../base/counted.ts';
import { Fault } from '../../base/fault.ts';
import { didYouMean } from '../../base/nearest-name.ts';
import { lintIndex } from '../../edm/lint/indexes.ts';
import type { EntityType } from '../../edm/model.ts';
import {
  adjustLayout,
  type IndexAdjustments,
  type IndexPurpose,
  indexName,
  purposeOf,
} from '../../sql/schema/index-adjustments.ts';
import { type Index, memberText, type TableUse } from '../../sql/schema/layout.ts';
import { columnAt } from '../../sql/schema/model-layout.ts';
import type { ExistingIndex, IndexBuilder } from '../../store/installation-database.ts';
import { setOf } from '../../store/tuning/index-advice.ts';
import { estimateCost, type IndexCost } from '../../store/tuning/index-cost.ts';
import { describeLongValue } from '../../store/tuning/long-values.ts';
import { readAdjustments, storeAdjustments } from '../../store/tuning/stored-adjustments.ts';
import { kept } from '../../store/work.ts';
import { type Columns, type Invocation, printList, withInstallation } from '../invocation.ts';
import { sizeText, type Terminal } from '../terminal.ts';
import { databaseOf, type Installation } from '../wire.ts';

/** An index of an installation, or one that it has dropped. */
interface KnownIndex {
  readonly name: string;
  readonly set: string;
  readonly members: readonly string[];
  readonly source: IndexPurpose | 'installation';
  readonly use: TableUse;
  readonly index: Index;
  readonly isDropped: boolean;
}

interface Opened {
  readonly installation: Installation;
  readonly builder: IndexBuilder;
  readonly adjustments: IndexAdjustments;
  readonly known: readonly KnownIndex[];
}

/** `docket index list [SET]`. Throws: store.not-installed, cli.unknown. */
export async function listIndexes(invocation: Invocation, set = ''): Promise<void> {
  await withIndexes(invocation, async ({ installation, builder, known }) => {
    if (set !== '') useNamed(installation, set);
    const existing = await builder.existing();
    const shown = known.filter((one) => set === '' || one.set === set);
    const listed = shown.map((one) => listedIndex(one, existing, installation));
    printList(invocation, listed, INDEX_COLUMNS);
  });
}

type ListedIndex = ReturnType<typeof listedIndex>;

const INDEX_COLUMNS: Columns<ListedIndex> = [
  ['Set', ({ set }) => set],
  ['Members', ({ members }) => members.join(', ')],
  ['Source', ({ source }) => source],
  ['State', ({ state }) => state],
  ['Size', ({ bytes }) => (bytes === null ? '' : sizeText(bytes))],
  ['Uses', ({ uses }) => (uses === null ? '' : String(uses))],
];

function listedIndex(
  { name, set, members, source, isDropped }: KnownIndex,
  existing: ReadonlyMap<string, ExistingIndex>,
  { dialect }: Installation,
) {
  const found = existing.get(dialect.schema.objectName(name));
  return {
    set,
    members,
    source,
    state: stateOf(found, isDropped),
    bytes: found?.bytes ?? null,
    uses: found?.uses ?? null,
    name,
  };
}

/** Missing and incomplete indexes are those of a command that was interrupted. */
function stateOf(found: ExistingIndex | undefined, isDropped: boolean) {
  if (isDropped) return 'dropped';
  if (found === undefined) return 'missing';
  return found.isValid ? 'in use' : 'incomplete';
}

/** `docket index add SET MEMBERS`. Throws: store.not-installed, cli.unknown, cli.refused, store.index-blocks, store.too-long. */
export async function addIndex(invocation: Invocation, set = '', members = ''): Promise<void> {
  const { flags, terminal } = invocation;
  const paths = membersIn(set, members);
  const longest = (await patience(invocation)) ?? Number.POSITIVE_INFINITY;
  await withIndexes(invocation, async (opened) => {
    const { installation, builder } = opened;
    const use = useNamed(installation, set);
    const columns = columnsOf(installation, use, paths);
    requireOtherThanKey(use, columns);
    const name = indexName(use.table.name, columns);
    const existing = (await builder.existing()).get(installation.dialect.schema.objectName(name));
    const known = opened.known.find((one) => one.name === name);
    if (known !== undefined && !known.isDropped && existing?.isValid === true)
      throw new Fault('cli.refused', { reason: `${set} has an index on ${members} already.` });
    const cost = await estimateCost(builder, use.table, columns, builder.rates);
    const say = flags.json === true ? terminal.say : terminal.print;
    say(describeCost(cost));
    if (cost.buildSeconds > longest)
      throw new Fault('store.index-blocks', { seconds: Math.ceil(cost.buildSeconds) });
    const index = known?.index ?? { name, columns, unique: false };
    const adjusted = withIndex(opened.adjustments, known, { table: use.table.name, columns });
    const seconds = await buildIndex(opened, { use, index, adjusted }, terminal);
    const built = (await builder.existing()).get(installation.dialect.schema.objectName(name));
    const bytes = built?.bytes ?? null;
    if (flags.json === true)
      terminal.print(
        JSON.stringify({ set, members: paths, name, expected: cost, bytes, seconds }, null, 2),
      );
    else terminal.print(`Added the index on ${paths.join(', ')} of ${set}.`);
  });
}

/** Throws: cli.refused. */
function membersIn(set: string, members: string): readonly string[] {
  if (members.trim() !== '') return members.split(',').map((member) => member.trim());
  const reason = `The members of the index are missing. Name at least one member of ${set}.`;
  throw new Fault('cli.refused', { reason });
}

/** Throws: cli.refused. */
function requireOtherThanKey(use: TableUse, [first, ...others]: readonly string[]): void {
  if (first !== use.table.identity || others.length > 0) return;
  const reason = `${first} is the primary key of ${setOf(use)}, which has an index.`;
  throw new Fault('cli.refused', { reason });
}

/** The adjustments with an index: one that the model declares is no longer dropped. */
function withIndex(
  { added, dropped }: IndexAdjustments,
  known: KnownIndex | undefined,
  index: IndexAdjustments['added'][number],
): IndexAdjustments {
  if (known === undefined) return { added: [...added, index], dropped };
  return { added, dropped: dropped.filter((name) => name !== known.name) };
}

interface NewIndex {
  readonly use: TableUse;
  readonly index: Index;
  readonly adjusted: IndexAdjustments;
}

/** Records the index first, so that "docket migrate" completes it if this process is killed. Returns the seconds that it took. */
async function buildIndex(
  opened: Opened,
  { use, index, adjusted }: NewIndex,
  terminal: Terminal,
): Promise<number> {
  const { database, modelLayout, dialect } = opened.installation;
  const progress = terminal.progress('Building the index', 0);
  const start = performance.now();
  await database.write(() => kept(storeAdjustments(adjusted)));
  try {
    await opened.builder.build(use.table, index, progress.update);
  } catch (error) {
    await undo(opened, index);
    const tables = { database, dialect, layout: adjustLayout(modelLayout, adjusted) };
    throw await describeLongValue(error, tables, () => ', or index other members');
  }
  progress.finish('done');
  return Math.round(performance.now() - start) / 1000;
}

/** Drops what a build has left. Where that fails, the index remains recorded, so that it is listed and can be completed or dropped. */
async function undo({ installation, builder, adjustments }: Opened, index: Index): Promise<void> {
  try {
    await builder.drop(index);
    await installation.database.write(() => kept(storeAdjustments(adjustments)));
  } catch {
    // The error of the build is reported. This one has the same reason.
  }
}

/**
 * Seconds for which writes of a running service wait for the index; undefined if writes continue, or if nothing uses the database. This
 * is found out before the command opens it.
 */
async function patience({ config, flags }: Invocation): Promise<number | undefined> {
  const { writesWaitSeconds, requireUnused } = await databaseOf(config);
  if (writesWaitSeconds === undefined || flags.blockWrites === true) return undefined;
  try {
    await requireUnused();
    return undefined;
  } catch (error) {
    if (error instanceof Fault && error.code === 'store.in-use') return writesWaitSeconds;
    throw error;
  }
}

/** `docket index drop NAME`, or `docket index drop SET MEMBERS`. Throws: store.not-installed, cli.unknown, cli.refused. */
export async function dropIndex(invocation: Invocation, place = '', members = ''): Promise<void> {
  await withIndexes(invocation, async (opened) => {
    const { installation, builder, adjustments } = opened;
    const { added, dropped } = adjustments;
    const known = knownIndex(opened, place, members);
    const text = `index on ${known.members.join(', ')} of ${known.set}`;
    requireDispensable(known, text);
    await builder.drop(known.index);
    const others = added.filter(({ table, columns }) => indexName(table, columns) !== known.name);
    const isOwn = known.source === 'installation';
    const adjusted = { added: others, dropped: isOwn ? dropped : [...dropped, known.name] };
    await installation.database.write(() => kept(storeAdjustments(adjusted)));
    const result = { set: known.set, members: known.members, name: known.name };
    if (invocation.flags.json === true) invocation.terminal.print(JSON.stringify(result, null, 2));
    else invocation.terminal.print(`Dropped the ${text}.`);
  });
}

function knownIndex({ installation, known }: Opened, place: string, members: string): KnownIndex {
  const all = known.filter((one) => !one.isDropped);
  if (members === '') {
    const found = all.find((one) => one.name === place);
    if (found !== undefined) return found;
    if (all.some(({ set }) => set === place)) membersIn(place, members);
    const hint = didYouMean(
      place,
      all.map(({ name }) => name),
    );
    throw new Fault('cli.unknown', { thing: 'index', name: place, hint });
  }
  const use = useNamed(installation, place);
  const paths = members.split(',').map((member) => member.trim());
  const name = indexName(use.table.name, columnsOf(installation, use, paths));
  const found = all.find((one) => one.name === name);
  if (found !== undefined) return found;
  const own = all.filter((one) => one.use === use).map((one) => one.members.join(','));
  const hint = didYouMean(members, own);
  throw new Fault('cli.unknown', { thing: `index of ${place}`, name: members, hint });
}

/** Throws: cli.refused. */
function requireDispensable({ source, isDropped }: KnownIndex, text: string): void {
  if (isDropped || source === 'installation' || source === 'model') return;
  const reason = {
    key: 'it ensures that keys are unique',
    unique: 'it ensures that values are unique',
    relation: 'relations are read and deleted by it',
  }[source];
  throw new Fault('cli.refused', { reason: `The ${text} cannot be dropped: ${reason}.` });
}

// ---- the indexes of an installation ---------------------------------------------------------------------------------

async function withIndexes(
  invocation: Invocation,
  work: (opened: Opened) => Promise<void>,
): Promise<void> {
  await withInstallation(invocation, async (installation) => {
    const builder = await (await databaseOf(invocation.config)).openIndexes();
    try {
      const adjustments = await readAdjustments(installation.database);
      const known = knownIndexes(installation, adjustments);
      await work({ installation, builder, adjustments, known });
    } finally {
      await builder.close();
    }
  });
}

/** The indexes of all sets, with those of the model that have been dropped. */
function knownIndexes(
  { modelLayout }: Installation,
  adjustments: IndexAdjustments,
): readonly KnownIndex[] {
  const adjusted = adjustLayout(modelLayout, adjustments);
  return [...modelLayout.bySource.values()].flatMap((use) => {
    const own = adjusted.bySource.get(use.source.id)?.table.indexes ?? [];
    const declared = new Set(use.table.indexes.map(({ name }) => name));
    const kept = new Set(own.map(({ name }) => name));
    const added = own.filter(({ name }) => !declared.has(name));
    return [...use.table.indexes, ...added].map((index) => ({
      name: index.name,
      set: setOf(use),
      members: index.columns.map(memberText),
      source: declared.has(index.name) ? purposeOf(modelLayout, use, index) : 'installation',
      use,
      index,
      isDropped: !kept.has(index.name),
    }));
  });
}

/** Throws: cli.unknown. */
function useNamed({ layout }: Installation, set: string): TableUse {
  const uses = [...layout.bySource.values()];
  const found = uses.find((use) => setOf(use) === set);
  if (found !== undefined) return found;
  throw new Fault('cli.unknown', {
    thing: 'set',
    name: set,
    hint: didYouMean(set, uses.map(setOf)),
  });
}

/** The columns of an index on members. Throws: cli.refused with all mistakes. */
function columnsOf(
  { model }: Installation,
  use: TableUse,
  paths: readonly string[],
): readonly string[] {
  const types: readonly EntityType[] = [use.source.type, ...model.derived(use.source.type)];
  const owner = types.find((type) => lintIndex(model, type, paths, '').length === 0);
  if (owner !== undefined) return paths.map((path) => columnAt({ model, ...use }, owner, path));
  const mistakes = lintIndex(model, use.source.type, paths, setOf(use));
  throw new Fault(
    'cli.refused',
    { reason: `${setOf(use)} cannot have an index on ${paths.join(', ')}.` },
    {
      details: mistakes.map(({ path, message, remedy }) => ({
        code: 'cli.refused',
        target: path,
        message: `${message} ${remedy}`,
      })),
    },
  );
}

// ---- figures --------------------------------------------------------------------------------------------------------

function describeCost(cost: IndexCost): string {
  const { rows, bytes, buildSeconds, insertMicroseconds, changeMicroseconds } = cost;
  return [
    `The index will take about ${sizeText(bytes)} and ${buildSeconds.toFixed(1)} s to build: ${counted(rows, 'row')}.`,
    `It adds about ${insertMicroseconds} µs to each new record, and ${changeMicroseconds} µs to each change of one of its members.`,
  ].join('\n');
}
