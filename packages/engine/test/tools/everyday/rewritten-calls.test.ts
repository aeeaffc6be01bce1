/** A call whose input a hook or a host rewrites runs with it, also when it may no longer run beside others. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Call, place, runCalls } from '@turnwright/test/tools/everyday/run-calls.ts';
import { describe, expect, test } from 'vitest';
import type { HookCallback, Options } from '../../../src/index.ts';

const bash = (command: string): Call => ['Bash', { command, timeout: 60_000 }];
/** From a command that only reads to one that writes. */
const rewritten = (command: string) => `${command}; touch made`;
const hookSpecificOutput = { hookEventName: 'PreToolUse' } as const;

const callback: HookCallback = async (input) => {
  const { command } = (input as unknown as { tool_input: { command: string } }).tool_input;
  return { hookSpecificOutput: { ...hookSpecificOutput, updatedInput: { command: rewritten(command) } } };
};
const answer = JSON.stringify({
  hookSpecificOutput: { ...hookSpecificOutput, updatedInput: { command: rewritten('echo from a command') } },
});
const WAYS: readonly (readonly [by: string, options: Options])[] = [
  ['a callback', { hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [callback] }] } }],
  [
    'a command',
    {
      settings: {
        hooks: {
          PreToolUse: [{ matcher: 'Bash', hooks: [{ type: 'command', command: `echo '${answer}'` }] }],
        },
      },
    },
  ],
  [
    'the host',
    {
      permissionMode: 'default',
      allowDangerouslySkipPermissions: false,
      settings: { permissions: { ask: ['Bash(ls *)'] } },
      canUseTool: async (_tool, input) => ({
        behavior: 'allow',
        updatedInput: { ...input, command: rewritten(String(input['command'])) },
      }),
    },
  ],
];

describe('a rewritten call', () => {
  test.each(WAYS)('by %s, alone and beside others', async (_by, options) => {
    const at = place();
    const { answers } = await runCalls(
      [bash('ls -d .'), [bash('ls -d .'), bash('ls -d .'), bash('ls -d .')]],
      at,
      options,
    );
    expect(answers).toHaveLength(4);
    for (const { text, isError } of answers) expect({ text, isError }).toMatchObject({ isError: false });
    expect(existsSync(join(at.project, 'made'))).toBe(true);
  });
});
