// The configuration keys of an item of `issuers`: an OpenID Connect issuer whose access tokens the service accepts.
import { z } from 'zod';
import { ISSUER_ALGORITHMS, isSecureUrl } from '../../auth/issuers/issuer.ts';
import { ADMINISTRATOR_ROLE } from '../../edm/account-sets.ts';
import { wholeNumber } from './number-keys.ts';

const secureUrl = z
  .string()
  .refine(
    isSecureUrl,
    'expected an HTTPS URL such as https://login.example.com/realms/desk; plain HTTP is for issuers on this machine',
  );
const text = z.string().min(1);
const TEXTS = 'expected a text or a list of texts';
/** A text or a list of texts. */
const texts = z
  .union([text, z.array(text).refine((list) => list.length > 0, TEXTS)], TEXTS)
  .transform((value): readonly string[] => [value].flat());

const roles = z.strictObject({
  claim: text.default('roles').describe('the claim that contains the roles'),
  map: z.record(z.string(), texts).default({}).describe('names of roles by values of the claim'),
  default: z
    .array(text)
    .default([])
    .refine(
      (names) => !names.includes(ADMINISTRATOR_ROLE),
      'expected roles with fewer rights than administrator, which only map may give',
    )
    .describe('roles of all created accounts'),
});

const console = z.strictObject({
  name: text.max(60).describe('name of the issuer on the button of the console'),
  clientId: text.describe('client ID of the console at the issuer'),
  clientSecret: text.optional().describe('its secret; without one, the client is public'),
  scopes: z
    .array(text.regex(/^[\x21\x23-\x5b\x5d-\x7e]+$/, 'expected a scope without spaces'))
    .refine((list) => list.includes('openid'), 'expected a list that contains openid')
    .default(['openid', 'profile', 'email'])
    .describe('scopes that the console requests'),
});

const issuer = z.strictObject({
  url: secureUrl.describe('the claim iss of its tokens; discovery starts here'),
  jwksUri: secureUrl.optional().describe('URL of its keys, in place of discovery'),
  audience: texts.describe('accepted values of the claim aud'),
  algorithms: z
    .array(z.enum(ISSUER_ALGORITHMS))
    .min(1)
    .default(['RS256', 'PS256', 'ES256', 'EdDSA'])
    .describe('accepted signature algorithms'),
  clockSkew: wholeNumber(0, 600, 60).describe('permitted difference of clocks in seconds'),
  claim: text.default('preferred_username').describe('the claim with the login name'),
  createAccounts: z
    .boolean()
    .default(false)
    .describe('whether the first sign-in of a user creates an account'),
  roles: roles.prefault({}).describe('roles of created accounts'),
  authorizationUri: secureUrl
    .optional()
    .describe('where clients sign in, published with status 401'),
  console: console.optional().describe('sign-in of the console at this issuer'),
});

export const issuers = z
  .array(issuer)
  .refine(
    (list) => new Set(list.map(({ url }) => url)).size === list.length,
    'expected each issuer once',
  )
  .default([]);
