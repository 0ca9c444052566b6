// This file defines the settings of the HTTP application and the type of its request handlers.
import type { IssuerSignIn } from '../auth/issuers/sign-in.ts';
import type { Grants } from '../auth/token-grants.ts';
import type { MaybePromise } from '../base/value-or-promise.ts';
import type { Service } from '../service/service.ts';
import type { BodyTimes } from './body-stream.ts';
import type { Proxies } from './client-address.ts';
import type { ConnectionLimits } from './connection-limits.ts';
import type { ConsoleFiles } from './console/console-files.ts';
import type { Exchange } from './send-response.ts';
import type { ServiceLocation } from './service-location.ts';
import type { KeyPair } from './tls.ts';

/** What the console learns from the server besides the OData service. */
export interface ConsoleSettings {
  /** The built browser application. */
  readonly files: ConsoleFiles;
  /** The version of the program. */
  readonly version: string;
  /** Minutes without use after which a session frees its slot. */
  readonly idleMinutes: () => number;
  /** Sign-in at issuers; undefined if there are none. */
  readonly signIn: IssuerSignIn | undefined;
}

export interface AppSettings {
  readonly service: Service;
  readonly grants: Grants;
  /** Whether this process has met damage in the database, which a quick statement does not find. */
  readonly isDamaged?: () => boolean;
  readonly proxies: Proxies;
  /** Where the service is; the default is DEFAULT_LOCATION. */
  readonly location?: ServiceLocation;
  /** Certificate and key; with them the server uses HTTPS. */
  readonly pair?: KeyPair;
  /** Whether passwords and tokens from other machines are accepted over encrypted connections only. */
  readonly needsEncryption?: boolean;
  /** Minimum speed of request bodies; the default is BODY_TIMES. */
  readonly bodyTimes?: BodyTimes;
  /** Whether /docs/api serves the API reference; the default is true. */
  readonly apiReference?: boolean;
  /** Without it, /console returns 404. */
  readonly console?: ConsoleSettings | undefined;
  readonly connectionLimits?: ConnectionLimits;
  /** Allowed origins of browsers; `*` for all. */
  readonly corsOrigins: ReadonlySet<string> | (() => ReadonlySet<string>);
}

/** Answers one request. Faults that it throws become error responses. */
export type Handler = (exchange: Exchange, settings: AppSettings) => MaybePromise<void>;
