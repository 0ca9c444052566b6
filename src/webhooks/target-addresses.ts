// This file decides to which addresses messages may be sent. A URL comes from a user, and the service may reach machines that the user
// cannot, so only public addresses are permitted, and those of the setting webhooks.allowedRanges. Names are resolved once for each
// connection: all addresses are checked, and the connection goes to one of these. So a name that changes in between changes nothing.
// Sources: the IANA registries "IPv4 Special-Purpose Address Space" and "IPv6 Special-Purpose Address Space".
import { type LookupAddress, lookup as resolve } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { type AddressList, addressList, plainAddress } from '../http/address-ranges.ts';

const SPECIAL_IPV4 = addressList([
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16'],
  ...['172.16.0.0/12', '192.0.0.0/24', '192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16'],
  ...['198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4'],
]);
/** All other addresses of IPv6 are local, reserved, or contain addresses of IPv4. */
const GLOBAL_IPV6 = addressList(['2000::/3']);
const SPECIAL_IPV6 = addressList(['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']);

/** What may be reached. */
export interface TargetRules {
  readonly allowed: AddressList;
}

/** Whether messages may be sent to the address. */
export function isPermitted(text: string, { allowed }: TargetRules): boolean {
  const address = unmapped(plainAddress(text));
  const version = isIP(address);
  if (version === 0) return false;
  if (allowed.has(address)) return true;
  if (version === 4) return !SPECIAL_IPV4.has(address);
  return GLOBAL_IPV6.has(address) && !SPECIAL_IPV6.has(address);
}

/** `::ffff:7f00:1` is 127.0.0.1. URLs contain mapped addresses in this form. */
function unmapped(address: string): string {
  const match = /^(?:0{0,4}:){1,5}:?ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/i.exec(address);
  if (match === null) return address;
  const [high, low] = match.slice(1).map((part) => Number.parseInt(part, 16));
  const bytes = [high, low].flatMap((part = 0) => [part >> 8, part & 255]);
  return bytes.join('.');
}

/** Why messages may not be sent to a URL, as far as its text shows; undefined if they may. */
export function urlMistake(
  text: string,
  rules: TargetRules,
  hasPrivate: boolean,
): string | undefined {
  if (/\p{Cc}/u.test(text)) return 'it contains a line break or another control character';
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) return 'it is not an absolute URL';
  const { protocol, username, password, hash, hostname } = url;
  if (protocol !== 'https:' && protocol !== 'http:') return 'its scheme is not https';
  if (username !== '' || password !== '') return 'it contains credentials';
  if (hash !== '') return 'it contains a fragment';
  const host = hostOf(hostname);
  const isAddress = isIP(host) !== 0;
  if (isAddress && !isPermitted(host, rules)) return forbidden(host);
  if (isLocalName(host) && !isPermitted('127.0.0.1', rules)) return forbidden(host);
  const isPrivate =
    isAddress || isLocalName(host) ? rules.allowed.has(host) || isLocalName(host) : hasPrivate;
  return protocol === 'http:' && !isPrivate ? PLAIN : undefined;
}

const PLAIN = 'http is permitted for addresses in webhooks.allowedRanges only; use https';

const forbidden = (host: string) =>
  `${host} is a private, local or reserved address, and not in webhooks.allowedRanges`;

const isLocalName = (host: string) => /^(?:.+\.)?localhost\.?$/i.test(host);

/** The host of a URL without the brackets of IPv6. */
export function hostOf(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, '$1');
}

/** Why no connection to the addresses is permitted; undefined if one is. */
export function targetProblem(
  host: string,
  addresses: readonly string[],
  isPlain: boolean,
  rules: TargetRules,
): string | undefined {
  if (!addresses.every((address) => isPermitted(address, rules))) return forbidden(host);
  const isAllowed = addresses.every((address) => rules.allowed.has(plainAddress(address)));
  return isPlain && !isAllowed ? PLAIN : undefined;
}

/** Resolves names for connections, and rejects those with an address that is not permitted. */
export function guardedLookup(rules: TargetRules, isPlain: boolean): LookupFunction {
  return (host, options, callback) => {
    resolve(host, { ...options, all: true }, (error, found) => {
      const addresses: readonly LookupAddress[] = error === null ? found : [];
      const [first] = addresses;
      const problem = error ?? problemOf(host, addresses, isPlain, rules);
      if (problem !== undefined || first === undefined)
        return callback(problem ?? new Error(`${host} has no address`), '', 4);
      if (options.all === true) return callback(null, [...addresses]);
      return callback(null, first.address, first.family);
    });
  };
}

function problemOf(
  host: string,
  found: readonly LookupAddress[],
  isPlain: boolean,
  rules: TargetRules,
): Error | undefined {
  const addresses = found.map(({ address }) => address);
  const problem = targetProblem(host, addresses, isPlain, rules);
  return problem === undefined ? undefined : new Error(problem);
}
