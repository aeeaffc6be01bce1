/** What the words of `tar` say: options stand in a cluster, with or without a dash, or are written out. */

interface TarCall {
  readonly extracts: boolean;
  readonly lists: boolean;
  /** The archive, where it is written. */
  readonly written: readonly string[];
}

const VALUED = 'fCTXbgKLNVHIF';

export function readTar(args: readonly string[]): TarCall {
  const found: { letter: string; value: string }[] = [];
  const [first = ''] = args;
  if (!first.startsWith('-')) {
    let next = 1;
    for (const letter of first)
      found.push({ letter, value: VALUED.includes(letter) ? (args[next++] ?? '') : '' });
  }
  for (const [at, arg] of args.entries()) {
    if (!/^-[^-]/.test(arg)) continue;
    for (let i = 1; i < arg.length; i++) {
      const letter = arg.charAt(i);
      const takes = VALUED.includes(letter);
      const joined = arg.slice(i + 1);
      found.push({ letter, value: takes ? joined || (args[at + 1] ?? '') : '' });
      if (takes) break;
    }
  }
  const has = (letters: string, long: RegExp) =>
    found.some(({ letter }) => letters.includes(letter)) || args.some((arg) => long.test(arg));
  const archives = [
    ...found.flatMap(({ letter, value }) => (letter === 'f' ? [value] : [])),
    ...args.flatMap((arg, at) =>
      /^--fi(?:le)?$/.test(arg) ? [args[at + 1] ?? ''] : (/^--fi(?:le)?=(.+)$/s.exec(arg)?.[1] ?? []),
    ),
  ];
  const writes = has('cruA', /^--(?:cr|app|up|cat|conc|del)/);
  return {
    extracts: has('x', /^--(?:ext|get)/),
    lists: has('t', /^--li/),
    written: writes ? archives.filter((path) => path !== '' && path !== '-') : [],
  };
}
