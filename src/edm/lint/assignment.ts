// This file checks how entities are assigned (`Docket.Assigned`): whether the members and codes exist and suit. bind/ checks the conditions.
import { type EntityType, type Model, memberAt } from '../model.ts';
import { elementPath, type Mistake, missing, mistake } from '../model-error.ts';
import { targetAt } from '../source.ts';
import type { AssignmentRules } from '../workflow/assignment-rules.ts';
import { type Expected, lintKey, lintMember, type Place } from './approval.ts';

export function lintAssignment(model: Model, type: EntityType): readonly Mistake[] {
  const { assigned: rules } = type;
  if (rules === undefined) return [];
  const place = { model, path: elementPath(type.name, '@Docket.Assigned') };
  const group = targetAt(model, type, rules.group);
  const person = targetAt(model, type, rules.person);
  const members: readonly Expected[] = [
    [type, rules.group, 'one'],
    [type, rules.person, 'one'],
    ...(group === undefined ? [] : membersOf(group, rules)),
  ];
  return [
    ...members.flatMap((one) => lintMember(place, one)),
    ...[group, person].flatMap((one) => (one === undefined ? [] : lintKey(place, one))),
    ...(group === undefined ? [] : lintMethod(place, group, rules)),
    ...lintNote(place, type, rules),
  ];
}

function membersOf(group: EntityType, rules: AssignmentRules): readonly Expected[] {
  return [
    [group, rules.members, 'many'],
    [group, rules.last, 'one'],
  ];
}

/** The method is a coded property, whose list has codes with the symbols. */
function lintMethod({ model, path }: Place, group: EntityType, rules: AssignmentRules) {
  const { method, roundRobin, leastLoad } = rules;
  const property = memberAt(model, group, method);
  const list =
    property?.kind === 'property' ? model.codeLists.get(property.codeList ?? '') : undefined;
  if (list === undefined)
    return [mistake(path, `${method} is not a coded property.`, 'Name another member.')];
  const symbols = list.codes.flatMap(({ meaning }) => meaning ?? []);
  return [roundRobin, leastLoad].flatMap((symbol) =>
    symbol === undefined || symbols.includes(symbol)
      ? []
      : [missing(path, `the code ${symbol}`, symbol, symbols)],
  );
}

function lintNote({ model, path }: Place, type: EntityType, { note }: AssignmentRules) {
  if (note === undefined) return [];
  const [collection = '', member = ''] = note.member.split('/');
  const notes = targetAt(model, type, collection);
  const text = notes && memberAt(model, notes, member);
  if (text?.kind === 'property' && text.type === 'Edm.String') return [];
  return [mistake(path, `${note.member} is not a text of a collection.`, 'Name another member.')];
}
