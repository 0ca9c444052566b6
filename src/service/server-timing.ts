// This file writes the Server-Timing header. It is for signed-in clients only, and rounded, because exact times would help to find out
// what a caller may not read. Source: W3C Server Timing.
import type { Stage } from '../base/observation.ts';
import type { Answer } from '../response/response.ts';
import type { RequestTrace } from './stage-inputs.ts';

const METRICS: Readonly<Record<string, readonly Stage[]>> = {
  plan: ['parse', 'bind', 'decide', 'compile'],
  database: ['run'],
  render: ['render'],
};

/** `plan;dur=0.4, database;dur=1.2, total;dur=2.1`, in milliseconds. Steps that the request did not need are absent. */
export function timingHeader(stages: RequestTrace['stages'], total: number): Answer['headers'] {
  const metrics = Object.entries(METRICS).flatMap(([name, parts]) => {
    const times = parts.flatMap((stage) => stages[stage] ?? []);
    return times.length === 0
      ? []
      : [
          metric(
            name,
            times.reduce((sum, time) => sum + time),
          ),
        ];
  });
  return { 'Server-Timing': [...metrics, metric('total', total)].join(', ') };
}

function metric(name: string, milliseconds: number): string {
  return `${name};dur=${milliseconds.toFixed(1)}`;
}
