/** Commands that open what lies below the folders they are given, or below the one they run in. */

import { readsBelow } from '../reading/plain-reader.ts';
import { baseName, type Segment } from '../reading/segment.ts';
import type { TextPattern } from '../reading/text-pattern.ts';
import { linkedPaths, madeInTarget, readCopying } from './copying.ts';
import { type GitTouch, gitFolder, gitReads, gitWrites } from './git-trees.ts';
import { readTar } from './tar-words.ts';

interface Descent {
  /** Folders and files, all that lies below them included, from where the command runs. */
  readonly paths: readonly string[];
  /** Those of which only parts are known. */
  readonly open: readonly TextPattern[];
  /** Whether also the folder that it runs in: `unlessNamed` where `paths` holds no folder. */
  readonly here: 'no' | 'unlessNamed' | 'yes';
  /** Links in there lead it out. */
  readonly followsLinks: boolean;
  /** Links among `paths` themselves are moved along, and lead somewhere else from where they come to lie. */
  readonly movesLinks: boolean;
}

type Args = readonly string[];
type Test = (args: Args) => boolean;

const has = (args: Args, option: RegExp): boolean => args.some((arg) => option.test(arg));
const always: Test = () => true;
const withRecursion: Test = (args) => has(args, /^-[A-Za-z]*[rR]|^--rec/);

const searches: Test = (args) => has(args, /^-[A-Za-z]*[rRd]|^--(?:dereference-)?(?:rec|di)/);
/** Out of an archive it takes, and reads nothing of the folder. */
const packs: Test = (args) => {
  const { extracts, lists } = readTar(args);
  return !extracts && !lists;
};
const sevenZip =
  (verbs: RegExp): Test =>
  ([verb = '']) =>
    verbs.test(verb);

const READERS: Readonly<Record<string, Test>> = {
  grep: searches,
  rgrep: always,
  rg: always,
  ag: always,
  ack: always,
  // Of two folders it shows what lies in them, of a file and a folder the file of that name.
  diff: always,
  tar: packs,
  jar: (args) => has(args.slice(0, 1), /[cu]/) || has(args, /^--(?:cr|up)/),
  gzip: withRecursion,
  zip: always,
  '7z': sevenZip(/^[au]$/),
  cpio: always,
  pax: always,
  // A link to a folder is another name for all that lies in it, and so is what is laid over another folder.
  ln: always,
  lndir: always,
  stow: always,
  mount: always,
  bindfs: always,
  docker: (args) => has(args, /^(?:build|buildx|cp)$/),
  buildah: always,
  kubectl: (args) => args.includes('cp'),
  cp: (args) => has(args, /^-[A-Za-z]*[rRals]|^--(?:rec|ar|link|sym)/),
  rsync: always,
  rclone: always,
  ditto: always,
  unison: always,
  mksquashfs: always,
  mkisofs: always,
  scp: withRecursion,
  mv: always,
};

const WRITERS: Readonly<Record<string, Test>> = {
  rm: withRecursion,
  mv: always,
  cp: always,
  install: always,
  scp: always,
  chmod: withRecursion,
  chown: withRecursion,
  find: (args) => args.includes('-delete'),
  rsync: always,
  rclone: always,
  ditto: always,
  unison: always,
  ln: always,
  lndir: always,
  stow: always,
  mount: always,
  bindfs: always,
  tar: (args) => readTar(args).extracts,
  jar: (args) => has(args.slice(0, 1), /x/) || has(args, /^--ext/),
  ar: (args) => has(args.slice(0, 1), /x/),
  '7z': sevenZip(/^[xe]$/),
  unzip: (args) => !has(args, /^-[A-Za-z]*[lptvZzc]/),
  patch: always,
  cpio: always,
  pax: always,
  wget: (args) => has(args, /^-[A-Za-z]*[Prmx]|^--(?:dir|rec|mir|force-d)/),
  curl: (args) => has(args, /^-[A-Za-z]*J|^--remote-h/),
};

/** Those that are led out of a folder by a link in it. */
const FOLLOWERS: Readonly<Record<string, Test>> = {
  grep: (args) => has(args, /^-[A-Za-z]*R|^--deref/),
  rg: (args) => has(args, /^-[A-Za-z]*L|^--fol/),
  ag: (args) => has(args, /^-[A-Za-z]*f|^--fol/),
  ack: (args) => has(args, /^--fol/),
  diff: always,
  find: (args) => args.includes('-L') || args.includes('-follow'),
  tar: (args) => has(args.slice(0, 1), /^\w*h/) || has(args, /^-[A-Za-z]*h|^--deref/),
  zip: (args) => !has(args, /^-[A-Za-z]*y|^--sym/),
  cp: (args) => has(args, /^-[A-Za-z]*L|^--deref/),
  rsync: (args) => has(args, /^-[A-Za-z]*[Lk]|^--copy/),
  scp: always,
  cpio: (args) => has(args, /^-[A-Za-z]*L|^--deref/),
  pax: (args) => has(args, /^-[A-Za-z]*L/),
  chown: (args) => has(args, /^-[A-Za-z]*L/),
};

const SAME_AS: Readonly<Record<string, string>> = {
  egrep: 'grep',
  fgrep: 'grep',
  sdiff: 'diff',
  gtar: 'tar',
  bsdtar: 'tar',
  star: 'tar',
  '7za': '7z',
  '7zr': '7z',
  '7zz': '7z',
  gcp: 'cp',
  gmv: 'mv',
  gln: 'ln',
  chgrp: 'chown',
  podman: 'docker',
  nerdctl: 'docker',
  genisoimage: 'mkisofs',
  xorriso: 'mkisofs',
};

/** Without a folder among their operands they start where they run. */
const START_HERE = /^(?:r?grep|rg|ag|ack|find|tar|7z|jar|ar|unzip|patch|cpio|pax|wget|curl|stow)$/;

/** What a command reads, or changes, below folders; undefined: nothing. */
export function findDescent(segment: Segment, kind: 'read' | 'write'): Descent | undefined {
  const words = segment.words.map(({ value }) => value ?? '');
  const [path = '', ...args] = words;
  const name = SAME_AS[baseName(path)] ?? baseName(path);
  const open = segment.words.flatMap(({ value, may }) => (value === undefined ? [may] : []));
  if (name === 'git') return ofGit(kind === 'read' ? gitReads(args) : gitWrites(args), args, open);
  const table = kind === 'read' ? READERS : WRITERS;
  const descends = testFor(table, name)?.(args) === true;
  if (!descends && !(kind === 'read' && readsBelow(words))) return undefined;
  return {
    paths: listPaths([name, ...args], kind),
    open,
    here: kind === 'read' && takesNames(name, args) ? 'yes' : START_HERE.test(name) ? 'unlessNamed' : 'no',
    followsLinks: testFor(FOLLOWERS, name)?.(args) === true,
    movesLinks: name === 'mv' || name === 'cp',
  };
}

const testFor = (table: Readonly<Record<string, Test>>, name: string): Test | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;

function ofGit(touched: GitTouch | undefined, args: Args, open: readonly TextPattern[]): Descent | undefined {
  if (touched === undefined) return undefined;
  const { paths, tree } = touched;
  const folder = gitFolder(args);
  return {
    paths: tree && folder !== '' ? [...paths, folder] : paths,
    open,
    here: tree ? 'yes' : 'no',
    followsLinks: false,
    movesLinks: true,
  };
}

function listPaths(words: readonly string[], kind: 'read' | 'write'): readonly string[] {
  const copying = readCopying(words);
  if (copying !== undefined) {
    const { sources } = copying;
    const taken = kind === 'read' || /^(?:mv|rsync)$/.test(copying.program);
    const left = copying.program === 'rsync' && kind === 'write' && !has(words, /^--remove-s/) ? [] : sources;
    return [
      ...(taken ? left : []),
      ...linkedPaths(copying),
      ...(kind === 'write' ? madeInTarget(copying) : []),
    ].filter((path) => path !== '');
  }
  return words.slice(1).flatMap((arg) => {
    const folder = /^(?:-[Cd]|--[a-z-]*dir[a-z]*=|-o(?=[./]))(.+)$/s.exec(arg)?.[1];
    return folder ?? (arg === '' || arg.startsWith('-') ? [] : arg);
  });
}

/** The names of what they read come from the input. */
function takesNames(name: string, args: Args): boolean {
  return /^(?:cpio|pax)$/.test(name) || (name === 'zip' && has(args, /^-[A-Za-z]*@/));
}
