import type { GrepInput, GrepMode } from './grep-input.ts';
import { SEARCHED_FILES, WITHOUT_GIT } from './ripgrep.ts';
import { globOfExtension } from './without-ripgrep/file-types.ts';

/** Longer lines are truncated: minified files would fill the result. */
const MAX_COLUMNS = 500;

/**
 * ripgrep's arguments: the pattern behind `-e`, the path behind `--`, so that neither can be parsed as a
 * flag.
 */
export function grepArguments(input: GrepInput, mode: GrepMode, path: string): string[] {
  return [
    ...SEARCHED_FILES,
    '--null',
    '--with-filename',
    ...modeArguments(input, mode),
    ...(input['-i'] === true ? ['--ignore-case'] : []),
    ...(input.multiline === true ? ['--multiline', '--multiline-dotall'] : []),
    ...(input.type === undefined ? [] : typeArguments(input.type)),
    ...splitGlobs(input.glob).flatMap((glob) => ['--glob', glob]),
    ...WITHOUT_GIT,
    '-e',
    input.pattern,
    '--',
    path,
  ];
}

function typeArguments(type: string): string[] {
  const glob = globOfExtension(type);
  return [...(glob === undefined ? [] : ['--type-add', `${type}:${glob}`]), `--type=${type}`];
}

function modeArguments(input: GrepInput, mode: GrepMode): string[] {
  switch (mode) {
    case 'files_with_matches':
      return ['--files-with-matches'];
    case 'count':
      return ['--count', '--sort=path'];
    case 'content': {
      const around = input['-C'] ?? input.context;
      return [
        '--no-heading',
        '--sort=path',
        `--max-columns=${MAX_COLUMNS}`,
        '--max-columns-preview',
        input['-n'] === false ? '--no-line-number' : '--line-number',
        ...(input['-o'] === true ? ['--only-matching'] : []),
        ...(around === undefined ? [] : [`--context=${around}`]),
        ...(input['-A'] === undefined ? [] : [`--after-context=${input['-A']}`]),
        ...(input['-B'] === undefined ? [] : [`--before-context=${input['-B']}`]),
      ];
    }
  }
}

/** Several globs in one text, separated by spaces or commas; within braces a comma belongs to the glob. */
function splitGlobs(text: string | undefined): readonly string[] {
  if (text === undefined) return [];
  if (text.includes('{')) return text.split(/\s+/).filter((glob) => glob !== '');
  return text.split(/[\s,]+/).filter((glob) => glob !== '');
}
