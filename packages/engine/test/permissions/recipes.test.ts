/** The recipes of docs/permissions.md: each setting, and what the tables say becomes of calls under it. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { nodeFiles } from '@turnwright/base/files/node-files.ts';
import { question, TOOLS, tempFolder } from '@turnwright/test/permissions/ask-doubles.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPermissions } from '../../src/permissions/permission-engine.ts';
import type { PermissionMode } from '../../src/protocol/tools/permission.ts';

interface Settings {
  readonly permissions: {
    readonly defaultMode?: PermissionMode;
    readonly allow?: readonly string[];
    readonly deny?: readonly string[];
    readonly additionalDirectories?: readonly string[];
  };
}

const page = await readFile(new URL('../../../../docs/permissions.md', import.meta.url), 'utf8');
const recipes = (/## Recipes\n([\s\S]*?)\n## /.exec(page)?.[1] ?? '')
  .split(/\n### /)
  .slice(1)
  .map((text) => ({
    title: text.slice(0, text.indexOf('\n')),
    settings: JSON.parse(/```json\n([\s\S]*?)\n```/.exec(text)?.[1] ?? '{ "permissions": {} }') as Settings,
    calls: [...text.matchAll(/^\| `(\w+): (.+)` \| (allow|ask|deny) \|$/gm)].map(
      ([, tool = '', subject = '', verdict]) => ({ tool, subject: subject.replaceAll('\\|', '|'), verdict }),
    ),
  }));

const folder = await tempFolder();
const cwd = join(folder.path, 'project');
beforeAll(async () => {
  for (const name of ['src', 'secrets', '.git', '../shared'])
    await mkdir(join(cwd, name), { recursive: true });
  for (const name of ['.env', 'secrets/key', 'src/a.ts', 'src/main.ts', 'README.md'])
    await writeFile(join(cwd, name), 'text');
});
afterAll(() => folder.remove());

it('there are recipes', () => {
  expect(recipes.flatMap(({ calls }) => calls).length).toBeGreaterThan(40);
});

describe.each(recipes.filter(({ calls }) => calls.length > 0))('$title', ({ settings, calls }) => {
  const { defaultMode: mode, allow = [], deny = [], additionalDirectories = [] } = settings.permissions;
  it.each(calls)('$tool: $subject → $verdict', async ({ tool, subject, verdict }) => {
    const permissions = createPermissions({
      files: nodeFiles,
      allowDangerouslySkipPermissions: true,
      allow,
      deny,
      ...(mode !== undefined && { mode }),
    });
    const input = { command: subject, path: subject, url: subject };
    const asked = question(TOOLS[tool as keyof typeof TOOLS], input, cwd, {
      additionalDirectories: additionalDirectories.map((path) => resolve(cwd, path)),
    });
    expect((await permissions.decide(asked)).kind).toBe(verdict);
  });
});
