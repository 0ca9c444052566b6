// This file runs the contract of stores against an FTP server over TLS.
import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { describeStore, gather, newKey, pieces } from '../contracts/attachment-store.ts';
import { openStoreOn, startFtpSrv } from '../contracts/ftp-servers.ts';

describeStore(
  'FTPS, explicit',
  openStoreOn(() => startFtpSrv('explicit')),
);

it.each([
  ['implicit', true],
  ['implicit', false],
  ['explicit', false],
] as const)('FTPS, %s, passive %s: bytes go there and come back', async (tls, passive) => {
  const { store, end } = await openStoreOn(() => startFtpSrv(tls, passive))();
  const key = newKey();
  const bytes = randomBytes(500_000);
  await store.put(key, pieces(bytes));
  expect((await gather(await store.get(key))).equals(bytes)).toBe(true);
  expect((await gather(await store.get(key, { first: 7, last: 99 }))).byteLength).toBe(93);
  for await (const step of store.probe()) expect(step).toMatchObject({ kind: 'done' });
  await store.close();
  await end();
});
