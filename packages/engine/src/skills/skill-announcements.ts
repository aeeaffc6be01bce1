/**
 * Announcements of skills in one conversation: the list before its prompts, and changes behind tool results
 * (L6).
 */
import type { ViewMessage } from '../protocol/model/messages.ts';
import type { ToolUseBlock } from '../protocol/model/wire.ts';
import type { SkillCatalogue } from './catalogue.ts';
import { type ListingOptions, listingFor, listingLines, type SkillListingMessage } from './listing.ts';
import type { Skill } from './skill.ts';

interface ToldSkillsOptions {
  readonly catalogue: Pick<SkillCatalogue, 'visit' | 'skills'>;
  readonly listing: ListingOptions;
  contextWindow(): number;
  /** Makes a tool's path absolute. */
  absolute(path: string): string;
  /** Whether this conversation can load any. */
  isOffered(): boolean;
}

/** Checks folders that calls touched, once each; no cost while nothing changed. */
export interface ToldSkills {
  readonly name: 'skills';
  collect(input: TouchingTurn): readonly SkillListingMessage[] | Promise<readonly SkillListingMessage[]>;
  /** What must be announced now; undefined if the conversation contains it already. */
  announce(view: Iterable<ViewMessage>): SkillListingMessage | undefined;
}

interface TouchingTurn {
  readonly toolUses: readonly ToolUseBlock[];
  readonly view: Iterable<ViewMessage>;
}

const NONE: readonly SkillListingMessage[] = Object.freeze([]);
const FILE_FIELDS = ['file_path', 'notebook_path', 'path'] as const;

export function toldSkills(options: ToldSkillsOptions): ToldSkills {
  return new Told(options);
}

class Told implements ToldSkills {
  readonly name = 'skills';
  readonly #options: ToldSkillsOptions;
  #told: readonly Skill[] | undefined;

  constructor(options: ToldSkillsOptions) {
    this.#options = options;
  }

  announce(view: Iterable<ViewMessage>): SkillListingMessage | undefined {
    const { catalogue, contextWindow, isOffered, listing } = this.#options;
    if (!isOffered()) return undefined;
    this.#told = catalogue.skills;
    return listingFor(listingLines(this.#told, contextWindow(), listing), view);
  }

  collect({
    toolUses,
    view,
  }: TouchingTurn): readonly SkillListingMessage[] | Promise<readonly SkillListingMessage[]> {
    const { absolute, catalogue } = this.#options;
    const paths: string[] = [];
    for (const { input } of toolUses)
      for (const field of FILE_FIELDS)
        if (typeof input[field] === 'string') paths.push(absolute(input[field]));
    return paths.length === 0 ? this.#news(view) : catalogue.visit(paths).then(() => this.#news(view));
  }

  #news(view: Iterable<ViewMessage>): readonly SkillListingMessage[] {
    const listed = this.#options.catalogue.skills === this.#told ? undefined : this.announce(view);
    return listed === undefined ? NONE : [listed];
  }
}
