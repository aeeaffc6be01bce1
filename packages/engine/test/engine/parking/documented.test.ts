/** The program of docs/sessions.md, which parks a session and goes on with it. */
import { readFile } from 'node:fs/promises';
import { allowing, silentHost } from '@turnwright/test/engine/parking/lives.ts';
import { callTool, fakeTool, recordingStore, say, scriptedModel, virtualClock } from '@turnwright/testing';
import { transformSync } from 'esbuild';
import { expect, it } from 'vitest';
import { type Options, query } from '../../../src/index.ts';

const page = await readFile(new URL('../../../../../docs/sessions.md', import.meta.url), 'utf8');
const [, program = ''] =
  /\n## Parking\n[\s\S]*?```ts\nimport [^\n]*'turnwright';\n([\s\S]*?)```/.exec(page) ?? [];

type RunOnce = (
  sessionId: string,
  prompt: string | undefined,
  options: Options,
) => Promise<{ readonly openQuestions?: readonly string[]; readonly result?: { readonly subtype: string } }>;

it('runs as it is printed', async () => {
  const { code } = transformSync(program.replace('export ', ''), { loader: 'ts' });
  const run = new Function('query', `${code}; return run;`)(query) as RunOnce;
  const clock = virtualClock();
  const store = recordingStore();
  const id = '0b9f1c52-8f53-4a7e-9c1d-3f2f5a6b7c8d';
  const options = (script: Parameters<typeof scriptedModel>[0]): Options => ({
    cwd: '/work',
    env: {},
    engine: {
      callModel: scriptedModel(script).callModel,
      clock,
      store,
      tools: [fakeTool({ name: 'Touch' })],
    },
  });
  const { asked, canUseTool } = silentHost();
  const first = await clock.runUntil(run(id, 'Go.', { ...options([callTool('Touch')]), canUseTool }));
  expect(first.openQuestions).toEqual(asked.map(({ context }) => context.askId));
  const last = await clock.runUntil(run(id, undefined, { ...options([say('Done.')]), canUseTool: allowing }));
  expect(last.result).toMatchObject({ subtype: 'success' });
});
