// This file defines the mistakes and warnings of a model (location, message, remedy), and the JSON paths that locate them in its
// CSDL JSON.
import { didYouMean } from '../base/nearest-name.ts';
import type { QualifiedName } from './model.ts';

export interface Mistake {
  /** JSON path in the CSDL JSON document: `$["Library.Model"].Person.Name.$Type`. */
  readonly path: string;
  readonly message: string;
  readonly remedy: string;
  /** The model can be served anyway. */
  readonly warning?: true;
}

export function mistake(path: string, message: string, remedy: string): Mistake {
  return { path, message, remedy };
}

export function warning(path: string, message: string, remedy: string): Mistake {
  return { path, message, remedy, warning: true };
}

/** All mistakes, without warnings about elements that turn out to be wrong. */
export function addMistakes(
  known: readonly Mistake[],
  added: readonly Mistake[],
): readonly Mistake[] {
  const wrong = new Set(added.map(({ path }) => path));
  return [...known.filter((one) => one.warning !== true || !wrong.has(one.path)), ...added];
}

/** The mistake if the condition holds, else nothing. */
export function mistakeIf(isWrong: boolean, create: () => Mistake): readonly Mistake[] {
  return isWrong ? [create()] : [];
}

/** A reference to an element that the model does not have. */
export function missing(
  path: string,
  element: string,
  name: string,
  candidates: Iterable<string>,
): Mistake {
  const near = didYouMean(name, candidates);
  return mistake(path, `The model does not have ${element}.`, `Add it or correct the name.${near}`);
}

/** A mistake if there is a name that is not among the candidates. `element` is such as `the set`. */
export function requireKnown(
  path: string,
  element: string,
  name: string | undefined,
  candidates: Iterable<string>,
): readonly Mistake[] {
  const known = [...candidates];
  if (name === undefined || known.includes(name)) return [];
  return [missing(path, `${element} ${name}`, name, known)];
}

/** Equal names are mistakes; names that differ only in case are warnings, because clients may confuse them. */
export function clashes(
  names: readonly string[],
  pathOf: (name: string) => string,
  kind: string,
): readonly Mistake[] {
  const first = new Map<string, string>();
  const found: Mistake[] = [];
  for (const name of names) {
    const earlier = first.get(name.toLowerCase());
    if (earlier === undefined) first.set(name.toLowerCase(), name);
    else if (earlier === name) {
      const message = `There is more than one ${kind} named ${name}.`;
      found.push(mistake(pathOf(name), message, 'Rename one of them.'));
    } else {
      const message = `${earlier} and ${name} differ only in case.`;
      found.push(warning(pathOf(name), message, 'Rename one of them.'));
    }
  }
  return found;
}

/** Appends a member to a path: `$.Person` + `Name` is `$.Person.Name`. Names that are not identifiers are put in brackets. */
export function memberPath(path: string, name: string): string {
  return /^[$\p{L}_][\p{L}\p{N}_]*$/u.test(name)
    ? `${path}.${name}`
    : `${path}[${JSON.stringify(name)}]`;
}

/** The path of a type, operation or container, and optionally of a member in it. */
export function elementPath(name: QualifiedName, ...members: readonly string[]): string {
  const dot = name.lastIndexOf('.');
  const schema = memberPath('$', name.slice(0, dot));
  return [name.slice(dot + 1), ...members].reduce(memberPath, schema);
}

/** The path of a code list in the annotation of the container. */
export function codeListPath(container: QualifiedName, name: string): string {
  return `${elementPath(container, '@Docket.CodeLists')}[?(@.Name=='${name}')]`;
}

/** Formats mistakes as lines of text for a terminal or a log. */
export function printMistakes(mistakes: readonly Mistake[]): string {
  return mistakes
    .map(({ path, message, remedy, warning }) => {
      const severity = warning === true ? 'warning' : 'error';
      return `${severity} at ${path}: ${message} ${remedy}`;
    })
    .join('\n');
}
