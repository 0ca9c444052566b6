// This file reads the annotations of an element. Readers take the terms that have a field in the model; the rest stays among the
// annotations. Terms of standard vocabularies use the standard aliases, independent of those in the document.
import { didYouMean } from '../../base/nearest-name.ts';
import { definedMembers } from '../defined-members.ts';
import type { Annotations, Described, Json, Texts } from '../model.ts';
import { isPlainRecord } from '../model.ts';
import { showInput } from '../value/lossless-json.ts';
import { type Part, plainJson, report } from './document-reader.ts';
import { findVocabulary, ownSchema } from './vocabularies.ts';

export interface TermContext {
  /** Namespaces by alias. */
  readonly aliases: ReadonlyMap<string, string>;
  /** The first is the default. */
  readonly languages: readonly string[];
}

export class Terms {
  readonly #part: Part;
  readonly #values: Map<string, Json>;
  readonly #prefix: string;

  /** @param prefix the annotated member if it is not an object: `Member` in `Member@Core.Description` */
  constructor(context: TermContext, part: Part, prefix = '') {
    this.#part = part;
    this.#prefix = prefix;
    this.#values = new Map(
      Object.entries(part.value)
        .filter(([name]) => name.startsWith(`${prefix}@`))
        .map(([name, value]) => [
          canonicalTerm(name.slice(prefix.length + 1), context),
          plainJson(value),
        ]),
    );
  }

  take(term: string): Json | undefined {
    const value = this.#values.get(term);
    this.#values.delete(term);
    return value;
  }

  takeText(term: string): string | undefined {
    const value = this.take(term);
    if (value === undefined || typeof value === 'string') return value;
    this.#reportType(term, value, 'a string');
    return undefined;
  }

  /** true, or undefined for both false and absent. */
  takeFlag(term: string): true | undefined {
    const value = this.take(term);
    if (value === true) return true;
    if (value !== undefined && value !== false) this.#reportType(term, value, 'true or false');
    return undefined;
  }

  takeTexts(term: string): readonly string[] | undefined {
    const value = this.take(term);
    if (value === undefined) return undefined;
    if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value;
    this.#reportType(term, value, 'an array of strings');
    return undefined;
  }

  takeRecord(term: string): Annotations | undefined {
    const value = this.take(term);
    if (value === undefined || isPlainRecord(value)) return value;
    this.#reportType(term, value, 'an object');
    return undefined;
  }

  /** Drops the term if it has this value, which is redundant in the model, and returns whether it had. */
  dropIf(term: string, value: Json): boolean {
    return this.#values.get(term) === value && this.#values.delete(term);
  }

  /** Takes a Boolean member out of a record and leaves the others. */
  takeMember(term: string, member: string): boolean | undefined {
    const record = this.#values.get(term);
    if (!isPlainRecord(record)) return undefined;
    const { [member]: value, ...others } = record;
    if (typeof value !== 'boolean') return undefined;
    if (Object.keys(others).length === 0) this.#values.delete(term);
    else this.#values.set(term, others);
    return value;
  }

  put(term: string, value: Json): void {
    this.#values.set(term, value);
  }

  /** Labels, description and the remaining annotations. Call it last. */
  describe({ languages }: TermContext): Described {
    const labels = this.#takeLabels(languages);
    const isText = typeof this.#values.get('Core.LongDescription') === 'string';
    const description = isText ? this.takeText('Core.LongDescription') : undefined;
    const hasLabels = Object.keys(labels).length > 0;
    return definedMembers({
      labels: hasLabels ? labels : undefined,
      description,
      annotations: this.rest(),
    });
  }

  /** The terms that were not taken. */
  rest(): Annotations | undefined {
    for (const term of this.#values.keys()) this.#requireKnown(term);
    return this.#values.size === 0 ? undefined : Object.fromEntries(this.#values);
  }

  #takeLabels(languages: readonly string[]): Texts {
    const labels: Record<string, string> = {};
    for (const [index, language] of languages.entries()) {
      const qualifier = index === 0 ? '' : `#${language.replaceAll('-', '_')}`;
      const term = `Core.Description${qualifier}`;
      const value = this.#values.get(term);
      if (typeof value !== 'string') continue;
      labels[language] = value;
      this.#values.delete(term);
    }
    return labels;
  }

  /** Terms of other vocabularies are published as they are. */
  #requireKnown(term: string): void {
    const [, vocabulary = '', name = ''] = /^([\w.]+)\.(\w+)$/.exec(term) ?? [];
    const schema = ownSchema(vocabulary);
    if (schema === undefined || schema[name] !== undefined) return;
    const message = `The vocabulary ${vocabulary} has no term ${name}.`;
    const remedy = `Remove it or correct the name.${didYouMean(name, Object.keys(schema))}`;
    report(this.#part, `${this.#prefix}@${term}`, message, remedy);
  }

  #reportType(term: string, value: Json, type: string): void {
    const message = `The value of ${term} must be ${type}, found ${showInput(value)}.`;
    report(this.#part, `${this.#prefix}@${term}`, message, `Write ${type}.`);
  }
}

/** Maps both `Org.OData.Core.V1.Description#x` and `C.Description#x` to `Core.Description#x`, as well as annotations of annotations. */
export function canonicalTerm(name: string, { aliases }: TermContext): string {
  return name
    .split('@')
    .map((part) => canonicalPart(part, aliases))
    .join('@');
}

/** Other terms are unchanged. */
function canonicalPart(name: string, aliases: TermContext['aliases']): string {
  const [term = ''] = name.split('#', 1);
  const dot = term.lastIndexOf('.');
  const prefix = term.slice(0, dot);
  const vocabulary = findVocabulary(aliases.get(prefix) ?? prefix);
  return vocabulary === undefined ? name : vocabulary.alias + name.slice(dot);
}
