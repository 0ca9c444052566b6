// This file lets the notice periods of maintenance contracts begin, and the contracts end.
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { startDueActions } from '../../src/service/due/perform-due.ts';
import { type Body, type LevelDesk, openLevelDesk, shown } from './service-levels.ts';

let desk: LevelDesk;
let stop: (() => Promise<void>) | undefined;
beforeAll(async () => {
  desk = await openLevelDesk('2026-06-01 08:00');
});
afterEach(async () => {
  await stop?.();
  stop = undefined;
});
afterAll(async () => await desk?.close());

let count = 0;
const contract = async (EndDate: string, more: Body = {}) =>
  await desk.create('MaintenanceContracts', {
    Name: 'Printers',
    ContractNumber: `N-${count++}`,
    Status: { Text: 'Active' },
    EndDate: shown(EndDate),
    ...more,
  });

const statusOf = async (path: string) => (await desk.read(path)).Status.Text;

it('A contract is expiring when its notice period begins, and expires at its end', async () => {
  const NoticePeriod = 'P30D';
  const path = await contract('2026-07-02 08:00', { NoticePeriod });
  const renewing = await contract('2026-07-02 08:00', { NoticePeriod, AutoRenew: true });
  const without = await contract('2026-07-02 08:00');
  const moved = await contract('2026-07-02 08:00', { NoticePeriod });
  await desk.change(moved, { EndDate: shown('2026-08-01 08:00') });
  expect((await desk.read(path)).ExpiringAt).toBe(shown('2026-06-02 08:00'));
  const statuses = async () => await Promise.all([path, renewing, without, moved].map(statusOf));
  stop = startDueActions(desk.service);
  desk.at('2026-06-02 07:59:59');
  const other = await contract('2026-06-03 08:00', { NoticePeriod });
  await expect.poll(async () => await statusOf(other)).toBe('Expiring');
  expect(await statuses()).toEqual(['Active', 'Active', 'Active', 'Active']);
  desk.at('2026-06-02 08:00');
  await expect.poll(statuses).toEqual(['Expiring', 'Active', 'Active', 'Active']);
  desk.at('2026-07-02 08:00');
  await expect.poll(statuses).toEqual(['Expired', 'Active', 'Expired', 'Expiring']);
  const query = "?$filter=Attribute eq 'Status'&$orderby=Uid";
  const { value } = await desk.read(`${path}/HistoryLines${query}`);
  expect(value.map(({ Subject }: { Subject: string }) => Subject)).toEqual([
    'Status: Active → Expiring',
    'Status: Expiring → Expired',
  ]);
  expect((await desk.read(path)).Registration.ModifiedBy).toBe('docket schedule');
});

it('A contract whose end has passed expires, whatever its notice period', async () => {
  const path = await contract('2026-07-02 07:00', { NoticePeriod: 'P1D' });
  stop = startDueActions(desk.service);
  await expect.poll(async () => await statusOf(path)).toBe('Expired');
});
