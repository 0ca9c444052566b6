// This file is the line below the title of a request: its number, its status, and when it has changed.
import { Group, Text } from '@mantine/core';
import { Value } from '../components/value.tsx';
import { useFormats } from '../i18n/formats.ts';
import { type Entity, valueAt } from '../model/entity.ts';
import type { StructuredType } from '../model/model.ts';

export function RequestFacts({
  type,
  request,
}: {
  readonly type: StructuredType;
  readonly request: Entity;
}) {
  const formats = useFormats();
  const status = type.members.get('Status');
  const number = request.ID;
  const modified = valueAt(request, 'Registration/DateModified') ?? request.Modified;
  return (
    <Group gap="sm" mt={4}>
      {number !== undefined && (
        <Text size="sm" c="dimmed">
          #{String(number)}
        </Text>
      )}
      {status !== undefined && (
        <Text size="sm">
          <Value member={status} value={request.Status} />
        </Text>
      )}
      {typeof modified === 'string' && (
        <Text size="sm" c="dimmed">
          {formats.dateTime(modified)}
        </Text>
      )}
    </Group>
  );
}
