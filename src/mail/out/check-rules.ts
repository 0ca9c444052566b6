// This file checks the rules, templates and messages of outgoing mail in the transaction that changes them.
import type { CheckRule } from '../../access/read-roles.ts';
import { Fault } from '../../base/fault.ts';
import { systemSet } from '../../edm/administration-sets.ts';
import {
  MAIL_RULE_TYPE,
  MAIL_TABLES,
  MAIL_TEMPLATE_TYPE,
  OUTGOING_MESSAGE_TYPE,
} from '../../edm/mail-sets.ts';
import { type Source, setSource } from '../../edm/source.ts';
import { list, sql, tableName, value } from '../../sql/fragment.ts';
import type { Layout } from '../../sql/schema/layout.ts';
import type { Cell, Work } from '../../store/database.ts';
import { query } from '../../store/work.ts';
import { bindRule } from './bind-rule.ts';
import { RULES, ruleOf, type StoredRule, TEMPLATES, templateOf } from './stored-rules.ts';
import { templatePaths } from './template.ts';

const MESSAGES = tableName(MAIL_TABLES[OUTGOING_MESSAGE_TYPE]);

/** The rules for rules, templates and messages. */
export class MailRuleCheck {
  readonly #layout: Layout;
  readonly #check: CheckRule;
  readonly #rules: Source | undefined;
  readonly #templates: Source | undefined;
  readonly #messages: Source | undefined;

  constructor(layout: Layout, check: CheckRule) {
    const { model } = layout;
    const source = (type: string) => {
      const set = systemSet(model, type);
      return set === undefined ? undefined : setSource(model, set.name);
    };
    this.#layout = layout;
    this.#check = check;
    this.#rules = source(MAIL_RULE_TYPE);
    this.#templates = source(MAIL_TEMPLATE_TYPE);
    this.#messages = source(OUTGOING_MESSAGE_TYPE);
  }

  /** Whether a write to these sources can change rules, templates or messages. */
  concerns(sources: readonly string[]): boolean {
    const own = [this.#rules, this.#templates, this.#messages];
    return sources.some((id) => own.some((source) => source?.id === id));
  }

  /** Checks what has changed after the number `since` of the change log. Throws: mail.rule, mail.template, mail.message. */
  *check(since: bigint): Work<void> {
    yield* this.#checkMessages(yield* this.#changedIn(this.#messages, since));
    const rules = yield* this.#changedIn(this.#rules, since);
    const templates = yield* this.#changedIn(this.#templates, since);
    if (rules.size + templates.size === 0) return;
    const stored = (yield query(TEMPLATES)).rows.map(templateOf);
    const changed = stored.filter(({ uid }) => templates.has(uid));
    for (const template of changed) templatePaths(template);
    const names = new Set(changed.map(({ name }) => name));
    const known = new Set(stored.map(({ name }) => name));
    const isConcerned = (rule: StoredRule) =>
      rules.has(rule.uid) || names.has(rule.template) || !known.has(rule.template);
    const binding = { layout: this.#layout, check: this.#check };
    for (const rule of (yield query(RULES)).rows.map(ruleOf)) {
      if (!isConcerned(rule)) continue;
      bindRule(binding, rule, stored);
    }
  }

  /** The results of Retry and Cancel are valid, and no other changes by clients: the queue is also the log. */
  *#checkMessages(changed: ReadonlySet<Cell>): Work<void> {
    if (changed.size === 0) return;
    const identities = list([...changed].map((one) => value(one)));
    const isValid = sql`("State" = 'queued' AND "Text" IS NOT NULL) OR ("State" = 'cancelled' AND "Finished" IS NULL)`;
    const { rows } = yield query(
      sql`SELECT 1 FROM ${MESSAGES} WHERE "Uid" IN (${identities}) AND NOT (${isValid}) LIMIT 1`,
    );
    if (rows.length > 0) throw new Fault('mail.message');
  }

  *#changedIn(source: Source | undefined, since: bigint): Work<ReadonlySet<Cell>> {
    if (source === undefined) return new Set();
    const { rows } = yield query(
      sql`SELECT DISTINCT "identity" FROM ${tableName('docket_change')} WHERE "seq" > ${value(since)} AND "source" = ${value(source.id)}`,
    );
    return new Set(rows.map(([identity]) => identity ?? null));
  }
}
