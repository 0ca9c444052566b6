// This file holds planned work: work orders, projects, and the templates that records are made from.
import {
  code,
  complex,
  contained,
  duration,
  entitySet,
  entityType,
  int32,
  many,
  one,
  text,
} from '../edm/define.ts';
import type { EntitySet, Member, NamedType } from '../edm/model.ts';
import { requiredName, uid } from './common.ts';
import type { Additions } from './custom-fields.ts';
import { approval, mainItem, subject, workCodes, workItem } from './work-item.ts';

/** The types of this file. */
export function workTypes(additions: Additions): readonly NamedType[] {
  return [workorder(additions), project(additions), ...templateTypes];
}

/** The sets that the service document lists, by name. */
export const workSets = {
  Workorders: entitySet('Workorders', 'Workorder', { singular: 'Workorder' }),
  Projects: entitySet('Projects', 'Project', { singular: 'Project' }),
} as const satisfies Record<string, EntitySet>;

export const templateSets: readonly EntitySet[] = [
  entitySet('Templates', 'Template', { singular: 'Template', listed: false }),
];

function workorder(additions: Additions): NamedType {
  return entityType(
    'Workorder',
    [
      subject(),
      ...workCodes({
        status: [105, 'WorkorderStatus'],
        closure: [134, 'WorkorderClosure'],
        category: [224, 'WorkorderCategory'],
      }),
      int32('Sequence', { description: 'Place among the work orders of the same parent' }),
      duration('LaborTime'),
      complex('Cost', 'Money'),
      approval(),
      one('Location', 'Location', { description: 'Where the work is done' }),
      ...['ServiceRequest', 'Incident', 'Problem', 'Change', 'Project'].map(parent),
      many('Predecessors', 'Workorder', {
        partner: 'Successors',
        acyclic: true,
        onDelete: 'set-null',
      }),
      many('Successors', 'Workorder', { partner: 'Predecessors', onDelete: 'set-null' }),
      mainItem(),
      ...additions('Workorder'),
    ],
    { ...workItem, description: 'A task of one group or person' },
  );
}

/** The piece of work that a work order is a part of; the order outlives it. */
function parent(target: string): Member {
  return one(target, target, { partner: 'Workorders', onDelete: 'set-null' });
}

function project(additions: Additions): NamedType {
  return entityType(
    'Project',
    [
      requiredName('Name'),
      subject({ nullable: true }),
      ...workCodes({
        status: [106, 'ProjectStatus'],
        closure: [226, 'ProjectClosure'],
        category: [225, 'ProjectCategory'],
      }),
      complex('Budget', 'Money'),
      complex('ActualCost', 'Money'),
      int32('PercentComplete', {
        annotations: { 'Validation.Minimum': 0, 'Validation.Maximum': 100 },
      }),
      code('Phase', 'ProjectPhase'),
      one('ProjectManager', 'Person'),
      one('Sponsor', 'Person'),
      many('Workorders', 'Workorder', { partner: 'Project' }),
      many('Changes', 'Change', { partner: 'Project' }),
      many('Members', 'Person'),
      one('ParentProject', 'Project', {
        partner: 'SubProjects',
        acyclic: true,
        onDelete: 'set-null',
      }),
      many('SubProjects', 'Project', { partner: 'ParentProject' }),
      mainItem(),
      ...additions('Project'),
    ],
    { ...workItem, description: 'Work with a goal, a budget and an end' },
  );
}

const templateTypes: readonly NamedType[] = [
  entityType(
    'Template',
    [
      requiredName('Name'),
      text('Description', { searchable: true }),
      code('Category', 'TemplateCategory'),
      one('Entity', 'Entity', {
        partner: 'Templates',
        description: 'What is made from it; filter on Entity/Name',
      }),
      contained('Values', 'TemplateValue'),
      many('Roles', 'Role', { description: 'Who may use it; everybody where it is empty' }),
    ],
    { base: 'Record', description: 'What records are made from' },
  ),
  entityType(
    'TemplateValue',
    [
      uid(),
      text('AttributeName', { maxLength: 255, description: 'Path of the property' }),
      text('Value', { description: 'The value as text, a code by its value' }),
      one('AggregationAttribute', 'Attribute', {
        onDelete: 'set-null',
        description: 'The property that the value is added to',
      }),
    ],
    { key: ['Uid'], description: 'What a template puts into one property' },
  ),
];
