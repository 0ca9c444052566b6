// This file defines `Docket.Assigned`, the annotation of entities that the service gives to a person of a group, as a shape from which its
// type, its reader and its vocabulary follow. docs/assignment.md describes the members.
import type { Shape, Shaped } from '../clocks/clock-rules.ts';

export const ASSIGNMENT = {
  Group: 'text',
  Person: 'text',
  Open: 'text?',
  Method: 'text',
  RoundRobin: 'text?',
  LeastLoad: 'text?',
  Members: 'text',
  Where: 'text?',
  Last: 'text',
  Note: { optional: { Member: 'text', Text: 'text' } },
} as const satisfies Shape;

export type AssignmentRules = Shaped<typeof ASSIGNMENT>;
