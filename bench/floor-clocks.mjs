// This file writes what the service keeps about the clocks of a new request.

const clock = { pauses: [], stop: null, cancelled: false };

/** The text of the property ClockRecord. */
export const CLOCKS = JSON.stringify({ Response: clock, Resolution: clock });
