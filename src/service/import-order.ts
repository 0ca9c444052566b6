// Orders the records of an import so that those to which dependent properties refer come first, whatever their order in the file. Cycles
// keep their order, and are reported when they are stored.
import { determinedNavigations } from '../edm/dependents.ts';
import { entityType, type Model } from '../edm/model.ts';
import { type JsonObject, printJson } from '../edm/value/lossless-json.ts';

interface Imported {
  readonly set: string;
  readonly body: JsonObject;
}

/** Values of properties that identify a record: the properties of one reference. */
interface Reference {
  readonly sets: readonly string[];
  readonly properties: readonly string[];
  readonly referenced: readonly string[];
}

/** The records in the order in which they can be stored. */
export function principalsFirst<Item extends Imported>(
  model: Model,
  items: readonly Item[],
): readonly Item[] {
  const references = new Map(
    [...new Set(items.map(({ set }) => set))].map((set) => [set, referencesOf(model, set)]),
  );
  if ([...references.values()].every((found) => found.length === 0)) return items;
  const byValues = indexOf(items, [...references.values()].flat());
  const principalsOf = (item: Item): readonly Item[] =>
    (references.get(item.set) ?? []).flatMap(({ sets, properties, referenced }) =>
      sets.flatMap((set) => {
        const values = valuesIn(item.body, properties);
        return values === undefined ? [] : (byValues.get(keyOf(set, referenced, values)) ?? []);
      }),
    );
  return inOrder(items, principalsOf);
}

/** Visits what each item needs before the item, without recursion, since chains can be long. */
function inOrder<Item>(
  items: readonly Item[],
  needed: (item: Item) => readonly Item[],
): readonly Item[] {
  const seen = new Set<Item>();
  const ordered: Item[] = [];
  for (const start of items) {
    const stack = seen.has(start) ? [] : [{ item: start, rest: [...needed(start)] }];
    seen.add(start);
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const next = top.rest.pop();
      if (next === undefined) {
        ordered.push(top.item);
        stack.pop();
      } else if (!seen.has(next)) {
        seen.add(next);
        stack.push({ item: next, rest: [...needed(next)] });
      }
    }
  }
  return ordered;
}

function referencesOf(model: Model, name: string): readonly Reference[] {
  const set = model.sets.get(name);
  if (set === undefined) return [];
  const type = entityType(model, set.type);
  return [type, ...model.derived(type)].flatMap((one) =>
    determinedNavigations(model, one).map(({ navigation, pairs }) => {
      const bound = set.bindings[navigation.name];
      const all = [...model.sets.values()].filter((other) => other.type === navigation.target);
      return {
        sets: bound === undefined ? all.map((other) => other.name) : [bound],
        properties: pairs.map(({ property }) => property.name),
        referenced: pairs.map(({ referenced }) => referenced.name),
      };
    }),
  );
}

function indexOf<Item extends Imported>(
  items: readonly Item[],
  references: readonly Reference[],
): ReadonlyMap<string, Item> {
  const found = new Map<string, Item>();
  for (const item of items)
    for (const { sets, referenced } of references) {
      const values = sets.includes(item.set) ? valuesIn(item.body, referenced) : undefined;
      if (values !== undefined) found.set(keyOf(item.set, referenced, values), item);
    }
  return found;
}

function keyOf(set: string, names: readonly string[], values: string): string {
  return `${set} ${names.join()} ${values}`;
}

/** The values as JSON; undefined if one is missing or null. */
function valuesIn(body: JsonObject, names: readonly string[]): string | undefined {
  const values = names.map((name) => (Object.hasOwn(body, name) ? body[name] : undefined));
  if (values.some((value) => value === undefined || value === null)) return undefined;
  return values.map((value) => printJson(value ?? null)).join();
}
