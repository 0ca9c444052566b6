// The command `docket load`: loads records from files into an installation, whose services may keep running.
import { counted } from '../../base/counted.ts';
import { requireNoMistakes } from '../../service/import.ts';
import { type Invocation, withInstallation } from '../invocation.ts';
import { type LoadResult, loadPath } from '../load/load.ts';
import { wireService } from '../wire.ts';

/** `docket load`. Exit code 1 if there are mistakes. Throws: cli.file, cli.load-incomplete, service.import. */
export async function load(invocation: Invocation, path: string): Promise<number> {
  const { flags, terminal } = invocation;
  const result = await withInstallation(invocation, async (installation) => {
    const { service } = await wireService(installation, { isQuiet: true });
    return await loadPath(path, service, terminal, flags.restart === true);
  });
  if (flags.json === true) {
    terminal.print(JSON.stringify(summaryOf(result), null, 2));
    return result.mistakes.count === 0 ? 0 : 1;
  }
  requireNoMistakes(result.mistakes, describeStored(result));
  terminal.print(`Loaded ${counted(result.stored, 'record')} from ${path}.`);
  return 0;
}

function summaryOf({ stored, mistakes }: LoadResult) {
  return { stored, errors: mistakes.count, mistakes: mistakes.listed };
}

function describeStored({ stored }: LoadResult): string {
  if (stored === 0) return 'Nothing was loaded.';
  return `${counted(stored, 'record is', 'records are')} stored; correct the others and run the command again to continue after them.`;
}
