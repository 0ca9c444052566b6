// This file is an input that searches while people type, and offers what was found: the pattern "Editable Combobox With List Autocomplete"
// of the ARIA Authoring Practices Guide. The list is in the top layer, so that no dialog or panel cuts it off.
import { CloseButton, TextInput } from '@mantine/core';
import { type KeyboardEvent, useEffect, useId, useLayoutEffect, useRef, useState } from 'react';
import { useText } from '../../i18n/text.tsx';
import classes from './search-box.module.css';

interface SearchOption {
  readonly key: string;
  readonly title: string;
  /** A second line that distinguishes options with the same title. */
  readonly second?: string | undefined;
  /** Levels of indentation in a hierarchy. */
  readonly depth?: number;
}

export interface SearchBoxProps {
  /** Properties of the input, such as its label. */
  readonly wrapper: Readonly<Record<string, unknown>> & { readonly id: string };
  /** The text of the present value; empty without one. */
  readonly shown: string;
  readonly readOnly: boolean;
  readonly clearable: boolean;
  /** What is found; undefined while it is being searched. */
  readonly options: readonly SearchOption[] | undefined;
  readonly problem?: string | undefined;
  /** Called with what was typed; undefined when the list closes. */
  readonly onSearch: (typed: string | undefined) => void;
  readonly onChoose: (option: SearchOption | undefined) => void;
  readonly onBlur?: (() => void) | undefined;
}

export function SearchBox(props: SearchBoxProps) {
  const { wrapper, shown, readOnly, clearable, options, onBlur } = props;
  const text = useText();
  const listId = useId();
  const input = useRef<HTMLInputElement>(null);
  const { typed, isOpen, active, setActive, close, search, choose, onKeyDown } = useSearch(props);
  const optionId = (index: number) => `${listId}-${index}`;
  const hasActive = isOpen && (options?.length ?? 0) > active;
  const clear = () => {
    choose(undefined);
    input.current?.focus();
  };
  const mayClear = clearable && shown !== '' && !readOnly;
  return (
    <>
      <TextInput
        {...wrapper}
        ref={input}
        role="combobox"
        aria-autocomplete="list"
        aria-expanded={isOpen}
        aria-controls={listId}
        aria-activedescendant={hasActive ? optionId(active) : undefined}
        autoComplete="off"
        readOnly={readOnly}
        value={typed ?? shown}
        placeholder={readOnly ? '' : text('common.typeToSearch')}
        onChange={(event) => search(event.currentTarget.value)}
        onClick={() => !readOnly && !isOpen && search('')}
        onKeyDown={onKeyDown}
        onBlur={() => {
          if (isOpen) close();
          onBlur?.();
        }}
        rightSection={
          mayClear && <CloseButton size="sm" aria-label={text('common.clear')} onClick={clear} />
        }
      />
      {isOpen && (
        <Options
          id={listId}
          anchor={input.current}
          label={String(wrapper.label ?? wrapper['aria-label'] ?? '')}
          options={options}
          problem={props.problem}
          active={active}
          optionId={optionId}
          onChoose={choose}
          onActive={setActive}
        />
      )}
    </>
  );
}

/** What is typed, the active option, and the keys that move it. The list is open while something is typed, if only an empty text. */
function useSearch({ readOnly, options, onSearch, onChoose }: SearchBoxProps) {
  const [typed, setTyped] = useState<string>();
  const [active, setActive] = useState(0);
  const isOpen = typed !== undefined;
  const close = () => {
    setTyped(undefined);
    onSearch(undefined);
  };
  const search = (next: string) => {
    setTyped(next);
    setActive(0);
    onSearch(next);
  };
  const choose = (option: SearchOption | undefined) => {
    onChoose(option);
    close();
  };
  const move = (step: 1 | -1) => {
    const count = options?.length ?? 0;
    if (!isOpen) search('');
    else if (count > 0) setActive((active + step + count) % count);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (readOnly || event.nativeEvent.isComposing) return;
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      move(event.key === 'ArrowDown' ? 1 : -1);
    } else if (event.key === 'Enter' && isOpen) {
      event.preventDefault();
      const option = options?.[active];
      if (option !== undefined) choose(option);
    } else if (event.key === 'Escape' && isOpen) {
      // Only the list closes, not the dialog that contains it.
      event.stopPropagation();
      close();
    }
  };
  return { typed, isOpen, active, setActive, close, search, choose, onKeyDown };
}

interface OptionsProps {
  readonly id: string;
  readonly anchor: HTMLElement | null;
  readonly label: string;
  readonly options: readonly SearchOption[] | undefined;
  readonly problem: string | undefined;
  readonly active: number;
  readonly optionId: (index: number) => string;
  readonly onChoose: (option: SearchOption) => void;
  readonly onActive: (index: number) => void;
}

function Options(props: OptionsProps) {
  const { id, anchor, label, options, problem, active, optionId, onChoose, onActive } = props;
  const text = useText();
  const list = useRef<HTMLDivElement>(null);
  usePlace(list, anchor, options);
  useEffect(() => {
    document.getElementById(optionId(active))?.scrollIntoView({ block: 'nearest' });
  }, [active, optionId]);
  const state = problem ?? (options === undefined ? text('common.searching') : undefined);
  return (
    <div ref={list} popover="manual" className={classes.list}>
      <div id={id} role="listbox" aria-label={label}>
        {(options ?? []).map((option, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the input has the focus and handles the keys.
          // biome-ignore lint/a11y/useFocusableInteractive: aria-activedescendant of the input.
          <div
            key={option.key}
            id={optionId(index)}
            role="option"
            aria-selected={index === active}
            className={classes.option}
            style={{ paddingInlineStart: 8 + 16 * (option.depth ?? 0) }}
            onMouseMove={() => onActive(index)}
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => onChoose(option)}
          >
            {option.title}
            {option.second !== undefined && <span className={classes.second}>{option.second}</span>}
          </div>
        ))}
      </div>
      <div
        role="status"
        className={state === undefined && options?.length !== 0 ? '' : classes.state}
      >
        {state ?? (options?.length === 0 ? text('common.nothingFound') : '')}
      </div>
    </div>
  );
}

/** Pixels. */
const MARGIN = 4;

/** Shows the list below its input, or above it where there is more room, and follows it when the page scrolls. */
function usePlace(
  list: { readonly current: HTMLDivElement | null },
  anchor: HTMLElement | null,
  content: unknown,
): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: another content changes the height.
  useLayoutEffect(() => {
    const element = list.current;
    if (element === null || anchor === null) return undefined;
    if (!element.matches(':popover-open')) element.showPopover();
    const place = () => {
      const { left, top, bottom, width } = anchor.getBoundingClientRect();
      const below = innerHeight - bottom;
      const isBelow = below >= Math.min(element.scrollHeight + MARGIN, 240) || below > top;
      element.style.left = `${left}px`;
      element.style.width = `${width}px`;
      element.style.top = isBelow ? `${bottom + MARGIN}px` : 'auto';
      element.style.bottom = isBelow ? 'auto' : `${innerHeight - top + MARGIN}px`;
      element.style.maxHeight = `${Math.max(120, Math.min(320, (isBelow ? below : top) - 2 * MARGIN))}px`;
    };
    place();
    addEventListener('scroll', place, { capture: true, passive: true });
    addEventListener('resize', place);
    return () => {
      removeEventListener('scroll', place, { capture: true });
      removeEventListener('resize', place);
    };
  }, [list, anchor, content]);
}
