// This file checks the settings that depend on the model: its languages and workflows, and the names that a service root of `/` leaves free.
import type { ModelDefinition } from '../../edm/model.ts';
import { RESERVED_SEGMENTS } from '../../http/service-location.ts';
import { type Config, ConfigError } from './config.ts';
import { rangeOf } from './config-error.ts';
import { languageField } from './runtime-settings.ts';
import { workflowsField } from './workflow-modes.ts';

type RootParts = Pick<ModelDefinition, 'languages' | 'sets' | 'imports' | 'types'>;

/** Throws a ConfigError that lists all settings that the model does not permit. */
export function requireSettingsFor(config: Config, model: RootParts): void {
  const mistakes = [
    ...languageMistakes(config, model),
    ...workflowMistakes(config, model),
    ...pathMistakes(config, model),
  ];
  if (mistakes.length > 0) throw new ConfigError(mistakes.join('\n'));
}

function languageMistakes({ language }: Config, { languages }: RootParts): readonly string[] {
  const field = languageField(languages);
  if (language === undefined || field.safeParse(language).success) return [];
  return [`language: expected ${rangeOf(field)}, not ${JSON.stringify(language)}.`];
}

function workflowMistakes({ workflows }: Config, model: RootParts): readonly string[] {
  const field = workflowsField(model);
  if (field.safeParse(workflows).success) return [];
  return [`workflows: expected ${rangeOf(field)}, not ${JSON.stringify(workflows)}.`];
}

/** Below `/`, the endpoints of the server would hide sets of the same name. */
function pathMistakes({ basePath }: Config, { sets, imports }: RootParts): readonly string[] {
  if (basePath !== '/') return [];
  const hidden = [...sets, ...imports].filter(({ name }) => RESERVED_SEGMENTS.has(name));
  return hidden.map(
    ({ name }) =>
      `basePath: expected a path such as /odata, because with "/" the endpoint /${name} of the server would hide ${name} of the model.`,
  );
}
