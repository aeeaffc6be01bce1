/** Each program of README and docs that stands on its own runs, against a model on loopback. */

import { type RehearsalRequest, reply, toolUse } from '@turnwright/testing/rehearsal';
import { transformSync } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { codeBlocks, TESTED_ELSEWHERE } from '../code-blocks.ts';
import { reader } from './reader.ts';

const blocks = codeBlocks('ts', 'js').filter(
  ({ page, file, onlyCompiled }) =>
    file === undefined && onlyCompiled === undefined && TESTED_ELSEWHERE[page] === undefined,
);

/** Programs that look at an earlier session. */
const AFTER_A_SESSION = /listSessions|sessionCost/;

function answer({ tools }: RehearsalRequest) {
  if (tools.includes('StructuredOutput'))
    return reply(toolUse('StructuredOutput', { verdict: 'merge', reasons: ['It is short.'] }));
  return reply('Done.');
}

describe('a program', () => {
  it('is in many pages', () => {
    expect(blocks.length).toBeGreaterThan(20);
  });

  it.each(blocks.map((block) => ({ place: `${block.page}:${block.line}`, block })))(
    'of $place runs',
    async ({ block: { text, given, language } }) => {
      const { follow } = await reader(answer);
      const { code } = transformSync(`${given}\n${text}`, {
        loader: language === 'js' ? 'js' : 'ts',
        format: 'esm',
      });
      if (AFTER_A_SESSION.test(text))
        await follow({ kind: 'commands', text: 'turnwright -p "Say hello."', prints: undefined });
      await follow({ kind: 'file', name: 'program.mjs', text: code });
      await follow({ kind: 'commands', text: 'node program.mjs', prints: undefined });
    },
  );
});
