// This file writes the template of a body: its names, kinds of values and control information, with the values apart. URLs of entities
// are parsed, so that their keys are values, too.
//     {"Description":"x","Caller@odata.bind":"Persons(5)"}    {"Description":s,"Caller@odata.bind":r Persons(#),}    and ["x", 5]
import { Fault } from '../../base/fault.ts';
import {
  isJsonArray,
  isJsonObject,
  type JsonInput,
  type JsonObject,
  printJson,
} from '../../edm/value/lossless-json.ts';
import { Budget, DEFAULT_TREE_LIMITS } from '../../request/cursor.ts';
import { readPath } from '../../request/path.ts';
import type { ResourcePath } from '../../request/tree.ts';
import type { LocatedTemplate, SlotValue, Span } from '../parameter.ts';
import { itemPath, memberPath } from './body-errors.ts';

/** The URL relative to the service root; undefined for other URLs. */
export type Relative = (url: string) => string | undefined;

/** What binding needs to find the parameters of a body. */
export interface BodyPlaces {
  /** The values of members and items by their paths: `Workorders[0]/Status`. */
  readonly targets: Map<string, Span>;
  readonly references: Map<string, ResourcePath>;
  readonly templates: LocatedTemplate[];
}

/** The template of a body, and its values in order. */
export class BodyTemplate {
  text = '';
  readonly values: SlotValue[] = [];
  readonly #relative: Relative;
  readonly #places: BodyPlaces | undefined;
  readonly #first: number;

  /**
   * @param first the slot of the first value
   * @param places filled if given
   */
  constructor(body: JsonInput, relative: Relative, first: number, places?: BodyPlaces) {
    this.#relative = relative;
    this.#places = places;
    this.#first = first;
    this.#walk(body, '');
  }

  get #next(): number {
    return this.#first + this.values.length;
  }

  #walk(value: JsonInput, target: string): void {
    const slot = this.#next;
    this.values.push(value);
    if (isJsonArray(value)) this.#walkArray(value, target);
    else if (isJsonObject(value)) this.#walkObject(value, target);
    else if (value === null) this.text += 'n';
    else if (typeof value === 'string') this.text += 's';
    else this.text += typeof value === 'boolean' ? 'b' : '0';
    this.#places?.targets.set(target, { slot, end: this.#next });
  }

  #walkArray(items: readonly JsonInput[], target: string): void {
    this.text += '[';
    for (let index = 0; index < items.length; index++) {
      this.#walk(items[index] ?? null, this.#places === undefined ? '' : itemPath(target, index));
      this.text += ',';
    }
    this.text += ']';
  }

  #walkObject(object: JsonObject, target: string): void {
    this.text += '{';
    for (const name of Object.keys(object)) {
      const value = object[name] ?? null;
      this.text += `${JSON.stringify(name)}:`;
      const at = name.indexOf('@');
      const place = this.#places === undefined ? '' : memberPath(target, name);
      if (at < 0) this.#walk(value, place);
      else if (isBind(name, at)) this.#walkReferences(value, bindTarget(place));
      else this.text += printJson(value);
      this.text += ',';
    }
    this.text += '}';
  }

  #walkReferences(value: JsonInput, target: string): void {
    if (!isJsonArray(value)) this.#walkReference(value, target);
    else
      for (const [index, item] of value.entries()) {
        this.#walkReference(item, itemPath(target, index));
        this.text += '|';
      }
  }

  #walkReference(value: JsonInput, target: string): void {
    const relative = typeof value === 'string' ? this.#relative(value) : undefined;
    const budget = new Budget(DEFAULT_TREE_LIMITS);
    const path = relative === undefined ? undefined : pathOf(relative, budget);
    const { template } = budget;
    if (path === undefined || !template.isComplete) {
      this.text += printJson(value);
      return;
    }
    this.text += `r${template.text}`;
    this.#places?.references.set(target, path);
    this.#places?.templates.push({ template, first: this.#next });
    for (const literal of template.values) this.values.push(literal);
  }
}

function isBind(name: string, at: number): boolean {
  return name.endsWith('@odata.bind') || (name.endsWith('@bind') && at === name.length - 5);
}

/** `Caller@bind` is another name of `Caller@odata.bind`. */
function bindTarget(place: string): string {
  return place.replace(/@bind$/, '@odata.bind');
}

/** The parsed path; undefined for text that is not one. */
function pathOf(relative: string, budget: Budget): ResourcePath | undefined {
  try {
    return readPath(relative, budget).path;
  } catch (error) {
    if (error instanceof Fault) return undefined;
    throw error;
  }
}
