/**
 * The announcement of skills: names and short descriptions within a budget. A list is announced once and
 * stays in the conversation; changes are announced behind it, so that no earlier byte changes (L3).
 */

import { type Changes, changesBetween } from '@turnwright/base/collections/map-diff.ts';
import { reminder } from '@turnwright/base/text/text-blocks.ts';
import type { AttachmentMessage, ViewMessage } from '../protocol/model/messages.ts';
import type { Skill } from './skill.ts';

export interface ListingOptions {
  /** Limit of one description. Default 1,536. */
  readonly maxDescriptionChars?: number | undefined;
  /** Share of the context window that the list may take. Default 0.01. */
  readonly budgetFraction?: number | undefined;
}

const MAX_DESCRIPTION_CHARS = 1_536;
const BUDGET_FRACTION = 0.01;
const CHARS_PER_TOKEN = 4;

const SKILL_LISTING = 'skill_listing';

/** Content of the attachment: what was announced, by name. */
type SkillListing = {
  readonly type: typeof SKILL_LISTING;
  /** A complete list, or the changes since the last one. */
  readonly whole: boolean;
  readonly lines: Readonly<Record<string, string>>;
  readonly removed: readonly string[];
};

export type SkillListingMessage = Pick<AttachmentMessage, 'rendered'> & { readonly attachment: SkillListing };

/** Lines by name, in order. If they exceed the budget, the longest descriptions are truncated. */
export function listingLines(
  skills: readonly Skill[],
  contextWindow: number,
  options: ListingOptions = {},
): ReadonlyMap<string, string> {
  const { maxDescriptionChars = MAX_DESCRIPTION_CHARS, budgetFraction = BUDGET_FRACTION } = options;
  const listed = skills.filter(({ modelInvocable, dormant }) => modelInvocable && dormant !== true);
  const texts = listed.map((skill) => cut(describe(skill), maxDescriptionChars));
  const names = listed.reduce((sum, skill) => sum + label(skill).length + '- : \n'.length, 0);
  const room = Math.max(0, Math.floor(contextWindow * CHARS_PER_TOKEN * budgetFraction) - names);
  const longest = fairShare(
    texts.map(({ length }) => length),
    room,
  );
  return new Map(
    listed.map((skill, at) => {
      const text = cut(texts[at] ?? '', longest);
      const called = label(skill);
      return [skill.name, text === '' ? `- ${called}` : `- ${called}: ${text}`];
    }),
  );
}

/** undefined: the conversation contains it already. */
export function listingFor(
  lines: ReadonlyMap<string, string>,
  view: Iterable<ViewMessage>,
): SkillListingMessage | undefined {
  const told = toldIn(view);
  if (told === undefined) return lines.size === 0 ? undefined : wholeListing(lines);
  const changed = changesBetween(told, lines);
  return changed && changedListing(changed);
}

export function wholeListing(lines: ReadonlyMap<string, string>): SkillListingMessage {
  return {
    attachment: { type: SKILL_LISTING, whole: true, lines: Object.fromEntries(lines), removed: [] },
    rendered: [
      reminder(
        '# Skills\nEach of these holds instructions for one kind of work. When a task fits one, load it with the Skill tool before you begin; when the user writes "/name", they mean the skill of that name. Load no skill that is not listed.',
        [...lines.values()].join('\n'),
      ),
    ],
  };
}

function changedListing({ fresh, removed }: Changes): SkillListingMessage {
  const parts = [
    ...(fresh.length > 0
      ? [`New or changed skills, for the Skill tool:\n${fresh.map(([, line]) => line).join('\n')}`]
      : []),
    ...(removed.length > 0 ? [`These skills are gone: ${removed.join(', ')}`] : []),
  ];
  return {
    attachment: { type: SKILL_LISTING, whole: false, lines: Object.fromEntries(fresh), removed },
    rendered: [reminder(...parts)],
  };
}

/** The announcements in the conversation; undefined if there are none. */
export function toldIn(view: Iterable<ViewMessage>): ReadonlyMap<string, string> | undefined {
  let told: Map<string, string> | undefined;
  for (const message of view) {
    if (message.type !== 'attachment' || message.attachment.type !== SKILL_LISTING) continue;
    const { whole, lines, removed } = message.attachment as unknown as SkillListing;
    told = whole || told === undefined ? new Map() : told;
    for (const [name, line] of Object.entries(lines)) told.set(name, line);
    for (const name of removed) told.delete(name);
  }
  return told;
}

/** Both names that it answers to. */
function label({ name, otherName }: Skill): string {
  return otherName === undefined ? name : `${name} (${otherName})`;
}

function describe({ description, whenToUse, describes }: Skill): string {
  if (!describes) return '';
  return whenToUse === undefined ? description : `${description} When to use: ${whenToUse}`.trim();
}

function cut(text: string, chars: number): string {
  if (text.length <= chars) return text;
  return chars < 2 ? '' : `${text.slice(0, chars - 1).trimEnd()}…`;
}

/** Maximum length with which all texts fit together: short ones stay complete. */
function fairShare(lengths: readonly number[], room: number): number {
  let left = room;
  const rising = [...lengths].sort((a, b) => a - b);
  for (const [at, length] of rising.entries()) {
    const share = Math.floor(left / (rising.length - at));
    if (length > share) return share;
    left -= length;
  }
  return Number.POSITIVE_INFINITY;
}
