// Generates shell completion scripts from the declared commands and options.
import type { Command } from 'commander';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;

export type Shell = (typeof SHELLS)[number];

/** The words that may follow a command path: `account` is followed by list, add, … */
interface Context {
  readonly path: readonly string[];
  readonly words: readonly { readonly word: string; readonly text: string }[];
}

/** The completion script of a shell for `docket`. */
export function completionScript(shell: Shell, program: Command): string {
  const contexts = contextsOf(program, []);
  switch (shell) {
    case 'bash':
      return bashScript(contexts);
    case 'zsh':
      return `#compdef docket\nautoload -U +X bashcompinit && bashcompinit\n${bashScript(contexts)}`;
    default:
      return fishScript(contexts);
  }
}

function contextsOf(command: Command, path: readonly string[]): readonly Context[] {
  // `help` is followed by the names of commands.
  const { commands: nested } = command.name() === 'help' ? (command.parent ?? command) : command;
  const commands = nested.map((one) => ({ word: one.name(), text: one.description() }));
  const options = command.options.flatMap(({ long, description, hidden }) =>
    typeof long === 'string' && !hidden ? [{ word: long, text: description }] : [],
  );
  const help = { word: '--help', text: 'display help for command' };
  const choices = command.registeredArguments.flatMap(({ argChoices = [] }) =>
    argChoices.map((word) => ({ word, text: '' })),
  );
  return [
    { path, words: [...commands, ...choices, ...options, help] },
    ...command.commands.flatMap((one) => contextsOf(one, [...path, one.name()])),
  ];
}

function bashScript(contexts: readonly Context[]): string {
  const cases = contexts.map(
    ({ path, words }) =>
      `    '${path.join(' ')}') words='${words.map(({ word }) => word).join(' ')}' ;;`,
  );
  const known = contexts.flatMap(({ path }) => (path.length === 0 ? [] : [`'${path.join(' ')}'`]));
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

function fishScript(contexts: readonly Context[]): string {
  const lines = contexts.flatMap(({ path, words }) => words.map((word) => fishLine(path, word)));
  return `complete -c docket -f\n${lines.join('\n')}\n`;
}

function fishLine(path: readonly string[], { word, text }: Context['words'][number]): string {
  const condition =
    path.length === 0
      ? '__fish_use_subcommand'
      : path.map((step) => `__fish_seen_subcommand_from ${step}`).join('; and ');
  const candidate = word.startsWith('--') ? `-l ${word.slice(2)}` : `-a ${word}`;
  return `complete -c docket -n '${condition}' ${candidate} -d '${text.replaceAll("'", "\\'")}'`;
}
