// Writes the rows of $crossjoin: for each set a link to its entity, or the expanded entity. OData 4.01 URL Conventions,
// "Addressing the Cross Join of Entity Sets".
import type { BoundCrossjoin } from '../../bind/bound.ts';
import { writtenFor } from '../read/nested-options.ts';
import { urlsOfRows } from '../read/row-urls.ts';
import type { Shape, ShapeMember } from '../read-plan.ts';
import { computedMembers } from './computed-values.ts';
import { visibleUrls } from './control-information.ts';
import { computedParts } from './property-values.ts';
import { appliedShape, entityShape } from './row-shape.ts';
import { annotation, type ShapeScope } from './shape-scope.ts';

type JoinedSource = BoundCrossjoin['sources'][number];

/** The shape of each combination of rows. */
export function crossjoinShape(scope: ShapeScope, bound: BoundCrossjoin): Shape {
  const { query, sources } = bound;
  const { row } = query;
  if (bound.combined !== undefined && row.kind === 'derived') {
    return appliedShape(scope, { row, query, written: scope.options });
  }
  const members = sources.flatMap((source) => sourceMembers(scope, bound, source));
  const computed = query.compute.flatMap((one) => computedMembers(scope, one, computedParts));
  return { row: query.row, form: scope.form, members: [...members, ...computed] };
}

function sourceMembers(
  scope: ShapeScope,
  { query }: BoundCrossjoin,
  { name, rows }: JoinedSource,
): readonly ShapeMember[] {
  const urls = visibleUrls(scope, rows.row, urlsOfRows(scope.model, rows, []));
  const expansion = query.expansions.find(({ navigation }) => navigation.name === name);
  if (expansion !== undefined) {
    const { options } = writtenFor(scope.options, expansion);
    const entity = { row: rows.row, query: expansion.query, urls, written: options };
    return [{ kind: 'object', name, members: entityShape(scope, entity).members }];
  }
  if (scope.metadata === 'none') return [];
  return urls.map(({ parts, when }) => ({
    kind: 'link',
    name: annotation(scope, name, 'navigationLink'),
    parts,
    ...(when === undefined ? {} : { when }),
  }));
}
