// This file reads the rules and templates of outgoing mail from their administrative sets, inside a transaction or outside of it.
import { MAIL_RULE_TYPE, MAIL_TABLES, MAIL_TEMPLATE_TYPE } from '../../edm/mail-sets.ts';
import { list, name, sql, tableName } from '../../sql/fragment.ts';
import type { Row } from '../../store/database.ts';
import { isTrue, optionalText, textsOf } from '../../store/stored-values.ts';
import type { TemplateTexts } from './template.ts';

/** A rule as administrators have written it. */
export interface StoredRule {
  readonly uid: bigint;
  readonly name: string;
  readonly isActive: boolean;
  readonly set: string;
  readonly event: string;
  readonly member: string | undefined;
  readonly filter: string | undefined;
  readonly memberFilter: string | undefined;
  readonly recipients: readonly string[];
  readonly template: string;
  readonly skipsAuthor: boolean;
  readonly isReceipt: boolean;
  /** Milliseconds since 1970. */
  readonly modified: number;
}

export interface StoredTemplate extends TemplateTexts {
  readonly uid: bigint;
  readonly name: string;
  readonly language: string;
}

/** The columns of a rule, in the order in which ruleOf reads them. */
export const RULE_COLUMNS = [
  ...['Uid', 'Name', 'Active', 'EntitySet', 'Event', 'Member', 'Filter', 'MemberFilter'],
  ...['Recipients', 'Template', 'SkipAuthor', 'Receipt', 'Modified'],
];

/** Selects all rules, oldest first. */
export const RULES = sql`SELECT ${list(RULE_COLUMNS.map((column) => name(column)))}
  FROM ${tableName(MAIL_TABLES[MAIL_RULE_TYPE])} ORDER BY "Uid"`;

/** Selects all templates. */
export const TEMPLATES = sql`SELECT "Uid", "Name", "Language", "Subject", "Text", "Html" FROM ${tableName(MAIL_TABLES[MAIL_TEMPLATE_TYPE])} ORDER BY "Uid"`;

export function ruleOf(row: Row): StoredRule {
  const [uid, title, active, set, event, member, filter, memberFilter, recipients, ...rest] = row;
  const [template, skipAuthor, receipt, modified] = rest;
  return {
    uid: BigInt(String(uid ?? 0)),
    name: String(title),
    isActive: isTrue(active),
    set: String(set),
    event: String(event),
    member: optionalText(member),
    filter: optionalText(filter),
    memberFilter: optionalText(memberFilter),
    recipients: textsOf(recipients),
    template: String(template),
    skipsAuthor: isTrue(skipAuthor),
    isReceipt: isTrue(receipt),
    modified: Date.parse(String(modified)),
  };
}

export function templateOf([uid, title, language, subject, text, html]: Row): StoredTemplate {
  return {
    uid: BigInt(String(uid)),
    name: String(title),
    language: String(language),
    subject: String(subject),
    text: String(text),
    html: optionalText(html),
  };
}
