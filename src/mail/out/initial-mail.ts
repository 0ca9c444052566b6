// This file adds the rules and templates that a model comes with. Each is added once, so that neither a restart nor an upgrade restores what
// administrators have removed, or changes what they have edited.
import { systemSet } from '../../edm/administration-sets.ts';
import { MAIL_RULE_TYPE, MAIL_TEMPLATE_TYPE } from '../../edm/mail-sets.ts';
import { IDENTITY_SEQUENCE } from '../../sql/schema/ddl.ts';
import type { Layout } from '../../sql/schema/layout.ts';
import type { Cell, Work } from '../../store/database.ts';
import { settingOf, storeSetting } from '../../store/installation-settings.ts';
import { recordInsert } from '../../store/load/bulk-load.ts';
import { textsOf } from '../../store/stored-values.ts';
import { allocate, query } from '../../store/work.ts';
import {
  RULE_COLUMNS,
  RULES,
  ruleOf,
  type StoredRule,
  TEMPLATES,
  templateOf,
} from './stored-rules.ts';

/** Rules and templates, with the members of their sets. */
export interface InitialMail {
  readonly rules: readonly InitialRule[];
  readonly templates: readonly InitialTemplate[];
}

interface InitialRule {
  readonly Name: string;
  readonly EntitySet: string;
  readonly Event: string;
  readonly Member?: string | undefined;
  readonly Filter?: string | undefined;
  readonly MemberFilter?: string | undefined;
  readonly Recipients: readonly string[];
  readonly Template: string;
  readonly SkipAuthor?: boolean | undefined;
  readonly Receipt?: boolean | undefined;
}

interface InitialTemplate {
  readonly Name: string;
  readonly Language: string;
  readonly Subject: string;
  readonly Text: string;
  readonly Html?: string | undefined;
}

/** The stored setting with what has been added before, as a JSON array. */
const ADDED = 'initial mail';

type Values = Readonly<Record<string, Cell>>;

const ruleLabel = ({ Name }: Pick<InitialRule, 'Name'>) => `rule ${Name}`;
const templateLabel = ({ Name, Language }: Pick<InitialTemplate, 'Name' | 'Language'>) =>
  `template ${Name} (${Language})`;

/** The values of a rule by column. */
function ruleValues(rule: InitialRule): Values {
  const { Member = null, Filter = null, MemberFilter = null } = rule;
  const { SkipAuthor = true, Receipt = false } = rule;
  const Recipients = JSON.stringify(rule.Recipients);
  const optional = { Member, Filter, MemberFilter, SkipAuthor, Receipt };
  return { ...rule, ...optional, Recipients, Active: true };
}

/** The rule as it will be stored, for checks. */
export function storedForm(rule: InitialRule): StoredRule {
  const values = ruleValues(rule);
  return ruleOf(RULE_COLUMNS.map((column) => values[column] ?? null));
}

/** What addInitialMail would add, unless the installation has something of the same name. */
export function* planInitialMail({ rules, templates }: InitialMail): Work<readonly string[]> {
  const added = yield* addedBefore();
  return [...templates.map(templateLabel), ...rules.map(ruleLabel)].filter(
    (label) => !added.has(label),
  );
}

/**
 * Adds what has not been added before. In an installation with rules of its own, further ones are added inactive, because they might repeat
 * what these announce.
 * @param now milliseconds since 1970
 */
export function* addInitialMail(layout: Layout, initial: InitialMail, now: number): Work<void> {
  const before = yield* addedBefore();
  const rules = (yield query(RULES)).rows.map(ruleOf);
  const templates = (yield query(TEMPLATES)).rows.map(templateOf);
  const ruleNames = new Set(rules.map(({ name }) => name));
  const templateNames = new Set(
    templates.map(({ name, language }) => templateLabel({ Name: name, Language: language })),
  );
  for (const one of initial.templates)
    if (!before.has(templateLabel(one)) && !templateNames.has(templateLabel(one)))
      yield* add(layout, MAIL_TEMPLATE_TYPE, { ...one, Html: one.Html ?? null });
  const at = new Date(now).toISOString();
  const more = { Active: rules.length === 0, Created: at, Modified: at };
  for (const rule of initial.rules)
    if (!before.has(ruleLabel(rule)) && !ruleNames.has(rule.Name))
      yield* add(layout, MAIL_RULE_TYPE, { ...ruleValues(rule), ...more });
  const labels = [...initial.templates.map(templateLabel), ...initial.rules.map(ruleLabel)];
  yield* storeSetting(ADDED, JSON.stringify([...new Set([...before, ...labels])]));
}

function* addedBefore(): Work<ReadonlySet<string>> {
  return new Set(textsOf(yield* settingOf(ADDED)));
}

function* add(layout: Layout, type: string, values: Values): Work<void> {
  const set = systemSet(layout.model, type)?.name;
  if (set === undefined) return;
  const uid = (yield allocate(IDENTITY_SEQUENCE, 1n)).first;
  yield recordInsert(layout, { set, uid, values });
}
