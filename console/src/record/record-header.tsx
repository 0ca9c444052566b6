// This file is the head of a record: its kind and title, its status, and what people look for first.
import { Badge, Group, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { colorOf, Value } from '../components/value.tsx';
import { useCodes } from '../model/codes.ts';
import { type Entity, keyOf, titleOf, valueAt } from '../model/entity.ts';
import { listColumns, titlePath } from '../model/layout.ts';
import { type EntitySet, type Member, memberAt, type StructuredType } from '../model/model.ts';
import { useModel } from '../model/use-model.tsx';
import classes from './record.module.css';

/** Facts besides title and status. */
const FACTS = 5;

export function RecordHeader({
  set,
  type,
  entity,
  actions,
}: {
  readonly set: EntitySet;
  readonly type: StructuredType;
  readonly entity: Entity;
  readonly actions: ReactNode;
}) {
  const model = useModel();
  const status = statusMember(type);
  const title = titlePath(model, type);
  const number = type.members.has('ID') ? entity.ID : keyOf(type, entity);
  const facts = listColumns(model, type)
    .filter(
      ({ path, member }) =>
        path !== title && path !== 'ID' && path !== status?.name && !member.collection,
    )
    .filter(({ path }) => !isEmpty(valueAt(entity, path)))
    .slice(0, FACTS);
  return (
    <header className={classes.header}>
      <Group justify="space-between" align="flex-start" gap="sm">
        <div style={{ minWidth: 0, flex: '1 1 300px' }}>
          <Group gap="xs">
            <Text size="sm" c="dimmed">
              {`${type.label} ${String(number ?? '')}`}
            </Text>
            {status !== undefined && <StatusBadge member={status} value={entity[status.name]} />}
          </Group>
          <Title order={1} size="h3" className={classes.title ?? ''}>
            {titleOf(model, type, entity)}
          </Title>
        </div>
        {actions}
      </Group>
      {facts.length > 0 && (
        <dl className={classes.facts}>
          {facts.map(({ path, label, member }) => (
            <div key={path} className={classes.fact}>
              <dt>{label}</dt>
              <dd>
                <Value
                  member={memberAt(model, type, path) ?? member}
                  value={valueAt(entity, path)}
                  set={set.bindings.get(path)}
                />
              </dd>
            </div>
          ))}
        </dl>
      )}
    </header>
  );
}

const isEmpty = (value: unknown): boolean => value === null || value === undefined || value === '';

/** The code that says how far the entity is. */
function statusMember(type: StructuredType): Member | undefined {
  const member = type.members.get('Status');
  return member?.kind === 'code' && !member.collection ? member : undefined;
}

function StatusBadge({ member, value }: { readonly member: Member; readonly value: unknown }) {
  const model = useModel();
  const codes = useCodes(member.codeList);
  const coded = model.types.get(member.type)?.coded;
  if (coded === undefined || isEmpty(value)) return null;
  const { [coded.value]: key, [coded.text]: shown } = value as Entity;
  const code = codes?.find((one) => one.value === String(key));
  return (
    <Badge variant="light" color={colorOf(code?.criticality)} tt="none" fw={600} size="lg">
      {String(shown ?? key)}
    </Badge>
  );
}
