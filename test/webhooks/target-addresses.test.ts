// This file tries which addresses messages may be sent to: every form of private, local and reserved addresses, and names that resolve to
// them.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { addressList } from '../../src/http/address-ranges.ts';
import { openReceiver } from '../../src/webhooks/send-message.ts';
import { guardedLookup, isPermitted, urlMistake } from '../../src/webhooks/target-addresses.ts';

const NONE = { allowed: addressList([]) };
const LOCAL = { allowed: addressList(['127.0.0.1', 'fd00:1::/64']) };

describe('Without allowed ranges', () => {
  it.each([
    ...['0.0.0.0', '10.1.2.3', '100.64.0.1', '127.0.0.1', '127.255.255.254', '169.254.169.254'],
    ...['172.16.0.1', '172.31.255.255', '192.0.0.8', '192.168.1.1', '198.18.0.1', '224.0.0.1'],
    ...['240.0.0.1', '255.255.255.255', '192.0.2.1', '203.0.113.9'],
    ...['::', '::1', '::ffff:127.0.0.1', '::ffff:7f00:1', '0:0:0:0:0:ffff:a00:1'],
    ...['::ffff:a9fe:a9fe', '::7f00:1', '64:ff9b::7f00:1', '64:ff9b:1::1', '2002:7f00:1::'],
    ...['2001::1', '2001:db8::1', 'fc00::1', 'fd12:3456::1', 'fe80::1', 'fe80::1%eth0', 'ff02::1'],
    ...['fec0::1', '3fff::1', '4000::1', '', 'example.org'],
  ])('%s is not permitted', (address) => expect(isPermitted(address, NONE)).toBe(false));

  it.each(['8.8.8.8', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '::ffff:808:808'])(
    '%s is permitted',
    (address) => expect(isPermitted(address, NONE)).toBe(true),
  );

  it.each([
    ...['https://127.1/', 'https://2130706433/', 'https://0x7f000001/', 'https://017700000001/'],
    ...['https://[::1]/', 'https://[::ffff:127.0.0.1]/', 'https://[fd00::1]/', 'https://0/'],
    ...['https://localhost/', 'https://a.localhost./', 'https://169.254.169.254/latest'],
    ...['https://①②⑦.⓪.⓪.①/'],
  ])('%s is rejected', (url) => expect(urlMistake(url, NONE, false)).toContain('allowedRanges'));

  it('http is rejected', () => {
    expect(urlMistake('http://example.org/', NONE, false)).toContain('use https');
    expect(urlMistake('https://example.org/', NONE, false)).toBeUndefined();
  });
});

describe('With allowed ranges', () => {
  it('these are permitted, also by http', () => {
    expect(isPermitted('::ffff:7f00:1', LOCAL)).toBe(true);
    expect(isPermitted('fd00:1::5', LOCAL)).toBe(true);
    expect(isPermitted('127.0.0.2', LOCAL)).toBe(false);
    expect(urlMistake('http://127.0.0.1:80/', LOCAL, true)).toBeUndefined();
    expect(urlMistake('http://localhost/', LOCAL, true)).toBeUndefined();
    expect(urlMistake('http://intranet.example/', LOCAL, true)).toBeUndefined();
    expect(urlMistake('http://8.8.8.8/', LOCAL, true)).toContain('use https');
  });
});

describe('A name', () => {
  const lookup = async (rules: typeof NONE, isPlain = false, all = true) =>
    await new Promise((resolve) =>
      guardedLookup(rules, isPlain)('localhost', { all, family: 4 }, (error, address) =>
        resolve(error?.message ?? address),
      ),
    );

  it('that resolves to a private address is rejected', async () => {
    expect(await lookup(NONE)).toContain('localhost is a private');
    expect(await lookup(LOCAL)).toEqual([{ address: '127.0.0.1', family: 4 }]);
    expect(await lookup(LOCAL, true, false)).toBe('127.0.0.1');
  });

  it('is not connected to, whatever it resolves to after the check', async () => {
    let requests = 0;
    const server = createServer((_, response) => {
      requests++;
      response.end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const send = async (host: string, rules: typeof NONE) => {
      const settings = { rules, connections: 1, timeout: 1000 };
      const receiver = openReceiver(new URL(`http://${host}:${port}/`), settings);
      const reply = await receiver.send({ method: 'POST', headers: {}, body: '{}' });
      receiver.close();
      return reply;
    };
    for (const host of ['localhost', '127.0.0.1', '[::ffff:127.0.0.1]', '0.0.0.0'])
      expect(await send(host, NONE)).toMatchObject({ kind: 'none' });
    expect(requests).toBe(0);
    expect(await send('127.0.0.1', LOCAL)).toMatchObject({ kind: 'response', status: 200 });
    expect(requests).toBe(1);
    await new Promise((resolve) => server.close(resolve));
  });
});
