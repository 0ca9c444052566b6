// This file reads Validation.Constraint: conditions over an entity, each with a message for the case that it is not fulfilled. An
// element can have several, with different qualifiers.
// OData Vocabularies 4.0, Org.OData.Validation.V1, "Constraint".
import { perObject } from '../../base/memo.ts';
import { type Annotations, type Described, isPlainRecord, type Json } from '../model.ts';

export interface Constraint {
  /** `Validation.Constraint#Dates` */
  readonly term: string;
  /** A CSDL dynamic expression; undefined if the record has none. */
  readonly condition: Json | undefined;
  /** The failure message in the language, else in the default language. */
  readonly message: (language: string) => string;
}

const TERM = 'Validation.Constraint';
const NONE: readonly Constraint[] = [];

/** The constraints of an element, in the order of the document. */
export function constraintsOf({
  annotations,
}: Pick<Described, 'annotations'>): readonly Constraint[] {
  return annotations === undefined ? NONE : readConstraints(annotations);
}

const readConstraints = perObject((annotations: Annotations): readonly Constraint[] =>
  Object.entries(annotations)
    .filter(([name]) => !name.includes('@') && name.split('#', 1)[0] === TERM)
    .map(([term, value]) => constraintIn(term, isPlainRecord(value) ? value : {})),
);

function constraintIn(term: string, record: Annotations): Constraint {
  const { FailureMessage: text, Condition: condition } = record;
  const fallback = typeof text === 'string' ? text : `The condition ${term} is not fulfilled.`;
  const message = (language: string) =>
    localizedText(record, 'FailureMessage', language) ?? fallback;
  return { term, condition, message };
}

/** `FailureMessage@Core.Description#nl`: the text of the record's member in the language, if there is one. */
function localizedText(record: Annotations, member: string, language: string): string | undefined {
  const text = record[`${member}@Core.Description#${language.replaceAll('-', '_')}`];
  return typeof text === 'string' ? text : undefined;
}
