// This file checks the codes of history lines (`Docket.ChangeCode`): on a member of the lines, and on a property whose changes have a code
// of their own.
import { isStructured, type Model, type Property } from '../model.ts';
import { type Mistake, mistake, mistakeIf } from '../model-error.ts';

export function lintChangeCode(
  model: Model,
  { changeCode, codeList }: Property,
  path: string,
): readonly Mistake[] {
  if (changeCode === undefined) return [];
  const lists = [codeList, ...listsOfLines(model)];
  const isKnown = lists.some((name) =>
    model.codeLists.get(name ?? '')?.codes.some(({ value }) => value === BigInt(changeCode)),
  );
  return mistakeIf(!isKnown, () =>
    mistake(path, `No list of the history has the code ${changeCode}.`, 'Use the value of a code.'),
  );
}

/** The code lists of members of history lines, which have a member with the path of the change. */
function listsOfLines(model: Model): readonly (string | undefined)[] {
  return [...model.types.values()].filter(isStructured).flatMap(({ members }) => {
    const properties = members.filter((member) => member.kind === 'property');
    const isLine = properties.some(({ changePart }) => changePart === 'property');
    const coded = properties.filter(({ changeCode }) => changeCode !== undefined);
    return isLine ? coded.map(({ codeList }) => codeList) : [];
  });
}
