/** What the terminal is asked at the start, and what colours it gets. */

import { against, bareEnv, rehearse } from '@turnwright/test/cli/bin.ts';
import { converse } from '@turnwright/test/conversation/on-terminal/converse.ts';
import { everyNth } from '@turnwright/test/long-form.ts';
import { hasTmux } from '@turnwright/test/terminal/tmux.ts';
import { reply } from '@turnwright/testing/rehearsal';
import { describe, expect, test } from 'vitest';

const WHERE_IS_THE_CURSOR = '\x1b[6n';
const WHICH_BACKGROUND = '\x1b]11;?';
const COLOR = new RegExp('\x1b'.concat('\\[(?:3[0-7]|9[0-7]|38)[;m]'));

async function written(args: readonly string[], env: Readonly<Record<string, string>>): Promise<string> {
  const server = await rehearse(reply('**Bold** and `code`:\n\n```js\nlet a = 1;\n```\n\nThe end.'));
  const talk = await converse(server, {
    args: [...args, 'go'],
    env: { ...bareEnv(against(server)), TERM: 'screen-256color', ...env },
  });
  await talk.until('done ·');
  return talk.raw();
}

describe.skipIf(!hasTmux)('a conversation', () => {
  test('asks for widths and background once, and has colours', async () => {
    const raw = await written([], {});
    expect([raw.split(WHERE_IS_THE_CURSOR).length - 1, raw.split(WHICH_BACKGROUND).length - 1]).toEqual([
      5, 1,
    ]);
    expect(raw).toMatch(COLOR);
  });

  const SILENT: readonly (readonly [string, readonly string[], Record<string, string>])[] = [
    ['--no-probe', ['--no-probe'], {}],
    ['CI', [], { CI: 'true' }],
  ];

  test.each(everyNth(2, SILENT))('asks nothing with %s', async (_, args, env) => {
    const raw = await written(args, env);
    expect([raw.includes(WHERE_IS_THE_CURSOR), raw.includes(WHICH_BACKGROUND)]).toEqual([false, false]);
  });

  test('has no colours with NO_COLOR, and those of 16 with FORCE_COLOR=1', async () => {
    expect(await written([], { NO_COLOR: '1' })).not.toMatch(COLOR);
    const basic = await written([], { FORCE_COLOR: '1' });
    expect(basic).toMatch(COLOR);
    expect(basic).not.toContain('38;5');
  });
});
