// This file reads and writes numbers as people type them in their language. Values are decimal strings, so that none is rounded.

/** Bits and sign of the integer types. */
const INTEGERS: Readonly<Record<string, readonly [bigint, bigint]>> = {
  'Edm.Byte': [0n, 255n],
  'Edm.SByte': [-128n, 127n],
  'Edm.Int16': [-32_768n, 32_767n],
  'Edm.Int32': [-2_147_483_648n, 2_147_483_647n],
  'Edm.Int64': [-(2n ** 63n), 2n ** 63n - 1n],
};

export const isNumberType = (type: string): boolean =>
  type in INTEGERS || /^Edm\.(?:Decimal|Double|Single)$/.test(type);

export const isIntegerType = (type: string): boolean => type in INTEGERS;

/** The least and the greatest value of an integer type. */
export const integerRange = (type: string): readonly [bigint, bigint] | undefined => INTEGERS[type];

interface Separators {
  readonly decimal: string;
  readonly group: string;
}

function separatorsOf(language: string): Separators {
  const parts = new Intl.NumberFormat(language).formatToParts(1_234_567.8);
  const find = (type: string) => parts.find((part) => part.type === type)?.value ?? '';
  return { decimal: find('decimal'), group: find('group') };
}

/** The decimal string that a text means in a language: `1.234,5` is `1234.5` in German. Undefined if it is no number. */
export function parseNumber(text: string, language: string): string | undefined {
  const { decimal, group } = separatorsOf(language);
  const compact = text
    .trim()
    .replace(/[\s\u00a0\u202f'’]/g, '')
    .replace('−', '-');
  const ungrouped = isGrouped(compact, group, decimal) ? compact.replaceAll(group, '') : compact;
  const plain = decimal === ',' ? ungrouped.replace(',', '.') : ungrouped;
  if (!/^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(plain)) return undefined;
  return canonical(plain);
}

/** Whether the separators of groups are where they belong; a dot elsewhere is a decimal point, whatever the language. */
function isGrouped(text: string, group: string, decimal: string): boolean {
  if (group === '' || !text.includes(group)) return false;
  const [whole = '', ...rest] = text.split(decimal);
  const groups = whole.replace(/^[+-]/, '').split(group);
  const [first = '', ...others] = groups;
  return (
    rest.length <= 1 &&
    !(rest[0] ?? '').includes(group) &&
    /^\d{1,3}$/.test(first) &&
    others.length > 0 &&
    others.every((part) => /^\d{3}$/.test(part))
  );
}

function canonical(plain: string): string {
  const match = /^([+-]?)0*(\d*)(?:\.(\d*))?(.*)$/.exec(plain);
  const [, sign = '', whole = '', fraction = '', exponent = ''] = match ?? [];
  const digits = `${whole === '' ? '0' : whole}${fraction === '' ? '' : `.${fraction}`}`;
  return `${sign === '-' ? '-' : ''}${digits}${exponent}`;
}

/** A decimal string as people write it in a language, without separators of groups. */
export function numberInput(value: string, language: string): string {
  return separatorsOf(language).decimal === ',' ? value.replace('.', ',') : value;
}
