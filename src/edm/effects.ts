// This file reads and writes the effects of actions in CSDL JSON (`Docket.Effects`). bind/ resolves the names and expressions in them.
import {
  childParts,
  objectPart,
  type Part,
  report,
  requiredText,
  textMember,
} from './csdl/document-reader.ts';
import type { Terms } from './csdl/terms.ts';
import { definedMembers } from './defined-members.ts';
import type { Effect, Json, QualifiedName } from './model.ts';

const FORMS = ['Require', 'Change', 'Create', 'Delete'] as const;

const MEMBERS: Readonly<Record<(typeof FORMS)[number], readonly string[]>> = {
  Require: ['Require', 'Message'],
  Change: ['Change', 'Values'],
  Create: ['Create', 'Type', 'Values', 'As'],
  Delete: ['Delete'],
};

/** Writes effects as CSDL JSON. */
export function writeEffects(effects: readonly Effect[]): Json {
  return effects.map(writeEffect);
}

function writeEffect(effect: Effect): Json {
  switch (effect.kind) {
    case 'require':
      return { Require: effect.condition, Message: effect.message };
    case 'change':
      return { Change: effect.rows, Values: writeValues(effect.values) };
    case 'create':
      return {
        Create: effect.in,
        ...definedMembers({ Type: effect.type }),
        Values: writeValues(effect.values),
        ...definedMembers({ As: effect.as }),
      };
    case 'delete':
      return { Delete: effect.rows };
  }
}

/** A path is not a valid member name of a record, so each value is a record of its own. */
function writeValues(values: Readonly<Record<string, string>>): Json {
  return Object.entries(values).map(([path, expression]) => ({
    Member: path,
    Expression: expression,
  }));
}

/** Reads the effects of an operation; undefined without the annotation. Mistakes are added to those of the part. */
export function readEffects(
  part: Part,
  terms: Terms,
  fullName: (name: string) => QualifiedName,
): readonly Effect[] | undefined {
  const effects = terms.take('Docket.Effects');
  if (effects === undefined) return undefined;
  const holder = objectPart({ '@Docket.Effects': effects }, part.path, part.mistakes);
  return childParts(holder, '@Docket.Effects').flatMap((item) => readEffect(item, fullName) ?? []);
}

function readEffect(part: Part, fullName: (name: string) => QualifiedName): Effect | undefined {
  const form = FORMS.find((name) => name in part.value);
  if (form === undefined) {
    report(part, 'Change', 'The effect has no kind.', `Add one of ${FORMS.join(', ')}.`);
    return undefined;
  }
  const known = MEMBERS[form];
  for (const name of Object.keys(part.value)) {
    if (name.includes('@') || known.includes(name)) continue;
    report(part, name, `${name} is not allowed here.`, `Use only ${known.join(', ')}.`);
  }
  const subject = requiredText(part, form);
  if (form === 'Require')
    return { kind: 'require', condition: subject, message: requiredText(part, 'Message') };
  if (form === 'Delete') return { kind: 'delete', rows: subject };
  const values = readValues(part);
  if (form === 'Change') return { kind: 'change', rows: subject, values };
  const type = textMember(part, 'Type');
  const as = textMember(part, 'As');
  const optional = definedMembers({ type: type && fullName(type), as });
  return { kind: 'create', in: subject, values, ...optional };
}

function readValues(part: Part): Readonly<Record<string, string>> {
  const values = childParts(part, 'Values').map(
    (value) => [requiredText(value, 'Member'), requiredText(value, 'Expression')] as const,
  );
  return Object.fromEntries(values);
}
