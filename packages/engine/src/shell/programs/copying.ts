/**
 * Programs that bring files to other names: what they take them from, where they put them, and what is both.
 */
import { posix } from 'node:path';
import { baseName } from '../reading/segment.ts';

const COPIERS = /^(?:cp|mv|ln|install|rsync|scp)$/;
const TARGET = /^-\w*t|^--t/;
/** `cp` that makes links instead of copies. */
const LINKING = /^-[A-Za-z]*[ls]|^--(?:link|sym)/;

interface Copying {
  readonly program: string;
  readonly sources: readonly string[];
  /** A folder, or a name. undefined: it is not known, or there is none. */
  readonly target: string | undefined;
  /** What is made is another name for the source, so that writing one writes the other. */
  readonly links: boolean;
  /** The target is a name, even where it is that of a folder. */
  readonly fillsTarget: boolean;
}

/** undefined: it is none of them. Words that are not known are ''. */
export function readCopying(words: readonly string[]): Copying | undefined {
  const [path = '', ...args] = words;
  const program = baseName(path);
  if (!COPIERS.test(program)) return undefined;
  const given = args.flatMap((arg, at) => {
    if (/^(?:-\w*t|--t[a-z-]*)$/.test(arg)) return args[at + 1] ?? '';
    return /^(?:-\w*?t|--t[a-z-]*=)(.+)$/s.exec(arg)?.[1] ?? [];
  })[0];
  const named = args.filter((arg) => !arg.startsWith('-'));
  const hasTarget = args.some((arg) => TARGET.test(arg)) && program !== 'rsync';
  const sources = hasTarget ? named.filter((name) => name !== given) : named.slice(0, -1);
  const alone = program === 'ln' && !hasTarget && named.length === 1;
  const links = program === 'ln' || (program === 'cp' && args.some((arg) => LINKING.test(arg)));
  const fillsTarget = args.some((arg) => /^-\w*T|^--no-ta/.test(arg));
  if (alone) return { program, sources: named, target: '.', links, fillsTarget };
  return { program, sources, target: hasTarget ? given : named.at(-1), links, fillsTarget };
}

/**
 * What a link that is made leads to: its source from where the command runs, and as a relative link is read,
 * from where the link lies.
 */
export function linkedPaths(copying: Copying): readonly string[] {
  const { sources, target, links } = copying;
  if (!links) return [];
  const known = sources.filter((source) => source !== '');
  if (target === undefined || target === '') return known;
  const slash = target.replace(/\/+$/, '').lastIndexOf('/');
  const folders = [target, ...(slash < 0 ? [] : [target.slice(0, slash) || '/'])];
  const relative = known.filter((source) => !source.startsWith('/'));
  const read = folders.flatMap((folder) => relative.map((source) => `${folder}/${source}`));
  // Folders that another command of the line makes are not there yet to climb out of.
  return [...new Set([...known, ...read, ...read.map((path) => posix.normalize(path))])];
}

/**
 * The names created or filled if the target is a folder: the target itself if a source means all of a
 * folder's content.
 */
export function madeInTarget({ sources, target, fillsTarget, program }: Copying): readonly string[] {
  if (target === undefined || target === '') return [];
  return sources.map((source) => {
    if (fillsTarget || (program === 'rsync' && source.endsWith('/'))) return target;
    const name = baseName(source.replace(/\/+$/, ''));
    return /^(?:|\.|\.\.|.*[*?[{$`].*)$/.test(name) ? target : `${target}/${name}`;
  });
}
