/** What a search asks for, read from ripgrep's arguments: those that Glob and Grep use. */
export interface SearchRequest {
  /** undefined: the names of files are asked for. */
  readonly pattern: string | undefined;
  /** `path`: relative to the working folder; `-`: an open file. */
  readonly path: string;
  readonly globs: readonly string[];
  readonly type: string | undefined;
  readonly shows: 'lines' | 'matches' | 'files' | 'counts';
  readonly newestFirst: boolean;
  readonly ignoreCase: boolean;
  readonly multiline: boolean;
  readonly lineNumbers: boolean;
  readonly before: number;
  readonly after: number;
  readonly maxColumns: number;
}

export function searchRequest(args: readonly string[]): SearchRequest {
  const has = (flag: string) => args.includes(flag);
  const behind = (flag: string) => {
    const at = args.indexOf(flag);
    return at < 0 ? undefined : args[at + 1];
  };
  const value = (name: string) => args.find((arg) => arg.startsWith(`--${name}=`))?.slice(name.length + 3);
  const around = Number(value('context') ?? 0);
  return {
    pattern: behind('-e'),
    path: behind('--') ?? '.',
    globs: args.flatMap((arg, at) => (args[at - 1] === '--glob' ? [arg] : [])),
    type: value('type'),
    shows: has('--files-with-matches')
      ? 'files'
      : has('--count')
        ? 'counts'
        : has('--only-matching')
          ? 'matches'
          : 'lines',
    newestFirst: has('--sortr=modified'),
    ignoreCase: has('--ignore-case'),
    multiline: has('--multiline'),
    lineNumbers: has('--line-number'),
    before: Number(value('before-context') ?? around),
    after: Number(value('after-context') ?? around),
    maxColumns: Number(value('max-columns') ?? Number.POSITIVE_INFINITY),
  };
}
