/** The body of a skill, as the model reads it when it is loaded. */

import { isReallyInside } from '@turnwright/base/files/inside.ts';
import type { PersistentFiles } from '@turnwright/base/persistent-files.ts';
import { errorText } from '@turnwright/base/text/error-text.ts';
import { argumentFiller, argumentNames } from '@turnwright/base/text/fill-arguments.ts';
import { readFrontmatter } from '@turnwright/base/text/frontmatter.ts';
import { MAX_SHELL_PARTS, templateParts } from '@turnwright/base/text/template-parts.ts';
import type { ShellAnswer, ShellTemplate } from '../protocol/tools/command.ts';
import { MAX_BODY_CHARS, MAX_SKILL_BYTES, type Skill, stampOf } from './skill.ts';

export interface LoadContext {
  readonly files: Pick<PersistentFiles, 'readRange' | 'realpath' | 'stat'>;
  readonly sessionId: string;
  /** Runs a shell command of its text through the gate, with these rules allowed as well. Never rejects. */
  shell(command: ShellTemplate, allowedTools: readonly string[]): Promise<ShellAnswer>;
}

/** The first line names the skill, by which a compaction recognises it. */
const FIRST_LINE = /^<skill name="([^"\n]{1,200})">\n/;

interface LoadedSkill {
  readonly text: string;
  /** Rules that it grants; empty if the file has changed since it was judged. */
  readonly allowedTools: readonly string[];
}

/**
 * The text for the conversation. Rejects with a sentence when the file cannot be read, or a command in it
 * fails.
 */
export async function loadSkill(listed: Skill, args: string, context: LoadContext): Promise<LoadedSkill> {
  let skill = listed;
  const { files } = context;
  let text: string;
  let isCut = false;
  try {
    if (skill.within !== undefined && !(await isReallyInside(skill.file, skill.within, files)))
      throw new Error(`it lies outside of ${skill.within} now`);
    text = new TextDecoder().decode(await files.readRange(skill.file, 0, MAX_SKILL_BYTES));
    const now = await files.stat(skill.file);
    isCut = (now?.size ?? 0) > MAX_SKILL_BYTES;
    if (now === undefined || stampOf(now) !== skill.stamp)
      skill = { ...skill, trusted: false, allowedTools: [] };
  } catch (cause) {
    const why = errorText(cause);
    throw new Error(`The skill "${skill.name}" cannot be loaded from ${skill.file}: ${why}`, { cause });
  }
  const { body, fields } = await readFrontmatter(text);
  const cut =
    body.length > MAX_BODY_CHARS || isCut
      ? `${body.slice(0, MAX_BODY_CHARS)}\n… (cut off; the rest is in ${skill.file})`
      : body;
  const given = { args, names: argumentNames(fields['arguments']) };
  const filled = await fillIn(cut.trim(), skill, given, context);
  const loaded = `<skill name="${skill.name}">\nBase directory for this skill: ${skill.directory}\n\n${filled}\n</skill>`;
  return { text: loaded, allowedTools: skill.allowedTools };
}

/** The skill that a text is the body of. */
export function skillNameIn(text: string): string | undefined {
  return FIRST_LINE.exec(text)?.[1];
}

/** Fills in arguments, paths, and the output of shell commands. */
async function fillIn(
  body: string,
  skill: Skill,
  { args, names }: { readonly args: string; readonly names: readonly string[] },
  context: LoadContext,
): Promise<string> {
  const parts = templateParts(body);
  const commands = parts.filter(({ kind }) => kind === 'shell');
  if (commands.length > 0 && !skill.trusted)
    throw new Error(
      `The skill "${skill.name}" runs shell commands (${skill.file}), which a repository that is not trusted may not, nor a file that changed while the session ran.`,
    );
  if (commands.length > MAX_SHELL_PARTS)
    throw new Error(
      `The skill "${skill.name}" has more than ${MAX_SHELL_PARTS} shell commands (${skill.file}).`,
    );
  const given = args.trim();
  const root = skill.plugin === undefined ? undefined : skill.within;
  const filler = argumentFiller(given, names, {
    CLAUDE_SKILL_DIR: skill.directory,
    CLAUDE_SESSION_ID: context.sessionId,
    ...(root !== undefined && { CLAUDE_PLUGIN_ROOT: root }),
  });
  let text = '';
  for (const part of parts) {
    if (part.kind === 'text') {
      text += filler.fill(part.text);
      continue;
    }
    const pieces = filler.pieces(part.command);
    const of = { name: skill.name, source: skill.source };
    const answer = await context.shell({ pieces, of }, skill.allowedTools);
    if (!answer.ok)
      throw new Error(
        `The skill "${skill.name}" was not loaded: its shell command \`${part.command}\` did not run. ${answer.why}`,
      );
    text += answer.output;
  }
  return filler.used || given === '' ? text : `${text}\n\nARGUMENTS: ${given}`;
}
