// This file reads the record that a row updates, or those that it relates, in the transaction and with the rights of the import.
import { invariant } from '../../base/fault.ts';
import type { Shape } from '../../plan/read-plan.ts';
import { type Cell, cellReader } from '../../response/table/cells.ts';
import { type Column, columnsOf } from '../../response/table/columns.ts';
import { bindParameters, type Work } from '../../store/database.ts';
import { outcomeOf } from '../../store/run-read-script.ts';
import { query } from '../../store/work.ts';
import { prepareRead } from '../read-plans.ts';
import type { Call, Service } from '../service.ts';
import { contextOf, newTrace } from '../stage-inputs.ts';
import type { ImportRequest } from './import-request.ts';

export interface StoredCell extends Pick<Column, 'kind'> {
  readonly cell: Cell;
}

/** What to read of a stored record, to compare it with a row. */
export interface RecordForm {
  readonly accept: string;
  readonly query: string;
}

export interface StoredRecord {
  readonly json: string;
  /** The cells that an export has, by the paths of their columns. */
  readonly cells: () => ReadonlyMap<string, StoredCell>;
}

/**
 * Undefined if there is no such record, or the account may not see it. Throws: the faults of parsing, binding and deciding.
 * @param path `Persons(Uid=12)`
 */
export function* readStored(
  { call, principal }: ImportRequest,
  service: Service,
  path: string,
  { accept, query: options }: RecordForm,
): Work<StoredRecord | undefined> {
  const read: Call = {
    id: call.id,
    method: 'GET',
    path,
    query: options,
    headers: {
      accept,
      'accept-language': call.headers['accept-language'],
      'user-agent': call.headers['user-agent'],
      'odata-maxversion': '4.01',
    },
    body: undefined,
    address: call.address,
    root: call.root,
  };
  const prepared = prepareRead(read, service, principal, newTrace());
  const { script, plan, values } = prepared;
  if (script.kind === 'empty') return undefined;
  invariant(script.kind === 'read' && plan.kind === 'read', 'one record is one statement');
  invariant('shape' in plan.output, 'a record has a shape');
  const { shape } = plan.output;
  const context = contextOf(read, service, principal);
  const { statement } = script;
  const { rows } = yield query(statement, bindParameters(statement, context, values));
  const json = outcomeOf(script, rows, context).rows[0]?.json;
  if (json === undefined || json === null) return undefined;
  return { json, cells: () => cellsByPath(service, shape, json) };
}

function cellsByPath(
  { model }: Service,
  shape: Shape,
  json: string,
): ReadonlyMap<string, StoredCell> {
  const columns = columnsOfShape(model, shape);
  const cells = cellReader(columns)(json);
  return new Map(
    columns.map(({ name, kind }, index) => [name, { kind, cell: cells[index] ?? null }]),
  );
}

/** Rows with the same columns share a plan, and therefore its shape. */
const known = new WeakMap<Shape, readonly Column[]>();

function columnsOfShape(model: Service['model'], shape: Shape): readonly Column[] {
  const columns = known.get(shape) ?? columnsOf(model, shape).columns;
  known.set(shape, columns);
  return columns;
}
