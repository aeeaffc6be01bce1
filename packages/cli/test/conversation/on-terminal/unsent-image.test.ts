/** An image that was not sent is there again after a kill, at its place in the text. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rehearse, temporaryFolder } from '@turnwright/test/cli/bin.ts';
import { converse } from '@turnwright/test/conversation/on-terminal/converse.ts';
import { hasTmux, pause } from '@turnwright/test/terminal/tmux.ts';
import { reply } from '@turnwright/testing/rehearsal';
import { describe, expect, test } from 'vitest';

/** One white pixel. */
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

describe.skipIf(!hasTmux)('an image of an unsent prompt', () => {
  test('survives a kill, and is sent with the text', async () => {
    const server = await rehearse(reply('A pixel.'));
    const cwd = temporaryFolder();
    const image = join(cwd, 'a.png');
    writeFileSync(image, Buffer.from(PNG, 'base64'));
    const first = await converse(server, { cwd });
    // As a terminal writes a file that is dropped onto it.
    first.type(`\x1b[200~${image}\x1b[201~`);
    await first.seen('› [image 1: a.png 1×1]');
    first.type('what is it');
    process.kill(await processOf(first.env['TURNWRIGHT_HOME'] ?? '', 'what is it'), 'SIGKILL');
    const second = await converse(server, { cwd, env: first.env });
    await second.seen('› [image 1: a.png 1×1] what is it');
    second.keys('Enter');
    await second.until('A pixel.');
    expect(JSON.stringify(server.requests.at(-1)?.body)).toContain(`"data":"${PNG}"`);
  });
});

/** The process that has kept a draft with this text. */
async function processOf(home: string, text: string): Promise<number> {
  while (true) {
    // The folders come with the first file that is kept.
    const files = existsSync(home) ? (readdirSync(home, { recursive: true }) as string[]) : [];
    const draft = files.find((name) => name.endsWith('draft.json'));
    const kept = draft === undefined ? '' : readFileSync(join(home, draft), 'utf8');
    if (kept.includes(text)) return (JSON.parse(kept) as { readonly pid: number }).pid;
    await pause(30);
  }
}
