/** A skill, as its head describes it. The body is read when somebody asks for it. */
import type { FileStat } from '../protocol/files.ts';
import { EFFORT_LEVELS, type EffortLevel } from '../protocol/wire.ts';
import { listField } from '../util/text/frontmatter.ts';
import { templateParts } from '../util/text/template-parts.ts';

export type SkillSource = 'user' | 'project' | 'plugin';

export interface Skill {
  /** What it is asked for by; `plugin:name` for a plugin's. */
  readonly name: string;
  /** Its folder's own name, by which it can be asked for as well. */
  readonly folder: string;
  /** One line; '' when the file says nothing. */
  readonly description: string;
  readonly whenToUse?: string;
  readonly argumentHint?: string;
  /** Permission rules that hold from loading to the end of the submission; [] where they may not be granted. */
  readonly allowedTools: readonly string[];
  /** From loading to the end of the submission; absent where it may not be switched. */
  readonly model?: string;
  readonly effort?: EffortLevel;
  /** It is carried out by an agent of its own, and its report is what comes back. */
  readonly fork?: { readonly agent?: string };
  /** Patterns of files: it is not listed before one of them was touched. */
  readonly paths?: readonly string[];
  /** None of them was touched so far. */
  readonly dormant?: true;
  /** Its text may run shell commands, through the gate. */
  readonly trusted: boolean;
  /** There are some in it. */
  readonly runsCommands: boolean;
  /** false: the model neither sees nor loads it. */
  readonly modelInvocable: boolean;
  /** false: there is no `/name`. */
  readonly userInvocable: boolean;
  /** false: the model sees its name alone. */
  readonly describes: boolean;
  readonly source: SkillSource;
  readonly plugin?: string;
  /** The folder that its files, links followed, must lie in; absent: anywhere. */
  readonly within?: string;
  /** Absolute; its files are beside. */
  readonly directory: string;
  readonly file: string;
  /** Of the file as it was when this was read. */
  readonly stamp: string;
}

/** Changes whenever the file does. */
export function stampOf({ ctimeMs, ino, mtimeMs, size }: FileStat): string {
  return `${mtimeMs}/${ctimeMs}/${size}/${ino}`;
}

/** Names that fit into a rule, a command line and a list of names. */
const NAME = /^[\p{L}\p{N}][\p{L}\p{N}_.-]{0,63}$/u;
const MAX_HINT_CHARS = 200;

export interface SkillPlace {
  readonly source: SkillSource;
  readonly plugin?: string | undefined;
  /** false: it words a text, and does not allow, run or switch anything. */
  readonly mayAllowTools: boolean;
  /** What its files really are must lie in this folder, links followed; absent: anywhere. */
  readonly within?: string | undefined;
}

type Fields = Readonly<Record<string, unknown>>;

/** undefined: neither the head nor the folder gives it a usable name. `body` lends a description where the head has none. */
export function skillOf(
  { fields, body }: { readonly fields: Fields; readonly body: string },
  at: { readonly folder: string; readonly directory: string; readonly file: string; readonly stamp: string },
  place: SkillPlace,
): Skill | undefined {
  const own = [fields['name'], at.folder].find((name) => typeof name === 'string' && NAME.test(name));
  if (typeof own !== 'string') return undefined;
  const { plugin } = place;
  const whenToUse = oneLine(fields['when_to_use'] ?? fields['when-to-use']);
  const argumentHint = hintOf(fields['argument-hint']);
  const model = oneLine(fields['model']);
  const effort = EFFORT_LEVELS.find((level) => level === fields['effort']);
  const agent = oneLine(fields['agent']);
  const paths = listField(fields['paths']);
  const { mayAllowTools: trusted } = place;
  return {
    name: plugin === undefined ? own : `${plugin}:${own}`,
    folder: at.folder,
    description: oneLine(fields['description']) || firstParagraph(body),
    ...(whenToUse !== '' && { whenToUse }),
    ...(argumentHint !== '' && { argumentHint }),
    allowedTools: trusted ? rulesOf(fields['allowed-tools']) : [],
    ...(trusted && model !== '' && model !== 'inherit' && { model }),
    ...(trusted && effort !== undefined && { effort }),
    ...(oneLine(fields['context']) === 'fork' && { fork: { ...(agent !== '' && { agent }) } }),
    ...(paths.length > 0 && { paths }),
    trusted,
    runsCommands: templateParts(body).some(({ kind }) => kind === 'shell'),
    modelInvocable: oneLine(fields['disable-model-invocation']) !== 'true',
    userInvocable: oneLine(fields['user-invocable']) !== 'false',
    describes: true,
    source: place.source,
    ...(plugin !== undefined && { plugin }),
    ...(place.within !== undefined && { within: place.within }),
    directory: at.directory,
    file: at.file,
    stamp: at.stamp,
  };
}

export function oneLine(value: unknown): string {
  if (typeof value === 'object' || value === undefined) return '';
  return String(value)
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
}

/** YAML makes a list of `[file]`. */
function hintOf(value: unknown): string {
  const hint = Array.isArray(value) ? `[${value.map(oneLine).join(', ')}]` : oneLine(value);
  return hint.slice(0, MAX_HINT_CHARS);
}

/** `Read, Bash(git log:*)`, with commas, blanks, or as a list. */
function rulesOf(value: unknown): readonly string[] {
  return listField(value).flatMap((text) => text.match(/(?:[^\s,()]|\([^)]*\))+/g) ?? []);
}

function firstParagraph(body: string): string {
  const paragraphs = body.split(/\n\s*\n/).map((text) => text.replace(/^#+[^\n]*\n?/, ''));
  return oneLine(paragraphs.find((text) => text.trim() !== '') ?? '');
}
