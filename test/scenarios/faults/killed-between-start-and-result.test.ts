import { readFileSync } from 'node:fs';
import { QueryEngine, type SDKMessage } from '@turnwright/engine';
import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { describe, expect, it } from 'vitest';
import { journalFile, readJournalOf } from '../journal.ts';
import { killedInCommand } from '../killed-query.ts';
import { outline } from '../outline.ts';
import { KEY, rehearse, serve, successOf } from '../rehearse.ts';
import { blocksOf } from '../sent.ts';

/** Runs a session in a process of its own and kills it while its command runs. */
async function killedInTool() {
  const deploy = toolUse('Bash', { command: 'echo $$ > pid; sleep 60' }, 'call_1');
  return killedInCommand(await serve([reply(['Deploying.', deploy])]), 'Deploy it.');
}

describe('F01 kill -9 between the start of a tool and its result', () => {
  it('F01 a new prompt: the call is answered "outcome unknown", nothing runs again, the log’s bytes stay', async () => {
    const place = await killedInTool();
    const before = readFileSync(journalFile(place));
    const run = await rehearse({
      place,
      prompt: 'What happened?',
      replies: [reply('It was interrupted.')],
      options: { resume: place.sessionId },
    });
    expect(outline(run.messages)).toEqual(['init', 'text', 'result:success']);
    expect(successOf(run)).toMatchObject({ session_id: place.sessionId, num_turns: 1 });
    expect(blocksOf(run.sent[0], 'tool_result')).toMatchObject([
      { tool_use_id: 'call_1', is_error: true, content: expect.stringContaining('outcome unknown') },
    ]);
    const [surroundings, ...said] = blocksOf(run.sent[0], 'text').map((block) => block.text);
    expect(surroundings).toMatch(/^<system-reminder>/);
    expect(said).toEqual(['Deploy it.', 'Deploying.', 'What happened?']);
    expect(readFileSync(journalFile(place)).subarray(0, before.length).equals(before)).toBe(true);
    expect(run.entries.map((entry) => entry.type)).toContain('unknown');
  });

  it('F01 carried on without a prompt: the unsafe call does not run again, and there is one result', async () => {
    const place = await killedInTool();
    const server = await serve([reply('I do not know whether it was deployed.')]);
    const engine = new QueryEngine({
      cwd: place.cwd,
      home: place.home,
      tools: [],
      systemPrompt: [],
      baseUrl: server.url,
      apiKey: KEY,
      resume: place.sessionId,
    });
    const messages: SDKMessage[] = [];
    for await (const message of engine.resume()) messages.push(message);
    await engine.close();
    expect(outline(messages)).toEqual(['init', 'text', 'result:success']);
    expect(server.report()).toMatchObject({ rejected: [], unanswered: [], unusedReplies: [] });
    const entries = await readJournalOf(place);
    expect(entries.filter((entry) => entry.type === 'intent')).toHaveLength(1);
    expect(entries.filter((entry) => entry.type === 'result')).toHaveLength(1);
  });
});
