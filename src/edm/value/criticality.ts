// This file lists the values of UI.CriticalityType: very negative, neutral, negative, critical, positive, information.

export const CRITICALITIES = [-1, 0, 1, 2, 3, 5] as const;

export type Criticality = (typeof CRITICALITIES)[number];

/** The value, if it is one of them. */
export function criticalityOf(value: number | bigint | undefined): Criticality | undefined {
  return CRITICALITIES.find((one) => value !== undefined && one === Number(value));
}
