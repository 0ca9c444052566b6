// This file browses the model: types with their members and annotations, as the service publishes them.
import '@mantine/core/styles/Table.css';
import { Code, Group, Select, Stack, Table, Text, Title } from '@mantine/core';
import '@mantine/core/styles/Code.css';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { RouterAnchor } from '../components/router-anchor.tsx';
import { useText } from '../i18n/text.tsx';
import { type Annotations, type Member, type StructuredType, typeOfSet } from '../model/model.ts';
import { useModel } from '../model/use-model.tsx';
import { ModelChange } from './model-change/model-change.tsx';

export function ModelScreen() {
  const text = useText();
  const model = useModel();
  const navigate = useNavigate();
  const { type: chosen } = useSearch({ strict: false }) as { readonly type?: string };
  const names = [...model.types.keys()].sort();
  const type = model.types.get(chosen ?? '') ?? model.types.get(names[0] ?? '');
  if (type === undefined) return null;
  return (
    <Stack>
      <Group justify="space-between" align="end">
        <Select
          size="xs"
          w={420}
          maw="100%"
          label={text('admin.type')}
          searchable
          limit={200}
          allowDeselect={false}
          data={names}
          value={type.name}
          onChange={(name) => void navigate({ to: '.', search: { type: name } as never })}
        />
        <ModelChange />
      </Group>
      <TypeView type={type} />
    </Stack>
  );
}

function TypeView({ type }: { readonly type: StructuredType }) {
  const text = useText();
  const model = useModel();
  const sets = [...model.sets.values()].filter((set) => typeOfSet(model, set).name === type.name);
  return (
    <Stack gap="sm">
      <Title order={2} size="h5">
        {type.label} <Code>{type.name}</Code>
      </Title>
      {type.help !== undefined && <Text size="sm">{type.help}</Text>}
      <Group gap="md">
        {type.base !== undefined && (
          <Text size="sm">
            {text('admin.baseType')}: <TypeLink name={type.base} />
          </Text>
        )}
        {sets.map(({ name }) => (
          <RouterAnchor key={name} to="/s/$set" params={{ set: name }} search={{}} size="sm">
            {name}
          </RouterAnchor>
        ))}
      </Group>
      <AnnotationList annotations={type.annotations} />
      <Table.ScrollContainer minWidth={600} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
        <Table fz="xs">
          <caption className="visually-hidden">{text('admin.members')}</caption>
          <Table.Thead>
            <Table.Tr>
              <Table.Th scope="col">{text('query.property')}</Table.Th>
              <Table.Th scope="col">{text('admin.label')}</Table.Th>
              <Table.Th scope="col">{text('admin.type')}</Table.Th>
              <Table.Th scope="col">{text('admin.annotations')}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {[...type.members.values()].map((member) => (
              <MemberRow
                key={member.name}
                member={member}
                isKey={type.key.some(({ path }) => path === member.name)}
              />
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Stack>
  );
}

function MemberRow({ member, isKey }: { readonly member: Member; readonly isKey: boolean }) {
  const text = useText();
  const facts = [
    ...(isKey ? [text('admin.keyMember')] : []),
    ...(member.computed ? [text('admin.computed')] : []),
    ...(member.nullable || member.collection || isKey ? [] : [text('admin.notNull')]),
    ...(member.codeList === undefined ? [] : [text('admin.codeList', { name: member.codeList })]),
  ];
  return (
    <Table.Tr>
      <Table.Th scope="row" fw={isKey ? 700 : 500}>
        {member.name}
      </Table.Th>
      <Table.Td>{member.label}</Table.Td>
      <Table.Td>
        <TypeLink name={member.type} />
        {member.collection && ' []'}
        {member.maxLength !== undefined && ` (${member.maxLength})`}
        <Text size="xs" c="dimmed">
          {facts.join(' · ')}
        </Text>
      </Table.Td>
      <Table.Td>
        <AnnotationList annotations={member.annotations} />
      </Table.Td>
    </Table.Tr>
  );
}

function TypeLink({ name }: { readonly name: string }) {
  const model = useModel();
  const short = name.slice(name.lastIndexOf('.') + 1);
  if (!model.types.has(name)) return <span title={name}>{short}</span>;
  return (
    <RouterAnchor
      to="/admin/$page"
      params={{ page: 'model' }}
      search={{ type: name }}
      inherit
      title={name}
    >
      {short}
    </RouterAnchor>
  );
}

/** Labels and help have columns of their own. */
const SHOWN_ELSEWHERE = /^Core\.(?:Description|LongDescription)|\.Label|\.QuickInfo/;

function AnnotationList({ annotations }: { readonly annotations: Annotations }) {
  const text = useText();
  const shown = Object.entries(annotations).filter(([name]) => !SHOWN_ELSEWHERE.test(name));
  if (shown.length === 0) return null;
  return (
    <details>
      <summary>{text('admin.annotationCount', { count: shown.length })}</summary>
      <Code block fz="xs">
        {shown.map(([name, value]) => `@${name}: ${JSON.stringify(value)}`).join('\n')}
      </Code>
    </details>
  );
}
