// This file decides what an extension may override in an element of the model that it extends. Labels, descriptions and annotations of
// foreign vocabularies can always be overridden. What defines how data is stored, identified or protected cannot.
import { isJsonArray, isJsonObject, type JsonInput, printJson } from '../value/lossless-json.ts';

/** The kind of the overridden element. */
export type ElementKind =
  | 'type'
  | 'property'
  | 'navigation'
  | 'enumeration'
  | 'definition'
  | 'container'
  | 'set'
  | 'import'
  | 'schema';

/** What is wrong with an override: the reason and the remedy. */
export type Objection = readonly [reason: string, remedy: string];

/** The values that a CSDL member has where it is absent. OData CSDL JSON 4.01, "Structural Property", "Navigation Property". */
const DEFAULTS: Readonly<Record<string, JsonInput>> = {
  $Kind: 'Property',
  $Type: 'Edm.String',
  $UnderlyingType: 'Edm.Int32',
  $Collection: false,
  $Nullable: false,
  $Abstract: false,
  $OpenType: false,
  $HasStream: false,
  $ContainsTarget: false,
  $IsFlags: false,
  $IncludeInServiceDocument: true,
};

/** Terms of Docket.V1 that an extension may override, by kind of element. The others define how data is stored or protected. */
const DOCKET_TERMS: Readonly<Record<ElementKind, readonly string[]>> = {
  type: ['Indexes'],
  property: ['Hidden', 'Indexed', 'Searchable', 'Custom'],
  navigation: ['Hidden'],
  enumeration: [],
  definition: [],
  container: ['CodeLists', 'Languages'],
  set: ['Hidden', 'Listed'],
  import: ['Listed', 'IgnoredOptions'],
  schema: [],
};

/** Standard terms whose meaning is implemented by the service, and why they cannot be set. */
const STANDARD_TERMS: Readonly<Record<string, Objection>> = {
  'Core.Computed': [
    'Only the model that declares the property can let the service write it.',
    'Withhold the right to change it in the roles, or hide it with @Docket.Hidden.',
  ],
  'Core.AlternateKeys': [
    'The alternate keys of an existing type cannot change.',
    'Use @Docket.Unique on a property of your own.',
  ],
  'Core.DefaultNamespace': ['The default namespace cannot change.', 'Remove it.'],
};

const RESTRICTIONS = /^Capabilities\.(Insert|Update|Delete)Restrictions$/;
const LOOSENED: Objection = [
  'The restriction cannot be removed, because the service maintains these entities.',
  'Remove it.',
];

/**
 * Decides whether the member or annotation of an existing element may get the value.
 * @param name a CSDL member such as `$Nullable`, or `@` and the canonical name of a term
 * @returns the objection, or undefined if the override is allowed
 */
export function objectionTo(
  kind: ElementKind,
  name: string,
  known: JsonInput | undefined,
  value: JsonInput,
): Objection | undefined {
  if (isSame(known ?? DEFAULTS[name], value)) return undefined;
  if (name.startsWith('@')) return objectionToTerm(kind, name.slice(1), known, value);
  switch (name) {
    case '$Nullable':
      return objectionToNullable(kind, value);
    case '$MaxLength':
      return objectionToLength(known, value);
    case '$DefaultValue':
    case '$IncludeInServiceDocument':
      return undefined;
    case '$Alias':
    case '$Partner':
      return known === undefined ? undefined : changed(name, known);
    default:
      return changed(name, known ?? DEFAULTS[name]);
  }
}

function changed(name: string, known: JsonInput | undefined): Objection {
  const reason =
    known === undefined
      ? `An extension cannot add ${name} to an existing element.`
      : `An extension cannot change ${name}, which is ${printJson(known)}.`;
  return [reason, 'Remove it here, and add an element of your own.'];
}

function objectionToNullable(kind: ElementKind, value: JsonInput): Objection | undefined {
  if (kind === 'navigation' || kind === 'property')
    return value === false
      ? undefined
      : [
          'An extension can make a member required, but not optional.',
          'Remove $Nullable, or add a $DefaultValue.',
        ];
  return changed('$Nullable', false);
}

function objectionToLength(known: JsonInput | undefined, value: JsonInput): Objection | undefined {
  const isLonger = known !== undefined && Number(value) > Number(known);
  if (isLonger) return undefined;
  return [
    `Existing values may have up to ${known === undefined ? 'any number of' : String(known)} characters.`,
    'Use a greater $MaxLength, or limit new values with @Validation.Pattern.',
  ];
}

function objectionToTerm(
  kind: ElementKind,
  term: string,
  known: JsonInput | undefined,
  value: JsonInput,
): Objection | undefined {
  const [base = ''] = term.split('#', 1);
  if (RESTRICTIONS.test(base)) return isLoosened(known, value) ? LOOSENED : undefined;
  if (STANDARD_TERMS[base] !== undefined) return STANDARD_TERMS[base];
  if (!base.startsWith('Docket.')) return undefined;
  const allowed = DOCKET_TERMS[kind];
  if (allowed.includes(base.slice('Docket.'.length))) return undefined;
  const names = allowed.map((name) => `@Docket.${name}`).join(', ');
  return [
    `An extension cannot set ${base} on an existing element.`,
    names === '' ? 'Remove it.' : `Remove it. The extension can set ${names}.`,
  ];
}

/** Whether a member that is false becomes true. */
function isLoosened(known: JsonInput | undefined, value: JsonInput): boolean {
  const [old, next] = [known, value].map((record) =>
    Object.entries(typeof record === 'object' && record !== null ? record : {}),
  );
  return (old ?? []).some(
    ([name, flag]) => flag === false && (next ?? []).some((item) => item[0] === name && item[1]),
  );
}

/** Whether both are the same JSON; the order of members is not significant. */
export function isSame(left: JsonInput | undefined, right: JsonInput | undefined): boolean {
  if (left === undefined || right === undefined) return left === right;
  return printJson(sorted(left)) === printJson(sorted(right));
}

function sorted(value: JsonInput): JsonInput {
  if (isJsonArray(value)) return value.map(sorted);
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(entries.map(([name, inner]) => [name, sorted(inner)]));
}
