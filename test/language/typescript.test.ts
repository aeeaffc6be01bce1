/** With the language server that TypeScript is itself, as npm has it. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { callTool, say } from '@turnwright/testing';
import { expect, it } from 'vitest';
import { makeProject, TYPESCRIPT, work } from './edits.ts';

const edit = (file: string, from: string, to: string, id: string) =>
  callTool('Edit', { file_path: file, old_string: from, new_string: to }, { id });
const ask = (operation: string, input: object) => callTool('LSP', { operation, ...input }, { id: operation });

it('shows what an edit broke, here and in a file that was read, once, and answers questions', async () => {
  const cwd = await makeProject({
    'tsconfig.json': '{"compilerOptions":{"strict":true,"noEmit":true}}',
    'a.ts': 'export function half(n: number) { return n / 2; }\nexport const old: string = 1;\n',
    'b.ts': "import { half } from './a';\nexport function two(): number { return half(4); }\n",
  });
  const { results, messages, stderr } = await work(
    cwd,
    [
      callTool('Read', { file_path: 'b.ts' }, { id: 'read' }),
      edit('a.ts', 'return n / 2', 'return String(n / 2)', 'broke'),
      edit('a.ts', '1;', '2;', 'other'),
      callTool(
        'Write',
        { file_path: 'c.ts', content: 'const n: number = "";\nexport { n, m };\n' },
        { id: 'new' },
      ),
      ask('findReferences', { filePath: 'a.ts', line: 1, character: 17 }),
      ask('hover', { filePath: 'b.ts', line: 2, character: 40 }),
      ask('goToDefinition', { filePath: 'b.ts', line: 2, character: 40 }),
      ask('documentSymbol', { filePath: 'a.ts' }),
      ask('workspaceSymbol', { query: 'half' }),
      ask('incomingCalls', { filePath: 'a.ts', line: 1, character: 17 }),
      ask('outgoingCalls', { filePath: 'b.ts', line: 2, character: 17 }),
      ask('prepareCallHierarchy', { filePath: 'a.ts', line: 1, character: 17 }),
      say('Done.'),
    ],
    { languageServers: { servers: { ts: TYPESCRIPT }, waitMs: 20_000 } },
  );
  expect(stderr).toEqual([]);
  const broken = "b.ts:2:33 error TS2322: Type 'string' is not assignable to type 'number'.";
  expect(results['broke']).toBe(`${cwd}/a.ts was edited.\n\nNew problems since this edit:\n${broken}`);
  // What was there before is not said, nor is anything said twice.
  expect(results['other']).toBe(`${cwd}/a.ts was edited.`);
  expect(results['new']).toContain(
    "c.ts:1:7 error TS2322: Type 'string' is not assignable to type 'number'.",
  );
  expect(results['new']).toContain("c.ts:2:13 error TS2304: Cannot find name 'm'.");
  expect(results['findReferences']?.split('\n')).toEqual([
    'a.ts:1:17  export function half(n: number) { return String(n / 2); }',
    "b.ts:1:10  import { half } from './a';",
    'b.ts:2:40  export function two(): number { return half(4); }',
  ]);
  expect(results['hover']).toContain('function half(n: number): string');
  expect(results['goToDefinition']).toMatch(/^a\.ts:1:17 {2}export function half/);
  expect(results['documentSymbol']).toBe('1:17 function half\n2:14 variable old');
  expect(results['workspaceSymbol']).toBe('a.ts:1:17 function half');
  expect(results['incomingCalls']).toContain('b.ts:2:17 function two');
  expect(results['outgoingCalls']).toContain('a.ts:1:17 function half');
  expect(results['prepareCallHierarchy']).toContain('a.ts:1:17 function half');
  const reported = messages.flatMap((message) =>
    message.type === 'user' ? [(message.tool_use_result as { diagnostics?: unknown })?.diagnostics] : [],
  );
  expect(reported[1]).toEqual([
    {
      file: `${cwd}/b.ts`,
      line: 2,
      column: 33,
      severity: 'error',
      code: 'TS2322',
      message: "Type 'string' is not assignable to type 'number'.",
    },
  ]);
}, 60_000);

it('is found in the project when well-known servers are wanted, and not otherwise', async () => {
  const cwd = await makeProject({ 'a.ts': 'export const a: number = 1;\n' });
  mkdirSync(`${cwd}/node_modules/.bin`, { recursive: true });
  symlinkSync(
    new URL('../../node_modules/typescript', import.meta.url).pathname,
    `${cwd}/node_modules/typescript`,
  );
  symlinkSync('../typescript/bin/tsc', `${cwd}/node_modules/.bin/tsc`);
  const script = () => [edit('a.ts', '1;', '"";', 'edit'), say('Done.')];
  const off = await work(cwd, script());
  expect(off.results['edit']).toBe(`${cwd}/a.ts was edited.`);
  writeFileSync(`${cwd}/a.ts`, 'export const a: number = 1;\n');
  const on = await work(cwd, script(), { languageServers: { known: true, waitMs: 20_000 } });
  expect(on.results['edit']).toContain('a.ts:1:14 error TS2322');
}, 60_000);
