// This file is the input of references. It always searches on the service, never only among what is loaded.
import { useState } from 'react';
import { type Entity, keyOf, titleOf, valueAt } from '../../model/entity.ts';
import { subtitlePath } from '../../model/layout.ts';
import { memberAt, typeNamed } from '../../model/model.ts';
import { useModel } from '../../model/use-model.tsx';
import { useErrorText } from '../error-notice.tsx';
import { useValueText } from '../value.tsx';
import { type InputProps, wrapperProps } from './input-props.ts';
import { SearchBox } from './search-box.tsx';
import { useReferenceSearch } from './use-reference-search.ts';

/** The value is the entity with its key and title properties, as `$expand` returns it. */
export function ReferenceInput(props: InputProps<Entity>) {
  const { member, value, onChange, targetSet } = props;
  const model = useModel();
  const toText = useValueText();
  const errorText = useErrorText();
  const [typed, setTyped] = useState<string>();
  const type = typeNamed(model, member.type);
  const { hits, error } = useReferenceSearch(type, targetSet, typed);
  const path = subtitlePath(model, type);
  const second = (entity: Entity) => {
    const inner = path === undefined ? undefined : memberAt(model, type, path);
    if (path === undefined || inner === undefined) return undefined;
    return toText(inner, valueAt(entity, path)) || undefined;
  };
  return (
    <SearchBox
      wrapper={wrapperProps(props)}
      shown={value === null ? '' : titleOf(model, type, value)}
      readOnly={(props.readOnly ?? false) || targetSet === undefined}
      clearable={member.nullable}
      options={hits?.map((entity) => ({
        key: keyOf(type, entity) ?? '',
        title: titleOf(model, type, entity),
        second: second(entity),
      }))}
      problem={error === undefined ? undefined : errorText(error)}
      onSearch={setTyped}
      onChoose={(option) =>
        onChange(hits?.find((entity) => keyOf(type, entity) === option?.key) ?? null)
      }
      onBlur={props.onBlur}
    />
  );
}
