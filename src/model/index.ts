// This file assembles the model of the suite: its types, sets in the order of the service document, code lists and texts. It says
// nothing of storage or rights; an installation adds to the model by enabling custom slots.
import { defineModel } from '../edm/define.ts';
import { type EntitySet, type Model, type ModelDefinition, makeModel } from '../edm/model.ts';
import { assetSets, assetTypes, timeSets } from './assets.ts';
import { LANGUAGES } from './code-list.ts';
import { suiteCodeLists } from './codes.ts';
import { recordTypes, sharedComplexTypes, workComplexTypes } from './common.ts';
import { configurationSets, configurationTypes } from './configuration.ts';
import { additionsOf, type EnabledSlot, shippedSlots, slotLists } from './custom-fields.ts';
import { labelled } from './labels.ts';
import { accountSets, peopleImports, peopleOperations, peopleSets, peopleTypes } from './people.ts';
import { requestSets, requestTypes, supplementSets } from './requests.ts';
import { templateSets, workSets, workTypes } from './work.ts';
import { workItemTypes } from './work-item.ts';

/** The fifteen sets of the service document, in its order. */
const mainSets: readonly EntitySet[] = [
  requestSets.ServiceRequests,
  requestSets.Problems,
  requestSets.Changes,
  requestSets.Incidents,
  assetSets.ConfigurationItems,
  workSets.Workorders,
  requestSets.EmailServiceRequests,
  assetSets.Services,
  assetSets.MaintenanceContracts,
  workSets.Projects,
  assetSets.ServiceLevelAgreements,
  peopleSets.Workgroups,
  peopleSets.Persons,
  peopleSets.Locations,
  peopleSets.Organizations,
];

/** The definition of the suite's model with the given custom slots. */
export function defineSuite(enabled: readonly EnabledSlot[]): ModelDefinition {
  const additions = additionsOf(enabled);
  return labelled(
    defineModel({
      namespaces: [{ name: 'Service.Web.OData.Model' }],
      types: [
        ...sharedComplexTypes,
        ...workComplexTypes,
        ...recordTypes,
        ...workItemTypes,
        ...requestTypes(additions),
        ...assetTypes(additions),
        ...workTypes(additions),
        ...peopleTypes(additions),
        ...configurationTypes,
      ],
      sets: [
        ...mainSets,
        ...timeSets,
        ...configurationSets,
        ...supplementSets,
        ...templateSets,
        ...accountSets,
      ],
      operations: peopleOperations,
      imports: peopleImports,
      codeLists: [...suiteCodeLists, ...slotLists(enabled)],
      languages: LANGUAGES,
      people: 'Persons',
      history: 'HistoryLines',
      templates: {
        navigation: 'Template',
        values: 'Values',
        property: 'AttributeName',
        value: 'Value',
        type: 'Entity/Name',
        blocked: 'Blocked',
      },
    }),
  );
}

/** The definition as shipped. */
export const suiteDefinition: ModelDefinition = defineSuite(shippedSlots);

/** The model as shipped, indexed. */
export function suiteModel(): Model {
  return makeModel(suiteDefinition);
}
