import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CanUseTool, Options } from '@turnwright/engine';
import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { describe, expect, it } from 'vitest';
import { textOf } from './outline.ts';
import { rehearse, submissions } from './rehearse.ts';
import { blocksOf, wholeText } from './sent.ts';

const PLAN = '# Plan\n1. Paint the gate.';
const write = (id: string) => reply(toolUse('Write', { file_path: 'gate.txt', content: 'green' }, id));
const exit = (id: string) => reply(toolUse('ExitPlanMode', { plan: PLAN }, id));
const approve: CanUseTool = async (_name, input) => ({ behavior: 'allow', updatedInput: input });
/** Writes are put to the host as long as plan mode is on. */
const planOnly: CanUseTool = async (name, input, { decisionReasonType }) =>
  name === 'ExitPlanMode' || decisionReasonType !== 'mode'
    ? { behavior: 'allow', updatedInput: input }
    : { behavior: 'deny', message: 'Plan first.' };
const modes = (messages: readonly object[]) =>
  messages.flatMap((message) =>
    'subtype' in message && message.subtype === 'status' && 'permissionMode' in message
      ? [message.permissionMode]
      : [],
  );

describe('plan mode', () => {
  it('tells the workflow once, keeps changes back, and ends with the approval of the plan', async () => {
    const run = await rehearse({
      replies: [write('call_1'), exit('call_2'), write('call_3'), reply('Painted.')],
      options: { permissionMode: 'plan', allowedTools: ['Write'], canUseTool: planOnly },
    });
    expect(wholeText(run.sent[0])).toContain('Plan mode is on: nothing may be changed.');
    expect(wholeText(run.sent.at(-1)).split('Plan mode is on: nothing may be changed.')).toHaveLength(2);
    const [refused, approved] = blocksOf(run.sent.at(-1), 'tool_result').map((block) =>
      textOf(block.content),
    );
    expect(refused).toBe('Plan first.');
    expect(approved).toContain('The user has approved the plan, and plan mode is off.');
    expect(readFileSync(join(run.cwd, 'gate.txt'), 'utf8')).toBe('green');
    expect(modes(run.messages)).toEqual(['default']);
    const file = join(run.home, 'plans', `${run.sessionId}.md`);
    expect(readFileSync(file, 'utf8')).toBe(`${PLAN}\n`);
    expect(run.messages).toContainEqual(
      expect.objectContaining({ tool_use_result: { plan: PLAN, isAgent: false, filePath: file } }),
    );
  });

  it('a denial stays in plan mode; the host may choose the next mode and edit the plan', async () => {
    let asked = 0;
    const canUseTool: CanUseTool = async (name, input) => {
      if (name !== 'ExitPlanMode') return { behavior: 'deny', message: 'No.' };
      return asked++ === 0
        ? { behavior: 'deny', message: 'Add a test.' }
        : {
            behavior: 'allow',
            updatedInput: { ...input, plan: `${PLAN}\n2. Test it.` },
            updatedPermissions: [{ type: 'setMode', mode: 'acceptEdits', destination: 'session' }],
          };
    };
    const run = await rehearse({
      replies: [exit('call_1'), write('call_2'), exit('call_3'), write('call_4'), reply('Done.')],
      options: { permissionMode: 'plan', canUseTool },
    });
    const [denied, kept, approved] = blocksOf(run.sent.at(-1), 'tool_result').map((block) =>
      textOf(block.content),
    );
    expect(denied).toBe('Add a test.');
    expect(kept).toBe('No.');
    expect(approved).toContain(
      'The user changed it; this is what holds:\n\n# Plan\n1. Paint the gate.\n2. Test it.',
    );
    expect(existsSync(join(run.cwd, 'gate.txt'))).toBe(true);
    expect(modes(run.messages)).toEqual(['acceptEdits']);
  });

  it('EnterPlanMode asks no question, and leaving restores the previous mode', async () => {
    const asked: string[] = [];
    const run = await rehearse({
      replies: [
        reply(toolUse('EnterPlanMode', {}, 'call_1')),
        write('call_2'),
        exit('call_3'),
        write('call_4'),
        reply('Done.'),
      ],
      options: {
        permissionMode: 'acceptEdits',
        canUseTool: (name, input, context) => {
          asked.push(name);
          return planOnly(name, input, context);
        },
      },
    });
    expect(asked).toEqual(['Write', 'ExitPlanMode']);
    expect(modes(run.messages)).toEqual(['plan', 'acceptEdits']);
    expect(wholeText(run.sent[1])).toContain('Plan mode is on: nothing may be changed.');
    expect(existsSync(join(run.cwd, 'gate.txt'))).toBe(true);
  });

  it('ExitPlanMode outside of plan mode is refused without a question', async () => {
    let asked = 0;
    const run = await rehearse({
      replies: [exit('call_1'), reply('Well.')],
      options: {
        canUseTool: async () => {
          asked++;
          return { behavior: 'allow' };
        },
      },
    });
    expect(asked).toBe(0);
    expect(textOf(blocksOf(run.sent.at(-1), 'tool_result')[0]?.content)).toContain('Plan mode is not on');
  });

  it('without a host to ask the plan is the answer, and the tools of plan mode are not offered', async () => {
    const options: Options = { permissionMode: 'plan', planModeInstructions: 'Think of gates alone.' };
    const run = await rehearse({ replies: [reply('A plan.')], options });
    expect(run.sent[0]?.tools?.map(({ name }) => name)).not.toContain('ExitPlanMode');
    expect(wholeText(run.sent[0])).toContain('Think of gates alone.');
    expect(wholeText(run.sent[0])).toContain('give it as your answer');
  });

  it('commands that only read run, others are refused without a question', async () => {
    const asked: string[] = [];
    const run = await rehearse({
      replies: [
        reply([
          toolUse('Bash', { command: 'pwd && ls | wc -l' }, 'call_1'),
          toolUse('Bash', { command: 'touch gate.txt' }, 'call_2'),
        ]),
        reply('Seen.'),
      ],
      options: {
        permissionMode: 'plan',
        allowedTools: ['Bash'],
        canUseTool: async (name) => {
          asked.push(name);
          return { behavior: 'allow' };
        },
      },
    });
    const [read, refused] = blocksOf(run.sent.at(-1), 'tool_result').map((block) => textOf(block.content));
    expect(read).toContain(run.cwd);
    expect(refused).toContain('Plan mode is on');
    expect(asked).toEqual([]);
    expect(existsSync(join(run.cwd, 'gate.txt'))).toBe(false);
  });

  it('a hook that allows everything does not lift plan mode', async () => {
    const run = await rehearse({
      replies: [write('call_1'), reply('Well.')],
      options: {
        permissionMode: 'plan',
        hooks: {
          PreToolUse: [
            {
              hooks: [
                async () => ({
                  hookSpecificOutput: {
                    hookEventName: 'PreToolUse' as const,
                    permissionDecision: 'allow' as const,
                  },
                }),
              ],
            },
          ],
        },
      },
    });
    expect(existsSync(join(run.cwd, 'gate.txt'))).toBe(false);
  });

  it('the approved plan is restored behind a summary', async () => {
    const run = await rehearse({
      ...submissions('Plan it.', '/compact', 'Go on.'),
      replies: [
        exit('call_1'),
        reply('Approved.'),
        reply('<summary>We planned.</summary>', { when: { kind: 'compaction' } }),
        reply('On it.'),
      ],
      options: { permissionMode: 'plan', canUseTool: approve },
    });
    expect(wholeText(run.sent.at(-1))).toContain('The plan that the user approved');
    expect(wholeText(run.sent.at(-1))).toContain('Paint the gate.');
  });
});
