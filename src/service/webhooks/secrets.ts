// This file makes the secrets with which messages are signed. Standard Webhooks, "Signature scheme".
import type { World } from '../../base/world.ts';

/** What secrets begin with; base64 follows. */
export const SECRET_PREFIX = 'whsec_';
const SECRET_BYTES = 32;

export function makeSecret({ randomBytes }: Pick<World, 'randomBytes'>): string {
  return `${SECRET_PREFIX}${Buffer.from(randomBytes(SECRET_BYTES)).toString('base64')}`;
}
