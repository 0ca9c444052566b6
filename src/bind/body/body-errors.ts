// This file collects the mistakes of a body, so that a client learns of all of them at once. How a mistake is worded is said in
// FAULTS; where it stands is a property path such as `Status/Value` or `Workorders[2]/Description`.
import { Fault, type FaultCode, type FaultDetail, toDetail } from '../../base/fault.ts';

/** So many mistakes are told; what comes after them is only counted. */
const MOST_DETAILS = 100;

type Parameters = Readonly<Record<string, string | number | bigint>>;

export class Mistakes {
  readonly #details: FaultDetail[] = [];
  readonly #targets: string[] = [];
  #count = 0;

  get count(): number {
    return this.#count;
  }

  get details(): readonly FaultDetail[] {
    return [...this.#details];
  }

  /** Notes a mistake at a place of the body. */
  add(code: FaultCode, parameters: Parameters, target: string): void {
    this.note(toDetail(new Fault(code, parameters, { target })));
  }

  note(detail: FaultDetail): void {
    this.#count += 1;
    if (this.#details.length >= MOST_DETAILS) return;
    this.#details.push(detail);
    this.#targets.push(detail.target ?? '');
  }

  /** Whether a mistake stands at the place or inside it. */
  hasUnder(target: string): boolean {
    return this.#targets.some(
      (known) => known.startsWith(target) && /^$|^[/[@]/.test(known.slice(target.length)),
    );
  }

  /** Faults: write.body with one detail for each mistake, where there are any. */
  raise(): void {
    const fault = this.asFault();
    if (fault !== undefined) throw fault;
  }

  /** All mistakes in one fault, write.body; undefined where there are none. */
  asFault(): Fault | undefined {
    const [first] = this.#details;
    if (first === undefined) return undefined;
    const others = this.#count - 1;
    const more =
      others === 0
        ? ''
        : ` There ${others === 1 ? 'is one more mistake' : `are ${others} more mistakes`}.`;
    const target = first.target === undefined ? {} : { target: first.target };
    return new Fault(
      'write.body',
      { first: first.message, more },
      { ...target, details: [...this.#details] },
    );
  }
}

/** The path of a member inside the place: `Status` + `Value` is `Status/Value`. */
export function within(place: string, name: string): string {
  return place === '' ? name : `${place}/${name}`;
}

/** The path of an item of a list: `Workorders[2]`. */
export function itemAt(place: string, index: number): string {
  return `${place}[${index}]`;
}
