// This file creates the schemas of configuration keys that are numbers, each with the lowest and the highest value and the default.
import { z } from 'zod';

export const NO_LIMIT = Number.POSITIVE_INFINITY;

export function wholeNumber(lowest: number, highest: number, standard: number) {
  return z.int().min(lowest).max(highest).default(standard);
}

export function numberFrom(lowest: number, highest: number, standard: number) {
  return z.number().min(lowest).max(highest).default(standard);
}

/** A number above 0. */
export function positiveNumber(highest: number, standard: number) {
  return z.number().positive().max(highest).default(standard);
}
