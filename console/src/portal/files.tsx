// This file shows the files of a request, and takes more.
import { Title } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { requestJson } from '../api/client.ts';
import { Attachments } from '../components/attachments/attachments.tsx';
import type { Entity } from '../model/entity.ts';
import type { Member } from '../model/model.ts';

export function Files({ entity, member }: { readonly entity: string; readonly member: Member }) {
  const client = useQueryClient();
  const path = `${entity}/${member.name}`;
  const key = ['files', path];
  const { data } = useQuery({
    queryKey: key,
    queryFn: async ({ signal }) =>
      (await requestJson<{ readonly value: readonly Entity[] }>(path, { signal })).value,
    retry: false,
  });
  if (data === undefined) return null;
  return (
    <section aria-labelledby="files">
      <Title order={2} size="h5" id="files" mb="xs">
        {member.label}
      </Title>
      <Attachments
        path={path}
        member={member}
        files={data}
        mayAttach
        mayRemove={false}
        changed={() => void client.invalidateQueries({ queryKey: key })}
      />
    </section>
  );
}
