/** Which command a prompt calls (L1 phase 3). */
import type { Command } from '../protocol/command.ts';
import type { UserBlock } from '../protocol/wire.ts';

export interface CommandCall {
  readonly command: Command;
  readonly args: string;
}

/** `/name args` when a command has that name; anything else, also an unknown `/word`, is a prompt. */
export function findCommand(
  prompt: string | readonly UserBlock[],
  commands: readonly Command[],
): CommandCall | undefined {
  const match = /^\/(\S+)(?:\s+([\s\S]*))?$/.exec(textOf(prompt).trim());
  if (match === null) return undefined;
  const name = match[1];
  const command = commands.find((c) => c.name === name || c.aliases?.includes(name ?? '') === true);
  return command === undefined ? undefined : { command, args: match[2] ?? '' };
}

/** A text is a text also when its sender wrote it as one block. */
function textOf(prompt: string | readonly UserBlock[]): string {
  if (typeof prompt === 'string') return prompt;
  const [only] = prompt;
  return prompt.length === 1 && only?.type === 'text' ? only.text : '';
}
