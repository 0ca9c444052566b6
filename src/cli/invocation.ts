// The invocation of a command: the parts of every command, and how they open the installation and print lists.
import type { Config, Flags } from './config/config.ts';
import { type Terminal, table } from './terminal.ts';
import { type Installation, openInstallation } from './wire.ts';

export interface Invocation {
  readonly config: Config;
  readonly flags: Flags;
  readonly terminal: Terminal;
}

/** Opens the installation, does the work, and closes it. Throws what openInstallation and the work throw. */
export async function withInstallation<Result>(
  { config }: Pick<Invocation, 'config'>,
  work: (installation: Installation) => Promise<Result>,
): Promise<Result> {
  const installation = await openInstallation(config);
  try {
    return await work(installation);
  } finally {
    await installation.stores.close();
    await installation.database.close();
  }
}

/** The columns of a list: their headings and the cells of an item. */
export type Columns<Item> = readonly (readonly [heading: string, cell: (item: Item) => string])[];

/** Prints a list as a table, or its items as JSON with `--json`. */
export function printList<Item>(
  { terminal, flags }: Invocation,
  items: readonly Item[],
  columns: Columns<Item>,
): void {
  const headings = columns.map(([heading]) => heading);
  const rows = () => items.map((item) => columns.map(([, cell]) => cell(item)));
  terminal.print(flags.json === true ? JSON.stringify(items, null, 2) : table(headings, rows()));
}
