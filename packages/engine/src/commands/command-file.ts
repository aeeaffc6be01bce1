/** A command from a Markdown file: a prompt, with permissions in its frontmatter. */
import { argumentNames } from '@turnwright/base/text/fill-arguments.ts';
import { listField, readFrontmatter } from '@turnwright/base/text/frontmatter.ts';
import { noteUnread, type UnreadFields } from '@turnwright/base/text/unread-fields.ts';

export interface CommandFile {
  /** Name without the slash, with folders and a plugin's name: `plugin:folder:command`. */
  readonly name: string;
  /** Absolute. */
  readonly path: string;
  readonly description: string;
  readonly argumentHint: string | undefined;
  /** Names of its arguments, in order. */
  readonly argumentNames: readonly string[];
  /** Permission rules for its submission. */
  readonly allowedTools: readonly string[];
  readonly model: string | undefined;
  /** Completion conditions of its submission, as they are written. */
  readonly verify: unknown;
  /** false: it cannot be called. */
  readonly userInvocable: boolean;
  readonly body: string;
}

const MAX_DESCRIPTION_CHARS = 500;
const READ: ReadonlySet<string> = new Set([
  'argument-hint',
  'arguments',
  'allowed-tools',
  'model',
  'verify',
  'user-invocable',
]);

/** `problem`: what was ignored, for a warning. Never rejects. */
export async function parseCommandFile(
  name: string,
  path: string,
  text: string,
  unread?: Pick<UnreadFields, 'note'>,
): Promise<{ readonly file: CommandFile; readonly problem?: string }> {
  const { fields, body, problem } = await readFrontmatter(text);
  if (unread !== undefined) noteUnread(path, fields, { read: READ, kind: 'command', unread });
  const model = textField(fields['model']);
  return {
    file: {
      name,
      path,
      description: (textField(fields['description']) ?? firstLine(body)).slice(0, MAX_DESCRIPTION_CHARS),
      argumentHint: hintField(fields['argument-hint']),
      argumentNames: argumentNames(fields['arguments']),
      allowedTools: listField(fields['allowed-tools']),
      model: model === 'inherit' ? undefined : model,
      verify: fields['verify'],
      userInvocable: textField(fields['user-invocable']) !== 'false',
      body: body.trim(),
    },
    ...(problem !== undefined && { problem }),
  };
}

function textField(value: unknown): string | undefined {
  const text = /^(?:string|number|boolean)$/.test(typeof value) ? String(value).trim() : '';
  return text === '' ? undefined : text;
}

/** YAML parses `[file]` as a list. */
function hintField(value: unknown): string | undefined {
  return Array.isArray(value) ? value.map((each) => `[${String(each)}]`).join(' ') : textField(value);
}

function firstLine(body: string): string {
  const line = body.split('\n').find((each) => each.trim() !== '') ?? '';
  return line.replace(/^#+\s*/, '').trim();
}
