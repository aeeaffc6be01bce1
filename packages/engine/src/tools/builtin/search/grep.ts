import { absolutePath } from '@turnwright/base/files/home-path.ts';
import { takeStart } from '@turnwright/base/text/cut-text.ts';
import type { Tool, ToolContext, ToolOutput } from '../../../protocol/tools/tool.ts';
import { createParser } from '../../schema/from-json-schema.ts';
import { checkSpelling } from '../files/file-access.ts';
import { type FoundFile, heldLines, shownFiles, stillThere } from '../files/shown-files.ts';
import { searchByGlob } from './brackets-as-names.ts';
import { grepArguments } from './grep-arguments.ts';
import { DEFAULT_HEAD_LIMIT, type GrepInput, type GrepMode, grepSchema } from './grep-input.ts';
import { runRipgrep, type SearchOptions, shownPath } from './ripgrep.ts';
import { type SearchPlace, searchPlace } from './search-place.ts';

interface GrepOutput {
  readonly mode: GrepMode;
  readonly numFiles: number;
  readonly filenames: readonly string[];
  readonly content?: string;
  readonly numLines?: number;
  readonly numMatches?: number;
  readonly truncated: boolean;
}

const MAX_CHARS = 30_000;
/** More files are not sorted by time, which would need a stat of each. */
const MAX_SORTED_FILES = 5000;

export function createGrepTool(options: SearchOptions = {}): Tool<GrepInput, GrepOutput> {
  return {
    name: 'Grep',
    inputJsonSchema: grepSchema,
    description: () =>
      `Searches the content of files with ripgrep.

- pattern is a regular expression in Rust syntax: braces and other special characters that are meant literally need a backslash (interface\\{\\}).
- Narrow the search with path, glob or type. Files ignored by .gitignore and binary files are left out.
- output_mode "content" shows lines, "files_with_matches" the paths of files (changed last first), "count" numbers.
- Patterns match within one line unless multiline is set.
- Page through long answers with head_limit and offset.`,
    parse: createParser<GrepInput>(grepSchema),
    isConcurrencySafe: () => true,
    isReadOnly: () => true,
    effectClass: () => 'pure',
    permissionTarget: (input, base) => ({ kind: 'read', paths: [absolutePath(input.path ?? '.', base)] }),
    validateInput: (input, context) => checkSpelling(input.path, context),
    microcompactable: true,
    renderOutput(data) {
      const { content, filenames } = (data ?? {}) as Partial<GrepOutput>;
      if (typeof content === 'string') return content === '' ? 'No matches found' : content;
      if (!Array.isArray(filenames)) return undefined;
      return filenames.length === 0 ? 'No files found' : filenames.join('\n');
    },
    run: (input, context) => grep(input, context, options),
  };
}

/** Separator of groups of lines. */
const GROUPS_APART = '--';

interface GrepRecord {
  /** undefined: no file is named. */
  readonly found: FoundFile | undefined;
  readonly text: string;
}

type FoundLine = GrepRecord & { readonly found: FoundFile };

type Search = (separator: '\n' | '\0', take: (record: GrepRecord) => boolean) => Promise<void>;

interface Page {
  readonly entries: readonly string[];
  readonly more: boolean;
}

async function grep(
  input: GrepInput,
  context: ToolContext,
  options: SearchOptions,
): Promise<ToolOutput<GrepOutput>> {
  const path = absolutePath(input.path ?? '.', context);
  const place = await searchPlace(path, context);
  if (place === undefined) throw new Error(`${path} does not exist.`);
  try {
    return await grepIn(place, input, context, options);
  } finally {
    await place.close();
  }
}

async function grepIn(
  place: SearchPlace,
  input: GrepInput,
  context: ToolContext,
  options: SearchOptions,
): Promise<ToolOutput<GrepOutput>> {
  const mode = input.output_mode ?? 'files_with_matches';
  const shown = shownFiles(context);
  let how = '';
  const search: Search = async (separator, take) => {
    let foundAny = false;
    // Records of files that are not shown do not count: what is searched next must not tell of them.
    const taken = (record: GrepRecord) => {
      foundAny = true;
      return take(record);
    };
    let begun = '';
    const onRecord = (record: string) => {
      const [file, text] = separator === '\0' ? [record, ''] : splitRecord(record);
      if (file === undefined && begun === '' && text === GROUPS_APART)
        return taken({ found: undefined, text });
      // Each line names its file: a record without one is a part of a name with a line break in it.
      if (file === undefined) {
        begun += `${record}\n`;
        return true;
      }
      const found = place.found(begun + file);
      begun = '';
      return shown.filter(found, () => taken({ found, text }));
    };
    await searchByGlob(input.glob, context.signal, async (glob) => {
      const args = grepArguments({ ...input, ...(glob !== undefined && { glob }) }, mode, place.path);
      how = await runRipgrep({ args, place, separator, onRecord }, context, options);
      return foundAny;
    });
  };

  switch (mode) {
    case 'files_with_matches': {
      const matching: { readonly found: FoundFile }[] = [];
      await search('\0', ({ found }) => found === undefined || matching.push({ found }) < MAX_SORTED_FILES);
      const sorted = await changedLastFirst(matching, context);
      const page = takePage(
        sorted.map(({ found }) => shownPath(found.spelled, context.cwd)),
        input,
      );
      const content =
        page.entries.length === 0 ? 'No files found' : page.entries.join('\n') + moreNote(page, input);
      return {
        data: { mode, numFiles: page.entries.length, filenames: page.entries, truncated: page.more },
        content: content + shown.note() + how,
      };
    }
    case 'content': {
      const { page, files } = await readLinePage(
        search,
        input,
        context,
        heldLines,
        (file, text) => `${file}:${text}`,
      );
      const text = page.entries.join('\n');
      return {
        data: {
          mode,
          numFiles: files.length,
          filenames: files,
          content: text,
          numLines: page.entries.length,
          truncated: page.more,
        },
        content:
          (page.entries.length === 0 ? 'No matches found' : text + moreNote(page, input)) +
          shown.note() +
          how,
      };
    }
    case 'count': {
      let numMatches = 0;
      const { page, files } = await readLinePage(search, input, context, stillThere, (file, count) => {
        numMatches += Number(count);
        return `${file}:${count}`;
      });
      const total = `\n\n${numMatches} matching lines in ${files.length} files.`;
      return {
        data: { mode, numFiles: files.length, filenames: files, numMatches, truncated: page.more },
        content:
          (page.entries.length === 0
            ? 'No matches found'
            : page.entries.join('\n') + total + moreNote(page, input)) +
          shown.note() +
          how,
      };
    }
  }
}

/** The wanted page of output lines. Each is `path NUL text`, but for the separators between groups. */
async function readLinePage(
  search: Search,
  input: GrepInput,
  context: ToolContext,
  check: (lines: readonly FoundLine[], context: ToolContext) => Promise<readonly FoundLine[]>,
  render: (file: string, text: string) => string,
): Promise<{ page: Page; files: readonly string[] }> {
  const skip = input.offset ?? 0;
  const limit = limitOf(input);
  const lines: GrepRecord[] = [];
  let seen = 0;
  let chars = 0;
  let more = false;
  await search('\n', (record) => {
    seen += 1;
    if (seen <= skip) return true;
    const length = record.text.length + (record.found?.spelled.length ?? 0);
    more = lines.length >= limit || (lines.length > 0 && chars + length > MAX_CHARS);
    if (more) return false;
    lines.push(record);
    chars += length + 1;
    return true;
  });
  const held = new Set(await check(lines.filter(isLine), context));
  const files = new Set<string>();
  const entries = lines.flatMap((line) => {
    if (!isLine(line)) return [line.text];
    if (!held.has(line)) return [];
    const file = shownPath(line.found.spelled, context.cwd);
    files.add(file);
    return [takeStart(render(file, line.text), MAX_CHARS)];
  });
  return { page: { entries, more }, files: [...files] };
}

const isLine = (record: GrepRecord): record is FoundLine => record.found !== undefined;

function splitRecord(record: string): readonly [path: string | undefined, text: string] {
  const line = record.endsWith('\r') ? record.slice(0, -1) : record;
  const at = line.indexOf('\0');
  return at < 0 ? [undefined, line] : [line.slice(0, at), line.slice(at + 1)];
}

const limitOf = ({ head_limit }: GrepInput) =>
  head_limit === 0 ? Number.POSITIVE_INFINITY : (head_limit ?? DEFAULT_HEAD_LIMIT);

function takePage(all: readonly string[], input: GrepInput): Page {
  const skip = input.offset ?? 0;
  const entries: string[] = [];
  let chars = 0;
  for (const entry of all.slice(skip)) {
    if (entries.length >= limitOf(input) || chars + entry.length > MAX_CHARS) break;
    entries.push(entry);
    chars += entry.length + 1;
  }
  return { entries, more: all.length > skip + entries.length };
}

function moreNote(page: Page, input: GrepInput): string {
  if (!page.more) return '';
  return `\n\n(There is more. Go on with offset ${(input.offset ?? 0) + page.entries.length}, or narrow the search.)`;
}

async function changedLastFirst(
  matching: readonly { readonly found: FoundFile }[],
  context: ToolContext,
): Promise<readonly { readonly found: FoundFile }[]> {
  const there = await stillThere(matching, context);
  const dated = await Promise.all(
    there.map(async ({ found }) => ({
      found,
      mtimeMs: (await context.files.lstat(found.real))?.mtimeMs ?? 0,
    })),
  );
  return dated.sort((a, b) => b.mtimeMs - a.mtimeMs || (a.found.real < b.found.real ? -1 : 1));
}
