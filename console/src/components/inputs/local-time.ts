// This file converts between instants and the local times that people type, in any time zone. When clocks change, a local time may not
// exist, or occur twice.

/** The time zone of the person. */
export const ownZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known !== undefined) return known;
  const format = new Intl.DateTimeFormat('en-u-ca-iso8601-nu-latn', {
    timeZone: zone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
    era: 'short',
  });
  formats.set(zone, format);
  return format;
}

/** The local time of an instant as milliseconds, as if it were UTC. */
export function localMilliseconds(instant: number, zone: string): number {
  const parts = formatOf(zone).formatToParts(instant);
  const read = (type: string) => Number(parts.find((part) => part.type === type)?.value);
  const local = Date.UTC(0, read('month') - 1, read('day'), read('hour'), read('minute'));
  const date = new Date(local);
  date.setUTCFullYear(read('year'), read('month') - 1, read('day'));
  date.setUTCSeconds(read('second'), ((instant % 1000) + 1000) % 1000);
  return date.getTime();
}

/** The offset of a zone from UTC at an instant, in milliseconds. */
export function offsetAt(instant: number, zone: string): number {
  return localMilliseconds(instant, zone) - instant;
}

export const DAY = 86_400_000;

/**
 * The instants at which clocks of a zone show a local time (`2026-10-25T02:30`), in their order: one, none where the clocks are turned
 * forward, or two where they are turned back. Undefined if the text is no local time.
 */
export function instantsOf(local: string, zone: string): readonly number[] | undefined {
  if (!/^\d{4,6}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?$/.test(local)) return undefined;
  const wanted = Date.parse(`${local.length === 16 ? `${local}:00` : local}Z`);
  if (Number.isNaN(wanted)) return undefined;
  return instantsAt(wanted, zone);
}

/** The same for a local time as milliseconds, as if it were UTC. */
export function instantsAt(wanted: number, zone: string): readonly number[] {
  const offsets = new Set([wanted - DAY, wanted, wanted + DAY].map((at) => offsetAt(at, zone)));
  return [...offsets]
    .map((offset) => wanted - offset)
    .filter((instant) => localMilliseconds(instant, zone) === wanted)
    .sort((one, other) => one - other);
}

/** An instant as local time for an input: `2026-10-25T02:30`, with seconds only if there are any. */
export function localText(instant: string, zone: string): string {
  const time = Date.parse(instant);
  if (Number.isNaN(time)) return '';
  const text = new Date(localMilliseconds(time, zone)).toISOString().slice(0, 23);
  if (text.endsWith(':00.000')) return text.slice(0, 16);
  return text.endsWith('.000') ? text.slice(0, 19) : text;
}

/** The offset of a zone in words: `UTC+02:00`. */
export function offsetText(instant: number, zone: string): string {
  const minutes = Math.round(offsetAt(instant, zone) / 60_000);
  const two = (value: number) => String(value).padStart(2, '0');
  const sign = minutes < 0 ? '−' : '+';
  return `UTC${sign}${two(Math.floor(Math.abs(minutes) / 60))}:${two(Math.abs(minutes) % 60)}`;
}
