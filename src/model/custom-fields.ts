// This file holds the numbered custom slots: spare properties that each kind of record has, which an installation enables and names.
// A slot that is not enabled is no part of the model, so that it is neither in the description nor in the database.
import { boolean, code, codeValue, dateTime, decimal, duration, one, text } from '../edm/define.ts';
import type { Code, CodeList, Member, Texts } from '../edm/model.ts';
import { codeNumber, LANGUAGES } from './code-list.ts';

/** The members that the enabled slots add to a type. */
export type Additions = (type: string) => readonly Member[];

export type SlotKind =
  | 'code'
  | 'text'
  | 'short text'
  | 'long text'
  | 'date'
  | 'number'
  | 'boolean'
  | 'duration'
  | 'person'
  | 'organization';

/** One numbered slot: `ServicecallCode1` of ServiceRequest. */
export interface Slot {
  readonly name: string;
  readonly entity: string;
  readonly kind: SlotKind;
  /** Its number among the slots of the same prefix, from 1. */
  readonly ordinal: number;
}

/** What an installation says of a slot that it uses. */
export interface EnabledSlot {
  readonly slot: Slot;
  readonly labels?: Texts;
  /** The codes of a coded slot in their order; their values follow from the slot and the place. */
  readonly codes?: readonly Omit<Code, 'value' | 'parent'>[];
}

type Row = readonly [prefix: string, kind: SlotKind, count: number];

const slotTable: Readonly<Record<string, readonly Row[]>> = {
  ServiceRequest: [
    ['ServicecallCode', 'code', 10],
    ['ServicecallText', 'text', 20],
    ['SerShorttext', 'short text', 10],
    ['Ser4k', 'long text', 2],
    ['ServicecallDate', 'date', 10],
    ['ServicecallNumber', 'number', 6],
    ['SerBoolean', 'boolean', 15],
    ['SerDuration', 'duration', 4],
    ['ScPerson', 'person', 4],
  ],
  Problem: [
    ['ProblemCode', 'code', 10],
    ['ProblemText', 'text', 10],
    ['ProShorttext', 'short text', 5],
    ['Pro4k', 'long text', 2],
    ['ProblemDate', 'date', 6],
    ['ProNumber', 'number', 4],
    ['ProBoolean', 'boolean', 15],
    ['ProDuration', 'duration', 2],
  ],
  Change: [
    ['ChangeCode', 'code', 10],
    ['ChangeText', 'text', 10],
    ['ChaShorttext', 'short text', 5],
    ['Cha4k', 'long text', 2],
    ['ChangeDate', 'date', 6],
    ['ChaNumber', 'number', 4],
    ['ChaBoolean', 'boolean', 10],
    ['ChaDuration', 'duration', 2],
    ['ChaPerson', 'person', 2],
  ],
  Incident: [
    ['IncidentCode', 'code', 10],
    ['IncidentText', 'text', 10],
    ['IncShorttext', 'short text', 5],
    ['Inc4k', 'long text', 2],
    ['IncidentDate', 'date', 6],
    ['IncNumber', 'number', 4],
    ['IncBoolean', 'boolean', 10],
    ['IncDuration', 'duration', 2],
  ],
  Workorder: [
    ['WorkorderCode', 'code', 10],
    ['WorkorderText', 'text', 10],
    ['WorShorttext', 'short text', 5],
    ['Wor4k', 'long text', 2],
    ['WorkorderDate', 'date', 4],
    ['WorNumber', 'number', 4],
    ['WorBoolean', 'boolean', 10],
    ['WorDuration', 'duration', 2],
    ['WorOrganization', 'organization', 1],
  ],
  ConfigurationItem: [
    ['CiCode', 'code', 10],
    ['CiText', 'text', 10],
    ['CiShorttext', 'short text', 5],
    ['CiDate', 'date', 6],
    ['CiNumber', 'number', 4],
    ['CiBoolean', 'boolean', 5],
    ['CiOrganization', 'organization', 1],
    ['CiPerson', 'person', 1],
  ],
  Person: smallRows('Per'),
  Organization: smallRows('Org'),
  Location: smallRows('Loc'),
  Service: smallRows('Srv'),
  MaintenanceContract: smallRows('Mc'),
  Project: smallRows('Prj'),
};

/** Every slot there is, by name. */
export const slots: ReadonlyMap<string, Slot> = new Map(
  Object.entries(slotTable).flatMap(([entity, rows]) =>
    rows.flatMap(([prefix, kind, count]) =>
      Array.from({ length: count }, (_, index): [string, Slot] => {
        const name = `${prefix}${index + 1}`;
        return [name, { name, entity, kind, ordinal: index + 1 }];
      }),
    ),
  ),
);

/** The number of the first list of a custom slot; the others follow in the order of the slots. */
const FIRST_LIST = 500;

const codedSlots: readonly string[] = [...slots.values()]
  .filter((slot) => slot.kind === 'code')
  .map((slot) => slot.name);

/** The slots as shipped: ServicecallCode1 alone. */
export const shippedSlots: readonly EnabledSlot[] = [...slots.values()]
  .filter((slot) => slot.name === 'ServicecallCode1')
  .map((slot) => ({
    slot,
    labels: { en: 'Cost bearer', nl: 'Kostendrager', de: 'Kostenträger', fr: 'Prise en charge' },
    codes: [
      {
        meaning: 'DEPARTMENT',
        texts: { en: 'Department', nl: 'Afdeling', de: 'Abteilung', fr: 'Service' },
      },
      {
        meaning: 'PROJECT',
        texts: { en: 'Project', nl: 'Project', de: 'Projekt', fr: 'Projet' },
      },
      {
        meaning: 'CENTRAL',
        texts: {
          en: 'Central budget',
          nl: 'Centraal budget',
          de: 'Zentrales Budget',
          fr: 'Budget central',
        },
      },
      {
        meaning: 'CUSTOMER',
        texts: { en: 'Customer', nl: 'Klant', de: 'Kunde', fr: 'Client' },
      },
    ],
  }));

/** The members that the enabled slots add, by type. */
export function additionsOf(enabled: readonly EnabledSlot[]): Additions {
  return (type) => enabled.filter(({ slot }) => slot.entity === type).map(slotMember);
}

/** One code list for each enabled coded slot, named like the slot. */
export function slotLists(enabled: readonly EnabledSlot[]): readonly CodeList[] {
  return enabled
    .filter(({ slot }) => slot.kind === 'code')
    .map(({ slot, labels, codes = [] }) => ({
      name: slot.name,
      ordered: false,
      hierarchical: false,
      labels: labels ?? slotLabels(slot),
      codes: codes.map(({ texts, ...rest }, index) =>
        codeValue(codeNumber(slotListNumber(slot), index + 1), texts, rest),
      ),
    }));
}

/** The number of the code list of a coded slot: 500 for ServicecallCode1. */
export function slotListNumber(slot: Slot): number {
  return FIRST_LIST + codedSlots.indexOf(slot.name);
}

function slotMember({ slot, labels = slotLabels(slot) }: EnabledSlot): Member {
  const { name } = slot;
  const custom = { custom: true, labels } as const;
  switch (slot.kind) {
    case 'code':
      return code(name, name, custom);
    case 'text':
      return text(name, { ...custom, maxLength: 255, searchable: true });
    case 'short text':
      return text(name, { ...custom, maxLength: 80 });
    case 'long text':
      return text(name, { ...custom, maxLength: 4000, searchable: true });
    case 'date':
      return dateTime(name, custom);
    case 'number':
      return decimal(name, { ...custom, precision: 18, scale: 4 });
    case 'boolean':
      return boolean(name, custom);
    case 'duration':
      return duration(name, custom);
    case 'person':
      return one(name, 'Person', { labels });
    case 'organization':
      return one(name, 'Organization', { labels });
  }
}

const kindTexts: Readonly<Record<SlotKind, readonly [string, string, string, string]>> = {
  code: ['Code', 'Code', 'Code', 'Code'],
  text: ['Text', 'Tekst', 'Text', 'Texte'],
  'short text': ['Short text', 'Korte tekst', 'Kurztext', 'Texte court'],
  'long text': ['Long text', 'Lange tekst', 'Langtext', 'Texte long'],
  date: ['Date', 'Datum', 'Datum', 'Date'],
  number: ['Number', 'Getal', 'Zahl', 'Nombre'],
  boolean: ['Yes/no', 'Ja/nee', 'Ja/nein', 'Oui/non'],
  duration: ['Duration', 'Duur', 'Dauer', 'Durée'],
  person: ['Person', 'Persoon', 'Person', 'Personne'],
  organization: ['Organisation', 'Organisatie', 'Organisation', 'Organisation'],
};

function slotLabels({ kind, ordinal }: Slot): Texts {
  const texts = kindTexts[kind].map((label) => `${label} ${ordinal}`);
  return Object.fromEntries(LANGUAGES.map((language, index) => [language, texts[index] ?? '']));
}

function smallRows(prefix: string): readonly Row[] {
  return [
    [`${prefix}Code`, 'code', 5],
    [`${prefix}Text`, 'text', 5],
    [`${prefix}Date`, 'date', 3],
    [`${prefix}Number`, 'number', 2],
    [`${prefix}Boolean`, 'boolean', 5],
  ];
}
