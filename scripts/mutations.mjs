// This file lists the mutations of a TypeScript source: small changes of behaviour that a test should notice. Types and the
// texts of messages are left alone.

import { parseAst } from 'vitest/node';

const OPPOSITES = {
  '===': '!==',
  '!==': '===',
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '&&': '||',
  '||': '&&',
  '??': '&&',
  '+': '-',
  '-': '+',
};
/** Conditions that the compiler does not see through: it would reject the code that becomes unreachable. */
const CONSTANTS = ['Boolean(true)', 'Boolean(false)'];
const METHODS = { some: 'every', every: 'some' };

/** Nodes that hold types. The others of this prefix are expressions with a type beside them. */
const TYPE = /^TS(?!(As|Satisfies|NonNull)Expression)/;

/**
 * @param {string} text the source
 * @param {string} file its name, for messages
 * @returns {readonly { line: number, from: string, to: string, text: string }[]} each with the complete changed source
 */
export function mutationsOf(text, file) {
  return [...nodesOf(parse(text, file))]
    .flatMap((node) => editsAt(text, node))
    .map(({ start, end, to }) => ({
      line: text.slice(0, start).split('\n').length,
      from: text.slice(start, end),
      to,
      text: text.slice(0, start) + to + text.slice(end),
    }))
    .filter((mutation) => canBeParsed(mutation.text, file));
}

function parse(text, file) {
  return parseAst(text, { lang: 'ts' }, file);
}

function canBeParsed(text, file) {
  try {
    parse(text, file);
    return true;
  } catch {
    return false;
  }
}

function* nodesOf(node, parent) {
  const isMessage = node.type === 'TemplateLiteral' && parent.type !== 'TaggedTemplateExpression';
  if (isMessage || TYPE.test(node.type)) return;
  yield node;
  for (const child of Object.values(node).flat()) {
    if (typeof child?.type === 'string') yield* nodesOf(child, node);
  }
}

function editsAt(text, node) {
  const { type, start, end } = node;
  switch (type) {
    case 'BinaryExpression':
    case 'LogicalExpression':
      return operatorEdits(text, node);
    case 'UnaryExpression':
      return node.operator === '!' ? [{ start, end: node.argument.start, to: '' }] : [];
    case 'Literal':
      return typeof node.value === 'boolean' ? [{ start, end, to: String(!node.value) }] : [];
    case 'IfStatement':
    case 'ConditionalExpression':
      return CONSTANTS.map((to) => ({ start: node.test.start, end: node.test.end, to }));
    case 'ExpressionStatement':
      return /^(Await|Call)Expression$/.test(node.expression.type)
        ? [{ start, end, to: '{}' }]
        : [];
    case 'MemberExpression': {
      const to = METHODS[node.property.name];
      return to === undefined ? [] : [{ start: node.property.start, end: node.property.end, to }];
    }
    default:
      return [];
  }
}

function operatorEdits(text, { left, right, operator }) {
  const to = OPPOSITES[operator];
  const isText = [left, right].some((side) => typeof side.value === 'string');
  if (to === undefined || (operator === '+' && isText)) return [];
  const start = text.indexOf(operator, left.end);
  return [{ start, end: start + operator.length, to }];
}
