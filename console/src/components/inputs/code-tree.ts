// This file puts the codes of a hierarchical list in the order of their tree.
import type { Code } from '../../model/codes.ts';

export interface PlacedCode {
  readonly code: Code;
  readonly depth: number;
  /** The texts from the root: `Hardware › Laptop`. */
  readonly path: string;
}

/** Parents before their children, and siblings in their order. Codes whose parent is missing are roots. */
export function codeTree(codes: readonly Code[]): readonly PlacedCode[] {
  const values = new Set(codes.map(({ value }) => value));
  const isRoot = ({ parent, value }: Code) =>
    parent === undefined || parent === value || !values.has(parent);
  const children = new Map<string | undefined, Code[]>();
  for (const code of codes) {
    if (!isRoot(code)) children.set(code.parent, [...(children.get(code.parent) ?? []), code]);
  }
  const place = (code: Code, depth: number, before: string): readonly PlacedCode[] => {
    const path = before === '' ? code.text : `${before} › ${code.text}`;
    const below = (children.get(code.value) ?? []).flatMap((child) =>
      place(child, depth + 1, path),
    );
    return [{ code, depth, path }, ...below];
  };
  return codes.filter(isRoot).flatMap((code) => place(code, 0, ''));
}
