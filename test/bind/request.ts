// This file binds whole requests for tests, from the URL to one line of text.

import { Fault } from '../../src/base/fault.ts';
import { bind } from '../../src/bind/bind-read.ts';
import type { BoundReadRequest, Wanted } from '../../src/bind/bound.ts';
import { DEFAULT_BIND_LIMITS, type Scope } from '../../src/bind/scope.ts';
import type { Model } from '../../src/edm/model.ts';
import { DEFAULT_LIMITS, parse } from '../../src/request/parse.ts';
import { oddModel } from '../odd-model.ts';
import { print, printQuery, printRows, printSelection } from './print.ts';

export interface Asking {
  readonly rules?: Scope['rules'];
  readonly model?: Model;
  readonly limits?: Scope['limits'];
}

/** The request as it is after percent-encoding; blanks and the like are encoded here. */
export function bindUrl(url: string, asking: Asking = {}): BoundReadRequest {
  const { rules = 'odata', model = oddModel, limits = DEFAULT_BIND_LIMITS } = asking;
  const [path = '', ...rest] = url.split('?');
  const request = {
    method: 'GET',
    path: encodeURI(path),
    query: encodeURI(rest.join('?')).replaceAll('+', '%2B'),
    headers: {},
  };
  const unread = new Map(
    [...model.imports.values()].map((item) => [
      item.name,
      new Set((item.ignoredOptions ?? []).map((name) => name.slice(1)) as never[]),
    ]),
  );
  const tree = parse(request, DEFAULT_LIMITS, unread);
  return bind(tree, { model, rules, limits, root: 'http://zoo.example/odata/' });
}

/** What is read, where from, and the options; one line. */
export function boundUrl(url: string, asking?: Asking): string {
  const bound = bindUrl(url, asking);
  switch (bound.kind) {
    case 'read':
      return `${printWanted(bound.wanted)} ${printRows(bound.rows)}; ${printQuery(bound.query)}`;
    case 'crossjoin':
      return `crossjoin ${bound.sources.map(({ rows }) => printRows(rows)).join(' × ')}; ${printQuery(bound.query)}`;
    case 'all':
      return `all ${bound.reads.map(({ rows, query }) => `${printRows(rows)} {${printQuery(query)}}`).join(' + ')}`;
    case 'evaluate':
      return `evaluate ${print(bound.value)}${bound.raw ? ' raw' : ''}`;
    case 'document':
      return `document ${bound.document}`;
  }
}

function printWanted(wanted: Wanted): string {
  switch (wanted.kind) {
    case 'property': {
      const index = wanted.index === undefined ? '' : `[${wanted.index}]`;
      const selection =
        wanted.selection === undefined ? '' : `(${printSelection(wanted.selection)})`;
      const filter = wanted.elements?.filter;
      const where = filter === undefined ? '' : ` where ${print(filter)}`;
      return `property ${print(wanted.value)}${index}${selection}${where} of`;
    }
    case 'raw':
      return `raw ${print(wanted.value)} of`;
    case 'property-count':
      return `property-count ${print(wanted.value)} of`;
    case 'stream':
      return `stream ${wanted.property?.name ?? '$value'} of`;
    default:
      return wanted.kind;
  }
}

/** Status, code and message of the refusal, or `no fault`. */
export function refusalOf(url: string, asking?: Asking): string {
  try {
    bindUrl(url, asking);
  } catch (fault) {
    if (fault instanceof Fault)
      return `${fault.status} ${fault.code} [${fault.target ?? ''}]: ${fault.message}`;
    throw fault;
  }
  return 'no fault';
}
