// This file finds what the portal shows of requests in any model: whose they are, their templates, and their conversation.
import { templateMember, titlePath } from '../model/layout.ts';
import {
  type EntitySet,
  type Member,
  type Model,
  type StructuredType,
  typeNamed,
  typeOfSet,
} from '../model/model.ts';

/** The type of the person behind the account, as the function Me returns it. */
export function personType(model: Model): StructuredType | undefined {
  const name = model.imports.get('Me');
  const operation = model.operations.find((one) => one.name === name);
  return operation?.returnType === undefined ? undefined : model.types.get(operation.returnType);
}

const OWN = /^(?:Caller|Requestor|Requester|Reporter|Customer)$/;

/** The navigation properties that name the person whose request it is. */
export function ownPaths(model: Model, type: StructuredType): readonly Member[] {
  const person = personType(model);
  return [...type.members.values()].filter(
    (member) =>
      member.kind === 'navigation' &&
      !member.collection &&
      member.type === person?.name &&
      OWN.test(member.name),
  );
}

export interface TemplateSource {
  readonly set: string;
  readonly type: StructuredType;
  /** Selects the templates for entities of the type. */
  readonly filter: string | undefined;
}

/** Where templates for a set are. */
export function templateSource(model: Model, set: EntitySet): TemplateSource | undefined {
  const type = typeOfSet(model, set);
  const member = templateMember(type);
  const target = member && set.bindings.get(member.name);
  if (member === undefined || target === undefined) return undefined;
  const template = typeNamed(model, member.type);
  const name = type.name.slice(type.name.lastIndexOf('.') + 1);
  const entity = model.types.get(template.members.get('Entity')?.type ?? '');
  return {
    set: target,
    type: template,
    filter: entity?.members.has('Name') === true ? `Entity/Name eq '${name}'` : undefined,
  };
}

export interface Conversation {
  readonly path: string;
  /** The code that says who sees a line; undefined if everybody does. While its values are unknown, no line is shown. */
  readonly visibility: Member | undefined;
  /** The kind of a line: public notes have one of their own. */
  readonly kind: Member | undefined;
}

/** The contained collection of notes and messages. */
export function conversationOf(model: Model, type: StructuredType): Conversation | undefined {
  for (const member of type.members.values()) {
    if (member.kind !== 'navigation' || !member.collection || !member.contained) continue;
    const line = typeNamed(model, member.type);
    if (!line.members.has('Information') || !line.members.has('CreatedAt')) continue;
    return {
      path: member.name,
      visibility: line.members.get('Visibility'),
      kind: line.members.get('Kind'),
    };
  }
  return undefined;
}

/** The properties for a list of requests: number, title, status and the latest change. */
export function summaryPaths(model: Model, type: StructuredType): readonly string[] {
  const wanted = ['ID', titlePath(model, type), 'Status'];
  const modified = type.members.has('Registration') ? 'Registration/DateModified' : 'Modified';
  return [...wanted, modified].filter(
    (path): path is string => path !== undefined && type.members.has(path.split('/')[0] ?? ''),
  );
}
