/** The pages of docs/recipes that end in a browser: a headless one opens what they serve. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { reply, text, toolUse } from '@turnwright/testing/rehearsal';
import { describe, expect, it } from 'vitest';
import { CHROMIUM, openPage } from './browser.ts';
import { freePort } from './free-port.ts';
import { shows, stepsOf } from './page.ts';
import { type Reader, reader } from './reader.ts';

/** Writes the files of a page and starts its server, on a port of its own; resolves with what it printed. */
async function serverOf(page: string, { follow, start, env }: Reader) {
  const port = await freePort();
  env['PORT'] = port;
  for (const step of stepsOf(page)) {
    if (step.kind === 'file') {
      await follow(step);
      continue;
    }
    const { printed } = await start(step);
    expect(shows(printed().trimEnd(), (step.prints ?? '').replace('3000', port))).toBe(undefined);
    return { url: /http:\S+/.exec(printed())?.[0] ?? '', printed };
  }
  throw new Error(`${page} starts nothing.`);
}

describe.skipIf(CHROMIUM === undefined)('a reader of', () => {
  it('stream-to-a-browser.md sees words as they come, and a broken answer replaced', async () => {
    // The first stream breaks after some words: what was shown of it must go.
    const blue = reply([text('The sky is blue because of the air.')], {
      timing: { gapMs: 30, deltaChars: 6 },
      faults: [{ name: 'cut', times: 1, after: 5 }],
    });
    const someone = await reader({ name: 'blue', replies: [blue] });
    const { url } = await serverOf('docs/recipes/stream-to-a-browser.md', someone);
    const { page, errors } = await openPage(url);
    await page.fill('[name=prompt]', 'Why is the sky blue?');
    await page.click('button');
    await page.waitForFunction(() => /^The sky/.test(document.querySelector('#answer')?.textContent ?? ''));
    expect(await page.textContent('#state')).toBe('working');
    await page.waitForFunction(() => document.querySelector('#state')?.textContent === 'done');
    expect((await page.textContent('#answer'))?.trim()).toBe('The sky is blue because of the air.');
    expect(someone.server.requests).toHaveLength(2);
    expect(errors).toEqual([]);
  });

  it('approve-from-a-phone.md has a call wait until it is allowed, and another one denied', async () => {
    const someone = await reader(({ results }) => {
      if (results.size === 0) return reply(toolUse('Bash', { command: 'mkdir reports' }));
      if (results.size === 1) return reply(toolUse('Bash', { command: 'touch reports/one' }));
      return reply([...results.values()].at(-1) ?? '');
    });
    const { url, printed } = await serverOf('docs/recipes/approve-from-a-phone.md', someone);
    const { page } = await openPage(url, { width: 390, height: 800 });
    await page.waitForSelector('text=mkdir reports');
    expect(existsSync(join(someone.folder, 'reports'))).toBe(false);
    await page.click('text=Allow');
    await page.waitForSelector('text=touch reports/one');
    expect(existsSync(join(someone.folder, 'reports'))).toBe(true);
    await page.click('text=Deny');
    await expect.poll(printed, { timeout: 120_000 }).toContain('Denied on the phone.');
    expect(existsSync(join(someone.folder, 'reports/one'))).toBe(false);
  });
});
