// The command `docket usage`: what accounts have requested by which client.
import { readUsage } from '../../auth/usage/stored-usage.ts';
import { type Columns, type Invocation, printList, withInstallation } from '../invocation.ts';
import { sizeText } from '../terminal.ts';

const DAY = 24 * 3600 * 1000;
const DEFAULT_DAYS = 30;

/** `docket usage`. */
export async function showUsage(invocation: Invocation): Promise<void> {
  const { flags } = invocation;
  await withInstallation(invocation, async ({ auth, world }) => {
    const days = flags.days === undefined ? DEFAULT_DAYS : Number(flags.days);
    // Today is the first of these days.
    const usage = await readUsage(auth, world.now() - (days - 1) * DAY);
    const account = typeof flags.account === 'string' ? flags.account.toLowerCase() : undefined;
    const shown = usage.filter(
      (one) => account === undefined || one.account.toLowerCase() === account,
    );
    printList(invocation, shown, COLUMNS);
  });
}

const COLUMNS: Columns<Awaited<ReturnType<typeof readUsage>>[number]> = [
  ['Account', ({ account }) => account],
  ['Client', ({ client }) => client],
  ['Requests', ({ requests }) => String(requests)],
  ['Rejected', ({ rejected }) => String(rejected)],
  ['Failed', ({ failed }) => String(failed)],
  ['Time', ({ microseconds }) => `${(microseconds / 1e6).toFixed(1)} s`],
  ['Sent', ({ bytes }) => sizeText(bytes)],
  ['Last day', ({ lastDay }) => lastDay],
];
