import { query, type SDKMessage } from '@turnwright/engine';
import { fakeTool } from '@turnwright/testing';
import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { describe, expect, it } from 'vitest';
import { readOnlyFiles } from '../../faulty-files.ts';
import { outline } from '../outline.ts';
import { KEY, serve } from '../rehearse.ts';

describe('F123 a place with nothing in it', () => {
  it('F123 no HOME, no PATH, a read-only disk, no child process: the run completes, its journal in memory', async () => {
    const server = await serve([reply(toolUse('Look')), reply('Seen.')]);
    const tools = [fakeTool({ name: 'Look', answer: 'a view', effectClass: 'pure' })];
    const warnings: string[] = [];
    const messages: SDKMessage[] = [];
    for await (const message of query({
      prompt: 'Look around.',
      options: {
        cwd: '/nowhere/at/all',
        env: { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: KEY },
        systemPrompt: { type: 'preset', preset: 'turnwright' },
        permissionMode: 'bypassPermissions',
        allowDangerouslySkipPermissions: true,
        stderr: (line) => warnings.push(line),
        engine: { files: readOnlyFiles(), tools },
      },
    })) {
      messages.push(message);
    }
    expect(outline(messages)).toEqual(['init', 'tool_use', 'tool_result', 'text', 'result:success']);
    expect(messages.at(-1)).toMatchObject({ is_error: false, result: 'Seen.' });
    expect(warnings).toEqual([]);
    expect(server.report()).toMatchObject({ rejected: [], unanswered: [], unusedReplies: [] });
  });
});
