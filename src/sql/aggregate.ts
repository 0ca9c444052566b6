import { Fault } from '../base/fault.ts';
import type { Rows, Transformation } from '../bind/bound.ts';
import type { Origin } from './origin.ts';
import type { Scope } from './scope.ts';

export function appliedRows(_scope: Scope, _rows: Rows, _apply: readonly Transformation[]): Origin {
  throw new Fault('not-built', { feature: '$apply' });
}
