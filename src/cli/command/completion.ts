// This file writes what shells need to complete commands and flags. It is made of the commands themselves, so that none is forgotten.
import type { Command } from 'commander';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;

export type Shell = (typeof SHELLS)[number];

/** What may follow a line of words: `account` has list, add, … */
interface Place {
  readonly path: readonly string[];
  readonly words: readonly { readonly word: string; readonly text: string }[];
}

/** The script that a shell reads to complete what begins with `docket`. */
export function completionScript(shell: Shell, program: Command): string {
  const places = placesOf(program, []);
  switch (shell) {
    case 'bash':
      return bashScript(places);
    case 'zsh':
      return `#compdef docket\nautoload -U +X bashcompinit && bashcompinit\n${bashScript(places)}`;
    default:
      return fishScript(places);
  }
}

function placesOf(command: Command, path: readonly string[]): readonly Place[] {
  // `help` is followed by the names of commands.
  const { commands: following } = command.name() === 'help' ? (command.parent ?? command) : command;
  const commands = following.map((one) => ({ word: one.name(), text: one.description() }));
  const options = command.options.flatMap(({ long, description, hidden }) =>
    typeof long === 'string' && !hidden ? [{ word: long, text: description }] : [],
  );
  const help = { word: '--help', text: 'display help for command' };
  const choices = command.registeredArguments.flatMap(({ argChoices = [] }) =>
    argChoices.map((word) => ({ word, text: '' })),
  );
  return [
    { path, words: [...commands, ...choices, ...options, help] },
    ...command.commands.flatMap((one) => placesOf(one, [...path, one.name()])),
  ];
}

function bashScript(places: readonly Place[]): string {
  const cases = places.map(
    ({ path, words }) =>
      `    '${path.join(' ')}') words='${words.map(({ word }) => word).join(' ')}' ;;`,
  );
  const known = places.flatMap(({ path }) => (path.length === 0 ? [] : [`'${path.join(' ')}'`]));
  return `_docket() {
  local current="\${COMP_WORDS[COMP_CWORD]}" place='' next='' words='' at=1
  while [ "$at" -lt "$COMP_CWORD" ]; do
    next="\${place:+$place }\${COMP_WORDS[at]}"
    case "$next" in
      ${known.join('|')}) place="$next" ;;
    esac
    at=$((at + 1))
  done
  case "\${COMP_WORDS[COMP_CWORD-1]}" in
    --config|--data|--model|--load|--from) COMPREPLY=($(compgen -f -- "$current")); return ;;
  esac
  case "$place" in
    backup|restore|'model check') [[ "$current" == -* ]] || { COMPREPLY=($(compgen -f -- "$current")); return; } ;;
  esac
  case "$place" in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -F _docket docket
`;
}

function fishScript(places: readonly Place[]): string {
  const lines = places.flatMap(({ path, words }) => words.map((word) => fishLine(path, word)));
  return `complete -c docket -f\n${lines.join('\n')}\n`;
}

function fishLine(path: readonly string[], { word, text }: Place['words'][number]): string {
  const when =
    path.length === 0
      ? '__fish_use_subcommand'
      : path.map((step) => `__fish_seen_subcommand_from ${step}`).join('; and ');
  const what = word.startsWith('--') ? `-l ${word.slice(2)}` : `-a ${word}`;
  return `complete -c docket -n '${when}' ${what} -d '${text.replaceAll("'", "\\'")}'`;
}
