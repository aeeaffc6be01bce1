/** The body of a skill, as the model reads it once it is loaded. */
import type { PersistentFiles } from '../protocol/files.ts';
import { readFrontmatter } from '../util/frontmatter.ts';
import { isReallyInside } from '../util/inside.ts';
import type { Skill } from './skill.ts';

export interface LoadContext {
  readonly files: Pick<PersistentFiles, 'readFile' | 'realpath'>;
  readonly sessionId: string;
}

/** A longer body is cut, and says so. */
const MAX_BODY_CHARS = 200_000;
/** The first line names the skill: what a compaction has to put back is recognised by it. */
const FIRST_LINE = /^<skill name="([^"\n]{1,200})">\n/;

/** The text for the conversation. Rejects with a sentence when the file cannot be read any more. */
export async function loadSkill(skill: Skill, args: string, context: LoadContext): Promise<string> {
  const { files } = context;
  let text: string;
  try {
    if (skill.within !== undefined && !(await isReallyInside(skill.file, skill.within, files)))
      throw new Error(`it lies outside of ${skill.within} now`);
    text = new TextDecoder().decode(await files.readFile(skill.file));
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`The skill "${skill.name}" cannot be loaded from ${skill.file}: ${why}`, { cause });
  }
  const { body } = await readFrontmatter(text);
  const cut =
    body.length > MAX_BODY_CHARS
      ? `${body.slice(0, MAX_BODY_CHARS)}\n… (cut off; the rest is in ${skill.file})`
      : body;
  return `<skill name="${skill.name}">\nBase directory for this skill: ${skill.directory}\n\n${fillIn(cut.trim(), skill, args, context)}\n</skill>`;
}

/** The skill that a text is the body of. */
export function skillNameIn(text: string): string | undefined {
  return FIRST_LINE.exec(text)?.[1];
}

/** `$ARGUMENTS`, `$ARGUMENTS[n]` and the places that a skill cannot know; all at once, so that nothing filled in is filled in again. */
function fillIn(body: string, skill: Skill, args: string, { sessionId }: LoadContext): string {
  const given = args.trim();
  const words = [...given.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    (word) => word[1] ?? word[2] ?? word[3] ?? '',
  );
  let took = false;
  const root = skill.plugin === undefined ? undefined : skill.within;
  const filled = body.replace(
    /\$ARGUMENTS(?:\[(\d{1,3})\])?|\$\{(CLAUDE_SKILL_DIR|CLAUDE_SESSION_ID|CLAUDE_PLUGIN_ROOT)\}/g,
    (whole, index: string | undefined, place: string | undefined) => {
      switch (place) {
        case 'CLAUDE_SKILL_DIR':
          return skill.directory;
        case 'CLAUDE_SESSION_ID':
          return sessionId;
        case 'CLAUDE_PLUGIN_ROOT':
          return root ?? whole;
        default:
          took = true;
          return index === undefined ? given : (words[Number(index)] ?? '');
      }
    },
  );
  return took || given === '' ? filled : `${filled}\n\nARGUMENTS: ${given}`;
}
