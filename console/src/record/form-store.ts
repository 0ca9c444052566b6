// This file keeps the values of one form. A field subscribes to its own value, so that a key stroke renders one input; what is changed follows
// from comparing values as the service does, so that codes and references are changed only if their value or key is.
import type { Mistake } from '../components/inputs/check-value.ts';
import type { Values } from './values.ts';

/** What a field shows: a text from the service, or a mistake that the console has found. */
export type FieldError = string | Mistake;

export interface FieldState {
  readonly value: unknown;
  readonly error: FieldError | undefined;
}

type Same = (path: string, one: unknown, other: unknown) => boolean;

export class FormStore {
  #base: Values;
  #values: Values;
  /** What changed fields contained when the person changed them. Only paths that were read again since. */
  #seen: Values = {};
  #errors: ReadonlyMap<string, FieldError> = new Map();
  #states = new Map<string, FieldState>();
  #dirty: readonly string[] = [];
  readonly #same: Same;
  readonly #listeners = new Set<() => void>();

  /** @param values what a draft or a URL gives in addition to the base */
  constructor(base: Values, same: Same, values: Values = {}) {
    this.#base = base;
    this.#values = { ...base, ...values };
    this.#same = same;
    this.#dirty = this.#compare();
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** The same object until value or error change. */
  readonly field = (path: string): FieldState => {
    const known = this.#states.get(path);
    const value = this.#values[path] ?? null;
    const error = this.#errors.get(path);
    if (known !== undefined && known.value === value && known.error === error) return known;
    const state = { value, error };
    this.#states.set(path, state);
    return state;
  };

  /** The paths of changed values; the same array until they change. */
  readonly dirty = (): readonly string[] => this.#dirty;
  readonly base = (): Values => this.#base;
  /** What the person has seen before changing it, and otherwise the base. */
  readonly seen = (): Values => ({ ...this.#base, ...this.#seen });
  /** Paths that the person has changed, and others differently since then. */
  readonly conflicts = (): readonly string[] =>
    this.#dirty.filter(
      (path) => path in this.#seen && !this.#same(path, this.#seen[path], this.#base[path]),
    );
  readonly values = (): Values => this.#values;
  readonly errors = (): ReadonlyMap<string, FieldError> => this.#errors;

  set(path: string, value: unknown): void {
    this.#values = { ...this.#values, [path]: value };
    this.#changed();
  }

  setError(path: string, error: FieldError | undefined): void {
    if (this.#errors.get(path) === error) return;
    const errors = new Map(this.#errors);
    if (error === undefined) errors.delete(path);
    else errors.set(path, error);
    this.#errors = errors;
    this.#notify();
  }

  setErrors(errors: ReadonlyMap<string, FieldError>): void {
    this.#errors = errors;
    this.#notify();
  }

  /** Takes what the service has now, or the fields of a form that has more. Values that the person has changed stay. */
  rebase(base: Values): void {
    const kept = this.#compare().filter((path) => path in base || path in this.#base);
    const mine = Object.fromEntries(kept.map((path) => [path, this.#values[path]]));
    const before = this.seen();
    const shown = kept.filter((path) => path in this.#base);
    this.#seen = Object.fromEntries(shown.map((path) => [path, before[path]]));
    this.#base = base;
    this.#values = { ...base, ...mine };
    this.#changed();
  }

  /** Takes the values of a draft, and what the person had seen when typing them. */
  restore(values: Values, seen: Values): void {
    this.#seen = seen;
    this.#values = { ...this.#values, ...values };
    this.#changed();
  }

  /** The person has seen what others have changed. */
  settle(): void {
    this.#seen = {};
  }

  /** Takes what the service has stored of the sent values. What was typed since then stays. */
  accept(base: Values, sent: Values): void {
    const typed = Object.entries(this.#values).filter(
      ([path, value]) => !(path in sent) || !this.#same(path, value, sent[path]),
    );
    const kept = typed.filter(([path, value]) => !this.#same(path, this.#base[path], value));
    this.#base = base;
    this.#values = { ...base, ...Object.fromEntries(kept) };
    this.#seen = {};
    this.#errors = new Map();
    this.#changed();
  }

  /** Takes these values as saved ones, and drops all changes and errors. */
  reset(base: Values): void {
    this.#base = base;
    this.#values = base;
    this.#errors = new Map();
    this.#changed();
  }

  #compare(): readonly string[] {
    const paths = Object.keys({ ...this.#base, ...this.#values });
    return paths.filter((path) => !this.#same(path, this.#base[path], this.#values[path]));
  }

  #changed(): void {
    const dirty = this.#compare();
    if (dirty.join('\n') !== this.#dirty.join('\n')) this.#dirty = dirty;
    const seen = Object.entries(this.#seen).filter(([path]) => dirty.includes(path));
    this.#seen = Object.fromEntries(seen);
    this.#notify();
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }
}
