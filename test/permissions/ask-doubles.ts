import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nodeFiles } from '@turnwright/base/files/node-files.ts';
import type { PermissionQuestion } from '@turnwright/engine/protocol/tools/gate-ports.ts';
import type { AnyTool, PermissionTarget } from '@turnwright/engine/protocol/tools/tool.ts';
import { inForm } from '../long-form.ts';

/** A tool that only says what it would touch. */
export function toolNamed(name: string, about: Partial<AnyTool> = {}): AnyTool {
  return {
    name,
    inputJsonSchema: { type: 'object' },
    description: () => name,
    parse: (input) => ({ ok: true, input }),
    run: async () => ({ data: null, content: '' }),
    ...about,
  };
}

const targeting = (target: (input: Record<string, string>) => PermissionTarget): Partial<AnyTool> => ({
  permissionTarget: target,
});

export const TOOLS = {
  Bash: toolNamed(
    'Bash',
    targeting(({ command = '' }) => ({ kind: 'command', command })),
  ),
  Read: toolNamed('Read', {
    ...targeting(({ path = '' }) => ({ kind: 'read', paths: [path] })),
    isReadOnly: () => true,
  }),
  Grep: toolNamed('Grep', {
    ...targeting(({ path = '' }) => ({ kind: 'read', paths: [path] })),
    isReadOnly: () => true,
  }),
  Edit: toolNamed(
    'Edit',
    targeting(({ path = '' }) => ({ kind: 'write', paths: [path] })),
  ),
  Write: toolNamed(
    'Write',
    targeting(({ path = '' }) => ({ kind: 'write', paths: [path] })),
  ),
  WebFetch: toolNamed(
    'WebFetch',
    targeting(({ url = '' }) => ({ kind: 'url', url })),
  ),
  TodoWrite: toolNamed('TodoWrite'),
  AskUser: toolNamed('AskUserQuestion', { requiresUserInteraction: true, isReadOnly: () => true }),
  Mcp: toolNamed('mcp__github__create_issue'),
  McpReader: toolNamed('mcp__github__list', { isReadOnly: () => true }),
} as const;

export function question(
  tool: AnyTool,
  input: Record<string, unknown>,
  cwd: string,
  more: Partial<PermissionQuestion> = {},
): PermissionQuestion {
  return { tool, input, toolUseId: 'toolu_1', cwd, additionalDirectories: [], ...more };
}

/** The real files. In the short form each path is resolved once, so they must not change after the first decision. */
export const unchangingFiles = (): typeof nodeFiles =>
  inForm(
    { ...nodeFiles, realpath: remembered(nodeFiles.realpath), lstat: remembered(nodeFiles.lstat) },
    nodeFiles,
  );

function remembered<T>(look: (path: string) => Promise<T>): (path: string) => Promise<T> {
  const known = new Map<string, Promise<T>>();
  return (path) => {
    const found = known.get(path) ?? look(path);
    known.set(path, found);
    return found;
  };
}

/** A real folder, by its real path, removed at the end. */
export async function tempFolder(): Promise<{ readonly path: string; remove(): Promise<void> }> {
  const path = await realpath(await mkdtemp(join(tmpdir(), 'turnwright-permissions-')));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}
