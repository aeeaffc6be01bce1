/** A skill, as its frontmatter describes it. The body is read when it is loaded. */
import type { FileStat } from '@turnwright/base/persistent-files.ts';
import { listField } from '@turnwright/base/text/frontmatter.ts';
import { templateParts } from '@turnwright/base/text/template-parts.ts';
import { EFFORT_LEVELS, type EffortLevel } from '../protocol/model/wire.ts';

type SkillSource = 'user' | 'project' | 'plugin';

export interface Skill {
  /** The name of its folder, with a plugin's name in front: `plugin:folder`. */
  readonly name: string;
  /** The name in its frontmatter, where that is another one; it answers to both. */
  readonly otherName?: string;
  /** One line; '' if there is none. */
  readonly description: string;
  readonly whenToUse?: string;
  readonly argumentHint?: string;
  /** Permission rules from loading to the end of the submission; [] where they may not be granted. */
  readonly allowedTools: readonly string[];
  /** Model from loading to the end of the submission; absent where it may not be switched. */
  readonly model?: string;
  readonly effort?: EffortLevel;
  /** Runs in an agent of its own, whose report is returned. */
  readonly fork?: { readonly agent?: string };
  /** File patterns: it is not listed before a matching file was touched. */
  readonly paths?: readonly string[];
  /** None of them was touched so far. */
  readonly dormant?: true;
  /** Its text may run shell commands, through the gate. */
  readonly trusted: boolean;
  /** Its text contains shell commands. */
  readonly runsCommands: boolean;
  /** false: the model neither sees nor loads it. */
  readonly modelInvocable: boolean;
  /** false: there is no `/name`. */
  readonly userInvocable: boolean;
  /** false: only its name is announced. */
  readonly describes: boolean;
  readonly source: SkillSource;
  readonly plugin?: string;
  /** Folder that its resolved files must be in; absent: anywhere. */
  readonly within?: string;
  /** Absolute path of its folder. */
  readonly directory: string;
  readonly file: string;
  /** Version of the file when it was read. */
  readonly stamp: string;
}

/** What it answers to, its folder's name first. */
export function listSkillNames({ name, otherName }: Skill): readonly string[] {
  return otherName === undefined ? [name] : [name, otherName];
}

/** Changes whenever the file does. */
export function stampOf({ ctimeMs, ino, mtimeMs, size }: FileStat): string {
  return `${mtimeMs}/${ctimeMs}/${size}/${ino}`;
}

/** A name that frontmatter gives: valid in rules, command lines and lists. */
const NAME = /^[\p{L}\p{N}_-][\p{L}\p{N}_.-]{0,127}$/u;
/** A folder may hold blanks and signs too, but none that ends a list, a tag or a path. */
const FOLDER = /^[^\p{C}"<>,:/\\]{1,128}$/u;
const MAX_HINT_CHARS = 2_000;
/** A longer body is truncated, with a note. */
export const MAX_BODY_CHARS = 200_000;
/** Of the file no more is read: a character has four bytes at most, and the fields in front are short. */
export const MAX_SKILL_BYTES = 4 * MAX_BODY_CHARS + 48 * 1024;

export interface SkillPlace {
  readonly source: SkillSource;
  readonly plugin?: string | undefined;
  /** false: it only supplies text; it grants, runs and switches nothing. */
  readonly mayAllowTools: boolean;
  /** Resolved files must be in this folder; absent: anywhere. */
  readonly within?: string | undefined;
  /** The place is no folder of skills but one skill, which goes by the name in its frontmatter. */
  readonly isOne?: boolean | undefined;
}

type Fields = Readonly<Record<string, unknown>>;

/** Fields that have an effect, beside name and description. */
export const SKILL_FIELDS: ReadonlySet<string> = new Set([
  'when_to_use',
  'when-to-use',
  'argument-hint',
  'arguments',
  'allowed-tools',
  'model',
  'effort',
  'agent',
  'context',
  'paths',
  'disable-model-invocation',
  'user-invocable',
]);

/**
 * undefined: neither the frontmatter nor the folder supplies a valid name. `body` supplies a description
 * where the frontmatter has none.
 */
export function toSkill(
  { fields, body }: { readonly fields: Fields; readonly body: string },
  at: { readonly folder: string; readonly directory: string; readonly file: string; readonly stamp: string },
  place: SkillPlace,
): Skill | undefined {
  const folder = FOLDER.test(at.folder) ? [at.folder] : [];
  const own = typeof fields['name'] === 'string' && NAME.test(fields['name']) ? [fields['name']] : [];
  const [name, otherName] = (place.isOne === true ? [...own, ...folder] : [...folder, ...own]).map((each) =>
    full(each, place),
  );
  if (name === undefined) return undefined;
  const { plugin } = place;
  const whenToUse = toOneLine(fields['when_to_use'] ?? fields['when-to-use']);
  const argumentHint = readHint(fields['argument-hint']);
  const model = toOneLine(fields['model']);
  const effort = EFFORT_LEVELS.find((level) => level === fields['effort']);
  const agent = toOneLine(fields['agent']);
  const paths = listField(fields['paths']);
  const { mayAllowTools: trusted } = place;
  return {
    name,
    ...(otherName !== undefined && otherName !== name && { otherName }),
    description: toOneLine(fields['description']) || firstParagraph(body),
    ...(whenToUse !== '' && { whenToUse }),
    ...(argumentHint !== '' && { argumentHint }),
    allowedTools: trusted ? readRules(fields['allowed-tools']) : [],
    ...(trusted && model !== '' && model !== 'inherit' && { model }),
    ...(trusted && effort !== undefined && { effort }),
    ...(toOneLine(fields['context']) === 'fork' && { fork: { ...(agent !== '' && { agent }) } }),
    ...(paths.length > 0 && { paths }),
    trusted,
    runsCommands: templateParts(body).some(({ kind }) => kind === 'shell'),
    modelInvocable: toOneLine(fields['disable-model-invocation']) !== 'true',
    userInvocable: toOneLine(fields['user-invocable']) !== 'false',
    describes: true,
    source: place.source,
    ...(plugin !== undefined && { plugin }),
    ...(place.within !== undefined && { within: place.within }),
    directory: at.directory,
    file: at.file,
    stamp: at.stamp,
  };
}

const full = (name: string, { plugin }: SkillPlace): string =>
  plugin === undefined ? name : `${plugin}:${name}`;

export function toOneLine(value: unknown): string {
  if (typeof value === 'object' || value === undefined) return '';
  return String(value)
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
}

/** YAML makes a list of `[file]`. */
function readHint(value: unknown): string {
  const hint = Array.isArray(value) ? `[${value.map(toOneLine).join(', ')}]` : value;
  const text = typeof hint === 'string' ? hint.replace(/[\n\p{Cc}]+/gu, ' ').trim() : toOneLine(hint);
  return text.slice(0, MAX_HINT_CHARS);
}

/** `Read, Bash(git log:*)`, with commas, blanks, or as a list. */
function readRules(value: unknown): readonly string[] {
  return listField(value).flatMap((text) => text.match(/(?:[^\s,()]|\([^)]*\))+/g) ?? []);
}

function firstParagraph(body: string): string {
  const paragraphs = body.split(/\n\s*\n/).map((text) => text.trimStart().replace(/^#+[^\n]*\n?/, ''));
  return toOneLine(paragraphs.find((text) => text.trim() !== '') ?? '');
}
