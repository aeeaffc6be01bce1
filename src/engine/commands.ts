/** Which command a prompt calls (L1 phase 3). */
import type { Command } from '../protocol/command.ts';
import type { UserBlock } from '../protocol/wire.ts';

export type CommandCall =
  | { readonly kind: 'command'; readonly command: Command; readonly args: string }
  /** It is written like a command, and there is none of that name. */
  | { readonly kind: 'unknown'; readonly name: string };

/** What a command may be called; `/etc/hosts` and `/ 2` are no commands. */
const NAME = /^[A-Za-z][\w:.-]*$/;

/** `/name args`. Anything else is a prompt: undefined. */
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
  if (command !== undefined) return { kind: 'command', command, args: match?.[2] ?? '' };
  return NAME.test(name) ? { kind: 'unknown', name } : undefined;
}

/** A text is a text also when its sender wrote it as one block. */
function textOf(prompt: string | readonly UserBlock[]): string {
  if (typeof prompt === 'string') return prompt;
  const [only] = prompt;
  return prompt.length === 1 && only?.type === 'text' ? only.text : '';
}
