// This file caches responses to reads until one of the tables they were read from changes. The key is the query plan (per rights, language
// and headers), the URL and, where it matters, the account. A response is cached when it is requested for the second time.
import type { ResponsePlan } from '../../plan/read-plan.ts';
import type { Answer } from '../../response/response.ts';
import type { ContextName, Script } from '../../sql/script.ts';
import type { Context } from '../../store/database.ts';
import type { PreparedRead } from '../read-plans.ts';
import type { Call } from '../service.ts';

/** Answers asked for once that are remembered. */
const ASKED_LIMIT = 10_000;
/** What an entry takes besides its text. Bytes. */
const OVERHEAD = 500;

/** The context values that differ from request to request. */
const OF_THE_MOMENT: ReadonlySet<string> = new Set<ContextName>([
  'now',
  'present',
  'request',
  'positions',
]);

interface Kept {
  readonly state: string;
  readonly answer: Answer;
  readonly bytes: number;
}

/** Where an answer is kept, and the state of the database before it was made. */
export interface AnswerPlace {
  readonly key: string;
  readonly state: string;
}

export class AnswerCache {
  readonly #limit: number;
  readonly #kept = new Map<string, Kept>();
  readonly #asked = new Set<string>();
  readonly #scripts = new WeakMap<Script, number>();
  #scriptCount = 0;
  #bytes = 0;

  /** @param limit bytes that answers may take; 0 for none */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /**
   * The place of an answer; undefined where it is not to be kept: it depends on the moment, or is made as fast as it is found.
   * @param tableVersionOf Database.tableVersionOf
   */
  placeOf(
    { tree, plan, script }: PreparedRead,
    call: Call,
    context: Context,
    tableVersionOf: (reads: readonly string[]) => string | undefined,
  ): AnswerPlace | undefined {
    if (this.#limit === 0 || script.kind !== 'read' || !isWorthKeeping(plan, script))
      return undefined;
    if (tree.negotiated.format.kind === 'xml') return undefined;
    const { statement, parent } = script;
    let asker = '';
    for (const parameter of [...statement.parameters, ...(parent?.parameters ?? [])]) {
      if (parameter.kind !== 'context') continue;
      if (OF_THE_MOMENT.has(parameter.name)) return undefined;
      asker += `${parameter.name} ${String(context[parameter.name])}\n`;
    }
    const [state, parentState] = [
      tableVersionOf(statement.reads),
      parent === undefined ? '' : tableVersionOf(parent.reads),
    ];
    if (state === undefined || parentState === undefined) return undefined;
    const query = call.body === undefined ? call.query : `${call.query}&${textOf(call.body)}`;
    const key = `${this.#numberOf(script)}\n${call.path}?${query}\n${asker}`;
    return { key, state: `${state};${parentState}` };
  }

  find({ key, state }: AnswerPlace): Answer | undefined {
    const kept = this.#kept.get(key);
    if (kept === undefined) return undefined;
    this.#kept.delete(key);
    if (kept.state !== state) {
      this.#bytes -= kept.bytes;
      // It was requested again, so its replacement is cached immediately.
      this.#asked.add(key);
      return undefined;
    }
    this.#kept.set(key, kept);
    return kept.answer;
  }

  /** Keeps an answer that is asked for the second time. Gives what to answer with. */
  keep({ key, state }: AnswerPlace, answer: Answer): Answer {
    if (!this.#asked.delete(key)) {
      this.#ask(key);
      return answer;
    }
    const body = typeof answer.body === 'string' ? Buffer.from(answer.body, 'utf8') : answer.body;
    const bytes = OVERHEAD + 2 * key.length + (body?.byteLength ?? 0);
    // One answer shall not push out all others.
    if (bytes > this.#limit / 8) return answer;
    const ready = { ...answer, body };
    this.#forget(key);
    this.#kept.set(key, { state, answer: ready, bytes });
    this.#bytes += bytes;
    this.#shrink();
    return ready;
  }

  #forget(key: string): void {
    const kept = this.#kept.get(key);
    if (kept === undefined) return;
    this.#bytes -= kept.bytes;
    this.#kept.delete(key);
  }

  #ask(key: string): void {
    if (this.#asked.size >= ASKED_LIMIT) this.#asked.clear();
    this.#asked.add(key);
  }

  /** Those least recently asked for go first. */
  #shrink(): void {
    for (const key of this.#kept.keys()) {
      if (this.#bytes <= this.#limit) return;
      this.#forget(key);
    }
  }

  #numberOf(script: Script): number {
    const known = this.#scripts.get(script);
    if (known !== undefined) return known;
    this.#scripts.set(script, ++this.#scriptCount);
    return this.#scriptCount;
  }
}

/** The options in the body of a /$query request. */
function textOf(body: Uint8Array): string {
  return Buffer.from(body).toString('utf8');
}

/** A record by its key is found as fast as an answer would be; the time of an Atom document is that of its making. */
function isWorthKeeping(plan: ResponsePlan, script: Script & { readonly kind: 'read' }): boolean {
  if (script.scans) return true;
  if (plan.kind !== 'read') return plan.kind === 'crossjoin';
  return plan.output.kind === 'entities' || plan.output.kind === 'count';
}
