// This file takes the annotations of one thing apart: a reader takes out the terms that have a field in the model, and what is
// left stays annotations. Terms of standard vocabularies go by their usual aliases, whatever the document calls them.

import type { Annotations, Described, Json, Texts } from '../model.ts';
import { showInput } from '../value/lossless-json.ts';
import { type Part, plainJson, report } from './document-reader.ts';
import { findVocabulary } from './vocabularies.ts';

/** What a reader of annotations needs to know of the document. */
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

  /** @param prefix of annotations that stand beside what they are about: `Member` in `Member@Core.Description` */
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
    this.#refuse(term, value, 'text');
    return undefined;
  }

  /** true, or undefined for false and absent alike. */
  takeFlag(term: string): true | undefined {
    const value = this.take(term);
    if (value === true) return true;
    if (value !== undefined && value !== false) this.#refuse(term, value, 'true or false');
    return undefined;
  }

  takeTexts(term: string): readonly string[] | undefined {
    const value = this.take(term);
    if (value === undefined) return undefined;
    if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value;
    this.#refuse(term, value, 'a list of texts');
    return undefined;
  }

  takeRecord(term: string): Annotations | undefined {
    const value = this.take(term);
    if (value === undefined || isRecord(value)) return value;
    this.#refuse(term, value, 'an object');
    return undefined;
  }

  /** Takes the term only where it has exactly that value, because the model says the same in other words. */
  dropIf(term: string, value: Json): void {
    if (this.#values.get(term) === value) this.#values.delete(term);
  }

  /** Takes one member with a Boolean value out of a record and leaves the others. */
  takeMember(term: string, member: string): boolean | undefined {
    const record = this.#values.get(term);
    if (!isRecord(record)) return undefined;
    const { [member]: value, ...others } = record;
    if (typeof value !== 'boolean') return undefined;
    if (Object.keys(others).length === 0) this.#values.delete(term);
    else this.#values.set(term, others);
    return value;
  }

  put(term: string, value: Json): void {
    this.#values.set(term, value);
  }

  /** What all things say about themselves; to be taken last, since it takes what is left. */
  describe({ languages }: TermContext): Described {
    const labels = this.#takeLabels(languages);
    const long = this.#values.get('Core.LongDescription');
    const description =
      typeof long === 'string' ? this.takeText('Core.LongDescription') : undefined;
    const annotations = this.rest();
    return {
      ...(Object.keys(labels).length === 0 ? {} : { labels }),
      ...(description === undefined ? {} : { description }),
      ...(annotations === undefined ? {} : { annotations }),
    };
  }

  /** The terms that nobody has taken. */
  rest(): Annotations | undefined {
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

  #refuse(term: string, value: Json, wanted: string): void {
    const message = `The term ${term} takes ${wanted}, but ${showInput(value)} was found.`;
    report(this.#part, `${this.#prefix}@${term}`, message, `Write ${wanted}.`);
  }
}

function isRecord(value: Json | undefined): value is Annotations {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** `Org.OData.Core.V1.Description#x` and `C.Description#x` are both `Core.Description#x`; other terms stay as they are. */
function canonicalTerm(name: string, { aliases }: TermContext): string {
  const [term = ''] = name.split(/[#@]/, 1);
  const dot = term.lastIndexOf('.');
  const prefix = term.slice(0, dot);
  const vocabulary = findVocabulary(aliases.get(prefix) ?? prefix);
  return vocabulary === undefined ? name : vocabulary.alias + name.slice(dot);
}
