/** A session that is resumed keeps its cached prompt: what has changed outside is said, not written over. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Options } from '@turnwright/engine';
import { reply } from '@turnwright/testing/rehearsal';
import { expect, it } from 'vitest';
import { rehearse, submissions } from '../rehearse.ts';
import { wholeText } from '../sent.ts';

const options: Options = { settingSources: ['project'], tools: ['Read'] };
const FIRST = 'Write in short sentences.';
const SECOND = 'Write in long sentences.';
const files = { 'CLAUDE.md': `${FIRST}\n` };

const head = (body: {
  readonly system?: unknown;
  readonly messages: readonly { readonly content: unknown }[];
}) =>
  JSON.stringify([body.system, body.messages[0]?.content], (key, value) =>
    key === 'cache_control' ? undefined : value,
  );

it('memory that has changed is said behind what was cached, once', async () => {
  const before = await rehearse({ replies: [reply('Yes.')], options, files });
  const again = (more: Options = {}) =>
    rehearse({
      place: before,
      prompt: 'Go on.',
      replies: [reply('Fine.')],
      options: { ...options, resume: before.sessionId, ...more },
    });
  writeFileSync(join(before.cwd, 'CLAUDE.md'), `${SECOND}\n`);
  const changed = await again();
  const [first] = before.sent;
  const [second] = changed.sent;
  if (first === undefined || second === undefined) throw new Error('Nothing was sent.');
  expect(head(second)).toBe(head(first));
  expect(wholeText(second)).toContain('CLAUDE.md says this now, in place of what it said before');

  const then = await again();
  expect(wholeText(then.sent[0]).split(SECOND)).toHaveLength(2);
  expect(head(then.sent[0] ?? first)).toBe(head(first));

  writeFileSync(join(before.cwd, 'CLAUDE.md'), '');
  expect(wholeText((await again()).sent[0])).toContain('CLAUDE.md is gone');

  // What a caller chooses is not kept from before.
  const other = await again({ systemPrompt: 'Be somebody else.' });
  expect(head(other.sent[0] ?? first)).not.toBe(head(first));
  expect(wholeText(other.sent[0])).not.toContain(FIRST);
});

it('behind a summary it is said again', async () => {
  const before = await rehearse({ replies: [reply('Yes.')], options, files });
  writeFileSync(join(before.cwd, 'CLAUDE.md'), `${SECOND}\n`);
  const { sent } = await rehearse({
    place: before,
    ...submissions('Go on.', '/compact', 'And now?'),
    replies: [
      reply('Fine.'),
      reply('<summary>We went on.</summary>', { when: { kind: 'compaction' } }),
      reply('Done.'),
    ],
    options: { ...options, resume: before.sessionId },
  });
  expect(wholeText(sent.at(-1))).toContain('We went on.');
  expect(wholeText(sent.at(-1)).split(SECOND)).toHaveLength(2);
});

it('the resumed request begins with the bytes that were cached', async () => {
  const before = await rehearse({ replies: [reply('Yes.')], options, files });
  writeFileSync(join(before.cwd, 'CLAUDE.md'), `${SECOND}\n`);
  const { sent } = await rehearse({
    place: before,
    prompt: 'Go on.',
    replies: [reply('Fine.')],
    options: { ...options, resume: before.sessionId },
  });
  const bytes = (body: unknown) =>
    JSON.stringify(body, (key, value) => (key === 'cache_control' ? undefined : value));
  const [first] = before.sent;
  expect(bytes(sent[0]?.messages).startsWith(bytes(first?.messages).slice(0, -1))).toBe(true);
});
