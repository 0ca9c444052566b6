// This file defines the service as a value: its model, database, file vault, sessions and settings. cli/wire.ts assembles it and
// handle-request.ts uses it.
import type { Principal } from '../access/principal.ts';
import type { IncomingFile } from '../attachments/upload-headers.ts';
import type { Vault } from '../attachments/vault.ts';
import type { Administration } from '../auth/administration-rules.ts';
import type { Roles } from '../auth/policy-reader.ts';
import type { Sessions } from '../auth/session.ts';
import type { KnownHash } from '../auth/token-grants.ts';
import type { Observe } from '../base/observation.ts';
import type { Signal } from '../base/signal.ts';
import type { Spans } from '../base/spans.ts';
import type { World } from '../base/world.ts';
import type { CodeBook } from '../bind/codes.ts';
import type { Model } from '../edm/model.ts';
import type { Workflows } from '../edm/workflow/workflow.ts';
import type { TakenTransition } from '../plan/write/write-scope.ts';
import type { IgnoredOptions, RequestLimits } from '../request/parse.ts';
import type { Answer } from '../response/response.ts';
import type { PrebuiltDocuments } from '../response/site.ts';
import type { Dialect } from '../sql/dialect/dialect.ts';
import type { Layout } from '../sql/schema/layout.ts';
import type { Database, Work } from '../store/database.ts';
import type { SlowStatements } from '../store/tuning/collect-slow-statements.ts';
import type { Models } from './models/models.ts';
import type { TimeZones } from './time-zones.ts';

export interface ServiceLimits extends RequestLimits {
  readonly bodyBytes: number;
  readonly expandDepth: number;
  readonly expandWidth: number;
  readonly pageSize: number;
  readonly maximumPageSize: number;
  readonly maximumPage: number;
  /** Rows of an export. */
  readonly maximumExport: number;
  /** Rows of an import, and errors that it lists. */
  readonly importRows: number;
  readonly importErrors: number;
  /** Size of the files of a model that is planned or applied, in bytes. */
  readonly modelBytes: number;
  /** Live streams that a process serves, and for one account. */
  readonly listeners: number;
  readonly accountListeners: number;
  /** Requests per batch. */
  readonly batchRequests: number;
  /** Requests per minute of an account and of an IP address; 0 means unlimited. */
  readonly accountRequests: number;
  readonly addressRequests: number;
  /** Size of the response cache; 0 turns it off. */
  readonly answerMegabytes: number;
  /** Size of the plan cache; 0 turns it off. */
  readonly planMegabytes: number;
  /** How long responses to repeatable requests are stored. */
  readonly repeatHours: number;
  /** How long responses to asynchronous requests are stored. */
  readonly asyncHours: number;
  /** Stored responses to repeatable requests, per account and in total. */
  readonly accountRepeatEntries: number;
  readonly accountRepeatMegabytes: number;
  readonly repeatEntries: number;
  readonly repeatMegabytes: number;
  /** Stored responses to asynchronous requests. The limits in megabytes also apply to requests that wait to run. */
  readonly accountAsyncResults: number;
  readonly accountAsyncMegabytes: number;
  readonly asyncResults: number;
  readonly asyncMegabytes: number;
}

export interface Service {
  readonly model: Model;
  /** Whether the rules of the service contract apply, or plain OData. */
  readonly rules: 'service' | 'odata';
  /** Beginnings of the User-Agent header of clients to which plain OData applies in any case. */
  readonly odataClients: () => readonly string[];
  /** Whether responses to signed-in clients have a Server-Timing header. */
  readonly hasTiming: () => boolean;
  /** The workflows of the installation: another object after each change. */
  readonly workflows: () => Workflows;
  /** Minutes for which their authors may change notes. */
  readonly noteMinutes: () => number;
  readonly layout: Layout;
  readonly dialect: Dialect;
  readonly database: Database;
  /** Announces the commits of this process. */
  readonly commits: Pick<Signal, 'follow'>;
  /** Collects statements that take long. */
  readonly slowStatements: SlowStatements;
  /** Stores the content of files. */
  readonly vault: Vault;
  readonly sessions: Sessions;
  readonly jobs: AsyncRequests;
  readonly roles: Pick<Roles, 'policy'>;
  /** Checks and audits writes to accounts, roles, sessions and settings. */
  readonly administration: Pick<
    Administration,
    | 'concerns'
    | 'concernsCodes'
    | 'begin'
    | 'finish'
    | 'limitPassword'
    | 'removeFactor'
    | 'noteFactor'
    | 'setPassword'
    | 'endOtherSessions'
    | 'changePassword'
    | 'issueKey'
  >;
  /** Verifies the current password of a principal. Throws: auth.current-password, auth.slowed, auth.busy. */
  readonly confirmPassword: (
    principal: Principal,
    tried: { readonly password: string; readonly address: string },
  ) => Promise<KnownHash>;
  /** Spends a code of the second factor of an account. Throws: auth.second-factor-code, auth.slowed, auth.busy. */
  readonly confirmCode: (principal: Principal, code: string) => Promise<void>;
  /** Codes by list, as named in bodies. */
  readonly codes: CodeBook;
  /** Reads the codes, and the layout with their texts, as the transaction sees them. */
  readonly readCodes: () => Work<{ readonly codes: CodeBook; readonly layout: Layout }>;
  readonly documents: PrebuiltDocuments;
  /** Whether $metadata is flat unless the request states otherwise. */
  readonly flatMetadata: boolean;
  readonly limits: ServiceLimits;
  /** Languages of code texts. The first is the default. */
  readonly languages: readonly string[];
  /** Resources that need no token. */
  readonly anonymous: ReadonlySet<'ping' | 'metadata'>;
  /** Query options that function and action imports ignore, by import. */
  readonly unread: IgnoredOptions;
  readonly isEnabled: () => boolean;
  /** The time zones of the runtime, if the model has schedules. */
  readonly timeZones: TimeZones;
  /** Previews of templates of mail. */
  readonly mail: {
    readonly isPreview: (call: Call, model: Model) => boolean;
    readonly preview: (call: Call, service: Service, principal: Principal) => Promise<Answer>;
  };
  /** Plans and applies models. */
  readonly models: Models;
  /** Milliseconds for which messages are also signed with the previous secret of a subscription. */
  readonly secretOverlap: number;
  /** Rules for the URLs of the preference callback, and how many may wait for an account. */
  readonly callbacks: {
    readonly urlMistake: (url: string) => string | undefined;
    readonly limit: number;
  };
  readonly world: World;
  /** The time of requests and records, in milliseconds since 1970: the real time, unless the installation has a clock. */
  readonly businessTime: () => number;
  /** The adjustable clock of a demo installation. */
  readonly clock: AdjustableClock | undefined;
  readonly observe: Observe;
  /** Spans of traces; undefined unless the setting tracing is on. */
  readonly spans: Spans | undefined;
}

/** A business time that can be moved forward. */
export interface AdjustableClock {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Follows moves by other processes. */
  readonly load: () => Promise<void>;
  /**
   * Performs what is due until a time and moves the clock there. Undefined if another process has been doing so for too long.
   * @param until the time to move to, from the time at which the move begins
   */
  readonly passTo: (
    until: (now: number) => number,
    service: Service,
  ) => Promise<{ readonly from: number; readonly to: number } | undefined>;
}

/** One request, from http/ or from a batch. */
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
  /** Instead of `body`: a stream with the content of a file, readable once. */
  readonly upload?: AsyncIterable<Uint8Array>;
  /** The file in the body, once its headers have been read. */
  readonly incoming?: IncomingFile;
  /** IP address of the client. */
  readonly address: string;
  /** `http://host:port/odata/`. */
  readonly root: string;
  /** A record of a load, which may set what the service maintains, also in sets that are not insertable. */
  readonly isLoad?: boolean;
  /** A request of the service itself, which may set relations that the service maintains. */
  readonly isService?: boolean;
  /** A media type whose files the limits of size and media type do not apply to: in requests of the service itself. */
  readonly exemptFiles?: string | undefined;
  /** Why the service makes the request, for the history: the action, rule or change that it follows from. */
  readonly cause?: string | undefined;
  /** In a batch: URLs of entities that earlier requests created, by request id. */
  readonly contentIds?: ReadonlyMap<string, string>;
  /** Whether entities may be changed without an ETag where the model requires one: in effects of actions, and in imports. */
  readonly waivesTags?: boolean;
  /** Whether the clocks of the entity are calculated, whatever the request changes. */
  readonly recalculates?: boolean;
  /** Whether nothing of it is stored, although it does not say so itself: in effects and groups of a dry run. */
  readonly isDryRun?: boolean;
  /** Set for the change that the action Transition makes. */
  readonly transition?: TakenTransition;
  /** Set if the service itself may have to repeat the request. Overrides the repeatability headers of the client. */
  readonly repeat?: OwnRepeat;
}

/** Answers a request of a principal. Never throws. */
export type Perform = (call: Call, principal: Principal) => Promise<Answer>;

/** Accepts requests with Prefer: respond-async and runs them in the background. */
export interface AsyncRequests {
  /** Stores a request and returns 202, or the final response if it is ready within the client's `wait` preference. */
  readonly accept: (
    call: Call,
    principal: Principal,
    service: Service,
    perform: Perform,
  ) => Promise<Answer>;
  /** Runs the requests that a previous process in this slot has left unfinished. */
  readonly resume: (service: Service, perform: Perform) => Promise<void>;
  /** The slots that have unfinished requests. */
  readonly unfinishedSlots: (service: Service) => Promise<readonly number[]>;
  /** Runs the unfinished requests of the slot of another process, which has ended, and waits for them. */
  readonly adopt: (service: Service, perform: Perform, slot: number) => Promise<void>;
  /** Starts no more requests. Resolves when the running ones have ended. */
  readonly close: () => Promise<void>;
}

/** Identifies a request that the service itself repeats. */
interface OwnRepeat {
  readonly key: string;
  /** The job of the request. If the job has been deleted, the request does not run. */
  readonly job?: string | undefined;
}
