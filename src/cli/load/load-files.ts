// This file finds the files of a load, and puts them into an order in which most records follow those that they refer to.
import { readdirSync, type Stats, statSync } from 'node:fs';
import { extname, join, parse } from 'node:path';
import { Fault } from '../../base/fault.ts';
import { didYouMean } from '../../base/nearest-name.ts';
import { entityType, type Model } from '../../edm/model.ts';
import { setSource, targetSource } from '../../edm/source.ts';
import { type ImportMistake, type MistakeList, mistakeAt } from '../../service/import.ts';
import { reasonOf } from '../system-errors.ts';

const FORMATS = ['json', 'ndjson', 'csv'] as const;

export interface LoadFile {
  readonly path: string;
  /** The name in messages. */
  readonly name: string;
  readonly format: (typeof FORMATS)[number];
  /** The set that names the file; empty for JSON documents, which name their sets. */
  readonly set: string;
}

/** The files to load. Files that cannot be loaded are appended to the mistakes. Throws: cli.file. */
export function listLoadFiles(
  path: string,
  model: Model,
  mistakes: MistakeList,
): readonly LoadFile[] {
  const names = statOf(path).isDirectory() ? namesIn(path) : undefined;
  const files = (names ?? [path]).flatMap((name) => {
    const file = describeFile(names === undefined ? path : join(path, name), model);
    if ('set' in file) return [file];
    mistakes.add(file.mistake);
    return [];
  });
  if (names?.length === 0) {
    const reason = `the directory has no file such as Set.${FORMATS.join(' or Set.')}`;
    mistakes.add(mistakeAt({ file: path }, 'service.import-file', { reason }));
  }
  const order = loadOrder(model);
  return [...files].sort((one, other) => order.indexOf(one.set) - order.indexOf(other.set));
}

function statOf(path: string): Stats {
  try {
    return statSync(path);
  } catch (error) {
    throw new Fault('cli.file', { file: path, reason: reasonOf(error) });
  }
}

/** The names in a directory, without hidden ones. Throws: cli.file. */
function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory)
      .filter((name) => !name.startsWith('.'))
      .sort();
  } catch (error) {
    throw new Fault('cli.file', { file: directory, reason: reasonOf(error) });
  }
}

function describeFile(path: string, model: Model): LoadFile | { readonly mistake: ImportMistake } {
  const { base, name: set } = parse(path);
  const place = { file: base };
  const format = FORMATS.find((one) => `.${one}` === extname(base).toLowerCase());
  if (format === undefined || !statOf(path).isFile()) {
    const reason = `files to load are named Set.${FORMATS.join(', Set.')}`;
    return { mistake: mistakeAt(place, 'service.import-file', { reason }) };
  }
  if (format === 'json') return { path, name: base, format, set: '' };
  if (model.sets.has(set)) return { path, name: base, format, set };
  const hint = didYouMean(set, model.sets.keys());
  return { mistake: mistakeAt(place, 'service.import-set', { name: set, hint }) };
}

/** The sets of the model, each after those that its entities refer to, as far as there are no cycles. */
function loadOrder(model: Model): readonly string[] {
  const order = new Set<string>();
  const visited = new Set<string>();
  const visit = (name: string): void => {
    if (visited.has(name)) return;
    visited.add(name);
    for (const target of targetsOf(model, name)) visit(target);
    order.add(name);
  };
  for (const name of model.sets.keys()) visit(name);
  return ['', ...order];
}

/** The sets that single navigation properties of a set point to. */
function targetsOf(model: Model, name: string): readonly string[] {
  const source = setSource(model, name);
  const type = entityType(model, source.type.name);
  return [type, ...model.derived(type)].flatMap((owner) =>
    [...model.members(owner).values()].flatMap((member) => {
      if (member.kind !== 'navigation' || member.collection || member.contained) return [];
      const target = targetSource(model, source, owner, member, member.name);
      return target.set === undefined ? [] : [target.set.name];
    }),
  );
}
