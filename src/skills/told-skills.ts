/** What one conversation was told of skills: the list before its prompts, and behind tool results what changed (L6). */
import type { ViewMessage } from '../protocol/messages.ts';
import type { ToolUseBlock } from '../protocol/wire.ts';
import type { SkillCatalogue } from './catalogue.ts';
import { type Listed, type ListingOptions, listingFor, listingLines } from './listing.ts';
import type { Skill } from './skill.ts';

export interface ToldSkillsOptions {
  readonly catalogue: Pick<SkillCatalogue, 'visit' | 'skills'>;
  readonly listing: ListingOptions;
  contextWindow(): number;
  /** A path as a tool was given it, made absolute. */
  absolute(path: string): string;
  /** Whether this conversation can load any. */
  isOffered(): boolean;
}

export interface ToldSkills {
  /** What the conversation has to be told now; undefined when it says it already. */
  announce(view: Iterable<ViewMessage>): Listed | undefined;
  /** Looks into folders that calls touched, once each; costs nothing while nothing changed. */
  readonly source: {
    readonly name: 'skills';
    collect(input: {
      readonly toolUses: readonly ToolUseBlock[];
      readonly view: Iterable<ViewMessage>;
    }): readonly Listed[] | Promise<readonly Listed[]>;
  };
}

const NONE: readonly Listed[] = Object.freeze([]);
const FILE_FIELDS = ['file_path', 'notebook_path', 'path'] as const;

export function toldSkills(options: ToldSkillsOptions): ToldSkills {
  const { catalogue, listing, contextWindow, absolute, isOffered } = options;
  let told: readonly Skill[] | undefined;

  const announce = (view: Iterable<ViewMessage>): Listed | undefined => {
    if (!isOffered()) return undefined;
    told = catalogue.skills;
    return listingFor(listingLines(told, contextWindow(), listing), view);
  };
  return {
    announce,
    source: {
      name: 'skills',
      collect({ toolUses, view }) {
        const paths = toolUses.flatMap(({ input }) =>
          FILE_FIELDS.flatMap((field) => (typeof input[field] === 'string' ? [absolute(input[field])] : [])),
        );
        const news = () => {
          const listed = catalogue.skills === told ? undefined : announce(view);
          return listed === undefined ? NONE : [listed];
        };
        return paths.length === 0 ? news() : catalogue.visit(paths).then(news);
      },
    },
  };
}
