// This file says under which licences packages may be a part of Docket, which has the Apache License 2.0.

/** Licences that only require notices. MPL-2.0 requires the sources of its own files, which are used unchanged. */
export const PERMITTED = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'MPL-2.0',
  'Unlicense',
]);

/** Whether an SPDX expression such as `(MIT OR GPL-3.0-only) AND ISC` gives a choice of permitted licences. */
export function isPermitted(expression) {
  const words = expression.match(/[()]|[^\s()]+/g) ?? [];
  let at = 0;
  const single = () => {
    const word = words[at++];
    if (word !== '(') return PERMITTED.has(word);
    const inner = alternatives();
    return words[at++] === ')' && inner;
  };
  // Both sides are always read. AND binds more strongly than OR.
  const joined = () => {
    let all = single();
    while (words[at] === 'AND') {
      at++;
      all = single() && all;
    }
    return all;
  };
  const alternatives = () => {
    let any = joined();
    while (words[at] === 'OR') {
      at++;
      any = joined() || any;
    }
    return any;
  };
  return alternatives() && at === words.length;
}
