// This file reads mail.json, the rules and templates of outgoing mail that a model comes with, and finds its mistakes.
import { z } from 'zod';
import type { CheckRule } from '../access/read-roles.ts';
import { Fault } from '../base/fault.ts';
import type { Mistake } from '../edm/model-error.ts';
import { bindRule } from '../mail/out/bind-rule.ts';
import { type InitialMail, storedForm } from '../mail/out/initial-mail.ts';
import type { StoredTemplate } from '../mail/out/stored-rules.ts';
import { templatePaths } from '../mail/out/template.ts';
import type { Layout } from '../sql/schema/layout.ts';
import { MAIL_FILE, type ModelFiles, readModelPart } from './model-source.ts';

/** The schema of mail.json: records of the sets, as in POST bodies; built on demand, because the service starts without it. */
function mailSchema() {
  const name = z.string().min(1).max(128);
  const rule = z.strictObject({
    Name: name,
    EntitySet: name,
    Event: name,
    Member: z.string().max(255).optional(),
    Filter: z.string().max(2000).optional(),
    MemberFilter: z.string().max(2000).optional(),
    Recipients: z.array(z.string().max(320)),
    Template: name,
    SkipAuthor: z.boolean().optional(),
    Receipt: z.boolean().optional(),
  });
  const template = z.strictObject({
    Name: name,
    Language: z.string().min(1).max(16),
    Subject: z.string().max(255),
    Text: z.string(),
    Html: z.string().optional(),
  });
  return z.strictObject({
    MailTemplates: z.array(template).default([]),
    MailRules: z.array(rule).default([]),
  });
}

/** The rules and templates in the mail.json of a model; none if there is no such file. */
export function mailIn(files: ModelFiles, mistakes: Mistake[]): InitialMail {
  const mail = readModelPart(files, MAIL_FILE, mailSchema, mistakes);
  return { rules: mail?.MailRules ?? [], templates: mail?.MailTemplates ?? [] };
}

/** The first, and what the second adds; what has the same name is that of the second. */
export function joinMail(first: InitialMail, second: InitialMail): InitialMail {
  const rules = first.rules.filter(({ Name }) => !second.rules.some((one) => one.Name === Name));
  const templates = first.templates.filter(
    ({ Name, Language }) =>
      !second.templates.some((one) => one.Name === Name && one.Language === Language),
  );
  return {
    rules: [...rules, ...second.rules],
    templates: [...templates, ...second.templates],
  };
}

/** Rules and templates that do not fit the model, and names that occur twice. */
export function mailMistakes(
  binding: { readonly layout: Layout; readonly check: CheckRule },
  { rules, templates }: InitialMail,
): readonly Mistake[] {
  const stored = templates.map(storedTemplate);
  const names = (items: readonly string[]) =>
    [...new Set(items.filter((item, index) => items.indexOf(item) !== index))].map((item) => ({
      path: MAIL_FILE,
      message: `There is more than one ${item}.`,
      remedy: 'Rename one of them.',
    }));
  return [
    ...names(templates.map(({ Name, Language }) => `template "${Name}" in ${Language}`)),
    ...names(rules.map(({ Name }) => `rule "${Name}"`)),
    ...stored.flatMap((template) => mistakeOf(() => templatePaths(template))),
    ...rules.flatMap((rule) =>
      mistakeOf(() => {
        bindRule(binding, storedForm(rule), stored);
      }),
    ),
  ];
}

function storedTemplate({ Name, Language, Subject, Text, Html }: InitialMail['templates'][number]) {
  const texts = { subject: Subject, text: Text, html: Html };
  const template: StoredTemplate = { uid: 0n, name: Name, language: Language, ...texts };
  return template;
}

function mistakeOf(check: () => void): readonly Mistake[] {
  try {
    check();
    return [];
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return [{ path: MAIL_FILE, message: error.message, remedy: 'Correct or remove it.' }];
  }
}
