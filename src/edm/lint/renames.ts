// This file checks the old names of types, members and sets: they must be names that the model no longer has, each used once, of
// elements whose values are stored by name.
import {
  formerTypeName,
  isStructured,
  type Model,
  type QualifiedName,
  type StructuredType,
} from '../model.ts';
import { elementPath, type Mistake, mistake } from '../model-error.ts';
import { isDocument } from '../property-storage.ts';

const TERM = '@Docket.RenamedFrom';

interface Renamed {
  readonly name: string;
  readonly from: string | undefined;
  /** The path of the annotation. */
  readonly path: string;
}

export function lintRenames(model: Model): readonly Mistake[] {
  const { types, sets, container } = model.definition;
  const structured = types.filter(isStructured);
  const inDocuments = typesInDocuments(model, structured);
  return [
    ...lintScope(
      types.map((type) => ({
        name: type.name,
        from: isStructured(type) ? formerTypeName(type) : undefined,
        path: elementPath(type.name, TERM),
      })),
    ),
    ...lintScope(
      sets.map(({ name, renamedFrom }) => ({
        name,
        from: renamedFrom,
        path: elementPath(container, name, TERM),
      })),
    ),
    ...structured.flatMap((type) => lintMembers(model, type, inDocuments)),
  ];
}

function lintMembers(
  model: Model,
  type: StructuredType,
  inDocuments: ReadonlySet<QualifiedName>,
): readonly Mistake[] {
  const members = [...model.members(type).values()].map(({ name, renamedFrom }) => ({
    name,
    from: renamedFrom,
    path: elementPath(type.name, name, TERM),
  }));
  const own = new Set(type.members.map(({ name }) => name));
  const renamed = members.filter(({ name, from }) => from !== undefined && own.has(name));
  return [
    ...lintScope(members).filter(({ path }) => renamed.some((one) => one.path === path)),
    ...(inDocuments.has(type.name) ? renamed : []).map(({ path }) =>
      mistake(
        path,
        `Values of ${type.name} are stored as JSON documents, whose members cannot be renamed.`,
        'Keep the old name, or add the new member beside it.',
      ),
    ),
  ];
}

/** Old names that elements of the same scope have, or that several claim. */
function lintScope(elements: readonly Renamed[]): readonly Mistake[] {
  const names = new Set(elements.map(({ name }) => name));
  return elements.flatMap(({ name, from, path }) => {
    if (from === undefined) return [];
    if (names.has(from))
      return [mistake(path, `${from} still exists.`, 'Remove the annotation or the element.')];
    const first = elements.find((one) => one.from === from);
    if (first?.name === name) return [];
    const message = `${first?.name ?? ''} was renamed from ${from}, too.`;
    return [mistake(path, message, 'Leave one of the annotations.')];
  });
}

/** The complex types whose values are in JSON documents. */
function typesInDocuments(
  model: Model,
  types: readonly StructuredType[],
): ReadonlySet<QualifiedName> {
  const found = new Set<QualifiedName>();
  const add = (name: QualifiedName): void => {
    const type = model.types.get(name);
    if (type?.kind !== 'complex' || type.coded !== undefined || found.has(name)) return;
    found.add(name);
    for (const one of [type, ...model.derived(type)]) {
      found.add(one.name);
      for (const member of model.members(one).values())
        if (member.kind === 'property') add(member.type);
    }
  };
  for (const type of types)
    for (const member of type.members)
      if (member.kind === 'property' && isDocument(model, member)) add(member.type);
  return found;
}
