// This file holds the commands about the stores of files: test, check, move. They may run while the service does.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Check, type Finding, findings, repair } from '../../attachments/check-files.ts';
import { amountKept, type FileRow, recordsOf } from '../../attachments/file-rows.ts';
import { moveFiles } from '../../attachments/move-files.ts';
import { sweepReleased } from '../../attachments/remove-orphans.ts';
import type { ProbeStep } from '../../attachments/store.ts';
import { unreachable } from '../../base/fault.ts';
import type { Config, Flags } from '../config/config.ts';
import { type Progress, type Terminal, table } from '../terminal.ts';
import { type Installation, notInstalled, openInstallation, openStores } from '../wire.ts';

const HOUR = 3600 * 1000;
const KIBI = 1024;
/** Files that are carried over at a time. */
const WIDTH = 4;
/** Digits of a key that are shown in a table. */
const SHOWN = 12;

/** `docket files test`: what works of a store and what does not. Needs no installation. */
export async function testFiles(config: Config, flags: Flags, terminal: Terminal): Promise<number> {
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

/** The store would make the directory: of a data directory that is not there, it is taken for a mistake. Fault store.not-installed. */
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

/** `docket files check`: rows and stores compared, and with --repair made to agree where that can be done. */
export async function checkFiles(
  config: Config,
  flags: Flags,
  terminal: Terminal,
): Promise<number> {
  return await withInstallation(config, async (installation) => {
    const { database, stores, world, layout } = installation;
    const amount = amountKept(database);
    const bar = inKibibytes(terminal, 'Checking (KiB)', amount.bytes);
    const check: Check = {
      database,
      stores,
      before: world.now() - config.files.strayHours * HOUR,
      thorough: flags.quick !== true,
      progress: bar.add,
    };
    const isRepairing = flags.repair === true;
    const swept = isRepairing ? await sweepReleased({ database, stores }) : 0;
    const judged: Judged[] = [];
    for await (const finding of findings(check))
      judged.push({
        finding,
        isRepaired: isRepairing && (await repair(check, finding)),
        records: hasRow(finding) ? recordsOf(database, layout.tables, finding.file.id) : [],
      });
    bar.finish(`${amount.files.toLocaleString('en')} files`);
    if (flags.json === true) printJson(judged, amount.files, swept, terminal);
    else printTable(judged, isRepairing, swept, terminal);
    return judged.every((one) => one.isRepaired) ? 0 : 1;
  });
}

function hasRow(finding: Finding): finding is Extract<Finding, { readonly file: FileRow }> {
  return finding.kind !== 'stray' && finding.kind !== 'unlisted';
}

interface Judged {
  readonly finding: Finding;
  readonly isRepaired: boolean;
  /** The records that point to the file. */
  readonly records: readonly string[];
}

function printJson(
  judged: readonly Judged[],
  files: number,
  removed: number,
  terminal: Terminal,
): void {
  const problems = judged.map(({ finding, isRepaired, records }) => {
    const [problem, store, key, detail] = describe(finding);
    return { problem, store, key, records, detail, repaired: isRepaired };
  });
  terminal.print(JSON.stringify({ files, removed, problems }, null, 2));
}

function printTable(
  judged: readonly Judged[],
  isRepairing: boolean,
  removed: number,
  terminal: Terminal,
): void {
  if (removed > 0) terminal.print(`Removed ${removed} files that no record points to any more.`);
  if (judged.length === 0) {
    terminal.print('Every file is in its store, and nothing else is.');
    return;
  }
  const rows = judged.map(({ finding, isRepaired, records }) => {
    const [problem, store, key, detail] = describe(finding);
    const repaired = isRepaired ? 'repaired' : '';
    return [problem, store, key.slice(0, SHOWN), records.join(', '), detail, repaired];
  });
  terminal.print(table(['Problem', 'Store', 'Key', 'Record', 'Detail', ''], rows));
  if (!isRepairing)
    terminal.print(
      '"docket files check --repair" repairs what can be repaired; see docs/files.md.',
    );
}

/** Problem, store, key and what else is worth telling. */
function describe(finding: Finding): readonly [string, string, string, string] {
  switch (finding.kind) {
    case 'missing':
    case 'size':
    case 'digest': {
      const { file, elsewhere, kind } = finding;
      const problem = kind === 'missing' ? kind : `wrong ${kind}`;
      const found = elsewhere === undefined ? '' : `, found in the store "${elsewhere}"`;
      return [problem, file.store, file.key, `${file.size} bytes${found}`];
    }
    case 'unknown':
      return ['unknown', finding.file.store, finding.file.key, finding.reason];
    case 'stray': {
      const { key, size, modified } = finding.file;
      return ['stray', finding.store, key, `${size} bytes of ${modified.toISOString()}`];
    }
    case 'unlisted':
      return ['not listed', finding.store, '', finding.reason];
    default:
      return unreachable(finding);
  }
}

/** `docket files move --to STORE`: carries every file over. Ctrl-C breaks it off; the next run goes on. */
export async function moveAllFiles(
  config: Config,
  flags: Flags,
  terminal: Terminal,
): Promise<number> {
  return await withInstallation(config, async ({ database, stores }) => {
    const to = stores.named(String(flags.to));
    const { bytes } = amountKept(database, to.name);
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
      bar.finish(`${files.toLocaleString('en')} files`);
      for (const { file, reason } of unmoved)
        terminal.say(`${file.store} ${file.key.slice(0, SHOWN)} (file ${file.id}): ${reason}`);
      const left = amountKept(database, to.name).files;
      if (left === 0) terminal.print(`Every file is in the store "${to.name}".`);
      else terminal.print(`${left} files are elsewhere still; the same command goes on with them.`);
      return left === 0 ? 0 : 1;
    } finally {
      process.off('SIGINT', interrupt);
    }
  });
}

/** A progress that is told how many more bytes are done with. */
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

async function withInstallation(
  config: Config,
  work: (installation: Installation) => Promise<number>,
): Promise<number> {
  const installation = await openInstallation(config);
  try {
    return await work(installation);
  } finally {
    await installation.stores.close();
    await installation.database.close();
  }
}
