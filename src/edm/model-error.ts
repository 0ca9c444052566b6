// This file defines what is said about a model that is not right: where, what, and what to write instead; and how the places of a
// model are named, which is as in its CSDL JSON.
import { didYouMean } from '../base/nearest-name.ts';
import type { QualifiedName } from './model.ts';

export interface Mistake {
  /** JSON path into the CSDL JSON document: `$["Library.Model"].Person.Name.$Type`. */
  readonly path: string;
  readonly message: string;
  /** What to write instead. */
  readonly remedy: string;
  /** The model can be served nevertheless. */
  readonly warning?: true;
}

export function mistake(path: string, message: string, remedy: string): Mistake {
  return { path, message, remedy };
}

export function warning(path: string, message: string, remedy: string): Mistake {
  return { path, message, remedy, warning: true };
}

/** What is to be said where something is wrong, and nothing where it is not. */
export function when(isWrong: boolean, say: () => Mistake): readonly Mistake[] {
  return isWrong ? [say()] : [];
}

/** Something is named that the model does not have. */
export function missing(
  path: string,
  what: string,
  name: string,
  candidates: Iterable<string>,
): Mistake {
  const near = didYouMean(name, candidates);
  return mistake(path, `The model does not have ${what}.`, `Add it, or name another one.${near}`);
}

/** Equal names are mistakes; names that differ by case only are warnings, because clients may mix them up. */
export function clashes(
  names: readonly string[],
  pathOf: (name: string) => string,
  what: string,
): readonly Mistake[] {
  const first = new Map<string, string>();
  const found: Mistake[] = [];
  for (const name of names) {
    const earlier = first.get(name.toLowerCase());
    if (earlier === undefined) first.set(name.toLowerCase(), name);
    else if (earlier === name) {
      found.push(
        mistake(
          pathOf(name),
          `There is more than one ${what} named ${name}.`,
          'Rename one of them.',
        ),
      );
    } else {
      const message = `${earlier} and ${name} differ only by case.`;
      found.push({ ...mistake(pathOf(name), message, 'Rename one of them.'), warning: true });
    }
  }
  return found;
}

/** The path with one more member: `$.Person` + `Name` is `$.Person.Name`, names that are no identifiers go into brackets. */
export function memberPath(path: string, name: string): string {
  return /^[$\p{L}_][\p{L}\p{N}_]*$/u.test(name)
    ? `${path}.${name}`
    : `${path}[${JSON.stringify(name)}]`;
}

/** The path of a type, operation or container by its qualified name. */
export function elementPath(name: QualifiedName, ...members: readonly string[]): string {
  const dot = name.lastIndexOf('.');
  const schema = memberPath('$', name.slice(0, dot));
  return [name.slice(dot + 1), ...members].reduce(memberPath, schema);
}

/** The mistakes as lines of text, for a terminal or a log. */
export function printMistakes(mistakes: readonly Mistake[]): string {
  return mistakes
    .map(({ path, message, remedy, warning }) => {
      const severity = warning === true ? 'warning' : 'mistake';
      return `${severity} at ${path}: ${message} ${remedy}`;
    })
    .join('\n');
}
