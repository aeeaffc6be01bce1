/** What a hook says where nobody is asked, and which calls its condition means. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { describe, expect, it } from 'vitest';
import { skillStage } from '../skills/skill-folders.ts';

const touch = (command: string) => [reply(toolUse('Bash', { command })), reply('Done.')];

describe('a hook that asks', () => {
  it('in dontAsk denies: the host is not asked', async () => {
    const stage = await skillStage();
    let asked = 0;
    await stage.run(touch('touch made'), {
      permissionMode: 'dontAsk',
      allowedTools: ['Bash(touch:*)'],
      canUseTool: async (_tool, input) => {
        asked += 1;
        return { behavior: 'allow', updatedInput: input };
      },
      hooks: {
        PreToolUse: [
          {
            hooks: [
              async () => ({
                hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'ask' },
              }),
            ],
          },
        ],
      },
    });
    expect(asked).toBe(0);
    expect(existsSync(join(stage.cwd, 'made'))).toBe(false);
  });
});

describe('the condition of a hook is held like a rule that denies: what could be meant is meant', () => {
  it.each([
    'touch made',
    't$Z\\ouch made',
    'X=touch; $X made',
    "t''ouch made",
    '/usr/bin/[t]ouch made',
    'echo $(touch made)',
    "bash -c 'touch made'",
    'to${x}uch made',
  ])('if: Bash(touch:*) means %s', async (command) => {
    const stage = await skillStage();
    const hook = { type: 'command', command: 'exit 2', if: 'Bash(touch:*)' };
    await stage.write(
      'home/settings.json',
      JSON.stringify({ hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [hook] }] } }),
    );
    await stage.run(touch(command), {
      permissionMode: 'bypassPermissions',
      allowDangerouslySkipPermissions: true,
    });
    expect(existsSync(join(stage.cwd, 'made'))).toBe(false);
  });
});
