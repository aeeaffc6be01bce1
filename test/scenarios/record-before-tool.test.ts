import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSdkMcpServer, tool } from '@turnwright/engine';
import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { rehearse, successOf } from './rehearse.ts';

/** Types of the records in the only journal below this folder. */
function onRecord(home: string): string[] {
  const [name = ''] = readdirSync(home, { recursive: true, encoding: 'utf8' }).filter((each) =>
    each.endsWith('.jsonl'),
  );
  const lines = readFileSync(join(home, name), 'utf8').trim().split('\n');
  return lines.map((line) => (JSON.parse(line) as { readonly type: string }).type);
}

it.each([
  ['that can be parsed at once', z.number()],
  ['whose refinement has to be waited for', z.number().refine(async () => true)],
])('when a call starts (its input is one %s) its block and its intent are in the file', async (_, n) => {
  const atStart: string[][] = [];
  let home = '';
  const run = await rehearse({
    replies: [reply(toolUse('mcp__own__count', { n: 1 }, 'call_1')), reply('Counted.')],
    options: {
      mcpServers: {
        own: createSdkMcpServer({
          name: 'own',
          tools: [
            tool('count', 'Counts.', { n }, async (input) => {
              atStart.push(onRecord(home));
              return { content: [{ type: 'text', text: String(input.n) }] };
            }),
          ],
        }),
      },
      allowedTools: ['mcp__own__count'],
    },
    onMessage: (_message, running) => {
      home = running.home;
    },
  });
  expect(successOf(run)).toMatchObject({ result: 'Counted.' });
  expect(atStart).toHaveLength(1);
  expect(atStart[0]?.slice(atStart[0].indexOf('request'))).toEqual([
    'request',
    'assistant',
    'response',
    'policy',
    'intent',
  ]);
});
