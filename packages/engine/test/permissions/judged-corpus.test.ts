/**
 * The mode `auto` over a corpus: which questions a judge answers, and that no judge, however obedient, lets a call
 * run that is for a person. The gate, the bounds and the judge are real; the model and what the tools do are not.
 */
import { execFileSync } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { systemClock } from '@turnwright/base/clock.ts';
import { TOOLS, tempFolder, toolNamed, unchangingFiles } from '@turnwright/test/permissions/ask-doubles.ts';
import { say, scriptedModel, sequentialIds } from '@turnwright/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { askHooksFirst } from '../../src/engine/hooks/ask-hooks.ts';
import { SessionJudge } from '../../src/engine/judging/session-judge.ts';
import { createPermissions } from '../../src/permissions/permission-engine.ts';
import type { GatePorts } from '../../src/protocol/tools/gate-ports.ts';
import { NO_HOOK_VERDICT } from '../../src/protocol/tools/hook.ts';
import type { PermissionMode } from '../../src/protocol/tools/permission.ts';
import type { AnyTool, ToolContext } from '../../src/protocol/tools/tool.ts';
import { builtinTools } from '../../src/tools/builtin/index.ts';
import { permit } from '../../src/tools/gate/authorize-call.ts';

const folder = await tempFolder();
const cwd = join(folder.path, 'project');
const files = unchangingFiles();

beforeAll(async () => {
  const there = [
    'src/index.ts',
    'src/server.ts',
    'test/server.test.ts',
    'package.json',
    'README.md',
    'scripts/build.sh',
  ];
  const bins = [
    'tsc',
    'vitest',
    'jest',
    'eslint',
    'prettier',
    'playwright',
    'vite',
    'biome',
    'tsup',
    'prisma',
  ];
  for (const file of [...there, ...bins.map((bin) => `node_modules/.bin/${bin}`), '.git/config', '.env']) {
    await mkdir(dirname(join(cwd, file)), { recursive: true });
    await writeFile(join(cwd, file), file.startsWith('.git/') ? '' : 'x\n', { mode: 0o755 });
  }
  for (const name of ['packages/web', 'dist', 'docs/images'])
    await mkdir(join(cwd, name), { recursive: true });
  execFileSync('git', ['init', '-q'], { cwd });
});
afterAll(() => folder.remove());

interface Call {
  readonly category: string;
  readonly tool: AnyTool;
  readonly input: Record<string, unknown>;
  readonly agent: boolean;
  readonly written: string;
}

const BUILT_IN = new Map(builtinTools({}).map((tool) => [tool.name, tool]));
const FIELDS: Readonly<Record<string, string>> = {
  Bash: 'command',
  WebFetch: 'url',
  NotebookEdit: 'notebook_path',
};
const ONLY_READ = /__(?:get_issue|search|list_issues|describe_table|explain|lookup|read_file)$/;

async function callsOf(name: string): Promise<readonly Call[]> {
  const path = fileURLToPath(new URL(`../../../../test/fixtures/judge/${name}`, import.meta.url));
  const lines = (await readFile(path, 'utf8'))
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  return lines.map((line) => {
    const [category = '', named = '', written = ''] = line.split('\t');
    const toolName = named.replace(/^Agent /, '');
    const text = written.replace(/\\(\\|n)/g, (_, sign) => (sign === 'n' ? '\n' : '\\'));
    const isServer = toolName.startsWith('mcp__');
    return {
      category,
      agent: named.startsWith('Agent '),
      written: `${named} ${written}`,
      tool: isServer
        ? toolNamed(toolName, { isReadOnly: () => ONLY_READ.test(toolName) })
        : toolName === 'WebFetch'
          ? TOOLS.WebFetch
          : (BUILT_IN.get(toolName) as AnyTool),
      input: isServer ? JSON.parse(text) : { [FIELDS[toolName] ?? 'file_path']: text },
    };
  });
}

/** A session in a mode, whose judge allows whatever it is asked. */
function session(mode: PermissionMode) {
  const permissions = createPermissions({
    files,
    mode,
    hasJudge: true,
    home: folder.path,
    searchPath: '/usr/bin:/bin',
  });
  const ids = sequentialIds();
  const model = scriptedModel(
    Array.from({ length: 1_000 }, () => say('{"verdict":"allow","reason":"It says so."}')),
  );
  const records: unknown[] = [];
  const judge = new SessionJudge(
    { judge: 'haiku', hosts: ['acme.example'], maxCalls: 1_000, maxAllowed: 1_000, maxUsd: 100 },
    [],
    {
      permissions,
      world: { clock: systemClock, ids },
      submissions: { running: 's' },
      conversation: {
        sessionId: 's',
        messages: [
          {
            type: 'user',
            kind: 'prompt',
            uuid: 'u',
            message: { role: 'user', content: 'See https://github.com/acme/widgets.' },
          },
        ],
        recorder: { append: async (entries: readonly unknown[]) => void records.push(...entries) },
      },
      model: {
        client: { call: model.callModel },
        inUse: 'opus',
        resolve: () => 'haiku',
        infoOf: () => ({ price: {} }),
      },
      budget: { account: { settle: () => 0.0001 }, ledger: { settle: () => 0.0001, totalCostUsd: () => 0 } },
      notices: { say: () => {} },
    } as unknown as ConstructorParameters<typeof SessionJudge>[2],
  );
  let questions = 0;
  const hooks: GatePorts['hooks'] = { has: () => false, run: async () => NO_HOOK_VERDICT };
  const ask = askHooksFirst(
    async () => {
      questions += 1;
      return { behavior: 'deny', message: 'No.' };
    },
    {
      hooks,
      permissions,
      hasHost: true,
      isAnswered: () => false,
      judging: {
        ask: (...asked) => (permissions.mode === 'auto' ? judge.judge(...asked) : undefined),
        answered: async () => {},
      },
    },
  );
  return {
    records,
    async pass({ tool, input, agent }: Call): Promise<{ readonly ran: boolean; readonly asked: boolean }> {
      const before = questions;
      const permitted = await permit({
        tool,
        raw: input as never,
        input,
        context: {
          toolUseId: ids.uuid(),
          effectKey: 's/1',
          cwd,
          root: cwd,
          home: folder.path,
          additionalDirectories: [],
          signal: new AbortController().signal,
          ...(agent && { agentId: 'a1' }),
        } as unknown as ToolContext,
        notes: { hookContext: [] },
        ports: { permissions, hooks, ask, recordIntent: () => undefined },
        clock: systemClock,
        isAnswered: false,
        delivered: async () => {},
      });
      return { ran: permitted.kind === 'go', asked: questions > before };
    },
  };
}

it('400 everyday calls need at least 80 % fewer questions than in mode default', {
  timeout: 120_000,
}, async () => {
  const calls = await callsOf('everyday-400.txt');
  expect(calls).toHaveLength(400);
  const [plain, judged] = [session('default'), session('auto')];
  const table = new Map<string, { calls: number; default: number; auto: number }>();
  const left: string[] = [];
  for (const call of calls) {
    const row = table.get(call.category) ?? { calls: 0, default: 0, auto: 0 };
    table.set(call.category, row);
    row.calls += 1;
    if ((await plain.pass(call)).asked) row.default += 1;
    const { asked } = await judged.pass(call);
    if (asked) row.auto += 1;
    if (asked) left.push(call.written);
  }
  const sum = (key: 'default' | 'auto') => [...table.values()].reduce((all, row) => all + row[key], 0);
  console.table(
    Object.fromEntries([...table, ['all', { calls: 400, default: sum('default'), auto: sum('auto') }]]),
  );
  if (process.env['TURNWRIGHT_SHOW_LEFT'] !== undefined) console.log(left.join('\n'));
  expect(sum('auto')).toBeLessThanOrEqual(sum('default') * 0.2);
  expect(judged.records).toHaveLength(sum('default') - sum('auto'));
});

it('of the hostile calls an obedient judge lets none run', { timeout: 120_000 }, async () => {
  const calls = await callsOf('hostile-200.txt');
  expect(calls.length).toBeGreaterThanOrEqual(200);
  const judged = session('auto');
  const ran: string[] = [];
  for (const call of calls) if ((await judged.pass(call)).ran) ran.push(call.written);
  expect(ran).toEqual([]);
});
