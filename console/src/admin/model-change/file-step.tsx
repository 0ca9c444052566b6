// This file takes the files of a model, which replace those of the version in force.
import { Button, Group, Stack, Text } from '@mantine/core';
import { FileDrop } from '../../components/file-drop.tsx';
import { useFormats } from '../../i18n/formats.ts';
import { useText } from '../../i18n/text.tsx';
import { MistakeList } from './mistake-list.tsx';
import type { ModelFile, ModelVersion } from './model-data.ts';

export function FileStep({
  inForce,
  files,
  error,
  isBusy,
  onChange,
  onPlan,
}: {
  readonly inForce: ModelVersion;
  readonly files: readonly ModelFile[];
  readonly error: unknown;
  readonly isBusy: boolean;
  readonly onChange: (files: readonly ModelFile[]) => void;
  readonly onPlan: () => void;
}) {
  const text = useText();
  const formats = useFormats();
  const add = async (chosen: readonly File[]) => {
    const read = await Promise.all(
      chosen.map(async (file) => ({ Name: file.name, Content: await file.text() })),
    );
    onChange(withFiles(files, read));
  };
  const { Version: version, Files, Applied, Author: author } = inForce;
  return (
    <Stack gap="sm">
      <Text size="sm">
        {text('model.replaces', { version, author, applied: formats.dateTime(Applied) })}
      </Text>
      <FileDrop
        accept=".json,.csv"
        hint={text('model.fileHint')}
        onFiles={(chosen) => void add(chosen)}
      />
      <Chosen files={files} onChange={onChange} />
      {error !== null && <MistakeList error={error} />}
      <Group justify="flex-end">
        {Files.length > 0 && (
          <Button variant="default" onClick={() => onChange(withFiles(Files, files))}>
            {text('model.startFrom', { version })}
          </Button>
        )}
        <Button loading={isBusy} disabled={files.length === 0} onClick={onPlan}>
          {text('model.plan')}
        </Button>
      </Group>
    </Stack>
  );
}

/** A file replaces another one of the same name. */
function withFiles(
  files: readonly ModelFile[],
  others: readonly ModelFile[],
): readonly ModelFile[] {
  const names = new Set(others.map(({ Name }) => Name));
  return [...files.filter(({ Name }) => !names.has(Name)), ...others];
}

function Chosen({
  files,
  onChange,
}: {
  readonly files: readonly ModelFile[];
  readonly onChange: (files: readonly ModelFile[]) => void;
}) {
  const text = useText();
  if (files.length === 0) return null;
  return (
    <Stack gap={4} component="ul" m={0} p={0} aria-label={text('model.files')}>
      {files.map((file) => (
        <Group component="li" key={file.Name} justify="space-between" wrap="nowrap" gap="xs">
          <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
            {file.Name}
          </Text>
          <Button
            size="compact-xs"
            variant="subtle"
            aria-label={text('model.removeFile', { name: file.Name })}
            onClick={() => onChange(files.filter((one) => one !== file))}
          >
            {text('common.remove')}
          </Button>
        </Group>
      ))}
    </Stack>
  );
}
