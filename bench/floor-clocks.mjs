// This file writes what the service keeps about the clocks of a new request that is in progress.

/** `now` as text; returns the text of the property ClockRecord. */
export function clocksOf(now) {
  const pauses = [];
  return JSON.stringify({
    Response: { pauses, stop: Date.parse(now), cancelled: false },
    Resolution: { pauses, stop: null, cancelled: false },
  });
}
