// This file decides whether an IP address lies in a list of addresses and ranges (CIDR), of IPv4 or IPv6, however it is spelt.
// Source: RFC 4632, "Prefix Assignment"; RFC 4291, "Text Representation of Address Prefixes" and "IPv4-Mapped IPv6 Address".
import { BlockList, isIP } from 'node:net';

/** A list of addresses that can be asked. */
export interface AddressList {
  readonly has: (address: string) => boolean;
}

interface Range {
  readonly address: string;
  readonly bits: number;
  readonly family: 'ipv4' | 'ipv6';
}

/** Bits of an IPv6 address before an IPv4 address that is mapped into it. */
const MAPPED_BITS = 96;

/** Whether a text is an IP address or a range such as `10.0.0.0/8` or `fd00::/8`. */
export function isAddressRange(text: string): boolean {
  return readRange(text) !== undefined;
}

/** The addresses of a list whose items are all addresses or ranges. */
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

/** An address without what does not belong to it: the IPv6 form of an IPv4 address, the name of an interface. */
export function plainAddress(text: string): string {
  const [address = ''] = text.split('%');
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address;
}

function readRange(text: string): Range | undefined {
  const [written = '', length, ...more] = text.split('/');
  if (more.length > 0 || isIP(written) === 0 || written.includes('%')) return undefined;
  if (length !== undefined && !/^\d{1,3}$/.test(length)) return undefined;
  const address = plainAddress(written);
  const family = isIP(address) === 4 ? 'ipv4' : 'ipv6';
  const most = family === 'ipv4' ? 32 : 128;
  const skipped = address === written ? 0 : MAPPED_BITS;
  const bits = length === undefined ? most : Number(length) - skipped;
  return bits >= 0 && bits <= most ? { address, bits, family } : undefined;
}
