// This file is the input of codes: a select for short lists, otherwise a search in the list. Hierarchies are indented.
import { useState } from 'react';
import { type Code, useCodes } from '../../model/codes.ts';
import type { Entity } from '../../model/entity.ts';
import { useModel } from '../../model/use-model.tsx';
import { ChoiceInput } from './choice-inputs.tsx';
import { codeTree } from './code-tree.ts';
import { type InputProps, wrapperProps } from './input-props.ts';
import { SearchBox } from './search-box.tsx';
import { StringInput } from './text-inputs.tsx';

/** Codes that a select shows. */
const SHORT_LIST = 30;
/** Options that a search shows. */
const HITS = 50;

/** The value is an object as the service returns it: `{"Value": "101001", "Text": "Registered"}`. */
export function CodeInput(props: InputProps<Entity>) {
  const { member, value, onChange } = props;
  const coded = useModel().types.get(member.type)?.coded;
  const codes = useCodes(member.codeList);
  if (coded === undefined) return null;
  const current = value === null ? undefined : asCode(value, coded);
  const choose = (code: { readonly value: string; readonly text: string } | undefined) =>
    onChange(code === undefined ? null : { [coded.value]: code.value, [coded.text]: code.text });
  if (member.codeList === undefined)
    return (
      <StringInput
        {...props}
        value={current?.text ?? null}
        onChange={(typed) => onChange(typed === null ? null : { [coded.text]: typed })}
      />
    );
  const offered = offeredCodes(codes, current);
  const inTree = codeTree(offered);
  if (offered.length > SHORT_LIST)
    return <CodeSearch {...props} codes={inTree} current={current} onChoose={choose} />;
  return (
    <ChoiceInput
      {...props}
      value={current?.value ?? null}
      onChange={(chosen) => choose(offered.find((code) => code.value === chosen))}
      options={inTree.map(({ code, depth }) => ({
        value: code.value,
        label: `${'\u2003'.repeat(depth)}${code.text}`,
      }))}
    />
  );
}

function asCode(value: Entity, coded: { readonly value: string; readonly text: string }): Code {
  const code = value[coded.value];
  const text = value[coded.text];
  return {
    value: String(code ?? text),
    text: String(text ?? code),
    texts: [],
    meaning: undefined,
    disabled: false,
    criticality: undefined,
    icon: undefined,
    parent: undefined,
  };
}

/** Codes that may be chosen, and the present one even where it is disabled now. */
function offeredCodes(
  codes: readonly Code[] | undefined,
  current: Code | undefined,
): readonly Code[] {
  const usable = (codes ?? []).filter((code) => !code.disabled || code.value === current?.value);
  if (current === undefined || usable.some(({ value }) => value === current.value)) return usable;
  return [current, ...usable];
}

function CodeSearch({
  codes,
  current,
  onChoose,
  ...props
}: InputProps<Entity> & {
  readonly codes: ReturnType<typeof codeTree>;
  readonly current: Code | undefined;
  readonly onChoose: (code: Code | undefined) => void;
}) {
  const [typed, setTyped] = useState<string>();
  const wanted = (typed ?? '').trim().toLocaleLowerCase();
  const hits = codes.filter(({ path }) => path.toLocaleLowerCase().includes(wanted));
  return (
    <SearchBox
      wrapper={wrapperProps(props)}
      shown={current?.text ?? ''}
      readOnly={props.readOnly ?? false}
      clearable={props.member.nullable}
      options={hits.slice(0, HITS).map(({ code, path, depth }) => ({
        key: code.value,
        title: code.text,
        second: depth > 0 ? path : undefined,
      }))}
      onSearch={setTyped}
      onChoose={(option) => onChoose(codes.find(({ code }) => code.value === option?.key)?.code)}
      onBlur={props.onBlur}
    />
  );
}
