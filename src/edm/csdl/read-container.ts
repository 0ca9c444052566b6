// This file reads the entity container of a CSDL JSON document: sets, singletons, imports, and the annotations that configure the
// whole model, such as the code lists.
// OData CSDL JSON 4.01, "Entity Container".

import { definedMembers } from '../defined-members.ts';
import type {
  Code,
  CodeList,
  EntitySet,
  ModelDefinition,
  OperationImport,
  Templates,
  Texts,
} from '../model.ts';
import { memberPath } from '../model-error.ts';
import { CRITICALITIES, type Criticality, criticalityOf } from '../value/criticality.ts';
import {
  checkMembers,
  childPart,
  childParts,
  flagMember,
  integerMember,
  objectPart,
  type Part,
  plainJson,
  report,
  requiredText,
  textMember,
} from './document-reader.ts';
import type { ReadContext } from './read-members.ts';
import { Terms } from './terms.ts';

export type ContainerParts = Pick<
  ModelDefinition,
  'sets' | 'imports' | 'codeLists' | 'people' | 'history' | 'templates' | 'containerAnnotations'
>;

export const EMPTY_CONTAINER: ContainerParts = { sets: [], imports: [], codeLists: [] };

/** @param name qualified name of the container */
export function readContainer(context: ReadContext, part: Part, name: string): ContainerParts {
  checkMembers(part, ['$Kind', '$Extends']);
  if (part.value.$Extends !== undefined) {
    const remedy = 'Extend the container of the built-in model, or copy its sets into this one.';
    report(part, '$Extends', 'A container of its own cannot extend another one.', remedy);
  }
  const terms = new Terms(context, part);
  terms.take('Docket.Languages');
  terms.dropIf('Core.ODataVersions', '4.01');
  const extended = part.value.$Extends;
  if (extended !== undefined) terms.put('$Extends', plainJson(extended));
  const children = Object.keys(part.value)
    .filter((child) => !/^[$@]/.test(child))
    .map((child) => ({ name: child, part: childPart(part, child) }));
  const sets: EntitySet[] = [];
  const imports: OperationImport[] = [];
  for (const child of children) {
    if (child.part === undefined) continue;
    const isImport = '$Function' in child.part.value || '$Action' in child.part.value;
    if (isImport) imports.push(readImport(context, child.part, child.name, name));
    else sets.push(readSet(context, child.part, child.name, name));
  }
  const head = {
    ...definedMembers({
      people: terms.takeText('Docket.People'),
      history: terms.takeText('Docket.History'),
      templates: readTemplates(part, terms),
    }),
    codeLists: readCodeLists(context, part, terms),
  };
  return { sets, imports, ...head, ...definedMembers({ containerAnnotations: terms.rest() }) };
}

const TEMPLATE_MEMBERS = ['Navigation', 'Values', 'Property', 'Value', 'Type', 'Blocked', 'Roles'];

function readTemplates(part: Part, terms: Terms): Templates | undefined {
  const record = terms.takeRecord('Docket.Templates');
  if (record === undefined) return undefined;
  const { Navigation, Values, Property, Value, Type, Blocked, Roles } = record;
  const isKnown = Object.keys(record).every((name) => TEMPLATE_MEMBERS.includes(name));
  const isComplete = isText(Navigation) && isText(Values) && isText(Property) && isText(Value);
  const isOptional = isOptionalText(Type) && isOptionalText(Blocked) && isOptionalText(Roles);
  if (isKnown && isComplete && isOptional) {
    const required = { navigation: Navigation, values: Values, property: Property, value: Value };
    return { ...required, ...definedMembers({ type: Type, blocked: Blocked, roles: Roles }) };
  }
  const remedy =
    'Write {"Navigation": …, "Values": …, "Property": …, "Value": …} with names of the model, and optionally "Type", "Blocked" and "Roles".';
  report(part, '@Docket.Templates', 'The names of the members are missing or invalid.', remedy);
  return undefined;
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isOptionalText(value: unknown): value is string | undefined {
  return value === undefined || isText(value);
}

function readSet(context: ReadContext, part: Part, name: string, container: string): EntitySet {
  const isSet = flagMember(part, '$Collection') === true;
  checkMembers(part, [
    '$Collection',
    '$Type',
    '$NavigationPropertyBinding',
    isSet ? '$IncludeInServiceDocument' : '$Nullable',
  ]);
  const terms = new Terms(context, part);
  const isUnlisted = terms.take('Docket.Listed') === false;
  return {
    kind: isSet ? 'set' : 'singleton',
    name,
    type: context.fullName(requiredText(part, '$Type')),
    listed: !isUnlisted && (flagMember(part, '$IncludeInServiceDocument') ?? true),
    bindings: readBindings(context, part, container),
    ...definedMembers({
      singular: terms.takeText('Docket.Singular'),
      nullable: flagMember(part, '$Nullable') || undefined,
      insertable: terms.takeMember('Capabilities.InsertRestrictions', 'Insertable'),
      updatable: terms.takeMember('Capabilities.UpdateRestrictions', 'Updatable'),
      deletable: terms.takeMember('Capabilities.DeleteRestrictions', 'Deletable'),
      administrative: terms.takeFlag('Docket.Administrative'),
      grantable: terms.takeFlag('Docket.Grantable'),
      renamedFrom: terms.takeText('Docket.RenamedFrom'),
      hidden: terms.takeFlag('Docket.Hidden'),
    }),
    ...terms.describe(context),
  };
}

function readBindings(
  context: ReadContext,
  part: Part,
  container: string,
): Readonly<Record<string, string>> {
  const bindings = childPart(part, '$NavigationPropertyBinding');
  if (bindings === undefined) return {};
  return Object.fromEntries(
    Object.keys(bindings.value).map((path) => [
      path.split('/').map(context.fullName).join('/'),
      setName(context, requiredText(bindings, path), container),
    ]),
  );
}

/** Shortens `Library.Container/Books` to `Books` in that container. */
function setName(context: ReadContext, target: string, container: string): string {
  const [first = '', ...others] = target.split('/');
  return context.fullName(first) === container && others.length > 0 ? others.join('/') : target;
}

function readImport(
  context: ReadContext,
  part: Part,
  name: string,
  container: string,
): OperationImport {
  const isFunction = '$Function' in part.value;
  const listing = isFunction ? ['$IncludeInServiceDocument'] : [];
  checkMembers(part, [isFunction ? '$Function' : '$Action', '$EntitySet', ...listing]);
  const terms = new Terms(context, part);
  const set = textMember(part, '$EntitySet');
  const isListed = terms.takeFlag('Docket.Listed') ?? flagMember(part, '$IncludeInServiceDocument');
  return {
    kind: isFunction ? 'function-import' : 'action-import',
    name,
    operation: context.fullName(requiredText(part, isFunction ? '$Function' : '$Action')),
    ...definedMembers({ set: set === undefined ? undefined : setName(context, set, container) }),
    listed: isListed ?? false,
    ...definedMembers({ ignoredOptions: terms.takeTexts('Docket.IgnoredOptions') }),
    ...terms.describe(context),
  };
}

const LIST_MEMBERS = ['Name', 'Ordered', 'Hierarchical', 'Codes'];
const CODE_MEMBERS = ['Value', 'Texts', 'Meaning', 'Parent', 'Disabled', 'Criticality', 'Icon'];

function readCodeLists(context: ReadContext, part: Part, terms: Terms): readonly CodeList[] {
  const lists = terms.take('Docket.CodeLists');
  if (lists === undefined) return [];
  const holder = objectPart({ '@Docket.CodeLists': lists }, part.path, part.mistakes);
  return childParts(holder, '@Docket.CodeLists').map((list) => readCodeList(context, list));
}

function readCodeList(context: ReadContext, part: Part): CodeList {
  checkRecord(part, LIST_MEMBERS);
  return {
    name: requiredText(part, 'Name'),
    ordered: flagMember(part, 'Ordered') ?? false,
    hierarchical: flagMember(part, 'Hierarchical') ?? false,
    codes: childParts(part, 'Codes').map(readCode),
    ...new Terms(context, part).describe(context),
  };
}

function readCode(part: Part): Code {
  checkRecord(part, CODE_MEMBERS);
  const value = integerMember(part, 'Value');
  if (part.value.Value === undefined) report(part, 'Value', 'Value is missing.', 'Add Value.');
  return {
    value: value ?? 0n,
    texts: readTexts(part),
    ...definedMembers({
      meaning: textMember(part, 'Meaning'),
      parent: integerMember(part, 'Parent'),
      disabled: flagMember(part, 'Disabled'),
      criticality: criticalityMember(part),
      icon: textMember(part, 'Icon'),
    }),
  };
}

function criticalityMember(part: Part): Criticality | undefined {
  const value = integerMember(part, 'Criticality');
  const known = criticalityOf(value);
  if (value !== undefined && known === undefined)
    report(
      part,
      'Criticality',
      `${value} is not a criticality.`,
      `Use one of ${CRITICALITIES.join(', ')}.`,
    );
  return known;
}

function readTexts(part: Part): Texts {
  const texts = childParts(part, 'Texts').map(
    (text) => [requiredText(text, 'Language'), requiredText(text, 'Text')] as const,
  );
  return Object.fromEntries(texts);
}

function checkRecord(part: Part, known: readonly string[]): void {
  for (const name of Object.keys(part.value)) {
    if (name.includes('@') || known.includes(name)) continue;
    const message = `${name} is not allowed here.`;
    part.mistakes.push({
      path: memberPath(part.path, name),
      message,
      remedy: `Remove it or use one of ${known.join(', ')}.`,
    });
  }
}
