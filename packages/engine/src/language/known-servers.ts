/** Well-known language servers that a project or the machine has already. Nothing is installed. */

import { isAbsolute, join } from 'node:path';
import { readJsonObject } from '@turnwright/base/bounded-json.ts';
import type { PersistentFiles } from '@turnwright/base/persistent-files.ts';
import type { LanguageServerEntry } from './language-server-config.ts';

type ProgramFiles = Pick<PersistentFiles, 'stat' | 'readFile'>;

interface KnownServer {
  readonly name: string;
  /** In the order in which they are looked for. */
  readonly programs: readonly (readonly [program: string, ...args: string[]])[];
  readonly languages: Readonly<Record<string, string>>;
}

const C = 'c';
const CPP = 'cpp';
const KNOWN: readonly KnownServer[] = [
  {
    name: 'typescript',
    programs: [['typescript-language-server', '--stdio']],
    languages: {
      '.ts': 'typescript',
      '.mts': 'typescript',
      '.cts': 'typescript',
      '.tsx': 'typescriptreact',
      '.js': 'javascript',
      '.mjs': 'javascript',
      '.cjs': 'javascript',
      '.jsx': 'javascriptreact',
    },
  },
  {
    name: 'python',
    programs: [['pyright-langserver', '--stdio'], ['basedpyright-langserver', '--stdio'], ['pylsp']],
    languages: { '.py': 'python', '.pyi': 'python' },
  },
  { name: 'go', programs: [['gopls']], languages: { '.go': 'go' } },
  { name: 'rust', programs: [['rust-analyzer']], languages: { '.rs': 'rust' } },
  {
    name: 'clangd',
    programs: [['clangd']],
    languages: { '.c': C, '.h': C, '.cc': CPP, '.cpp': CPP, '.cxx': CPP, '.hpp': CPP, '.hh': CPP },
  },
];

/** Folders of a project that hold its programs. */
const OF_PROJECT = [join('node_modules', '.bin'), join('.venv', 'bin'), join('venv', 'bin')];
/** From this version on TypeScript is a language server itself. */
const OWN_SERVER_SINCE = 7;

/** Those whose program is in the project, else on `path`. Starts none. Never rejects. */
export async function findKnownServers(
  root: string,
  path: string | undefined,
  files: ProgramFiles,
): Promise<readonly LanguageServerEntry[]> {
  const folders = [
    ...OF_PROJECT.map((folder) => join(root, folder)),
    ...(path ?? '').split(process.platform === 'win32' ? ';' : ':').filter(isAbsolute),
  ];
  const found = await Promise.all(
    KNOWN.map(async ({ name, programs, languages }): Promise<readonly LanguageServerEntry[]> => {
      const own = name === 'typescript' ? await typescriptItself(root, files) : undefined;
      const [command, ...args] = own ?? (await firstProgram(programs, folders, files)) ?? [];
      return command === undefined
        ? []
        : [{ name, config: { command, args, extensionToLanguage: languages } }];
    }),
  );
  return found.flat();
}

async function firstProgram(
  programs: KnownServer['programs'],
  folders: readonly string[],
  files: ProgramFiles,
): Promise<readonly string[] | undefined> {
  for (const [program, ...args] of programs)
    for (const folder of folders) {
      const file = join(folder, program);
      const stat = await files.stat(file).catch(() => undefined);
      if (stat?.kind === 'file' && (stat.mode & 0o111) !== 0) return [file, ...args];
    }
  return undefined;
}

async function typescriptItself(root: string, files: ProgramFiles): Promise<readonly string[] | undefined> {
  const bytes = await files
    .readFile(join(root, 'node_modules', 'typescript', 'package.json'))
    .catch(() => undefined);
  const version = readJsonObject(new TextDecoder().decode(bytes))?.['version'];
  if (typeof version !== 'string' || Number.parseInt(version, 10) < OWN_SERVER_SINCE) return undefined;
  return [join(root, 'node_modules', '.bin', 'tsc'), '--lsp', '--stdio'];
}
