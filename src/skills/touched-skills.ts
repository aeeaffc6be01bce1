/** Skills of folders that the model works in, told once they are found (L6). */
import type { ToolUseBlock } from '../protocol/wire.ts';
import type { SkillCatalogue } from './catalogue.ts';
import { changes, type Listed, type ListingOptions, listingLines } from './listing.ts';

export interface TouchedSkillsOptions {
  readonly catalogue: Pick<SkillCatalogue, 'visit'>;
  readonly listing: ListingOptions;
  contextWindow(): number;
  /** A path as a tool was given it, made absolute. */
  absolute(path: string): string;
}

const NONE: readonly Listed[] = Object.freeze([]);
const FILE_FIELDS = ['file_path', 'notebook_path', 'path'] as const;

/** A source of attachments; costs nothing for folders that were seen before. */
export function touchedSkills({ catalogue, listing, contextWindow, absolute }: TouchedSkillsOptions) {
  return {
    name: 'skills',
    async collect({ toolUses }: { readonly toolUses: readonly ToolUseBlock[] }): Promise<readonly Listed[]> {
      const paths = toolUses.flatMap(({ input }) =>
        FILE_FIELDS.flatMap((field) => (typeof input[field] === 'string' ? [absolute(input[field])] : [])),
      );
      if (paths.length === 0) return NONE;
      const lines = listingLines(await catalogue.visit(paths), contextWindow(), listing);
      return lines.size === 0 ? NONE : [changes([...lines], [])];
    },
  };
}
