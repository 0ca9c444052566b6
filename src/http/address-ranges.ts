// This file matches IP addresses against lists of addresses and CIDR ranges, for IPv4 and IPv6.
// Source: RFC 4632, "Prefix Assignment"; RFC 4291, "Text Representation of Address Prefixes" and "IPv4-Mapped IPv6 Address".
import { BlockList, isIP } from 'node:net';

export interface AddressList {
  readonly has: (address: string) => boolean;
}

interface Range {
  readonly address: string;
  readonly bits: number;
  readonly family: 'ipv4' | 'ipv6';
}

/** Bits of an IPv6 address before a mapped IPv4 address. */
const MAPPED_BITS = 96;

/** Whether the text is an IP address or a range such as `10.0.0.0/8` or `fd00::/8`. */
export function isAddressRange(text: string): boolean {
  return readRange(text) !== undefined;
}

/** Creates a list of valid addresses or ranges. */
export function addressList(ranges: readonly string[]): AddressList {
  const list = new BlockList();
  for (const { address, bits, family } of ranges.flatMap((text) => readRange(text) ?? []))
    list.addSubnet(address, bits, family);
  return {
    has: (text) => {
      const address = plainAddress(text);
      const version = isIP(address);
      return version !== 0 && list.check(address, version === 4 ? 'ipv4' : 'ipv6');
    },
  };
}

/** Normalizes an address: converts mapped IPv4 addresses, and removes the zone (interface name) of IPv6 addresses. */
export function plainAddress(text: string): string {
  const [address = ''] = text.split('%');
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address;
}

function readRange(text: string): Range | undefined {
  const [prefix = '', length, ...more] = text.split('/');
  if (more.length > 0 || isIP(prefix) === 0 || prefix.includes('%')) return undefined;
  if (length !== undefined && !/^\d{1,3}$/.test(length)) return undefined;
  const address = plainAddress(prefix);
  const family = isIP(address) === 4 ? 'ipv4' : 'ipv6';
  const allBits = family === 'ipv4' ? 32 : 128;
  const mappedBits = address === prefix ? 0 : MAPPED_BITS;
  const bits = length === undefined ? allBits : Number(length) - mappedBits;
  return bits >= 0 && bits <= allBits ? { address, bits, family } : undefined;
}
