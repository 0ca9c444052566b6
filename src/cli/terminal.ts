// Terminal output and input of commands: tables, progress and password prompts. Progress and prompts go to stderr, so that the output of
// a command can be piped.

import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { counted } from '../base/counted.ts';
import { Fault } from '../base/fault.ts';

export interface Terminal {
  readonly print: (line: string) => void;
  readonly say: (line: string) => void;
  /** Starts a progress display. A `total` of 0 means that the total is unknown. */
  readonly progress: (title: string, total: number) => Progress;
}

export interface Progress {
  /** @param total replaces the total that was given at the start */
  readonly update: (done: number, total?: number) => void;
  readonly finish: (summary: string) => void;
}

/** Milliseconds between two updates of the progress bar, and between two progress lines if stderr is not a terminal. */
const REDRAW = 100;
const LINE_INTERVAL = 2000;
const BAR_WIDTH = 30;

export function processTerminal(): Terminal {
  return {
    print: (line) => void process.stdout.write(`${line}\n`),
    say: (line) => void process.stderr.write(`${line}\n`),
    progress: (title, total) => startProgress(title, total, process.stderr),
  };
}

/** Lets a service go on when its standard output can no longer be written, as on a full disk. Other commands end then. */
export function ignoreFailedOutput(): void {
  process.stdout.removeAllListeners('error').on('error', () => undefined);
}

/** Rows as a table with aligned columns, headings first. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  return [line(headings), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join(
    '\n',
  );
}

const KIBI = 1024;
const MEBI = 1_048_576;
const GIBI = 1_073_741_824;

/** `1.5 GiB`, `12.3 MiB`, `4.0 KiB`. */
export function sizeText(bytes: number): string {
  if (bytes >= GIBI) return `${(bytes / GIBI).toFixed(1)} GiB`;
  return bytes >= MEBI ? `${(bytes / MEBI).toFixed(1)} MiB` : `${(bytes / KIBI).toFixed(1)} KiB`;
}

/** How much time has passed, in its largest unit: `1 minute`, `5 hours`, `12 days`. */
export function ageText(milliseconds: number): string {
  const minutes = Math.max(0, Math.floor(milliseconds / 60_000));
  const units = [
    [1440, 'day'],
    [60, 'hour'],
    [1, 'minute'],
  ] as const;
  const [size, unit] = units.find(([length]) => minutes >= length) ?? units[2];
  return counted(Math.floor(minutes / size), unit);
}

/** The first three items, and how many more there are. */
export function shortList(items: readonly string[]): string {
  const more = items.length > 3 ? ` and ${items.length - 3} more` : '';
  return `${items.slice(0, 3).join(', ')}${more}`;
}

/** `▕████      ▏ 40 %  120,000 of 300,000  24,000/s  7 s left` */
function progressLine(title: string, done: number, total: number, seconds: number): string {
  const rate = seconds > 0 ? done / seconds : 0;
  const count = done.toLocaleString('en');
  if (total === 0) return `${title}  ${count}  ${Math.round(rate).toLocaleString('en')}/s`;
  const part = Math.min(1, done / total);
  const bar = '█'.repeat(Math.round(part * BAR_WIDTH)).padEnd(BAR_WIDTH);
  const left = rate > 0 ? Math.ceil((total - done) / rate) : 0;
  const speed = `${Math.round(rate).toLocaleString('en')}/s`;
  return `${title} ▕${bar}▏ ${Math.floor(part * 100)} %  ${count} of ${total.toLocaleString('en')}  ${speed}  ${left} s left`;
}

/**
 * Reads a password: from the variable, else from piped standard input, else with a hidden prompt that asks twice.
 * Returns undefined if standard input is closed or empty. Throws: cli.refused, if the prompt is interrupted.
 */
export async function readPassword(
  variable: string | undefined,
  question: string,
): Promise<string | undefined> {
  if (variable !== undefined && variable !== '') return variable;
  if (!process.stdin.isTTY) return await readFirstLine();
  const first = await askHidden(`${question}: `);
  const second = await askHidden('Repeat the password: ');
  if (first === second) return first;
  process.stderr.write('The passwords do not match.\n');
  return await readPassword(variable, question);
}

function startProgress(title: string, total: number, stream: NodeJS.WriteStream): Progress {
  const start = Date.now();
  const interval = stream.isTTY ? REDRAW : LINE_INTERVAL;
  let shown = start;
  return {
    update: (done, newTotal = total) => {
      const now = Date.now();
      if (now - shown < interval) return;
      shown = now;
      const line = progressLine(title, done, newTotal, (now - start) / 1000);
      stream.write(stream.isTTY ? `\r\u001b[K${line}` : `${line}\n`);
    },
    finish: (summary) => {
      const line = `${title}: ${summary} (${((Date.now() - start) / 1000).toFixed(1)} s)`;
      stream.write(stream.isTTY ? `\r\u001b[K${line}\n` : `${line}\n`);
    },
  };
}

async function readFirstLine(): Promise<string | undefined> {
  const lines = createInterface({ input: process.stdin });
  try {
    for await (const line of lines) return line === '' ? undefined : line;
    return undefined;
  } finally {
    lines.close();
  }
}

/** Reads a line without showing it. Backspace deletes, and Ctrl-C ends the command. */
async function askHidden(question: string): Promise<string> {
  process.stderr.write(question);
  const output = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output, terminal: true });
  try {
    return await new Promise((resolve, reject) => {
      // Ctrl-C, and Ctrl-D in an empty line.
      const reason = 'Interrupted: nothing was changed.';
      lines.once('close', () => reject(new Fault('cli.refused', { reason })));
      lines.question('', resolve);
    });
  } finally {
    lines.close();
    process.stderr.write('\n');
  }
}
