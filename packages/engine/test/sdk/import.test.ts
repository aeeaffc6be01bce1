import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import * as turnwright from '../../src/index.ts';

describe("import 'turnwright'", () => {
  it('loads neither zod nor the MCP SDK, the rehearsal, the screen or the testing tools', async () => {
    const { metafile } = await build({
      entryPoints: ['packages/engine/src/index.ts'],
      bundle: true,
      splitting: true,
      format: 'esm',
      platform: 'node',
      outdir: 'out',
      write: false,
      metafile: true,
      external: ['zod', '@vscode/ripgrep'],
      logLevel: 'silent',
    });
    const loaded = new Set<string>();
    const visit = (path: string) => {
      if (loaded.has(path)) return;
      loaded.add(path);
      for (const each of metafile.outputs[path]?.imports ?? [])
        if (each.kind === 'import-statement') visit(each.path);
    };
    visit('out/index.js');
    expect(loaded.has('out/index.js')).toBe(true);
    expect([...loaded]).not.toContain('zod');
    const sources = [...loaded].flatMap((path) => Object.keys(metafile.outputs[path]?.inputs ?? {}));
    expect(sources.filter((path) => path.includes('@modelcontextprotocol'))).toEqual([]);
    expect(sources.filter((path) => /src\/(rehearsal|testing|cli)\//.test(path))).toEqual([]);
  });

  it('offers the named door', () => {
    const { query, tool, createSdkMcpServer, QueryEngine, listSessions, explainSession, AbortError } =
      turnwright;
    for (const each of [
      query,
      tool,
      createSdkMcpServer,
      QueryEngine,
      listSessions,
      explainSession,
      AbortError,
    ])
      expect(each).toBeTypeOf('function');
    expect(turnwright.TERMINAL_REASONS).toHaveLength(17);
    expect(turnwright.HOOK_EVENTS).toHaveLength(34);
    expect(turnwright).not.toHaveProperty('startRehearsal');
    expect(turnwright).not.toHaveProperty('default');
  });
});
