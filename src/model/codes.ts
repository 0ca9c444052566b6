// This file puts the code lists of the suite together, in the order of their numbers. The lists of numbered custom slots are
// made by custom-fields.ts, because they exist only where a slot is enabled.
import type { CodeList } from '../edm/model.ts';
import { assetLists, treeLists } from './asset-codes.ts';
import { peopleLists, sharedLists } from './people-codes.ts';
import { closureLists, workStatusLists } from './status-codes.ts';
import { urgencyLists, workCategoryLists, workDetailLists } from './work-codes.ts';

export const suiteCodeLists: readonly CodeList[] = [
  ...workStatusLists,
  ...urgencyLists,
  ...closureLists,
  ...workCategoryLists,
  ...workDetailLists,
  ...treeLists,
  ...peopleLists,
  ...assetLists,
  ...sharedLists,
].toSorted((left, right) => firstValue(left) - firstValue(right));

function firstValue(list: CodeList): number {
  return Number(list.codes[0]?.value ?? 0n);
}
