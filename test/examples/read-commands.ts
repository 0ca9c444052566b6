// This file finds the commands in the written pages: blocks of the language `console`, each command with what it prints.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

export interface ShownCommand {
  /** The words after `docket`. */
  readonly words: readonly string[];
  /** Variables before `docket`. */
  readonly environment: Readonly<Record<string, string>>;
  /** The file after `>`. */
  readonly file: string | undefined;
  readonly output: string;
}

/** The commands of a page of docs/, in order. */
export function readCommands(page: string): readonly ShownCommand[] {
  const text = readFileSync(resolve(import.meta.dirname, '../../docs', page), 'utf8');
  const blocks = [...text.matchAll(/^```console\n([\s\S]*?)^```$/gm)];
  return blocks.flatMap(([, block = '']) =>
    block
      .split(/^\$ (?=(?:\w+=\S+ )?docket )/m)
      .slice(1)
      .map(readCommand),
  );
}

function readCommand(part: string): ShownCommand {
  const [line = '', ...output] = part.split('\n');
  const [, name, value, rest = ''] = /^(?:(\w+)=(\S+) )?docket (.*)$/.exec(line) ?? [];
  const all = [...rest.matchAll(/"([^"]*)"|(\S+)/g)].map(
    ([, quoted, plain]) => quoted ?? plain ?? '',
  );
  const arrow = all.indexOf('>');
  return {
    words: arrow < 0 ? all : all.slice(0, arrow),
    environment: name === undefined || value === undefined ? {} : { [name]: value },
    file: arrow < 0 ? undefined : all[arrow + 1],
    output: output.join('\n'),
  };
}
