/** What a command writes and copies, as far as its words tell. */
import { posix } from 'node:path';
import { linkedPaths, readCopying } from '../programs/copying.ts';
import { gitWrites, keepsSetting } from '../programs/git-trees.ts';
import { readTar } from '../programs/tar-words.ts';
import { baseName } from './segment.ts';

/** The paths that common programs write, as far as their words tell; too many rather than too few. */
export function pathsWritten(words: readonly string[]): readonly string[] {
  const [program = '', ...args] = words;
  const named = args.filter((arg) => !arg.startsWith('-') && arg !== '');
  switch (baseName(program)) {
    case 'tee':
    case 'touch':
    case 'truncate':
    case 'rm':
    case 'rmdir':
    case 'unlink':
    case 'shred':
    case 'mkdir':
    case 'mv':
    case 'chmod':
    case 'chown':
    case 'sponge':
      return named;
    case 'cp':
    case 'ln':
    case 'install':
    case 'scp':
      return pathsMade(words);
    case 'rsync':
      return [
        ...pathsMade(words),
        ...listValues(args, RSYNC_FILES, new RegExp(`${RSYNC_FILES.source.slice(0, -1)}=(.+)$`)),
      ];
    case 'tar':
    case 'bsdtar':
    case 'gtar':
      return readTar(args).written;
    case 'uniq':
      return named.slice(1);
    case 'sed':
      return args.some((arg) => /^-\w*i|^--i/.test(arg)) ? named : [];
    case 'perl':
    case 'ruby':
      return args.some((arg) => /^-\w*i/.test(arg)) ? named : [];
    case 'dd':
      return args.flatMap((arg) => (arg.startsWith('of=') ? [arg.slice(3)] : []));
    case 'curl':
      return [
        ...listValues(args, /^(?:-[A-Za-z]*o|--o[a-z-]*)$/, /^(?:-[A-Za-z]*?o|--o[a-z-]*=)(.+)$/),
        ...listValues(args, CURL_FILES, /^-[A-Za-z]*?[Dc](.+)$/),
        ...(args.some((arg) => /^-[A-Za-z]*O|^--remote-n/.test(arg))
          ? namesOfUrls(named, listValues(args, /^--output-dir$/, /^--output-dir=(.+)$/)[0])
          : []),
      ];
    case 'sort':
      return listValues(args, /^(?:-[A-Za-z]*o|--o[a-z-]*)$/, /^(?:-[A-Za-z]*?o|--o[a-z-]*=)(.+)$/);
    case 'wget':
      return [
        ...listValues(
          args,
          /^(?:-[A-Za-z]*[Oao]|--(?:o|ap)[a-z-]*)$/,
          /^(?:-[A-Za-z]*?[Oao]|--(?:o|ap)[a-z-]*=)(.+)$/,
        ),
        ...listValues(args, /^--(?:save|warc|rej|hsts-)[a-z-]*$/, /^--(?:save|warc|rej|hsts-)[a-z-]*=(.+)$/),
        ...namesOfUrls(
          named,
          listValues(args, /^(?:-\w*P|--directory-p[a-z]*)$/, /^(?:-\w*P|--directory-p[a-z]*=)(.+)$/)[0],
        ),
      ];
    case 'git':
      return [
        ...listValues(args, /^(?:-o|--o(?!n)[a-z-]*)$/, /^(?:-o|--o(?!n)[a-z-]*=)(.+)$/),
        ...(keepsSetting(args) ? ['.git/config'] : []),
        ...(gitWrites(args)?.paths ?? []),
      ];
    case 'find':
      return [
        ...listValues(args, /^-f(?:print[0f]?|ls)$/),
        ...(args.includes('-delete') ? namedFirst(args, '.') : []),
      ];
    default:
      return [];
  }
}

/** Options by which they write besides what they are meant to. */
const CURL_FILES =
  /^(?:-[A-Za-z]*[Dc]|--(?:dump|cookie-j|trace|stderr|libcurl|hsts|alt-svc|etag-save)[a-z-]*)$/;
const RSYNC_FILES = /^--(?:log-file|write-batch|only-write-batch|backup-dir|partial-dir|temp-dir)$/;

/** A link that is made is written for what it leads to. */
function pathsMade(words: readonly string[]): readonly string[] {
  const copying = readCopying(words);
  const target = copying?.target ?? '';
  if (copying === undefined) return [];
  return [
    ...(target === '' ? [] : [target]),
    ...new Set(linkedPaths(copying).map((path) => posix.normalize(path))),
  ];
}

/** Target of a download without an explicit one: the last part of its URL. */
function namesOfUrls(addresses: readonly string[], folder = ''): readonly string[] {
  return addresses.flatMap((address) => {
    const name = baseName(address.replace(/[?#].*$/s, ''));
    if (name === '' || !/:\/\/|^[\w.-]+\.\w+\//.test(address)) return [];
    return folder === '' ? name : `${folder}/${name}`;
  });
}

/** What a copying program takes its bytes from; too many rather than too few. */
export function pathsCopied(words: readonly string[]): readonly string[] {
  return readCopying(words)?.sources.filter((path) => path !== '') ?? [];
}

/** The word behind an option, and the value that is written together with one. */
function listValues(args: readonly string[], option: RegExp, joined?: RegExp): readonly string[] {
  return args.flatMap((arg, at) => {
    const value = option.test(arg) ? args[at + 1] : joined?.exec(arg)?.[1];
    return value === undefined ? [] : [value];
  });
}

/** The words in front of the first option or bracket. */
function namedFirst(args: readonly string[], otherwise: string): readonly string[] {
  const end = args.findIndex((arg) => /^[-(!]/.test(arg));
  const first = args.slice(0, end < 0 ? undefined : end);
  return first.length === 0 ? [otherwise] : first;
}
