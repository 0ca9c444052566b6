// This file shows the value of a member as text: in lists, in records, and in conflicts.
import { Anchor, Badge } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { type Formats, useFormats } from '../i18n/formats.ts';
import { useText } from '../i18n/text.tsx';
import { type Entity, keyOf, titleOf } from '../model/entity.ts';
import type { Member, Model } from '../model/model.ts';
import { useModel } from '../model/use-model.tsx';

interface Language {
  readonly formats: Formats;
  readonly text: ReturnType<typeof useText>;
}

/** Characters of a text that is shown beside others. */
const SHORT = 200;

/**
 * The text of a value: numbers and times in the language of the user, codes and related entities by their names. An empty text for null.
 */
function valueText(model: Model, member: Member, value: unknown, language: Language): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value))
    return value
      .map((item) => valueText(model, { ...member, collection: false }, item, language))
      .join(', ');
  if (typeof value === 'boolean') return language.text(value ? 'common.yes' : 'common.no');
  if (typeof value === 'object') return objectText(model, member, value as Entity);
  return scalarText(model, member, value, language);
}

function objectText(model: Model, member: Member, value: Entity): string {
  const type = model.types.get(member.type);
  if (type?.coded !== undefined) return String(value[type.coded.text] ?? value[type.coded.value]);
  if (type === undefined) return JSON.stringify(value);
  if (type.kind === 'entity') return titleOf(model, type, value);
  const parts = Object.entries(value).filter(([name]) => !name.includes('@'));
  return parts.flatMap(([, part]) => (part === null ? [] : [String(part)])).join(', ');
}

function scalarText(
  model: Model,
  member: Member,
  value: unknown,
  { formats, text: say }: Language,
): string {
  const text = String(value);
  const word = member.words?.[text];
  if (word !== undefined) return say(word);
  switch (member.type) {
    case 'Edm.DateTimeOffset':
      return formats.dateTime(text);
    case 'Edm.Date':
      return formats.date(text);
    case 'Edm.Duration':
      return formats.duration(text);
    case 'Edm.Int64':
    case 'Edm.Guid':
    case 'Edm.String':
      return text;
    default:
      return enumText(model, member, text) ?? numberText(member, text, formats);
  }
}

function enumText(model: Model, member: Member, text: string): string | undefined {
  const type = model.enums.get(member.type);
  if (type === undefined) return undefined;
  const labels = new Map(type.members.map(({ name, label }) => [name, label]));
  return text
    .split(',')
    .map((name) => labels.get(name.trim()) ?? name)
    .join(', ');
}

function numberText(member: Member, text: string, formats: Formats): string {
  return /^Edm\.(?:Decimal|Double|Single|S?Byte|Int16|Int32)$/.test(member.type) &&
    text.trim() !== '' &&
    Number.isFinite(Number(text))
    ? formats.number(text)
    : text;
}

/** A function that returns the text of a value. */
export function useValueText(): (member: Member, value: unknown) => string {
  const model = useModel();
  const formats = useFormats();
  const text = useText();
  return (member, value) => valueText(model, member, value, { formats, text });
}

/** A value in a cell or field. Codes are badges, single related entities are links where `set` names their set. */
export function Value({
  member,
  value,
  set,
  criticality,
  isWhole = false,
}: {
  readonly member: Member;
  readonly value: unknown;
  readonly set?: string | undefined;
  readonly criticality?: number | undefined;
  /** Shows long texts to the end, as pages of one record do. */
  readonly isWhole?: boolean;
}): ReactNode {
  const model = useModel();
  const toText = useValueText();
  const shown = toText(member, value);
  if (shown === '') return null;
  const type = model.types.get(member.type);
  const key = type !== undefined && member.kind === 'navigation' ? keyOf(type, value) : undefined;
  if (set !== undefined && key !== undefined)
    return (
      <Anchor component={Link} to={`/s/${set}/${encodeURIComponent(key)}`} inherit>
        <bdi>{shown}</bdi>
      </Anchor>
    );
  if (member.kind === 'code' && criticality !== undefined)
    return (
      <Badge variant="light" color={colorOf(criticality)} tt="none" fw={500}>
        <bdi>{shown}</bdi>
      </Badge>
    );
  const isCut = !isWhole && shown.length > SHORT;
  return (
    // Characters that change the direction of texts affect nothing around the value.
    <bdi title={isCut ? shown : undefined}>{isCut ? `${shown.slice(0, SHORT)}…` : shown}</bdi>
  );
}

/** The colour of a criticality (UI vocabulary of SAP, "CriticalityType"): red only where an annotation says so. */
export function colorOf(criticality: number | undefined): string {
  switch (criticality) {
    case -1:
    case 1:
      return 'red';
    case 2:
      return 'orange';
    case 3:
      return 'green';
    case 5:
      return 'blue';
    default:
      return 'gray';
  }
}
