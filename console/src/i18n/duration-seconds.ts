// This file reads ISO 8601 durations.

/** Seconds of an ISO 8601 duration of days and time; NaN if it is none. */
export function durationSeconds(value: string): number {
  const match = /^(-?)P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:([\d.]+)S)?)?$/.exec(value);
  if (match === null) return Number.NaN;
  const [, sign, days = 0, hours = 0, minutes = 0, seconds = 0] = match;
  const total =
    Number(days) * 86_400 + Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
  return sign === '-' ? -total : total;
}
