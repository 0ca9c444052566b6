// This file holds the options of a place where none are written, so that whoever makes some up need not name them all.
import type { NestedOptions } from '../tree.ts';

export const NO_OPTIONS: NestedOptions = {
  apply: undefined,
  compute: undefined,
  search: undefined,
  filter: undefined,
  count: undefined,
  orderby: undefined,
  skip: undefined,
  top: undefined,
  expand: undefined,
  select: undefined,
  levels: undefined,
  aliases: new Map(),
};
