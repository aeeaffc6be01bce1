import { query, type SDKMessage } from '@turnwright/engine';
import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { describe, expect, it } from 'vitest';
import { readJournalOf } from '../journal.ts';
import { textOf } from '../outline.ts';
import { laidOver, serve } from '../rehearse.ts';
import { rewritingProxy } from '../rewriting-proxy.ts';
import { blocksOf, bodies } from '../sent.ts';
import { tempFolder } from '../temp-folder.ts';

/** Two commands whose calls come in with these ids. */
async function runWithIds(first: string, second: string) {
  const server = await serve([
    reply([
      toolUse('Bash', { command: 'echo one' }, 'id_first'),
      toolUse('Bash', { command: 'echo two' }, 'id_second'),
    ]),
    reply('Both ran.'),
  ]);
  const proxy = await rewritingProxy(server.url, (body) =>
    body.replace('"id_first"', JSON.stringify(first)).replace('"id_second"', JSON.stringify(second)),
  );
  const place = { cwd: tempFolder(), home: tempFolder() };
  const messages: SDKMessage[] = [];
  for await (const message of query({ prompt: 'Run both.', options: laidOver(proxy, place) }))
    messages.push(message);
  const sessionId = messages[0]?.session_id ?? '';
  return { server, messages, entries: await readJournalOf({ ...place, sessionId }) };
}

describe('F06 calls with duplicate ids', () => {
  it.each([
    ['twice the same', 'same', 'same'],
    ['both empty', '', ''],
  ])('F06 %s: unique before they are recorded, each with its own result', async (_how, first, second) => {
    const { server, messages, entries } = await runWithIds(first, second);
    expect(messages.at(-1)).toMatchObject({ type: 'result', subtype: 'success', result: 'Both ran.' });
    expect(server.report()).toMatchObject({ rejected: [], unanswered: [], unusedReplies: [] });
    const [, next] = bodies(server);
    const ids = blocksOf(next, 'tool_use').map((block) => block.id);
    expect(new Set(ids).size).toBe(2);
    expect(ids).not.toContain('');
    const results = blocksOf(next, 'tool_result');
    expect(results.map((block) => block.tool_use_id)).toEqual(ids);
    expect(results.map((block) => textOf(block.content).trim())).toEqual(['one', 'two']);
    const recorded = entries.flatMap((entry) =>
      entry.type === 'assistant' && entry.settled === undefined
        ? entry.message.content.flatMap((block) => (block.type === 'tool_use' ? [block.id] : []))
        : [],
    );
    expect(recorded).toHaveLength(2);
    expect(new Set(recorded).size).toBe(2);
  });
});
