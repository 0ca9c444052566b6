// This file asks lists of addresses and ranges for addresses, in every spelling that a configuration, a socket or a proxy uses.
import { describe, expect, it } from 'vitest';
import { addressList, isAddressRange } from '../../src/http/address-ranges.ts';

describe('a list of addresses', () => {
  it.each([
    ['10.0.0.7', '10.0.0.7', true],
    ['10.0.0.7', '10.0.0.8', false],
    ['10.0.0.7', '::ffff:10.0.0.7', true],
    ['10.0.0.0/8', '10.255.3.4', true],
    ['10.0.0.0/8', '::ffff:10.255.3.4', true],
    ['10.0.0.0/8', '11.0.0.1', false],
    ['10.1.2.3/8', '10.9.9.9', true],
    ['192.168.4.0/22', '192.168.7.255', true],
    ['192.168.4.0/22', '192.168.8.0', false],
    ['10.0.0.7/32', '10.0.0.7', true],
    ['10.0.0.7/32', '10.0.0.6', false],
    ['0.0.0.0/0', '203.0.113.9', true],
    ['0.0.0.0/0', '2001:db8::1', false],
    ['::ffff:10.0.0.0/104', '10.1.1.1', true],
    ['::ffff:10.0.0.0/104', '11.1.1.1', false],
    ['2001:db8::1', '2001:DB8:0:0::1', true],
    ['2001:db8::/32', '2001:db8:ffff::1', true],
    ['2001:db8::/32', '2001:db9::1', false],
    ['fd00::/8', 'fdff::1%eth0', true],
    ['::/0', '2001:db8::1', true],
    ['10.0.0.0/8', 'unknown', false],
    ['10.0.0.0/8', '', false],
  ])('%s and %s: %s', (range, address, expected) => {
    expect(isAddressRange(range)).toBe(true);
    expect(addressList(['203.0.113.1', range]).has(address)).toBe(expected);
  });

  it.each([
    '',
    'proxy',
    '10.0.0',
    '10.0.0.0/',
    '10.0.0.0/33',
    '10.0.0.0/-1',
    '10.0.0.0/8/8',
    '10.0.0.0/255.0.0.0',
    '10.0.0.*',
    'fd00::/129',
    'fe80::1%eth0',
    '::ffff:10.0.0.0/8',
  ])('%j is no address and no range', (text) => {
    expect(isAddressRange(text)).toBe(false);
  });

  it('that is empty holds no address', () => {
    expect(addressList([]).has('127.0.0.1')).toBe(false);
  });
});
