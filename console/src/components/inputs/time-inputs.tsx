// This file has the inputs of dates, times of day, and instants, which are typed as local times of the person.
import '@mantine/core/styles/Radio.css';
import { Group, Radio, Stack, TextInput } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { useText } from '../../i18n/text.tsx';
import { type InputProps, wrapperProps } from './input-props.ts';
import { instantsOf, localText, offsetText, ownZone } from './local-time.ts';

export function DateInput(props: InputProps<string>) {
  const { value, onChange, readOnly = false } = props;
  return (
    <TextInput
      {...wrapperProps(props)}
      type="date"
      value={value ?? ''}
      readOnly={readOnly}
      onChange={(event) => onChange(event.currentTarget.value || null)}
    />
  );
}

export function TimeOfDayInput(props: InputProps<string>) {
  const { value, onChange, readOnly = false } = props;
  const change = (typed: string) =>
    onChange(typed === '' ? null : typed.length === 5 ? `${typed}:00` : typed);
  return (
    <TextInput
      {...wrapperProps(props)}
      type="time"
      step={value !== null && !/^\d\d:\d\d(?::00(?:\.0+)?)?$/.test(value) ? 1 : 60}
      value={
        value === null
          ? ''
          : value.replace(/:00(?:\.0+)?$/, (zero) => (value.length > 5 ? '' : zero))
      }
      readOnly={readOnly}
      onChange={(event) => change(event.currentTarget.value)}
    />
  );
}

const isInstant = (value: string): boolean => /(?:Z|[+-]\d\d:\d\d)$/.test(value);

/** The value of a local time: its first instant, or the local time itself where clocks never show it. */
function valueFor(local: string, zone: string): string | null {
  if (local === '') return null;
  const [first] = instantsOf(local, zone) ?? [];
  return first === undefined ? local : new Date(first).toISOString();
}

export function InstantInput(props: InputProps<string>) {
  const { value, onChange, readOnly = false } = props;
  const text = useText();
  const zone = ownZone();
  const [local, setLocal] = useState(() => shownLocal(value, zone));
  const reported = useRef(value);
  useEffect(() => {
    if (value === reported.current) return;
    reported.current = value;
    setLocal(shownLocal(value, zone));
  }, [value, zone]);
  const report = (next: string | null) => {
    reported.current = next;
    onChange(next);
  };
  const change = (typed: string) => {
    setLocal(typed);
    report(valueFor(typed, zone));
  };
  const instants = local === '' ? [] : (instantsOf(local, zone) ?? []);
  const missing = local !== '' && instants.length === 0;
  const wrapper = wrapperProps(props);
  return (
    <Stack gap={4}>
      <TextInput
        {...wrapper}
        error={missing ? text('inputs.noSuchTime', { zone }) : wrapper.error}
        type="datetime-local"
        title={zone}
        step={local.length > 16 ? 0.001 : 60}
        value={local}
        readOnly={readOnly}
        onChange={(event) => change(event.currentTarget.value)}
      />
      {instants.length > 1 && !readOnly && (
        <Twice id={props.id} value={value} instants={instants} zone={zone} onChange={report} />
      )}
    </Stack>
  );
}

function shownLocal(value: string | null, zone: string): string {
  if (value === null) return '';
  return isInstant(value) ? localText(value, zone) : value;
}

/** Asks which of two instants is meant where clocks are turned back. */
function Twice({
  id,
  value,
  instants,
  zone,
  onChange,
}: {
  readonly id: string;
  readonly value: string | null;
  readonly instants: readonly number[];
  readonly zone: string;
  readonly onChange: (value: string) => void;
}) {
  const text = useText();
  const chosen = value === null ? undefined : Date.parse(value);
  return (
    <Radio.Group
      label={text('inputs.timeTwice')}
      name={`${id}-instant`}
      value={String(chosen)}
      onChange={(next) => onChange(new Date(Number(next)).toISOString())}
    >
      <Group gap="md" mt={4}>
        {instants.map((instant, index) => (
          <Radio
            key={instant}
            value={String(instant)}
            label={`${text(index === 0 ? 'inputs.timeFirst' : 'inputs.timeSecond')} (${offsetText(instant, zone)})`}
          />
        ))}
      </Group>
    </Radio.Group>
  );
}
