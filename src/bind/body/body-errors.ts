// Collects the mistakes in a body, so that one response reports all of them. FAULTS has the texts; the target of a mistake is a
// property path such as `Status/Value` or `Workorders[2]/Description`.
import type { FaultCode, FaultDetail, FaultParameters } from '../../base/fault.ts';
import { Fault, toDetail } from '../../base/fault.ts';

/** Further mistakes are only counted. */
const MOST_DETAILS = 100;

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

  /** Adds a mistake at a position in the body. */
  add(code: FaultCode, parameters: FaultParameters, target: string): void {
    this.note(toDetail(new Fault(code, parameters, { target })));
  }

  note(detail: FaultDetail): void {
    this.#count += 1;
    if (this.#details.length >= MOST_DETAILS) return;
    this.#details.push(detail);
    this.#targets.push(detail.target ?? '');
  }

  /** Whether there is a mistake at the target or inside it. */
  hasUnder(target: string): boolean {
    return this.#targets.some(
      (known) => known.startsWith(target) && /^$|^[/[@]/.test(known.slice(target.length)),
    );
  }

  /** Throws: write.body with one detail per mistake, if there are any. */
  raise(): void {
    const fault = this.toFault();
    if (fault !== undefined) throw fault;
  }

  /** All mistakes as one write.body error; undefined if there are none. */
  toFault(): Fault | undefined {
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

/** The path of a member: `Status` and `Value` become `Status/Value`. */
export function memberPath(place: string, name: string): string {
  return place === '' ? name : `${place}/${name}`;
}

/** The path of a list item: `Workorders[2]`. */
export function itemPath(place: string, index: number): string {
  return `${place}[${index}]`;
}
