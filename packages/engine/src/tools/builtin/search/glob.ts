import { resolve } from 'node:path';
import { absolutePath, type PathBase } from '@turnwright/base/files/home-path.ts';
import type { Tool, ToolContext, ToolOutput } from '../../../protocol/tools/tool.ts';
import { createParser } from '../../schema/from-json-schema.ts';
import { checkSpelling } from '../files/file-access.ts';
import { type FoundFile, shownFiles, stillThere } from '../files/shown-files.ts';
import { searchByGlob } from './brackets-as-names.ts';
import { runRipgrep, SEARCHED_FILES, type SearchOptions, shownPath, WITHOUT_GIT } from './ripgrep.ts';
import { searchPlace } from './search-place.ts';

interface GlobInput {
  readonly pattern: string;
  readonly path?: string;
}

interface GlobOutput {
  readonly filenames: readonly string[];
  readonly numFiles: number;
  readonly truncated: boolean;
  readonly durationMs: number;
}

const MAX_FILES = 100;

const schema = {
  type: 'object',
  properties: {
    pattern: { type: 'string', minLength: 1, description: 'A glob pattern: "**/*.ts", "src/**/*.{js,jsx}".' },
    path: {
      type: 'string',
      minLength: 1,
      description: 'The folder to search in. Default: the working directory.',
    },
  },
  required: ['pattern'],
  additionalProperties: false,
};

export function createGlobTool(options: SearchOptions = {}): Tool<GlobInput, GlobOutput> {
  return {
    name: 'Glob',
    inputJsonSchema: schema,
    description: () =>
      `Finds files by name.

- pattern is a glob: * within a name, ** across folders, {a,b} for alternatives. A pattern without a slash matches in every folder.
- The files changed last come first; at most ${MAX_FILES} are returned. Paths inside the working directory are relative to it.
- Files ignored by .gitignore are left out unless path names their folder.
- To find files by what is in them, use Grep.`,
    parse: createParser<GlobInput>(schema),
    isConcurrencySafe: () => true,
    isReadOnly: () => true,
    effectClass: () => 'pure',
    permissionTarget: (input, base) => ({ kind: 'read', paths: [searchRoot(input, base).root] }),
    async validateInput(input, context) {
      const path = await checkSpelling(input.path, context);
      return path.ok ? checkSpelling(input.pattern, context) : path;
    },
    microcompactable: true,
    renderOutput(data) {
      const { filenames } = (data ?? {}) as Partial<GlobOutput>;
      return Array.isArray(filenames) ? formatList(filenames) : undefined;
    },
    run: (input, context) => glob(input, context, options),
  };
}

async function glob(
  input: GlobInput,
  context: ToolContext,
  options: SearchOptions,
): Promise<ToolOutput<GlobOutput>> {
  const startedMs = context.nowMs();
  const { root, pattern } = searchRoot(input, context);
  const matching: { readonly found: FoundFile }[] = [];
  const shown = shownFiles(context);
  let truncated = false;
  let foundAny = false;
  const place = await searchPlace(root, context);
  let how = '';
  try {
    if (place !== undefined && place.input === undefined) {
      const run = (by: string) => ({
        args: ['--files', '--null', '--sortr=modified', ...SEARCHED_FILES, '--glob', by, ...WITHOUT_GIT],
        place: { ...place, cwd: place.folder },
        separator: '\0' as const,
        onRecord(file: string) {
          const found = place.below(file);
          return shown.filter(found, () => {
            foundAny = true;
            truncated = matching.length >= MAX_FILES;
            if (!truncated) matching.push({ found });
            return !truncated;
          });
        },
      });
      await searchByGlob(pattern, context.signal, async (by) => {
        how = await runRipgrep(run(by), context, options);
        return foundAny;
      });
    } else if (input.path !== undefined) {
      const path = absolutePath(input.path, context);
      const asked = await context.files.stat(path);
      if (asked?.kind !== 'directory') throw new Error(`${path} is not a folder.`);
    }
  } finally {
    await place?.close();
  }
  const there = await stillThere(matching, context);
  const filenames = there.map(({ found }) => shownPath(found.spelled, context.cwd));
  const data = { filenames, numFiles: filenames.length, truncated, durationMs: context.nowMs() - startedMs };
  const note = truncated
    ? `\n(There are more: these are the ${MAX_FILES} changed last. A narrower pattern or path finds the others.)`
    : '';
  return { data, content: formatList(filenames) + note + shown.note() + how };
}

const formatList = (filenames: readonly string[]) =>
  filenames.length === 0 ? 'No files found' : filenames.join('\n');

/**
 * Leading folders of a pattern without wildcards belong to the root: `../lib/*.ts` is searched in `../lib`,
 * an absolute pattern in its own folder, and one with `~` in the home folder. The rest is matched there.
 */
export function searchRoot(
  { pattern, path }: GlobInput,
  base: PathBase,
): { readonly root: string; readonly pattern: string } {
  const folder = absolutePath(path ?? '.', base);
  if (!pattern.includes('/')) return { root: folder, pattern: `**/${pattern}` };
  const parts = pattern.split('/');
  const wild = parts.findIndex((part) => /[*?[\]{}\\]/.test(part));
  const fixed = parts.slice(0, wild < 0 ? parts.length - 1 : wild);
  const rest = parts.slice(fixed.length).join('/');
  const [first] = fixed;
  const root =
    first === ''
      ? resolve('/', ...fixed.slice(1))
      : first === '~'
        ? absolutePath(fixed.join('/'), base)
        : resolve(folder, ...fixed);
  return { root, pattern: `/${rest === '' ? '**' : rest}` };
}
