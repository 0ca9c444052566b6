// This file defines the vocabulary Docket.Console.V1, and which annotations are for the user interface of the service only. Plain
// $metadata leaves these out, since all clients load it and few lay out screens.
import {
  isJsonArray,
  isJsonObject,
  type JsonInput,
  type JsonObject,
} from '../value/lossless-json.ts';

export const CONSOLE_NAMESPACE = 'Docket.Console.V1';

const MEMBERS = ['Property', 'NavigationProperty'];

/** The schema of Docket.Console.V1, included in documents that use it to make them self-contained. */
export const CONSOLE_SCHEMA: JsonObject = {
  '@Core.Description': 'How user interfaces show the records of a model',
  Clock: {
    $Kind: 'Term',
    $Type: 'Edm.Boolean',
    $DefaultValue: true,
    $AppliesTo: MEMBERS,
    '@Core.Description': 'The value holds the deadlines of a service level',
  },
  Icon: {
    $Kind: 'Term',
    $AppliesTo: ['EntitySet', 'Singleton', ...MEMBERS],
    '@Core.Description': 'The name of an icon',
  },
  Portal: {
    $Kind: 'Term',
    $AppliesTo: ['EntitySet', ...MEMBERS],
    '@Core.Description': 'What requesters do with it in the portal: Read or Write',
  },
};

/** Terms of Docket.Console.V1, and terms with a qualifier that starts with `Docket`. */
const CONSOLE_TERM = /@Docket\.Console\.V1\.|#Docket/;

/** The document, or a part of it, without the annotations for the user interface of the service. */
export function withoutConsoleTerms(part: JsonObject): JsonObject {
  const kept = Object.entries(part).filter(([name]) => !CONSOLE_TERM.test(name));
  return Object.fromEntries(kept.map(([name, value]) => [name, withoutTerms(value)]));
}

function withoutTerms(value: JsonInput): JsonInput {
  if (isJsonArray(value)) return value.map(withoutTerms);
  return isJsonObject(value) ? withoutConsoleTerms(value) : value;
}
