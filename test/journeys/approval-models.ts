// This file makes a model with approvals that has nothing of the built-in one: paintings, about which a jury votes.
import { readCsdl } from '../../src/edm/csdl/read-csdl.ts';
import type { ModelDefinition } from '../../src/edm/model.ts';
import type { JsonObject } from '../../src/edm/value/lossless-json.ts';

const entity = (members: JsonObject) => ({
  $Kind: 'EntityType',
  $Key: ['No'],
  No: { $Type: 'Edm.Int64', '@Core.Computed': true, '@Docket.Generated': { By: 'key' } },
  ...members,
});
const relation = (type: string, more: JsonObject = {}) => ({
  $Kind: 'NavigationProperty',
  $Type: `Art.${type}`,
  $Nullable: true,
  ...more,
});
const many = (type: string, partner?: string) => ({
  $Kind: 'NavigationProperty',
  $Type: `Art.${type}`,
  $Collection: true,
  ...(partner === undefined ? {} : { $Partner: partner }),
});
const value = (type: string) => ({ $Type: `Edm.${type}`, $Nullable: true });
const kept = (type: string) => ({ ...value(type), '@Core.Computed': true });

const APPROVAL: JsonObject = {
  Votes: 'Opinions',
  Voter: 'Juror',
  Vote: 'InFavour',
  VoteRound: 'Session',
  VoteOpen: 'Pending',
  Approvers: 'Jury/Jurors',
  Where: 'Retired ne true',
  Required: 'Needed',
  Approvals: 'InFavour',
  Round: 'Session',
  Waiting: 'JUDGED',
  Approve: ['accept'],
  Reject: ['decline'],
};

/** The document of the model. @param changes members of `Docket.Approval` */
export function juryDocument(changes: JsonObject = {}): JsonObject {
  const set = (type: string) => ({ $Collection: true, $Type: `Art.${type}` });
  const symbols = ['SENT', 'JUDGED', 'SHOWN', 'RETURNED'];
  return {
    $Version: '4.01',
    $EntityContainer: 'Art.Container',
    Art: {
      Choice: {
        $Kind: 'ComplexType',
        '@Docket.Coded': { Value: 'Id', Text: 'Label' },
        Id: { $Type: 'Edm.Int64', $Nullable: true },
        Label: { $Nullable: true },
      },
      Painting: entity({
        '@Docket.Workflow': {
          Member: 'Stage',
          Initial: ['SENT'],
          States: symbols.map((symbol) => ({ Symbol: symbol, Category: 'open' })),
          Transitions: [
            { Symbol: 'judge', From: ['SENT'], To: 'JUDGED' },
            { Symbol: 'accept', From: ['JUDGED'], To: 'SHOWN', By: 'service' },
            { Symbol: 'decline', From: ['JUDGED'], To: 'RETURNED', By: 'service' },
          ],
        },
        '@Docket.Approval': { ...APPROVAL, ...changes },
        Stage: { $Type: 'Art.Choice', $Nullable: true, '@Docket.CodeList': 'Stage' },
        Needed: value('Int32'),
        InFavour: kept('Int32'),
        Session: kept('Int32'),
        Jury: relation('Jury'),
        Opinions: many('Opinion', 'Painting'),
      }),
      Opinion: entity({
        Painting: relation('Painting', { $Partner: 'Opinions' }),
        Juror: relation('Juror'),
        InFavour: value('Boolean'),
        Session: kept('Int32'),
        Pending: kept('Boolean'),
      }),
      Jury: entity({ Jurors: many('Juror') }),
      Juror: entity({ Name: { $Nullable: true }, Retired: value('Boolean') }),
      Container: {
        $Kind: 'EntityContainer',
        '@Docket.Languages': ['en'],
        '@Docket.People': 'Jurors',
        '@Docket.CodeLists': [
          {
            Name: 'Stage',
            Ordered: true,
            Hierarchical: false,
            Codes: symbols.map((Meaning, index) => ({
              Value: index + 1,
              Texts: [{ Language: 'en', Text: Meaning }],
              Meaning,
            })),
          },
        ],
        Paintings: set('Painting'),
        Opinions: set('Opinion'),
        Juries: set('Jury'),
        Jurors: set('Juror'),
      },
    },
  };
}

/** The model. Throws: the mistakes that reading the document finds. */
export function juryModel(): ModelDefinition {
  const { definition, mistakes } = readCsdl(juryDocument());
  if (mistakes.length > 0) throw new Error(mistakes.map(({ message }) => message).join('\n'));
  return definition;
}
