// This file writes bound readings and shapes as short text, so that tests compare what a reader can see at a glance.
import type { Collection, Expression, RowExpression, Rows } from '../../src/bind/bound.ts';
import type { LinkPart, RowSelection, Shape, ShapeMember } from '../../src/plan/read-plan.ts';

function showRow(row: RowExpression): string {
  switch (row.kind) {
    case 'variable':
      return row.row.kind === 'entity' ? row.row.type.name.replace(/.*\./, '') : row.row.kind;
    case 'follow': {
      const path = [...row.path, row.navigation].map((step) => step.name).join('/');
      const visible = row.visible === undefined ? '' : `[${showExpression(row.visible)}]`;
      return `${showRow(row.from)}/${path}${visible}`;
    }
    case 'addressed':
      return `$root(${showRows(row.rows)})`;
  }
}

export function showRows({ row, origin, where }: Rows): string {
  const conditions = where.length === 0 ? '' : `[${where.map(showExpression).join(' & ')}]`;
  switch (origin.kind) {
    case 'source':
    case 'these':
      return `${row.source.id}${conditions}`;
    case 'related': {
      const path = [...origin.path, origin.navigation].map((step) => step.name).join('/');
      return `${showRows(origin.from)}/${path}${conditions}`;
    }
    case 'navigated': {
      const path = [...origin.path, origin.navigation].map((step) => step.name).join('/');
      return `${showRow(origin.from)}/${path}${conditions}`;
    }
  }
}

export function showExpression(expression: Expression): string {
  const all = (parts: readonly Expression[], by: string) => parts.map(showExpression).join(by);
  switch (expression.kind) {
    case 'literal':
      return typeof expression.value === 'string'
        ? `'${expression.value}'`
        : String(expression.value);
    case 'json':
      return expression.text;
    case 'context':
      return `@${expression.name}`;
    case 'property':
      return `${showRow(expression.row)}.${expression.path.map((step) => step.name).join('/')}`;
    case 'dynamic':
      return `${showRow(expression.row)}.${expression.name}?`;
    case 'column':
      return `#${expression.name}`;
    case 'computed':
      return `${expression.name}:=${showExpression(expression.definition)}`;
    case 'row':
      return showRow(expression.row);
    case 'not':
    case 'negate':
      return `${expression.kind}(${showExpression(expression.operand)})`;
    case 'and':
    case 'or':
      return `(${all(expression.operands, ` ${expression.kind} `)})`;
    case 'compare':
    case 'arithmetic':
      return `${showExpression(expression.left)} ${expression.operator} ${showExpression(expression.right)}`;
    case 'has':
      return `${showExpression(expression.left)} has ${showExpression(expression.right)}`;
    case 'in':
      return `${showExpression(expression.left)} in (${all(expression.list, ',')})`;
    case 'built':
      return expression.parts
        .map((part) => (typeof part === 'string' ? part : showExpression(part)))
        .join('');
    case 'in-collection':
      return `${showExpression(expression.left)} in collection`;
    case 'call':
      return `${expression.function}(${all(expression.arguments, ',')})`;
    case 'case':
      return `case(${expression.branches.map(({ when, then }) => `${showExpression(when)}:${showExpression(then)}`).join(',')})`;
    case 'cast':
      return `cast(${showExpression(expression.operand)})`;
    case 'instance':
      return `${showExpression(expression.operand)} isof ${expression.of.name.replace(/.*\./, '')}`;
    case 'any':
    case 'all':
    case 'aggregate':
    case 'count': {
      const { collection } = expression;
      const rows = showCollection(collection);
      const predicate = 'predicate' in expression ? expression.predicate : undefined;
      return `${expression.kind}(${rows}${predicate === undefined ? '' : `: ${showExpression(predicate)}`})`;
    }
    case 'search':
      return `search(${showRow(expression.row)}, ${JSON.stringify(expression.search)})`;
  }
}

function showCollection(collection: Collection): string {
  if (collection.kind === 'made') return 'these';
  return collection.kind === 'rows' ? showRows(collection.rows) : showExpression(collection.of);
}

export function showParts(parts: readonly LinkPart[]): string {
  return parts
    .map((part) => {
      if (part.kind === 'root') return '~/';
      return part.kind === 'text' ? part.text : `{${showExpression(part.value)}}`;
    })
    .join('');
}

export function showShape(shape: Shape): string {
  return shape.members.map(showMember).join(' ');
}

export function showSelecting({ rows, filter, order, page, count }: RowSelection): string {
  return [
    showRows(rows),
    ...(filter === undefined ? [] : [`filter ${showExpression(filter)}`]),
    ...(order.length === 0
      ? []
      : [
          `order ${order.map((item) => `${showExpression(item.expression)}${item.descending ? ' desc' : ''}`).join(',')}`,
        ]),
    ...(page === undefined ? [] : [`page ${page.skip}+${page.limit}${page.more ? '…' : ''}`]),
    ...(count ? ['count'] : []),
  ].join('; ');
}

function showMember(member: ShapeMember): string {
  const on =
    'onType' in member && member.onType !== undefined
      ? `<${member.onType.name.replace(/.*\./, '')}>`
      : '';
  return `${bare(member)}${on}`;
}

function bare(member: ShapeMember): string {
  switch (member.kind) {
    case 'value': {
      const content =
        member.members === undefined ? '' : `{${member.members.map(showMember).join(' ')}}`;
      const omit = member.omit === undefined ? '' : '?';
      return `${member.name}${omit}${content}`;
    }
    case 'link':
      return `${member.name}=${showParts(member.parts)}`;
    case 'constant':
      return `${member.name}=${member.json}`;
    case 'etag':
    case 'type':
    case 'bytes':
    case 'media':
    case 'clock-inputs':
      return member.name;
    case 'shared':
      return member.members.map(showMember).join(' ');
    case 'object':
      return `${member.name}{${member.members.map(showMember).join(' ')}}`;
    case 'list':
      return `${member.name}[${member.items.map((item) => ('members' in item ? item.members.map(showMember).join(' ') : item.json)).join(',')}]`;
    case 'dynamic':
      return `*${member.names === undefined ? '' : `(${member.names.join(',')})`}`;
    case 'one':
      return `${member.name}→{${showShape(member.shape)}}`;
    case 'many':
      return `${member.name}→→{${showShape(member.shape)}}`;
    case 'count':
      return `${member.name}=n`;
  }
}
