// This file checks a value against the rules that the metadata states, in the words of the service, so that people see mistakes before they
// save. The service decides.
import { durationSeconds } from '../../i18n/duration-seconds.ts';
import type { TextName, TextValues } from '../../i18n/text.tsx';
import type { Member } from '../../model/model.ts';
import { integerRange, isNumberType } from './number-text.ts';

/** A mistake as a text of the console. */
export interface Mistake {
  readonly name: TextName;
  readonly values?: TextValues;
}

/**
 * The first rule that a value breaks; undefined if it is fine.
 *
 * @param required whether there must be a value
 * @param language of descriptions in annotations
 */
export function checkValue(
  member: Member,
  value: unknown,
  { required, language }: { readonly required: boolean; readonly language: string },
): Mistake | undefined {
  const isEmpty =
    value === null ||
    value === undefined ||
    value === '' ||
    (Array.isArray(value) && value.length === 0);
  if (isEmpty) return required ? { name: 'inputs.required' } : undefined;
  if (member.collection && Array.isArray(value)) return undefined;
  if (typeof value === 'string' || typeof value === 'number')
    return checkText(member, String(value), language);
  return undefined;
}

function checkText(member: Member, text: string, language: string): Mistake | undefined {
  if (isNumberType(member.type)) return checkNumber(member, text);
  switch (member.type) {
    case 'Edm.String':
      return checkLength(member, text) ?? checkPattern(member, text, language);
    case 'Edm.DateTimeOffset':
      return Number.isNaN(Date.parse(text)) || !/(?:Z|[+-]\d\d:\d\d)$/.test(text)
        ? { name: 'inputs.noSuchInstant' }
        : undefined;
    case 'Edm.Duration':
      return Number.isNaN(durationSeconds(text)) ? { name: 'inputs.notDuration' } : undefined;
    case 'Edm.Guid':
      return /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text)
        ? undefined
        : { name: 'inputs.notGuid' };
    default:
      return undefined;
  }
}

function checkLength(member: Member, text: string): Mistake | undefined {
  const length = [...text].length;
  if (member.maxLength === undefined || length <= member.maxLength) return undefined;
  return { name: 'inputs.tooLong', values: { max: member.maxLength, length } };
}

function checkPattern(member: Member, text: string, language: string): Mistake | undefined {
  const pattern = member.annotations['Validation.Pattern'];
  if (typeof pattern !== 'string' || matches(pattern, text)) return undefined;
  const name = 'Validation.Pattern@Core.Description';
  const description = member.annotations[`${name}#${language}`] ?? member.annotations[name];
  if (typeof description === 'string')
    return { name: 'inputs.expected', values: { expected: description } };
  return { name: 'inputs.noMatch', values: { pattern } };
}

function matches(pattern: string, text: string): boolean {
  try {
    return new RegExp(pattern, 'u').test(text);
  } catch {
    // A pattern that this browser does not understand is left to the service.
    return true;
  }
}

function checkNumber(member: Member, text: string): Mistake | undefined {
  if (!/^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(text))
    return { name: 'inputs.notNumber' };
  const range = integerRange(member.type);
  if (range !== undefined) {
    if (!/^[+-]?\d+$/.test(text)) return { name: 'inputs.notInteger' };
    const [least, greatest] = range;
    const number = BigInt(text.replace('+', ''));
    if (number < least) return { name: 'inputs.tooSmall', values: { min: String(least) } };
    if (number > greatest) return { name: 'inputs.tooGreat', values: { max: String(greatest) } };
  }
  return checkScale(member, text) ?? checkLimits(member, Number(text));
}

function checkScale(member: Member, text: string): Mistake | undefined {
  if (member.type !== 'Edm.Decimal') return undefined;
  const [whole = '', fraction = ''] = text.replace(/^[+-]/, '').split('.');
  // Without `$Scale`, a decimal of CSDL JSON has any number of decimals.
  const { scale } = member;
  if (scale !== undefined && fraction.replace(/0+$/, '').length > scale)
    return { name: 'inputs.tooManyDecimals', values: { max: scale } };
  if (member.precision === undefined || scale === undefined) return undefined;
  const digits = member.precision - scale;
  return whole.replace(/^0+/, '').length > digits
    ? { name: 'inputs.tooManyDigits', values: { max: digits } }
    : undefined;
}

function checkLimits({ annotations }: Member, number: number): Mistake | undefined {
  const min = limit(annotations['Validation.Minimum']);
  const max = limit(annotations['Validation.Maximum']);
  const excludesMin = annotations['Validation.Minimum@Validation.Exclusive'] === true;
  const excludesMax = annotations['Validation.Maximum@Validation.Exclusive'] === true;
  if (min !== undefined && (excludesMin ? number <= min : number < min))
    return {
      name: excludesMin ? 'inputs.notAbove' : 'inputs.tooSmall',
      values: { min: String(min) },
    };
  if (max !== undefined && (excludesMax ? number >= max : number > max))
    return {
      name: excludesMax ? 'inputs.notBelow' : 'inputs.tooGreat',
      values: { max: String(max) },
    };
  return undefined;
}

function limit(value: unknown): number | undefined {
  const number =
    typeof value === 'string' || typeof value === 'number' ? Number(value) : Number.NaN;
  return Number.isNaN(number) ? undefined : number;
}
