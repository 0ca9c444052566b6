// This file resolves the names in a rule of outgoing mail: sets, members, recipients and conditions. It finds every mistake before the rule
// is stored, so that a change is never followed by one.
import type { CheckRule } from '../../access/read-roles.ts';
import { Fault, toDetail } from '../../base/fault.ts';
import { moreMistakes } from '../../bind/body/body-errors.ts';
import { calculatedPaths, clocksOf, recordedPaths } from '../../edm/clocks/clock-members.ts';
import { MAIL_EVENTS } from '../../edm/mail-sets.ts';
import {
  type EntityType,
  entityType,
  lineage,
  type Member,
  type Model,
  type Navigation,
  type RecipientMembers,
} from '../../edm/model.ts';
import { containmentSource, type Source, setSource } from '../../edm/source.ts';
import { parseExpression } from '../../request/expression/expression.ts';
import { type Layout, tableOf } from '../../sql/schema/layout.ts';
import type { StoredRule, StoredTemplate } from './stored-rules.ts';
import { templatePaths } from './template.ts';
import { nearestHint, resolvePath, valueMistake } from './value-paths.ts';

/** A rule whose names are those of the model. */
export interface BoundRule extends StoredRule {
  readonly type: EntityType;
  /** The property that is the key. */
  readonly key: string;
  /** The source in the change log whose changes the rule concerns. */
  readonly source: Source;
  /** For "added". */
  readonly part:
    | { readonly navigation: Navigation; readonly type: EntityType; readonly key: string }
    | undefined;
  /** For "changed" and "assigned". */
  readonly history: HistoryMembers | undefined;
}

/** Where the model records which property has changed. */
interface HistoryMembers {
  readonly navigation: string;
  readonly property: string;
  readonly created: string;
}

export interface RuleBinding {
  readonly layout: Layout;
  readonly check: CheckRule;
}

/**
 * Throws: mail.rule, with one detail per mistake if there are several.
 * @param templates those that the template of the rule must be among; undefined if it is not checked
 */
export function bindRule(
  { layout, check }: RuleBinding,
  rule: StoredRule,
  templates?: readonly StoredTemplate[],
): BoundRule {
  const { model } = layout;
  const { type, owner } = subjectOf(model, rule);
  const mistakes = new RuleMistakes();
  const key = mistakes.in(() => keyOf(layout, rule, owner, 'EntitySet')) ?? '';
  const part = mistakes.in(() => (rule.event === 'added' ? partOf(layout, rule, type) : undefined));
  const history = mistakes.in(() =>
    followsMember(rule) ? historyOf(model, rule, type) : undefined,
  );
  const source = part === undefined ? owner : containmentSource(model, type, part.navigation);
  const bound: BoundRule = { ...rule, type, key, source, part, history };
  mistakes.in(() => checkMember(model, bound));
  mistakes.in(() =>
    checkCondition(rule, 'Filter', rule.filter, (text) => check(parse(text), type)),
  );
  mistakes.in(() => checkMemberCondition(bound, check));
  mistakes.in(() => requireRecipients(rule));
  for (const recipient of rule.recipients)
    mistakes.in(() => requireRecipient(model, bound, recipient));
  if (templates !== undefined) mistakes.in(() => requireTemplate(model, bound, templates));
  mistakes.raise(rule);
  return bound;
}

/** The type whose entities the rule concerns. No other mistake can be found without it. */
function subjectOf(model: Model, rule: StoredRule): { type: EntityType; owner: Source } {
  const set = [...model.sets.values()].find(
    ({ name, kind }) => name === rule.set && kind === 'set',
  );
  if (set === undefined)
    throw mistake(rule, 'EntitySet', `there is no set "${rule.set}"`, model.sets.keys());
  if (!isEvent(rule.event))
    throw mistake(rule, 'Event', `"${rule.event}" is not an event`, MAIL_EVENTS);
  return { type: entityType(model, set.type), owner: setSource(model, set.name) };
}

class RuleMistake extends Fault {
  readonly reason: string;

  constructor(rule: string, reason: string, target: string) {
    super('mail.rule', { rule, reason, more: '' }, { target });
    this.reason = reason;
  }
}

/** Collects the mistakes in a rule, so that one response reports all of them. */
class RuleMistakes {
  readonly #found: RuleMistake[] = [];

  /** The result of a check; undefined if it throws a mistake. */
  in<Result>(check: () => Result): Result | undefined {
    try {
      return check();
    } catch (error) {
      if (!(error instanceof RuleMistake)) throw error;
      this.#found.push(error);
      return undefined;
    }
  }

  /** Throws: mail.rule, if there are mistakes. */
  raise({ name: rule }: StoredRule): void {
    const [first, ...others] = this.#found;
    if (first === undefined) return;
    if (others.length === 0) throw first;
    const { reason, target = '' } = first;
    const more = moreMistakes(others.length);
    const details = this.#found.map(toDetail);
    throw new Fault('mail.rule', { rule, reason, more }, { target, details });
  }
}

function isEvent(event: string): boolean {
  return MAIL_EVENTS.some((one) => one === event);
}

const followsMember = ({ event }: StoredRule) => event === 'changed' || event === 'assigned';

/** Only a key that the service generates identifies an entity in the change log. */
function keyOf(layout: Layout, rule: StoredRule, source: Source, target: string): string {
  const { identity } = tableOf(layout, source).table;
  if (layout.model.members(source.type).has(identity)) return identity;
  const reason = `the key of ${source.type.name} is not generated by the service (Docket.Generated with By "key")`;
  throw mistake(rule, target, reason);
}

function partOf(layout: Layout, rule: StoredRule, type: EntityType): BoundRule['part'] {
  const { model } = layout;
  const collections = [...model.members(type).values()].filter(
    (one): one is Navigation => one.kind === 'navigation' && one.contained && one.collection,
  );
  const navigation = collections.find(({ name }) => name === rule.member);
  if (rule.member === undefined) throw missingMember(rule);
  if (navigation === undefined) {
    const names = collections.map(({ name }) => name);
    const reason = `${type.name} has no contained collection "${rule.member}"`;
    throw mistake(rule, 'Member', reason, names);
  }
  const source = containmentSource(model, type, navigation);
  return { navigation, type: source.type, key: keyOf(layout, rule, source, 'Member') };
}

function historyOf(model: Model, rule: StoredRule, type: EntityType): HistoryMembers {
  const { history = '' } = model.definition;
  const navigation = model.members(type).get(history);
  if (navigation?.kind !== 'navigation' || !navigation.contained)
    throw mistake(rule, 'Event', `changes of ${type.name} have no history (Docket.History)`);
  const lines = [...model.members(entityType(model, navigation.target)).values()];
  const property = lines.find((one) => one.kind === 'property' && one.changePart === 'property');
  const created = lines.find((one) => one.kind === 'property' && one.generated?.by === 'created');
  if (property === undefined || created === undefined)
    throw mistake(
      rule,
      'Event',
      'the history of the model has no property with the path or the time of a change',
    );
  return { navigation: history, property: property.name, created: created.name };
}

function missingMember(rule: StoredRule): RuleMistake {
  const reason = `the event "${rule.event}" requires a member; add Member with the ${MEMBER_KINDS[rule.event] ?? 'property'} that it concerns`;
  return mistake(rule, 'Member', reason);
}

const MEMBER_KINDS: Readonly<Record<string, string>> = { added: 'contained collection' };

function checkMember(model: Model, rule: BoundRule): void {
  const { event, member = '', type } = rule;
  if (event === 'created' && member !== '')
    throw mistake(rule, 'Member', 'the event "created" has no member; remove it');
  if (!followsMember(rule)) return;
  if (member === '') throw missingMember(rule);
  const resolved = resolvePath(model, type, member);
  if (resolved.kind === 'mistake') throw mistake(rule, 'Member', resolved.reason);
  const last = resolved.members.at(-1);
  const isInside = resolved.members.slice(0, -1).every(({ kind }) => kind === 'property');
  if (last?.collection === true || !isInside)
    throw mistake(rule, 'Member', `"${member}" is not stored in the entity itself`);
  const recorded = recordedInstead(model, type, resolved.members, member);
  if (recorded === undefined) return;
  const reason = `the service calculates "${member}", and the history does not contain its changes; use one of ${recorded.join(', ')}`;
  throw mistake(rule, 'Member', reason);
}

/** The members of clocks whose changes the history contains, if the member is one of the others; undefined if it is none of these. */
function recordedInstead(
  model: Model,
  type: EntityType,
  members: readonly Member[],
  path: string,
): readonly string[] | undefined {
  if (!members.some((one) => one.kind === 'property' && one.computed === true)) return undefined;
  const clocks = [type, ...model.derived(type)].flatMap((one) => clocksOf(model, one) ?? []);
  const isIn = (one: string) => `${path}/`.startsWith(`${one}/`);
  const isCalculated = clocks.some((rules) => calculatedPaths(rules).some(isIn));
  const recorded = [...new Set(clocks.flatMap((rules) => [...recordedPaths(rules)]))];
  return isCalculated && !recorded.some(isIn) ? recorded : undefined;
}

function checkMemberCondition(rule: BoundRule, check: CheckRule): void {
  const { event, memberFilter, part } = rule;
  if (event !== 'added' && memberFilter !== undefined)
    throw mistake(rule, 'MemberFilter', 'only the event "added" has an added entity; use Filter');
  if (part !== undefined)
    checkCondition(rule, 'MemberFilter', memberFilter, (text) => check(parse(text), part.type));
}

const parse = (text: string) => parseExpression(text, 'the condition');

function checkCondition(
  rule: StoredRule,
  target: string,
  condition: string | undefined,
  check: (text: string) => void,
): void {
  if (condition === undefined) return;
  const [parameter] = condition.replaceAll(/'(?:[^']|'')*'/g, '').match(/@\w*/) ?? [];
  if (parameter !== undefined)
    throw mistake(rule, target, `it contains ${parameter}, but the change has no caller`);
  try {
    check(condition);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    throw mistake(rule, target, error.message);
  }
}

/** The members of a type by which its entities get mail. */
export function recipientMembers(model: Model, type: EntityType): RecipientMembers | undefined {
  return lineage(type, model.types)
    .map((one) => (one.kind === 'entity' ? one.recipient : undefined))
    .find((one) => one !== undefined);
}

/** Whether a recipient is an address rather than a path. */
export const isAddress = (text: string) => text.includes('@');

const ADDRESS = /^[^\s@<>,;:"()[\]\\\p{Cc}]+@[^\s@<>,;:"()[\]\\\p{Cc}]+$/u;

/** Whether mail can be sent to a text. It cannot contain a second address or a header. */
export const isUsableAddress = (text: string) => text.length <= 320 && ADDRESS.test(text);

function requireRecipients(rule: StoredRule): void {
  if (rule.recipients.length === 0) throw mistake(rule, 'Recipients', 'it has no recipients');
}

function requireRecipient(model: Model, rule: BoundRule, recipient: string): void {
  if (isAddress(recipient)) {
    if (isUsableAddress(recipient)) return;
    throw mistake(rule, 'Recipients', `"${recipient}" is not an address such as desk@example.com`);
  }
  const resolved = resolvePath(model, rule.type, recipient);
  if (resolved.kind === 'mistake') throw mistake(rule, 'Recipients', resolved.reason);
  const last = resolved.members.at(-1);
  if (last?.kind === 'property' && last.type === 'Edm.String' && !last.collection) return;
  const type = last?.kind === 'navigation' ? entityType(model, last.target) : undefined;
  if (type !== undefined && recipientMembers(model, type) !== undefined) return;
  const reason = `"${recipient}" is neither a property with an address nor entities whose type has the annotation Docket.Recipient`;
  throw mistake(rule, 'Recipients', reason);
}

/** Throws RuleMistake if a template does not exist or contains what the entities of the rule do not have. */
function requireTemplate(
  model: Model,
  rule: BoundRule,
  templates: readonly StoredTemplate[],
): void {
  const own = templates.filter(({ name }) => name === rule.template);
  if (own.length === 0) {
    const names = templates.map(({ name }) => name);
    throw mistake(rule, 'Template', `there is no template "${rule.template}"`, names);
  }
  // Without the added entity, paths in it are unknown.
  if (rule.event === 'added' && rule.part === undefined) return;
  for (const template of own)
    for (const path of templatePaths(template)) {
      const reason = pathMistake(model, rule, path);
      if (reason !== undefined)
        throw mistake(
          rule,
          'Template',
          `in the template "${template.name}" (${template.language}), ${reason}`,
        );
    }
}

function pathMistake(model: Model, rule: BoundRule, path: string): string | undefined {
  const inner = pathInPart(rule, path);
  return rule.part !== undefined && inner !== undefined
    ? valueMistake(model, rule.part.type, inner)
    : valueMistake(model, rule.type, path);
}

/** The rest of a path through the collection of an "added" rule, which is a path in the added entity. */
export function pathInPart({ part }: Pick<BoundRule, 'part'>, path: string): string | undefined {
  const start = part === undefined ? undefined : `${part.navigation.name}/`;
  return start !== undefined && path.startsWith(start) ? path.slice(start.length) : undefined;
}

function mistake(
  { name }: StoredRule,
  target: string,
  text: string,
  candidates: Iterable<string> = [],
): RuleMistake {
  const wrong = /"([^"]*)"$/.exec(text)?.[1] ?? '';
  const reason = asSentence(`${text}${nearestHint(wrong, candidates)}`);
  return new RuleMistake(name, reason, target);
}

/** A reason may end with a question for the name that was meant. */
export function asSentence(reason: string): string {
  return /[.?]$/.test(reason) ? reason : `${reason}.`;
}
