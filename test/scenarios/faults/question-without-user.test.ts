import type { Options } from '@turnwright/engine';
import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { describe, expect, it } from 'vitest';
import { textOf } from '../outline.ts';
import { rehearse } from '../rehearse.ts';
import { blocksOf } from '../sent.ts';

const QUESTION = 'Which colour?';
const questions = [
  {
    question: QUESTION,
    header: 'Colour',
    options: [
      { label: 'Red', description: 'Like fire.' },
      { label: 'Green', description: 'Like grass.' },
    ],
  },
];
const ask = (more: object = {}) => [
  reply(toolUse('AskUserQuestion', { questions, ...more }, 'call_1')),
  reply('I see.'),
];
const asking = async (options: Options, more: object = {}) => {
  const run = await rehearse({ replies: ask(more), options });
  const [result] = blocksOf(run.sent.at(-1), 'tool_result');
  return { run, text: textOf(result?.content), isError: result?.is_error === true };
};

describe('F163 a question tool', () => {
  it('F163 without a user it cannot ask, and is not offered', async () => {
    for (const permissionMode of ['default', 'bypassPermissions', 'dontAsk'] as const) {
      const { run, text, isError } = await asking({
        permissionMode,
        allowDangerouslySkipPermissions: true,
        allowedTools: ['AskUserQuestion'],
      });
      expect(run.sent[0]?.tools?.map(({ name }) => name)).not.toContain('AskUserQuestion');
      expect(isError).toBe(true);
      expect(text).toMatch(/cannot ask a question|no question was asked/);
      expect(text).not.toMatch(/Red|Green/);
    }
  });

  it('F163 answers come from the host alone: what the model writes itself is refused', async () => {
    let asked = 0;
    const { text, isError } = await asking(
      {
        canUseTool: async () => {
          asked++;
          return { behavior: 'allow' };
        },
      },
      { answers: { [QUESTION]: 'Red' } },
    );
    expect([asked, isError]).toEqual([0, true]);
    expect(text).toContain('An unexpected parameter `answers` was provided');
  });

  it('the host answers through updatedInput; choices, notes and own words reach the model', async () => {
    const seen: unknown[] = [];
    const { run, text } = await asking({
      canUseTool: async (name, input, { displayName }) => {
        seen.push([name, displayName, input]);
        return {
          behavior: 'allow',
          updatedInput: {
            ...input,
            answers: { [QUESTION]: 'Green' },
            annotations: { [QUESTION]: { notes: 'dark' } },
          },
        };
      },
    });
    expect(seen).toEqual([['AskUserQuestion', 'AskUserQuestion', { questions }]]);
    expect(text).toBe(`The user answered:\n- ${QUESTION}\n  Green\n  Note: dark`);
    const shown = run.messages.find((message) => message.type === 'user' && 'tool_use_result' in message);
    expect(shown).toMatchObject({ tool_use_result: { questions, answers: { [QUESTION]: 'Green' } } });
  });

  it('F163 a host that allows without an answer has not answered', async () => {
    const { text } = await asking({ canUseTool: async () => ({ behavior: 'allow' }) });
    expect(text).toContain('the user gave no answer. Do not assume one');
    const typed = await asking({
      canUseTool: async (_name, input) => ({
        behavior: 'allow',
        updatedInput: { ...input, answers: {}, response: 'Neither.' },
      }),
    });
    expect(typed.text).toBe('The user wrote: Neither.');
  });
});
