// Merges a template into the body of a new entity: values of the body win, and collections are concatenated. Both are inputs of
// the same form; other modules load templates.
import { pathText } from '../../bind/body/body-context.ts';
import type {
  EntityInput,
  InputChildren,
  InputLink,
  InputValue,
} from '../../bind/write/bound-write.ts';
import { type Navigation, type Property, pathName } from '../../edm/model.ts';

/** Returns the input with the template's values for everything that the body does not set. */
export function applyTemplate(input: EntityInput, template: EntityInput): EntityInput {
  return {
    ...input,
    values: mergeValues(template.values, input.values),
    dynamic: new Map([...template.dynamic, ...input.dynamic]),
    links: [...template.links.filter((link) => mayApply(input, link)), ...input.links],
    children: [...template.children.filter((child) => mayApply(input, child)), ...input.children],
  };
}

function mergeValues(
  template: readonly InputValue[],
  body: readonly InputValue[],
): readonly InputValue[] {
  const bodyValues = new Map(body.map((value) => [pathName(value.path), value]));
  const remaining = template.filter((value) => !isOverwritten(value, bodyValues));
  return [...remaining, ...body.map((value) => addItems(value, template))];
}

/** Whether the body sets the value, or sets a complex value around it to null. */
function isOverwritten(value: InputValue, bodyValues: ReadonlyMap<string, InputValue>): boolean {
  return value.path.some((_, index) => {
    const other = bodyValues.get(pathName(value.path.slice(0, index + 1)));
    if (other === undefined) return false;
    const isSamePath = index === value.path.length - 1;
    return isSamePath || other.kind !== 'presence' || !other.present;
  });
}

/** Appends a collection of the body to that of the template. */
function addItems(value: InputValue, template: readonly InputValue[]): InputValue {
  if (value.kind !== 'json' || value.path.at(-1)?.collection !== true) return value;
  const templateValue = template.find((other) => pathName(other.path) === pathName(value.path));
  if (templateValue?.kind !== 'json') return value;
  const text = joinLists(templateValue.text ?? '[]', value.text ?? '[]');
  return { kind: 'json', path: value.path, text };
}

/** `[1]` and `[2,3]` become `[1,2,3]`. */
function joinLists(first: string, second: string): string {
  const items = [first, second].map((text) => text.trim().slice(1, -1).trim());
  return `[${items.filter((text) => text !== '').join(',')}]`;
}

/** Whether the template may set a navigation property: collections are added, single-valued ones only if missing in the body. */
function mayApply(input: EntityInput, part: InputLink | InputChildren): boolean {
  if (part.navigation.collection) return true;
  const place = placeOf(part);
  return ![...input.links, ...input.children].some((other) => placeOf(other) === place);
}

function placeOf({
  path,
  navigation,
}: {
  readonly path: readonly Property[];
  readonly navigation: Navigation;
}): string {
  return pathText(path, navigation.name);
}
