// Makes secrets and recovery codes, and checks codes. RFC 6238 with the parameters that all authenticator apps support: SHA-1, 6 digits, 30
// seconds. A code of the interval before or after is accepted, as clocks differ (RFC 6238, "Resynchronization").
import { Secret, TOTP } from 'otpauth';
import type { World } from '../../base/world.ts';
import { hashToken } from '../token.ts';

const PERIOD = 30;
const SECRET_BYTES = 20;
const RECOVERY_CODES = 10;
const RECOVERY_BYTES = 10;

/** A secret of 160 bits in base32 (RFC 4226, "Algorithm Requirements"). */
export function makeSecret({ randomBytes }: Pick<World, 'randomBytes'>): string {
  return base32(randomBytes(SECRET_BYTES));
}

/** What an authenticator app reads, also from a QR code. */
export function uriOf(secret: string, loginName: string): string {
  return totp(secret, loginName).toString();
}

/** The interval to which a code belongs; undefined if it is not valid now. */
export function intervalOf(secret: string, code: string, now: number): number | undefined {
  const token = code.replaceAll(' ', '');
  if (!/^\d{6}$/.test(token)) return undefined;
  const delta = totp(secret, '').validate({ token, timestamp: now, window: 1 });
  return delta === null ? undefined : Math.floor(now / 1000 / PERIOD) + delta;
}

/** Codes of 80 bits, each of which replaces a code of the app once. */
export function makeRecoveryCodes({ randomBytes }: Pick<World, 'randomBytes'>): readonly string[] {
  return Array.from({ length: RECOVERY_CODES }, () =>
    (base32(randomBytes(RECOVERY_BYTES)).toLowerCase().match(/.{4}/g) ?? []).join('-'),
  );
}

/** The hash under which a recovery code is stored; hyphens, spaces and case do not matter. */
export function hashRecoveryCode(code: string): string {
  return hashToken(code.toLowerCase().replace(/[\s-]/g, ''));
}

function totp(secret: string, label: string): TOTP {
  const common = { algorithm: 'SHA1', digits: 6, period: PERIOD } as const;
  return new TOTP({ ...common, issuer: 'Docket', label, secret: Secret.fromBase32(secret) });
}

function base32(bytes: Uint8Array): string {
  return new Secret({ buffer: Uint8Array.from(bytes).buffer }).base32;
}
