// This file checks an installation that can be opened: its indexes, files, clock and what waits for the service.

import { findStrays, isSuspicious } from '../../attachments/remove-orphans.ts';
import type { AttachmentStore } from '../../attachments/store.ts';
import { counted } from '../../base/counted.ts';
import { memberText } from '../../sql/schema/layout.ts';
import { setOf } from '../../store/tuning/index-advice.ts';
import { readSlowStatements } from '../../store/tuning/slow-statements.ts';
import { lastBackup } from '../command/backup.ts';
import { type RunningState, readRunningState } from '../running-state.ts';
import { ageText } from '../terminal.ts';
import { databaseOf, type Installation } from '../wire.ts';
import { type Finding, ok, problem, warning } from './finding.ts';

/** Milliseconds by which the clock of the database may differ. */
const SKEW = 2000;
/** Milliseconds after which a message should have been sent. */
const LATE = 3600;

/** Indexes that are missing or incomplete, as after a command that was interrupted. */
export async function checkIndexes({
  config,
  layout,
  dialect,
}: Installation): Promise<readonly Finding[]> {
  const builder = await (await databaseOf(config)).openIndexes();
  try {
    const existing = await builder.existing();
    const broken = [...layout.bySource.values()].flatMap((use) =>
      use.table.indexes.flatMap((index) => {
        const found = existing.get(dialect.schema.objectName(index.name));
        if (found?.isValid === true) return [];
        const members = index.columns.map(memberText).join(',');
        const state = found === undefined ? 'missing' : 'incomplete';
        const explanation = `The index of ${setOf(use)} by ${members} is ${state}.`;
        const remedy = `Run "docket index add ${setOf(use)} ${members}", or "docket migrate".`;
        return [problem('indexes', explanation, remedy)];
      }),
    );
    return broken.length > 0 ? broken : [ok('indexes', 'All indexes exist and are complete.')];
  } finally {
    await builder.close();
  }
}

/** Milliseconds after which a backup is old. */
const OLD_BACKUP = 7 * 86_400_000;

/** Whether `docket backup` has copied the installation lately. PostgreSQL has its own backups. */
export async function checkBackup({ config, world }: Installation): Promise<readonly Finding[]> {
  if (config.database !== undefined) return [];
  const check = 'backup';
  const time = await lastBackup(await databaseOf(config));
  const age = world.now() - Date.parse(time ?? '');
  if (time !== undefined && age <= OLD_BACKUP)
    return [ok(check, `"docket backup" has copied the installation ${ageText(age)} ago.`)];
  const explanation =
    time === undefined
      ? '"docket backup" has never copied the installation.'
      : `"docket backup" has not copied the installation for ${ageText(age)}.`;
  const remedy = `Run "docket backup DIR --data ${config.data}" every day, with a new directory for each copy.`;
  return [warning(check, explanation, remedy)];
}

/** Statements that are slow, which an index may help. */
export async function checkSlowStatements({ database }: Installation): Promise<Finding> {
  const { length } = await readSlowStatements(database);
  if (length === 0) return ok('slow statements', 'None have been recorded.');
  const remedy = 'Run "docket index advise" to see them and the indexes that would help.';
  return warning('slow statements', `${length} have been recorded.`, remedy);
}

export async function checkStore(
  { config, database, world }: Installation,
  store: AttachmentStore,
): Promise<readonly Finding[]> {
  const check = `files in ${store.name}`;
  for await (const step of store.probe())
    if (step.kind === 'failed')
      return [problem(check, `${step.step}: ${step.reason}`, step.remedy)];
  const before = world.now() - config.files.strayHours * 3_600_000;
  const found = await findStrays(database, store, before);
  if (found.strays.length === 0)
    return [ok(check, 'The store can be reached, and every old file belongs to a record.')];
  const explanation = `${counted(found.strays.length, 'file belongs', 'files belong')} to no record.`;
  return [
    isSuspicious(found)
      ? problem(
          check,
          `${explanation} They are more than those of records.`,
          'Check that the store belongs to this installation, then run "docket files check --repair".',
        )
      : warning(
          check,
          explanation,
          'A running service removes them; "docket files check --repair" does it now.',
        ),
  ];
}

/** @param read reads the time of the database in milliseconds since 1970 */
export async function checkClock(
  { database, world }: Pick<Installation, 'database' | 'world'>,
  read: () => Promise<number> = async () => timeIn((await database.read(NOW, []))[0]?.[0]),
): Promise<Finding> {
  const start = world.now();
  const time = await read();
  const end = world.now();
  const skew = time < start - SKEW ? start - time : Math.max(0, time - end);
  if (skew <= SKEW) return ok('clock', 'The clocks of this machine and the database agree.');
  return problem(
    'clock',
    `The clocks of this machine and the database differ by ${counted(Math.round(skew / 1000), 'second')}.`,
    'Synchronize both by NTP: deadlines, tokens and sessions depend on them.',
  );
}

/** In SQLite, in whole seconds and without a time zone; in PostgreSQL with one, such as +00. */
const NOW = 'SELECT CAST(CURRENT_TIMESTAMP AS text)';

function timeIn(cell: unknown): number {
  const text = String(cell).replace(' ', 'T');
  const zone = /[+-]\d\d$/.test(text) ? ':00' : 'Z';
  return Date.parse(/[+-]\d\d:\d\d$/.test(text) ? text : text + zone);
}

function lateDeliveries(state: RunningState): readonly Finding[] {
  const { deliveriesWaiting, deliveriesOldestSeconds } = state;
  if (deliveriesOldestSeconds <= LATE) return [];
  return [
    warning(
      'webhooks',
      `${counted(deliveriesWaiting, 'delivery waits', 'deliveries wait')}, the oldest for ${counted(Math.round(deliveriesOldestSeconds / 60), 'minute')}.`,
      'Check that the service runs, and read Response in the set WebhookDeliveries.',
    ),
  ];
}

export async function checkQueues(installation: Installation): Promise<readonly Finding[]> {
  const { config } = installation;
  const state = await readRunningState(installation, config.idleMinutes);
  const { mailWaiting, mailOldestSeconds, failedActions, subscriptions } = state;
  const { disabled } = subscriptions;
  const findings = [
    ...(mailOldestSeconds > LATE
      ? [
          problem(
            'mail',
            `${counted(mailWaiting, 'message waits', 'messages wait')}, the oldest for ${counted(Math.round(mailOldestSeconds / 60), 'minute')}.`,
            'Check that the service runs, and test the mail server with "docket mail test ADDRESS".',
          ),
        ]
      : []),
    ...(failedActions > 0
      ? [
          warning(
            'due actions',
            `${failedActions} could not be performed.`,
            'Read the reasons in the set FailedActions; deleting an entry tries it again.',
          ),
        ]
      : []),
    ...(disabled > 0
      ? [
          warning(
            'webhooks',
            `The service has disabled ${counted(disabled, 'subscription')}.`,
            'Read Reason in the set WebhookSubscriptions; setting State to active continues.',
          ),
        ]
      : []),
    ...lateDeliveries(state),
  ];
  return findings.length > 0 ? findings : [ok('queues', 'Nothing waits for too long.')];
}
