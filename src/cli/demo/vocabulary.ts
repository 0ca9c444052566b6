// Reads demo.json, the vocabulary of the demo records. The built-in model defines all of it, and a model that adds to the built-in one
// may override parts with a demo.json of its own.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { Fault } from '../../base/fault.ts';
import { type Model, memberAt } from '../../edm/model.ts';
import type { Mistake } from '../../edm/model-error.ts';
import { RECORDED_MEMBERS } from '../../seed/course/lines.ts';
import type { DemoTerms } from '../../seed/demo-plan.ts';
import type { DemoVocabulary } from '../../seed/vocabulary.ts';
import {
  BUILT_IN_MODEL,
  DEMO_FILE,
  type ModelFiles,
  readModelFiles,
  readModelPart,
  requireFaultless,
} from '../model-source.ts';

/** The texts of the model that demo records contain. */
export function demoTerms(model: Model): DemoTerms {
  const [language = ''] = model.definition.languages;
  const labelOf = (set: string, path: string) => {
    const type = model.types.get(model.sets.get(set)?.type ?? '');
    return type?.kind === 'entity' ? memberAt(model, type, path)?.labels?.[language] : undefined;
  };
  const labels = Object.entries(RECORDED_MEMBERS).flatMap(([set, paths]) =>
    paths.map((path) => [`${set}/${path}`, labelOf(set, path) ?? path]),
  );
  const codes = [...model.codeLists.values()].flatMap((list) => list.codes);
  return {
    codes: Object.fromEntries(
      codes.map(({ value, texts }) => [Number(value), texts[language] ?? String(value)]),
    ),
    labels: Object.fromEntries(labels),
  };
}

/** The schema of demo.json; built on demand, because the service starts without it. */
function vocabularySchema() {
  const text = z.string().min(1);
  const texts = some(text);
  const place = { code: text, name: text, parent: text.optional() };
  const value = z.number().int().positive();

  return z.strictObject({
    names: some(z.strictObject({ language: text, given: texts, family: texts })),
    jobTitles: texts,
    accounts: some(z.strictObject({ login: text, roles: z.array(text) })),
    workgroups: texts,
    organizations: some(
      z.strictObject({ ...place, secondName: text.optional(), category: value }),
    ).superRefine(requireParents),
    locations: some(z.strictObject({ ...place, type: value, timeZone: text })).superRefine(
      requireParents,
    ),
    holidays: z.array(z.strictObject({ day: z.string().regex(/^\d\d-\d\d$/), name: text })),
    schedules: some(
      z.strictObject({
        name: text,
        days: z.number().int().min(1).max(7),
        from: z.iso.time(),
        to: z.iso.time().optional(),
      }),
    ),
    serviceLevels: some(
      z.strictObject({
        name: text,
        responseMinutes: z.array(value).max(5),
        resolutionHours: z.array(value).max(5),
      }),
    ),
    services: texts,
    products: texts,
    things: texts,
    complaints: texts,
    oddSubjects: texts,
    sentences: texts,
    solutions: texts,
    noteSubjects: texts,
    rareWord: text,
    frequentWord: text,
  }) satisfies z.ZodType<DemoVocabulary>;
}

function some<Item extends z.ZodType>(item: Item) {
  return z.tuple([item], item, { error: 'Expected a list with at least one item' });
}

/** Requires parents before their children. */
function requireParents(
  places: readonly { readonly code: string; readonly parent?: string | undefined }[],
  context: z.RefinementCtx,
): void {
  for (const [index, { parent }] of places.entries()) {
    if (parent === undefined || places.slice(0, index).some(({ code }) => code === parent))
      continue;
    const message = `No earlier item has the code "${parent}".`;
    context.addIssue({ code: 'custom', message, path: [index, 'parent'] });
  }
}

/** The vocabulary for the demo records of a model. Throws: cli.model (with all mistakes), cli.file. */
export function readDemoVocabulary(model: ModelFiles): DemoVocabulary {
  const builtIn = builtInVocabulary();
  const mistakes: Mistake[] = [];
  const own = ownVocabulary(model, mistakes);
  requireFaultless(model.place, mistakes);
  const overrides = Object.entries(own).filter(([, words]) => words !== undefined);
  return { ...builtIn, ...Object.fromEntries(overrides) };
}

function builtInVocabulary(): DemoVocabulary {
  const files = existsSync(BUILT_IN_MODEL) ? readModelFiles(BUILT_IN_MODEL) : undefined;
  const vocabulary = files && readModelPart(files, DEMO_FILE, vocabularySchema, []);
  if (vocabulary !== undefined) return vocabulary;
  const reason = 'it does not exist or is incomplete. Reinstall Docket to restore it.';
  throw new Fault('cli.file', { file: join(BUILT_IN_MODEL, DEMO_FILE), reason });
}

/** The mistakes in the demo.json of a model; none if there is no such file. */
export function demoMistakes(files: ModelFiles): readonly Mistake[] {
  const mistakes: Mistake[] = [];
  ownVocabulary(files, mistakes);
  return mistakes;
}

/** The parts of the vocabulary in the demo.json of a model; none if there is no such file. */
function ownVocabulary(files: ModelFiles, mistakes: Mistake[]): Readonly<Record<string, unknown>> {
  return readModelPart(files, DEMO_FILE, () => vocabularySchema().partial(), mistakes) ?? {};
}
