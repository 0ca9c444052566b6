// This file shows the clocks of the service level, each on its own line, by the time of the service.
import { Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { requestJson } from '../../api/client.ts';
import { serviceNow } from '../../api/reachability.ts';
import { Icon } from '../../components/icons.tsx';
import { durationSeconds } from '../../i18n/duration-seconds.ts';
import { useFormats } from '../../i18n/formats.ts';
import { useText } from '../../i18n/text.tsx';
import { operationsOf } from '../../model/model.ts';
import { useModel } from '../../model/use-model.tsx';
import classes from '../record.module.css';
import { recordPath } from '../record-data.ts';
import type { LoadedProps } from '../record-view.tsx';
import { type Clock, clockMember, clocksOf, nextTick, phaseOf } from './clock-state.ts';
import { ExplainDialog, type Explanation } from './explain-dialog.tsx';

export function ClockLines(props: LoadedProps) {
  const { set, recordKey, record } = props;
  const text = useText();
  const model = useModel();
  const [isExplaining, setExplaining] = useState(false);
  const member = clockMember(model, record.type);
  const promised = useMemo(() => {
    const clocks = member === undefined ? [] : clocksOf(model, member, record.entity);
    return clocks.filter(({ deadline, done }) => deadline !== undefined || done !== undefined);
  }, [model, member, record.entity]);
  const now = useServiceTime(promised);
  const explain = operationsOf(model, record.type, false).find(
    ({ name, kind, parameters }) =>
      kind === 'function' && name.endsWith('.Explain') && parameters.length === 0,
  );
  const isRunning = promised.some((clock) => ['running', 'urgent'].includes(phaseOf(clock, now)));
  const { data, error } = useQuery({
    queryKey: ['surroundings', set.name, recordKey, 'explain'],
    queryFn: async ({ signal }) =>
      await requestJson<Explanation>(
        `${recordPath(set, recordKey, record.type)}/${explain?.name}()`,
        { signal },
      ),
    enabled: explain !== undefined && (isRunning || isExplaining),
    // Working time goes on only while the desk is open, which the service knows.
    refetchInterval: isRunning ? 60_000 : false,
  });
  if (member === undefined || promised.length === 0) return null;
  return (
    <section aria-label={member.label} className={classes.clocks}>
      {promised.map((clock) => (
        <Line
          key={clock.name}
          clock={clock}
          now={now}
          remaining={data?.Clocks.find(({ Name }) => Name === clock.name)?.Remaining ?? undefined}
        />
      ))}
      {explain !== undefined && (
        <Button
          variant="subtle"
          size="compact-xs"
          justify="flex-start"
          px={0}
          onClick={() => setExplaining(true)}
        >
          {text('record.why')}
        </Button>
      )}
      {isExplaining && (
        <ExplainDialog
          explanation={data}
          error={error ?? undefined}
          onClose={() => setExplaining(false)}
        />
      )}
    </section>
  );
}

function Line({
  clock,
  now,
  remaining,
}: {
  readonly clock: Clock;
  readonly now: number;
  /** Working time, as a duration. */
  readonly remaining: string | undefined;
}) {
  const text = useText();
  const formats = useFormats();
  const phase = phaseOf(clock, now);
  const { deadline, done, state, outcome } = clock;
  const left = deadline === undefined ? 0 : Math.round((Date.parse(deadline) - now) / 1000);
  const seconds = remaining === undefined ? undefined : durationSeconds(remaining);
  const countdown =
    phase === 'urgent'
      ? formats.duration(`PT${left}S`)
      : seconds !== undefined && seconds > 0
        ? formats.duration(`PT${Math.max(60, Math.floor(seconds / 60) * 60)}S`)
        : undefined;
  const [icon, color] = LOOKS[phase];
  return (
    <>
      <Text span fw={600} size="sm">
        {text(clock.name === 'Response' ? 'record.response' : 'record.resolution')}
      </Text>
      <div className={classes.facts}>
        <Text span size="sm" c={color}>
          <Icon name={icon} />{' '}
          {phase === 'done' && text('record.clockDone', { time: formats.dateTime(done ?? '') })}
          {phase === 'overdue' &&
            text('record.clockOverdue', { time: formats.relative(left * 1000) })}
          {(phase === 'running' || phase === 'urgent') &&
            countdown !== undefined &&
            text('record.clockLeft', { time: countdown })}
        </Text>
        {deadline !== undefined && (
          <Text span size="sm">
            {text('record.clockDue', { time: formats.dateTime(deadline) })}
          </Text>
        )}
        <Text span size="sm" c="dimmed">
          {[state, outcome].filter((part) => part !== undefined).join(', ')}
        </Text>
      </div>
    </>
  );
}

/** Icon and colour; the text says the same. */
const LOOKS = {
  none: ['clock', 'inherit'],
  running: ['clock', 'inherit'],
  urgent: ['warning', 'light-dark(#a83c00, var(--mantine-color-orange-4))'],
  overdue: ['cross', 'var(--mantine-color-error)'],
  done: ['check', 'dimmed'],
} as const;

/** The time of the service, with one timer that ticks as rarely as the display permits. */
function useServiceTime(clocks: readonly Clock[]): number {
  const [now, setNow] = useState(serviceNow);
  useEffect(() => {
    const tick = nextTick(clocks, now);
    if (tick === undefined) return undefined;
    const timer = setTimeout(() => setNow(serviceNow()), tick);
    return () => clearTimeout(timer);
  }, [clocks, now]);
  return now;
}
