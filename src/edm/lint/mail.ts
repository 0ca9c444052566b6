// This file checks the members that keep incoming mail: whether they exist, and can hold what they are for.
import {
  type EntityType,
  type MailRecord,
  type Member,
  type Model,
  memberAt,
  type Navigation,
} from '../model.ts';
import { elementPath, type Mistake, missing, mistake, mistakeIf } from '../model-error.ts';

const TEXTS = [
  'subject',
  'messageId',
  'body',
  'bodyHtml',
  'fromAddress',
  'fromName',
  'inReplyTo',
  'language',
  'distrust',
] as const satisfies readonly (keyof MailRecord)[];

export function lintMail(model: Model, type: EntityType): readonly Mistake[] {
  const { mail } = type;
  if (mail === undefined) return [];
  return [
    ...TEXTS.flatMap((part) => lintProperty(model, type, mail[part], 'Edm.String')),
    ...lintProperty(model, type, mail.to, 'Edm.String', true),
    ...lintProperty(model, type, mail.cc, 'Edm.String', true),
    ...lintProperty(model, type, mail.receivedAt, 'Edm.DateTimeOffset'),
    ...lintProperty(model, type, mail.automatic, 'Edm.Boolean'),
    ...lintUnique(model, type, mail),
    ...lintFiles(model, type, mail),
    ...lintStatus(model, type, mail),
    ...lintSender(model, type, mail),
    ...lintReply(model, type, mail),
  ];
}

const pathOf = ({ name }: EntityType) => elementPath(name, '@Docket.MailRecord');

function lintProperty(
  model: Model,
  owner: EntityType,
  name: string | undefined,
  type: string,
  collection = false,
  path = pathOf(owner),
): readonly Mistake[] {
  const fits = (member: Member | undefined) =>
    member?.kind === 'property' && member.type === type && member.collection === collection;
  const members = model.members(owner);
  if (name === undefined || fits(members.get(name))) return [];
  const candidates = [...members.values()].filter(fits).map((member) => member.name);
  const kind = collection ? `collection of ${type}` : `${type} property`;
  return [missing(path, `the ${kind} ${name}`, name, candidates)];
}

/** The service stores a message once because a second record with its Message-ID is rejected. */
function lintUnique(model: Model, type: EntityType, { messageId }: MailRecord): readonly Mistake[] {
  const member = model.members(type).get(messageId);
  const isWrong = member?.kind === 'property' && member.unique !== true;
  return mistakeIf(isWrong, () =>
    mistake(pathOf(type), `${messageId} is not unique.`, 'Add @Docket.Unique to the property.'),
  );
}

function lintFiles(model: Model, type: EntityType, { files }: MailRecord): readonly Mistake[] {
  const isFiles = (member: Member | undefined) => {
    if (member?.kind !== 'navigation' || !member.contained || !member.collection) return false;
    return targetOf(model, member)?.hasStream === true;
  };
  return requireMember(model, type, files, 'the contained collection of files', isFiles);
}

function requireMember(
  model: Model,
  type: EntityType,
  name: string | undefined,
  element: string,
  fits: (member: Member | undefined) => boolean,
): readonly Mistake[] {
  const members = model.members(type);
  if (name === undefined || fits(members.get(name))) return [];
  const candidates = [...members.values()].filter(fits).map((member) => member.name);
  return [missing(pathOf(type), `${element} ${name}`, name, candidates)];
}

function lintStatus(
  model: Model,
  type: EntityType,
  { status, errorStatus }: MailRecord,
): readonly Mistake[] {
  const path = pathOf(type);
  const isAlone = (status === undefined) !== (errorStatus === undefined);
  if (isAlone) return [mistake(path, 'Status or ErrorStatus is missing.', 'Add or remove both.')];
  if (status === undefined || memberAt(model, type, status)?.kind === 'property') return [];
  return [missing(path, `the property ${status}`, status, model.members(type).keys())];
}

function lintSender(
  model: Model,
  type: EntityType,
  { sender, senderAddress }: MailRecord,
): readonly Mistake[] {
  const path = pathOf(type);
  const isAlone = (sender === undefined) !== (senderAddress === undefined);
  if (isAlone) return [mistake(path, 'Sender or SenderAddress is missing.', 'Add or remove both.')];
  const wrong = requireMember(model, type, sender, 'the single navigation', isReference);
  if (wrong.length > 0 || sender === undefined) return wrong;
  const member = model.members(type).get(sender);
  const target = member?.kind === 'navigation' ? targetOf(model, member) : undefined;
  return target === undefined
    ? []
    : lintProperty(model, target, senderAddress, 'Edm.String', false, path);
}

/** The action has a parameter for the entity of the thread, and may have one for whether the message comes from a known person. */
function lintReply(
  model: Model,
  type: EntityType,
  { record, reply }: MailRecord,
): readonly Mistake[] {
  const path = pathOf(type);
  const wrong = requireMember(model, type, record, 'the single navigation', isReference);
  if (wrong.length > 0 || reply === undefined) return wrong;
  const navigation = model.members(type).get(record ?? '');
  if (navigation?.kind !== 'navigation')
    return [mistake(path, 'Reply needs the navigation of the thread.', 'Add Record.')];
  const actions = model.definition.operations.filter(
    ({ kind, parameters }) => kind === 'action' && parameters[0]?.type === type.name,
  );
  const found = actions.find(({ name }) => name === reply);
  if (found === undefined) {
    const names = actions.map(({ name }) => name);
    return [missing(path, `the action ${reply} of ${type.name}`, reply, names)];
  }
  const takesRecord = found.parameters.slice(1).some((one) => one.type === navigation.target);
  return mistakeIf(!takesRecord, () =>
    mistake(
      path,
      `${reply} has no parameter for the thread.`,
      `Add a parameter of the type ${navigation.target}.`,
    ),
  );
}

function isReference(member: Member | undefined): boolean {
  return member?.kind === 'navigation' && !member.collection && !member.contained;
}

function targetOf(model: Model, { target }: Navigation): EntityType | undefined {
  const type = model.types.get(target);
  return type?.kind === 'entity' ? type : undefined;
}
