import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { deferred } from '@turnwright/testing';
import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { describe, expect, it } from 'vitest';
import { hostTool, hostTools } from '../host-tools.ts';
import { decided, noted, outline, toolResults } from '../outline.ts';
import { isAlive, untilFile } from '../processes.ts';
import { errorResultOf, rehearse } from '../rehearse.ts';

describe('aborted_tools', () => {
  it('an interrupt while a command runs: the command is killed, its call answered, the interruption noted', async () => {
    const run = await rehearse({
      replies: [reply(toolUse('Bash', { command: 'echo $$ > pid; sleep 60' }))],
      onMessage: async (message, { query, cwd }) => {
        if (message.type !== 'assistant') return;
        void untilFile(join(cwd, 'pid')).then(() => query.interrupt());
      },
    });
    expect(outline(run.messages)).toEqual([
      'init',
      'tool_use',
      'tool_result',
      'user',
      'result:error_during_execution',
    ]);
    expect(toolResults(run.messages)).toMatchObject([{ isError: true }]);
    expect(noted(run.messages)).toEqual(['[Request interrupted by user for tool use]']);
    expect(errorResultOf(run)).toMatchObject({
      is_error: true,
      terminal_reason: 'aborted_tools',
      stop_reason: 'tool_use',
      num_turns: 3,
    });
    expect(decided(run.decisions)).toEqual(['stop aborted_tools']);
    expect(isAlive(Number(readFileSync(join(run.cwd, 'pid'), 'utf8')))).toBe(false);
  });

  it('L10.9 a tool that does not heed the interrupt leaves no timer behind', async () => {
    const begun = deferred();
    const stuck = hostTool('Stuck', () => {
      begun.resolve();
      return new Promise(() => {});
    });
    const run = await rehearse({
      replies: [reply(toolUse('mcp__host__Stuck', {}))],
      options: hostTools(stuck),
      onMessage: (message, { query }) => {
        if (message.type === 'assistant') void begun.promise.then(() => query.interrupt());
      },
    });
    expect(errorResultOf(run)).toMatchObject({ terminal_reason: 'aborted_tools' });
  });

  it('a host that denies a call and interrupts', async () => {
    const run = await rehearse({
      replies: [reply(toolUse('Bash', { command: 'rm -rf build' }))],
      options: {
        permissionMode: 'default',
        canUseTool: async () => ({ behavior: 'deny', message: 'Never that.', interrupt: true }),
      },
    });
    expect(toolResults(run.messages)).toMatchObject([{ text: 'Never that.', isError: true }]);
    const result = errorResultOf(run);
    expect(result).toMatchObject({ terminal_reason: 'aborted_tools', num_turns: 3 });
    expect(result.permission_denials).toEqual([
      { tool_name: 'Bash', tool_use_id: expect.any(String), tool_input: { command: 'rm -rf build' } },
    ]);
    expect(noted(run.messages)).toEqual(['[Request interrupted by user for tool use]']);
  });
});
