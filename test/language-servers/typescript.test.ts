/** With the language server of TypeScript itself, as npm has it. */
import { expect, it } from 'vitest';
import { callTool, say } from '@turnwright/testing';
import { makeProject, TYPESCRIPT, work } from './edits.ts';

it('shows what an edit broke, here and in a file that was read, once', async () => {
  const cwd = await makeProject({
    'tsconfig.json': '{"compilerOptions":{"strict":true,"noEmit":true}}',
    'a.ts': 'export function half(n: number) { return n / 2; }\nexport const old: string = 1;\n',
    'b.ts': "import { half } from './a';\nexport const two: number = half(4);\n",
  });
  const { results, messages, stderr } = await work(
    cwd,
    [
      callTool('Read', { file_path: 'b.ts' }, 'read'),
      callTool('Edit', { file_path: 'a.ts', old_string: 'return n / 2', new_string: 'return String(n / 2)' }, 'broke'),
      callTool('Edit', { file_path: 'a.ts', old_string: '1;', new_string: '2;' }, 'other'),
      callTool('LSP', { operation: 'findReferences', filePath: 'a.ts', line: 1, character: 17 }, 'refs'),
      callTool('LSP', { operation: 'hover', filePath: 'b.ts', line: 2, character: 28 }, 'hover'),
      callTool('LSP', { operation: 'goToDefinition', filePath: 'b.ts', line: 2, character: 28 }, 'def'),
      callTool('LSP', { operation: 'documentSymbol', filePath: 'a.ts' }, 'symbols'),
      callTool('LSP', { operation: 'workspaceSymbol', query: 'half' }, 'search'),
      callTool('LSP', { operation: 'incomingCalls', filePath: 'a.ts', line: 1, character: 17 }, 'calls'),
      say('Done.'),
    ],
    { languageServers: { servers: { ts: TYPESCRIPT }, waitMs: 20_000 } },
  );
  console.log(results, stderr, JSON.stringify(messages.filter((m) => m.type === 'user').map((m) => (m as any).tool_use_result?.diagnostics)));
}, 60_000);
