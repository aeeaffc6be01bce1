/** The code of README and docs compiles against the sources, and its settings are ones that a run accepts. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { settingsSchema } from '../src/settings/read/settings-schema.ts';
import { type CodeBlock, codeBlocks, TESTED_ELSEWHERE } from './code-blocks.ts';
import { PATHS } from './doors.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const placeOf = ({ page, line }: CodeBlock) => `${page}:${line}`;

/** Packages that a page speaks of and this repository does not have: with the names and shapes of ours. */
const OTHER_PACKAGES = `declare module '@anthropic-ai/claude-agent-sdk' {
  import type { Options, SDKMessage } from 'turnwright';
  export function query(call: {
    prompt: string;
    options?: Options & { pathToClaudeCodeExecutable?: string };
  }): AsyncIterable<SDKMessage>;
}
`;

/** The compiler's errors about these blocks, by page and line. JavaScript is checked without its missing types. */
function errorsOf(blocks: readonly CodeBlock[], folder: string): string {
  writeFileSync(join(folder, 'other-packages.d.ts'), OTHER_PACKAGES);
  const files = blocks.map(({ page, language, text, file, given }, at) => {
    // Files of one page are in one folder, so that they find each other.
    const name = join(page.replaceAll('/', '-'), file ?? `${at}.${language}`);
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    const toSources = relative(dirname(join(folder, name)), join(root, 'src'));
    writeFileSync(join(folder, name), `${given} export {};\n${text.replaceAll('../../src', toSources)}`);
    return name;
  });
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
  const config = {
    extends: join(root, 'tsconfig.json'),
    compilerOptions,
    include: [],
    exclude: [],
    files: [...files, 'other-packages.d.ts'],
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const { stdout } = spawnSync(process.execPath, [tsc, '-p', folder, '--pretty', 'false'], {
    cwd: folder,
    encoding: 'utf8',
  });
  return stdout.replace(/^(\S+)\((\d+),/gm, (_, name: string, line: string) => {
    const block = blocks[files.indexOf(name)];
    return `${block?.page}:${(block?.line ?? 0) + Number(line) - 1} (`;
  });
}

describe('README and docs', () => {
  it('have programs that compile', { timeout: 240_000 }, () => {
    const blocks = codeBlocks('ts', 'js').filter(({ page }) => TESTED_ELSEWHERE[page] === undefined);
    expect(blocks.length).toBeGreaterThan(35);
    // Inside the repository, so that packages are found.
    const cache = join(root, 'node_modules/.cache');
    mkdirSync(cache, { recursive: true });
    const folder = mkdtempSync(join(cache, 'code-blocks-'));
    try {
      expect(errorsOf(blocks, folder)).toBe('');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('say of a page that another test covers it only where there is such a test', () => {
    for (const place of Object.values(TESTED_ELSEWHERE))
      expect(existsSync(join(root, place)), place).toBe(true);
  });

  it.each(codeBlocks('json').map((block) => ({ name: placeOf(block), block })))(
    '$name is JSON that a run accepts',
    ({ block }) => {
      const value: Record<string, unknown> = JSON.parse(block.text);
      if ('mcpServers' in value) return expectServers(value['mcpServers']);
      // Manifests of plugins, and files of prices, have schemas of their own.
      if ('name' in value || 'source' in value) return;
      expect(z.strictObject(settingsSchema.shape).safeParse(value).error?.issues).toBe(undefined);
    },
  );

  it.each(codeBlocks('yaml').map((block) => ({ name: placeOf(block), block })))(
    '$name is YAML',
    ({ block }) => {
      expect(parse(block.text)).toBeTypeOf('object');
    },
  );
});

function expectServers(servers: unknown): void {
  const program = z.strictObject({
    command: z.string(),
    args: z.array(z.string()).optional(),
    env: z.record(z.string(), z.string()).optional(),
  });
  const address = z.strictObject({
    type: z.enum(['http', 'sse']),
    url: z.url(),
    headers: z.record(z.string(), z.string()).optional(),
  });
  expect(z.record(z.string(), z.union([program, address])).safeParse(servers).error?.issues).toBe(undefined);
}
