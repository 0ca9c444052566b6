// This file defines the nested options of an item without options. Other modules extend it when they create items.
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
