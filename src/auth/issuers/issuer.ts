// The settings of an issuer of access tokens, as the configuration contains them.
import { isIP } from 'node:net';

/** Asymmetric algorithms only: with HS256 the service would share a secret with the issuer, and "none" verifies nothing. */
export const ISSUER_ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
] as const;

export interface Issuer {
  /** The value of the claim `iss`. */
  readonly url: string;
  /** The URL of the signing keys; by default that of the discovery document. */
  readonly jwksUri?: string | undefined;
  /** The claim `aud` must contain one of these. */
  readonly audience: readonly string[];
  readonly algorithms: readonly string[];
  /** Seconds by which the clocks of the issuer and the service may differ. */
  readonly clockSkew: number;
  /** The claim that contains the login name of the account. */
  readonly claim: string;
  /** Whether an account is created at the first sign-in. */
  readonly createAccounts: boolean;
  readonly roles: RoleMapping;
  /** Where clients sign in. Published in responses with status 401. */
  readonly authorizationUri?: string | undefined;
  /** How the console signs in at the issuer; it offers no sign-in there without it. */
  readonly console?: ConsoleClient | undefined;
}

/** The client that the console is at an issuer. */
export interface ConsoleClient {
  /** What people know the issuer as, for the button. */
  readonly name: string;
  readonly clientId: string;
  /** Undefined for public clients, which PKCE alone protects. */
  readonly clientSecret?: string | undefined;
  readonly scopes: readonly string[];
}

/** The roles of created accounts. */
interface RoleMapping {
  readonly claim: string;
  /** Names of roles by values of the claim. */
  readonly map: Readonly<Record<string, readonly string[]>>;
  /** Roles of every created account. */
  readonly default: readonly string[];
}

/** Whether nobody on the network can replace what is read from the URL: by HTTPS, or from this machine. */
export function isSecureUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));
}

function isLoopback(hostname: string): boolean {
  const isAddress = isIP(hostname) === 4 && hostname.startsWith('127.');
  return isAddress || hostname === 'localhost' || hostname === '[::1]';
}
