/**
 * The code of README, docs and docstrings compiles against the sources. One run of the compiler takes all of it: each
 * run reads and checks the sources again.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { codeBlocks, TESTED_ELSEWHERE } from './code-blocks.ts';
import { docstringExamples, moduleOf } from './docstring-examples.ts';
import { PATHS } from './doors.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

interface Source {
  /** Below the folder that is compiled. */
  readonly name: string;
  readonly text: string;
  /** File of the repository, and the line of it at which the text starts. */
  readonly page: string;
  readonly line: number;
}

/** Packages that a page speaks of and this repository does not have: with the names and shapes of ours. */
const OTHER_PACKAGES = `declare module '@anthropic-ai/claude-agent-sdk' {
  import type { Options, SDKMessage } from 'turnwright';
  export function query(call: {
    prompt: string;
    options?: Options & { pathToClaudeCodeExecutable?: string };
  }): AsyncIterable<SDKMessage>;
}
`;

/** Those of one page are in one folder, so that they find each other. */
function sourcesOfPages(folder: string): readonly Source[] {
  const blocks = codeBlocks('ts', 'js').filter(({ page }) => TESTED_ELSEWHERE[page] === undefined);
  return blocks.map(({ page, line, language, text, file, given }, at) => {
    const name = join(page.replaceAll('/', '-'), file ?? `${at}.${language}`);
    const toSources = relative(dirname(join(folder, name)), join(root, 'packages/engine/src'));
    return { name, page, line, text: `${given} export {};\n${text.replaceAll('../../src', toSources)}` };
  });
}

const sourcesOfDocstrings = (folder: string): readonly Source[] =>
  docstringExamples().map((example, at) => {
    const [page = '', line] = example.place.split(':');
    return { name: `docstring-${at}.ts`, page, line: Number(line), text: moduleOf(example, folder) };
  });

/** The compiler's errors about these, by page and line. JavaScript is checked without its missing types. */
function errorsOf(sources: readonly Source[], folder: string): string {
  for (const { name, text } of sources) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  writeFileSync(join(folder, 'other-packages.d.ts'), OTHER_PACKAGES);
  const compilerOptions = {
    noEmit: true,
    allowJs: true,
    checkJs: true,
    noImplicitAny: false,
    noImplicitReturns: false,
    useUnknownInCatchVariables: false,
    exactOptionalPropertyTypes: false,
    noUnusedLocals: false,
    noUnusedParameters: false,
    verbatimModuleSyntax: false,
    types: ['node'],
    typeRoots: [join(root, 'node_modules/@types')],
    paths: PATHS,
  };
  const files = [...sources.map(({ name }) => name), 'other-packages.d.ts'];
  const config = { extends: join(root, 'tsconfig.json'), compilerOptions, include: [], exclude: [], files };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const { stdout, stderr, status } = spawnSync(process.execPath, [tsc, '-p', folder, '--pretty', 'false'], {
    cwd: folder,
    encoding: 'utf8',
  });
  // A compiler that broke down has found no errors.
  if (status !== 0 && stdout === '') return stderr;
  return stdout.replace(/^(\S+)\((\d+),/gm, (_, name: string, line: string) => {
    const source = sources.find((each) => each.name === name);
    return `${source?.page}:${(source?.line ?? 0) + Number(line) - 1} (`;
  });
}

it('the code of README, docs and docstrings compiles', { timeout: 240_000 }, () => {
  // Inside the repository, so that packages are found.
  const cache = join(root, 'node_modules/.cache');
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'examples-'));
  try {
    const ofPages = sourcesOfPages(folder);
    const ofDocstrings = sourcesOfDocstrings(folder);
    expect(ofPages.length).toBeGreaterThan(35);
    expect(ofDocstrings.length).toBeGreaterThan(150);
    expect(errorsOf([...ofPages, ...ofDocstrings], folder)).toBe('');
  } finally {
    rmSync(folder, { recursive: true });
  }
});
