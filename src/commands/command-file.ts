/** A command that a person wrote down: a prompt in a Markdown file, with what it may do in its frontmatter. */
import { argumentNames } from '../util/text/fill-arguments.ts';
import { listField, readFrontmatter } from '../util/text/frontmatter.ts';

export interface CommandFile {
  /** Without the slash; with its folders, and a plugin's name: `plugin:folder:command`. */
  readonly name: string;
  /** Absolute. */
  readonly path: string;
  readonly description: string;
  readonly argumentHint: string | undefined;
  /** What its arguments are called, in their order. */
  readonly argumentNames: readonly string[];
  /** Permission rules for what it starts. */
  readonly allowedTools: readonly string[];
  readonly model: string | undefined;
  readonly body: string;
}

const MAX_DESCRIPTION_CHARS = 500;

/** `problem`: what was passed over, for a warning. Never rejects. */
export async function parseCommandFile(
  name: string,
  path: string,
  text: string,
): Promise<{ readonly file: CommandFile; readonly problem?: string }> {
  const { fields, body, problem } = await readFrontmatter(text);
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
      body: body.trim(),
    },
    ...(problem !== undefined && { problem }),
  };
}

function textField(value: unknown): string | undefined {
  const text = typeof value === 'string' ? value.trim() : '';
  return text === '' ? undefined : text;
}

/** People write `[file]`, which YAML takes for a list. */
function hintField(value: unknown): string | undefined {
  return Array.isArray(value) ? value.map((each) => `[${String(each)}]`).join(' ') : textField(value);
}

function firstLine(body: string): string {
  const line = body.split('\n').find((each) => each.trim() !== '') ?? '';
  return line.replace(/^#+\s*/, '').trim();
}
