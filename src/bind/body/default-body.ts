// This file makes the body in which the default of a property is read.
import type { EntityType, Model } from '../../edm/model.ts';
import { codesOfDefaults } from '../codes.ts';
import { type Body, emptyInput } from './body-context.ts';
import { Mistakes } from './body-errors.ts';

/** A body for reading a default of the type, which cannot contain relations. */
export function defaultBody(model: Model, type: EntityType): Body {
  const [language = 'en'] = model.definition.languages;
  return {
    model,
    codes: codesOfDefaults(model),
    language,
    mistakes: new Mistakes(),
    version: '4.01',
    rowId: () => 0,
    countEntity: () => undefined,
    reference: () => undefined,
    entity: () => emptyInput(type),
    namesTemplate: () => false,
    isTemplate: false,
    isLoad: false,
    isService: false,
  };
}
