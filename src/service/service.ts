// This file defines the service as a value: the model it serves, the database it keeps records in, and the settings it obeys. cli/wire.ts
// puts it together; handle.ts uses it.
import type { Principal } from '../access/principal.ts';
import type { IncomingFile } from '../attachments/upload-headers.ts';
import type { Vault } from '../attachments/vault.ts';
import type { Administration } from '../auth/administration-rules.ts';
import type { Roles } from '../auth/policy-reader.ts';
import type { Sessions } from '../auth/session.ts';
import type { KnownHash } from '../auth/verify-current-password.ts';
import type { See } from '../base/observation.ts';
import type { World } from '../base/world.ts';
import type { CodeBook } from '../bind/codes.ts';
import type { Model } from '../edm/model.ts';
import type { RequestLimits, UnreadOptions } from '../request/parse.ts';
import type { Answer } from '../response/response.ts';
import type { ReadyDocuments } from '../response/site.ts';
import type { Dialect } from '../sql/dialect/dialect.ts';
import type { Layout } from '../sql/schema/layout.ts';
import type { Database } from '../store/database.ts';

export interface ServiceLimits extends RequestLimits {
  readonly bodyBytes: number;
  readonly expandDepth: number;
  readonly expandWidth: number;
  readonly pageSize: number;
  readonly maximumPageSize: number;
  readonly maximumPage: number;
  /** Requests in one batch. */
  readonly batchRequests: number;
  /** Requests that an account, and an address, may send in a minute; 0 for any number. */
  readonly accountRequests: number;
  readonly addressRequests: number;
  /** Megabytes of answers that are kept to be given again; 0 for none. */
  readonly answerMegabytes: number;
  /** For so long the answers to repeatable requests are kept. */
  readonly repeatHours: number;
  /** For so long the answers to asynchronous requests are kept. */
  readonly asyncHours: number;
  /** Responses to repeatable requests that are stored, and their megabytes: of one account, and of all. */
  readonly accountRepeatEntries: number;
  readonly accountRepeatMegabytes: number;
  readonly repeatEntries: number;
  readonly repeatMegabytes: number;
  /** The same of asynchronous requests; as many megabytes may wait to be run. */
  readonly accountAsyncResults: number;
  readonly accountAsyncMegabytes: number;
  readonly asyncResults: number;
  readonly asyncMegabytes: number;
}

export interface Service {
  readonly model: Model;
  /** Rules of the service contract, or plain OData. */
  readonly rules: 'service' | 'odata';
  readonly layout: Layout;
  readonly dialect: Dialect;
  readonly database: Database;
  /** The bytes of files. */
  readonly vault: Vault;
  readonly sessions: Sessions;
  /** Requests that are answered later. */
  readonly jobs: LaterRequests;
  /** What accounts may do. */
  readonly roles: Pick<Roles, 'policy'>;
  /** Watches what is written to accounts, roles, sessions and settings. */
  readonly administration: Pick<
    Administration,
    'concerns' | 'begin' | 'finish' | 'setPassword' | 'changePassword'
  >;
  /** Finds out whether who asks knows the own password. Faults auth.current-password, auth.slowed, auth.busy. */
  readonly confirmPassword: (
    principal: Principal,
    tried: { readonly password: string; readonly address: string },
  ) => Promise<KnownHash>;
  /** Codes by list, as bodies name them. */
  readonly codes: CodeBook;
  readonly documents: ReadyDocuments;
  readonly limits: ServiceLimits;
  /** Languages of code texts; the first is used where the client names none of them. */
  readonly languages: readonly string[];
  /** What needs no token. */
  readonly anonymous: ReadonlySet<'ping' | 'metadata'>;
  /** Options that imports pass over unread, by import. */
  readonly unread: UnreadOptions;
  readonly isEnabled: () => boolean;
  readonly world: World;
  readonly see: See;
}

/** One request, as http/ or a batch hands it over. */
export interface Call {
  readonly id: string;
  readonly method: string;
  /** Percent-encoded, relative to the service root, without leading slash. */
  readonly path: string;
  /** Percent-encoded, without the question mark. */
  readonly query: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Uint8Array | undefined;
  /** In place of the body: the bytes of a file, which can be read once. */
  readonly upload?: AsyncIterable<Uint8Array>;
  /** The file that the body is, once its head has been read. */
  readonly incoming?: IncomingFile;
  /** IP address of the client. */
  readonly address: string;
  /** `http://host:port/odata/`. */
  readonly root: string;
  /** In a batch: URLs of what earlier requests made, by their ids. */
  readonly contentIds?: ReadonlyMap<string, string>;
  /** Given where the service itself may have to do the request again; takes the place of the client's headers. */
  readonly repeat?: OwnRepeat;
}

/** Does a request of a principal. Never throws. */
export type Perform = (call: Call, principal: Principal) => Promise<Answer>;

/** Requests that are kept, and done after the client was told so. */
export interface LaterRequests {
  /** Keeps a request, and answers 202 or, where the client waits long enough, as the request is answered. */
  readonly accept: (
    call: Call,
    principal: Principal,
    service: Service,
    perform: Perform,
  ) => Promise<Answer>;
  /** Does what was left undone when the process at this place ended. */
  readonly resume: (service: Service, perform: Perform) => void;
  /** Starts nothing more; kept when what is running has ended. */
  readonly close: () => Promise<void>;
}

/** How the service recognizes a request that it does again. */
export interface OwnRepeat {
  readonly key: string;
  /** The job that the request belongs to: when it is gone, nothing more is done. */
  readonly job?: string;
}
