/** Writing a prompt at the built command line: completion, history, the external editor, images, the viewer. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { against, bareEnv, rehearse, temporaryFolder } from '@turnwright/test/cli/bin.ts';
import { converse } from '@turnwright/test/conversation/on-terminal/converse.ts';
import { forbiddenIn } from '@turnwright/test/terminal/forbidden-sequences.ts';
import { hasTmux, pause } from '@turnwright/test/terminal/tmux.ts';
import { type RehearsalServer, reply } from '@turnwright/testing/rehearsal';
import { describe, expect, it } from 'vitest';

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** The content blocks of the user's last message. */
function lastContent(
  server: RehearsalServer,
): readonly { type: string; text?: string; source?: { data: string } }[] {
  const { messages } = server.requests.at(-1)!.body as { messages: { role: string; content: never }[] };
  return messages.findLast(({ role }) => role === 'user')!.content;
}

const textsOf = (server: RehearsalServer) =>
  lastContent(server).flatMap(({ text }) =>
    text === undefined || text.startsWith('<system-') ? [] : [text],
  );

describe.skipIf(!hasTmux)('a prompt', () => {
  it('is completed, edited outside, kept for the next session and found again; the viewer gives the screen back', async () => {
    const cwd = temporaryFolder();
    mkdirSync(join(cwd, 'src'));
    writeFileSync(join(cwd, 'src/larch.ts'), 'export const larch = 1;\n');
    const editor = join(cwd, 'my-editor');
    writeFileSync(editor, '#!/bin/sh\nprintf "%s, please\\n" "$(cat "$1")" > "$1.new" && mv "$1.new" "$1"\n');
    chmodSync(editor, 0o755);
    const server = await rehearse(reply('It is a tree.'), reply('It is a tree.'));
    const env = bareEnv({ ...against(server), EDITOR: editor });
    const talk = await converse(server, { cwd, env });
    await talk.seen('opus-5-5');

    talk.type('what is @lar');
    await talk.seen('› src/larch.ts');
    talk.keys('Tab');
    await talk.seen('› what is @src/larch.ts');
    talk.keys('C-g');
    await talk.seen('@src/larch.ts , please');
    await pause(150);
    talk.keys('Enter');
    await talk.seen('It is a tree.');
    expect(textsOf(server).join('\n')).toContain('what is @src/larch.ts , please');
    expect(textsOf(server).join('\n') + JSON.stringify(lastContent(server))).toContain('export const larch');

    await talk.seen('done');
    talk.keys('C-o');
    await talk.seen('q back');
    expect(talk.ask('#{alternate_on}')).toBe('1');
    talk.keys('q');
    await talk.gone('q back');
    await talk.seen('It is a tree.');
    expect(talk.ask('#{alternate_on}')).toBe('0');
    expect(forbiddenIn(talk.raw(), { viewer: true })).toEqual([]);
    talk.keys('C-d');
    await talk.until('ended with 0');

    const next = await converse(server, { cwd, env });
    await next.seen('opus-5-5');
    next.keys('C-r');
    await next.seen('search prompts');
    next.type('tree');
    await next.seen('no such prompt');
    next.keys('C-c');
    await next.gone('no such prompt');
    next.keys('C-r');
    next.type('pleas');
    await next.seen('what is @src/larch.ts , please');
    await pause(150);
    next.keys('Enter');
    await next.gone('search prompts');
    await pause(150);
    next.keys('Enter');
    await next.seen('It is a tree.');
    expect(server.requests).toHaveLength(2);
    expect(textsOf(server).join('\n')).toContain('what is @src/larch.ts , please');
  });

  it('takes a dropped image along, and has the cursor behind wide characters', async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'a picture.png'), Buffer.from(PNG, 'base64'));
    const server = await rehearse(reply('A dot.'));
    const talk = await converse(server, { cwd });
    await talk.seen('opus-5-5');
    talk.type(`\x1b[200~${join(cwd, 'a\\ picture.png')}\x1b[201~`);
    await talk.seen('[image 1: a picture.png 1×1]');
    talk.type('漢字');
    await talk.seen('漢字');
    await pause(150);
    // The mark, the label, a blank, and two characters of two cells.
    expect(talk.cursor().column).toBe('› [image 1: a picture.png 1×1] '.length + 4);
    talk.keys('Enter');
    await talk.seen('A dot.');
    expect(lastContent(server).find(({ type }) => type === 'image')?.source?.data).toBe(PNG);
    expect(textsOf(server).join('')).toContain('[image 1: a picture.png 1×1] 漢字');
  });
});
