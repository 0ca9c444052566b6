// The commands `docket files test`, `check` and `move`. They may run while the service is running.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Check, type Finding, findings, repair } from '../../attachments/check-files.ts';
import { amountKept, type FileRow, recordsOf } from '../../attachments/file-rows.ts';
import { moveFiles } from '../../attachments/move-files.ts';
import { sweepReleased } from '../../attachments/remove-orphans.ts';
import type { ProbeStep } from '../../attachments/store.ts';
import { counted } from '../../base/counted.ts';
import { unreachable } from '../../base/fault.ts';
import type { Config } from '../config/config.ts';
import { type Invocation, withInstallation } from '../invocation.ts';
import { type Progress, type Terminal, table } from '../terminal.ts';
import { notInstalled, openStores } from '../wire.ts';

const HOUR = 3600 * 1000;
const KIBI = 1024;
/** Files that are moved at the same time. */
const WIDTH = 4;
/** Digits of a key that a table shows. */
const SHOWN = 12;

/** `docket files test`: tests a store step by step, without an installation. */
export async function testFiles({ config, flags, terminal }: Invocation): Promise<number> {
  requireDirectory(config);
  const stores = await openStores(config);
  try {
    const store = typeof flags.store === 'string' ? stores.named(flags.store) : stores.target;
    const steps: ProbeStep[] = [];
    for await (const step of store.probe()) {
      steps.push(step);
      if (flags.json !== true) printStep(step, terminal);
    }
    const works = steps.every((step) => step.kind === 'done');
    if (flags.json === true)
      terminal.print(JSON.stringify({ store: store.name, works, steps }, null, 2));
    else if (works) terminal.print(`The store "${store.name}" works.`);
    return works ? 0 : 1;
  } finally {
    await stores.close();
  }
}

/**
 * Rejects a missing data directory, which is probably a typing error. Otherwise the test would create it. Throws: store.not-installed.
 */
function requireDirectory(config: Config): void {
  const isBelow = config.files.local.directory === join(config.data, 'files');
  if (isBelow && !existsSync(config.data)) throw notInstalled(config);
}

function printStep(step: ProbeStep, terminal: Terminal): void {
  switch (step.kind) {
    case 'done':
      terminal.print(`ok      ${step.step.padEnd(16)} ${step.detail}`);
      return;
    case 'failed':
      terminal.print(`failed  ${step.step.padEnd(16)} ${step.reason}`);
      terminal.print(`        ${''.padEnd(16)} ${step.remedy}`);
      return;
    default:
      unreachable(step);
  }
}

/** `docket files check`: compares records and stores, and fixes what it can with --repair. */
export async function checkFiles(invocation: Invocation): Promise<number> {
  const { config, flags, terminal } = invocation;
  return await withInstallation(invocation, async (installation) => {
    const { database, stores, world, layout } = installation;
    const amount = await amountKept(database);
    const bar = inKibibytes(terminal, 'Checking (KiB)', amount.bytes);
    const check: Check = {
      database,
      stores,
      before: world.now() - config.files.strayHours * HOUR,
      thorough: flags.quick !== true,
      progress: bar.add,
    };
    const isRepairing = flags.repair === true;
    const removed = isRepairing ? await sweepReleased({ database, stores }) : 0;
    const problems: Problem[] = [];
    for await (const finding of findings(check))
      problems.push({
        finding,
        isRepaired: isRepairing && (await repair(check, finding)),
        records: hasRow(finding) ? await recordsOf(database, layout.tables, finding.file.id) : [],
      });
    bar.finish(`${counted(amount.files, 'file')}`);
    if (flags.json === true) printJson(problems, amount.files, removed, terminal);
    else printTable(problems, isRepairing, removed, terminal);
    return problems.every((one) => one.isRepaired) ? 0 : 1;
  });
}

function hasRow(finding: Finding): finding is Extract<Finding, { readonly file: FileRow }> {
  return finding.kind !== 'stray' && finding.kind !== 'unlisted';
}

interface Problem {
  readonly finding: Finding;
  readonly isRepaired: boolean;
  /** The records that point to the file. */
  readonly records: readonly string[];
}

function printJson(
  found: readonly Problem[],
  files: number,
  removed: number,
  terminal: Terminal,
): void {
  const problems = found.map(({ finding, isRepaired, records }) => {
    const [problem, store, key, detail] = describe(finding);
    return { problem, store, key, records, detail, repaired: isRepaired };
  });
  terminal.print(JSON.stringify({ files, removed, problems }, null, 2));
}

function printTable(
  found: readonly Problem[],
  isRepairing: boolean,
  removed: number,
  terminal: Terminal,
): void {
  if (removed > 0) terminal.print(`Removed ${counted(removed, 'file')} that no record refers to.`);
  if (found.length === 0) {
    terminal.print('No problems found.');
    return;
  }
  const rows = found.map(({ finding, isRepaired, records }) => {
    const [problem, store, key, detail] = describe(finding);
    const repaired = isRepaired ? 'repaired' : '';
    return [problem, store, key.slice(0, SHOWN), records.join(', '), detail, repaired];
  });
  terminal.print(table(['Problem', 'Store', 'Key', 'Record', 'Detail', ''], rows));
  if (!isRepairing)
    terminal.print(
      'Run "docket files check --repair" to fix what can be fixed; see docs/files.md.',
    );
}

/** Problem, store, key and details. */
function describe(finding: Finding): readonly [string, string, string, string] {
  switch (finding.kind) {
    case 'missing':
    case 'size':
    case 'digest': {
      const { file, elsewhere, kind } = finding;
      const problem = kind === 'missing' ? kind : `wrong ${kind}`;
      const hint = elsewhere === undefined ? '' : `, found in the store "${elsewhere}"`;
      return [problem, file.store, file.key, `${file.size} bytes${hint}`];
    }
    case 'unknown':
      return ['unknown', finding.file.store, finding.file.key, finding.reason];
    case 'stray': {
      const { key, size, modified } = finding.file;
      return ['stray', finding.store, key, `${size} bytes, modified ${modified.toISOString()}`];
    }
    case 'unlisted':
      return ['not listed', finding.store, '', finding.reason];
    default:
      return unreachable(finding);
  }
}

/** `docket files move --to STORE`. Ctrl-C interrupts it, and the next run continues. */
export async function moveAllFiles(invocation: Invocation): Promise<number> {
  const { flags, terminal } = invocation;
  return await withInstallation(invocation, async ({ database, stores }) => {
    const to = stores.named(String(flags.to));
    const { bytes } = await amountKept(database, to.name);
    const stop = new AbortController();
    const interrupt = () => stop.abort(new Error('interrupted'));
    process.once('SIGINT', interrupt);
    const bar = inKibibytes(terminal, `Moving to ${to.name} (KiB)`, bytes);
    try {
      const { files, unmoved } = await moveFiles({
        database,
        stores,
        to,
        width: WIDTH,
        progress: bar.add,
        signal: stop.signal,
      });
      bar.finish(`${counted(files, 'file')}`);
      for (const { file, reason } of unmoved)
        terminal.say(`${file.store} ${file.key.slice(0, SHOWN)} (file ${file.id}): ${reason}`);
      const remaining = (await amountKept(database, to.name)).files;
      if (remaining === 0) terminal.print(`All files are in the store "${to.name}".`);
      else
        terminal.print(
          `${counted(remaining, 'file is', 'files are')} still in other stores. Run the command again to continue.`,
        );
      return remaining === 0 ? 0 : 1;
    } finally {
      process.off('SIGINT', interrupt);
    }
  });
}

/** A progress display in KiB. `add` takes a number of processed bytes. */
function inKibibytes(terminal: Terminal, title: string, bytes: number) {
  const bar: Progress = terminal.progress(title, Math.ceil(bytes / KIBI));
  let done = 0;
  return {
    add: (more: number) => {
      done += more;
      bar.update(Math.floor(done / KIBI));
    },
    finish: bar.finish,
  };
}
