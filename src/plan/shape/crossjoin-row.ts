// Writes the rows of $crossjoin: for each set a link to its entity, or the expanded entity. OData 4.01 URL Conventions,
// "Addressing the Cross Join of Entity Sets".
import type { BoundCrossjoin } from '../../bind/bound.ts';
import { writtenFor } from '../read/nested-options.ts';
import { selfOfRows } from '../read/row-address.ts';
import type { Shape, ShapeMember } from '../read-plan.ts';
import { computedMembers } from './computed-values.ts';
import { shownSelf } from './control-information.ts';
import { computedParts } from './property-values.ts';
import { appliedShape, entityShape } from './row-shape.ts';
import { annotation, type Drafting } from './shape-scope.ts';

type JoinedSource = BoundCrossjoin['sources'][number];

/** The shape of each combination of rows. */
export function crossjoinShape(drafting: Drafting, bound: BoundCrossjoin): Shape {
  const { query, sources } = bound;
  const { row } = query;
  if (bound.combined !== undefined && row.kind === 'derived') {
    return appliedShape(drafting, { row, query, written: drafting.options });
  }
  const members = sources.flatMap((source) => sourceMembers(drafting, bound, source));
  const computed = query.compute.flatMap((one) => computedMembers(drafting, one, computedParts));
  return { row: query.row, form: drafting.form, members: [...members, ...computed] };
}

function sourceMembers(
  drafting: Drafting,
  { query }: BoundCrossjoin,
  { name, rows }: JoinedSource,
): readonly ShapeMember[] {
  const self = shownSelf(drafting, rows.row, selfOfRows(drafting.model, rows, []));
  const expansion = query.expansions.find(({ navigation }) => navigation.name === name);
  if (expansion !== undefined) {
    const { options } = writtenFor(drafting.options, expansion);
    const draft = { row: rows.row, query: expansion.query, self, written: options };
    return [{ kind: 'object', name, members: entityShape(drafting, draft).members }];
  }
  if (drafting.metadata === 'none') return [];
  return self.map(({ parts, when }) => ({
    kind: 'link',
    name: annotation(drafting, name, 'navigationLink'),
    parts,
    ...(when === undefined ? {} : { when }),
  }));
}
