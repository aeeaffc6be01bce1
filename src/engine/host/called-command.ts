/** Which command a prompt calls (L1 phase 3). */

import type { UserBlock } from '../../protocol/model/wire.ts';
import type { Command } from '../../protocol/tools/command.ts';

export interface CommandCall {
  readonly command: Command;
  readonly args: string;
}

/** `/name args`. Anything else is a prompt, a name that no command has as well: undefined. */
export function findCommand(
  prompt: string | readonly UserBlock[],
  commands: readonly Command[],
): CommandCall | undefined {
  const text = textOf(prompt).trim();
  if (!text.startsWith('/')) return undefined;
  const match = /^\/(\S+)(?:\s+([\s\S]*))?$/.exec(text);
  const name = match?.[1];
  if (name === undefined) return undefined;
  const command =
    commands.find((each) => each.name === name) ??
    commands.find(({ aliases = [] }) => aliases.includes(name));
  return command && { command, args: match?.[2] ?? '' };
}

/** A text is a text also when its sender wrote it as one block. */
function textOf(prompt: string | readonly UserBlock[]): string {
  if (typeof prompt === 'string') return prompt;
  const [only] = prompt;
  return prompt.length === 1 && only?.type === 'text' ? only.text : '';
}
