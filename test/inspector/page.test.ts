/** The inspector's page in the browser of the machine, against the figures of its sessions (B1, B2, B7, B8, B10). */
import { appendFileSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { inspectSession } from '@turnwright/engine';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { CHROMIUM, openPage } from '../front-door/browser.ts';
import { inForm, isLong } from '../long-form.ts';
import {
  linesOfMade,
  type MadeIteration,
  type MadeSession,
  makeRecords,
  writeSession,
} from './made-session.ts';
import { AGENT, AGENT_ID, SAMPLE, SAMPLE_ID } from './sample-sessions.ts';
import { newHome, serveSession } from './served.ts';

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
/** A real one, and small. */
const PICTURE = new URL('../../docs/assets/inspector-dark.png', import.meta.url);
const agents = [{ id: AGENT_ID, description: 'Look for other callers', session: AGENT }];

async function openSample(size?: { readonly width: number; readonly height: number }, hash = '') {
  const home = newHome();
  writeSession(home, SAMPLE, agents);
  const served = await serveSession(home, SAMPLE_ID);
  const browser = await openPage(`${served.url}${hash}`, size);
  await browser.page.waitForSelector('.row');
  return {
    home,
    served,
    ...browser,
    data: await inspectSession(SAMPLE_ID, { cwd: home, env: { TURNWRIGHT_HOME: home } }),
  };
}

/** Contents are read when they are asked for. */
const shows = (page: Page, selector: string, text: string | RegExp) =>
  page.locator(selector).filter({ hasText: text }).waitFor();

const usd = (value: number) => `$${value < 1 && value !== 0 ? value.toFixed(4) : value.toFixed(2)}`;

describe.skipIf(CHROMIUM === undefined)('the page', () => {
  it('shows in every panel the figures of the session', async () => {
    const { page, errors, data } = await openSample();
    expect(await page.title()).toBe(`${data.title} – inspector`);
    expect(await page.locator('.reason').innerText()).toBe(data.sentence);
    const tile = (name: string) => page.locator('.tile', { has: page.locator('.name', { hasText: name }) });
    expect(await tile('Turns').locator('.value').innerText()).toBe(`${data.totals.turns}`);
    expect(await tile('Cost').locator('.value').innerText()).toBe(usd(data.totals.costUsd));
    expect(await tile('Cache').innerText()).toContain(`${Math.round(data.totals.cacheHit * 100)} %`);
    const dearest = data.iterations.find(({ key }) => key === data.dearest);
    expect(await tile('Dearest').innerText()).toContain(`#${dearest?.step}`);

    const rows = await page.locator('.row').allInnerTexts();
    for (const [at, { costUsd = 0, sentence }] of data.iterations.slice(0, 5).entries()) {
      expect(rows[at]).toContain(usd(costUsd));
      expect(rows[at]).toContain(sentence);
    }
    // What was dear, and why: the cache.
    await page.keyboard.press('$');
    await shows(page, '.detail h2', `#${dearest?.step}`);
    await shows(page, '#detail', 'the entry had expired');
    await page.getByRole('tab', { name: 'Permissions' }).click();
    await shows(page, '#detail', 'Not allowed by the deny rule Bash(git push:*) in the project settings');

    await page.getByRole('tab', { name: /Stands out/ }).click();
    const notable = await page.locator('#side').innerText();
    for (const { sentence } of data.events) expect(notable).toContain(sentence);
    await page.getByRole('tab', { name: /Agents/ }).click();
    const tree = await page.locator('#side').innerText();
    for (const { treeCostUsd } of data.agents) expect(tree).toContain(usd(treeCostUsd));
    expect(tree).toContain('explorer');
    await page.getByRole('tab', { name: 'Cost' }).click();
    expect(await page.locator('#side tfoot').innerText()).toContain(usd(data.cost.totalCostUsd));

    await page.keyboard.press('Escape');
    await page.getByRole('tab', { name: 'Table' }).click();
    expect(await page.locator('#course').innerText()).toMatch(/Bash\s+4\s/);
    await page.getByRole('tab', { name: 'Flame' }).click();
    expect(await page.locator('.flame').innerText()).toContain('explorer');
    expect(errors).toEqual([]);
  });

  it('shows what was sent, what differs, the answer, the tools with a difference, and commands to go on', async () => {
    const { page, errors } = await openSample(undefined, '&i=4&tab=sent');
    const detail = page.locator('#detail');
    await page.waitForSelector('.unchanged');
    expect(await detail.innerText()).toMatch(/\d+ entries as in the request before/);
    await shows(page, '#detail', 'first that differs');
    await page.getByRole('tab', { name: /^Tools/ }).click();
    expect(await detail.locator('.diff').innerText()).toMatch(
      /− if \(token\)\n\+ if \(token !== undefined\)/,
    );
    await shows(
      page,
      '#detail',
      'Allowed by the answer after 8.2 s. Before that, the permission mode said ask.',
    );
    await page.getByRole('tab', { name: 'Why' }).click();
    await shows(page, '#detail', `turnwright fork ${SAMPLE_ID} --at 4`);
    expect(await detail.locator('.ladder li').count()).toBeGreaterThan(5);
    await page.getByRole('tab', { name: /Attempts/ }).click();
    await page.keyboard.press('ArrowLeft');
    await page.getByLabel('compare with').selectOption({ label: '#2' });
    expect(await page.locator('.compare').innerText()).toContain('tokens read');
    await page.keyboard.press('/');
    await page.getByRole('searchbox').fill('empty tokens');
    await page.locator('.hits button').first().click();
    expect(await page.locator('.overlay').count()).toBe(0);
    expect(page.url()).toContain('i=');
    expect(page.url()).not.toContain('token');
    expect(errors).toEqual([]);
  });

  it('shows what another process writes as it is written, and nothing twice after its connection was cut', async () => {
    const home = newHome();
    const rounds = inForm(6, 20);
    const iterations: readonly MadeIteration[] = Array.from({ length: rounds + 2 }, () => ({}));
    const session: MadeSession = { ...SAMPLE, iterations, result: false };
    const file = writeSession(home, { ...session, iterations: iterations.slice(0, 1) });
    const lines = linesOfMade(session, makeRecords(session));
    const closing = lines.flatMap((line, at) => (line.includes('"type":"decision"') ? [at] : []));
    writeFileSync(file, `${lines.slice(0, (closing[0] ?? 0) + 1).join('\n')}\n`);
    const served = await serveSession(home, SAMPLE_ID);
    const { page, errors } = await openPage(served.url);
    await page.waitForSelector('.row');
    const took: number[] = [];
    for (let n = 1; n <= rounds; n++) {
      const began = performance.now();
      appendFileSync(file, `${lines.slice((closing[n - 1] ?? 0) + 1, (closing[n] ?? 0) + 1).join('\n')}\n`);
      await page.waitForFunction(
        (count) => document.querySelector('[data-tab="iterations"]')?.textContent === `Iterations ${count}`,
        n + 1,
        { polling: 'raf' },
      );
      took.push(performance.now() - began);
      served.cut();
    }
    // Another session that begins is listed without a reload.
    writeSession(home, { ...SAMPLE, sessionId: AGENT_ID.padEnd(36, '0'), prompt: 'A later one.' });
    await page.locator('nav option', { hasText: 'A later one.' }).waitFor({ state: 'attached' });
    const steps = await page.locator('.row .n').allInnerTexts();
    expect(steps).toEqual(Array.from({ length: rounds + 1 }, (_, at) => `#${at + 1}`));
    expect(errors.filter((error) => !/ERR_|Failed to load/.test(error))).toEqual([]);
    // The first after a cut waits for the page to connect again.
    expect(took.sort((a, b) => a - b)[0]).toBeLessThan(inForm(2000, 400));
  });

  it('renders the Markdown of an answer, images by their bytes, and a lane of hooks; HTML stays text', async () => {
    const home = newHome();
    const text =
      '## Found\n\n- **one** `a < b`\n- two\n\n```js\n<b>x</b>\n```\n\n<i>raw</i> [here](https://example.org/a) [there](javascript:alert(1))';
    const image = {
      type: 'image',
      source: { type: 'base64', media_type: 'image/png', data: readFileSync(PICTURE).toString('base64') },
    };
    const iterations = [{ text, calls: [{ name: 'Read', input: {} }] }, {}];
    writeSession(home, { ...SAMPLE, iterations }, [], (body) => {
      if (body.type === 'decision') {
        const [startMs, endMs] = [body.record.startMs + 900, body.record.startMs + 1900];
        const hook = { event: 'PreToolUse', type: 'command', startMs, endMs, outcome: 'blocked' } as const;
        return [{ ...body, record: { ...body.record, hooks: [hook] } }];
      }
      const { content } = body.type === 'user' ? body.message : { content: '' };
      if (typeof content === 'string') return [body];
      const shown = content.map((block) => ({ ...block, content: [image] }));
      return [{ ...body, message: { role: 'user', content: shown } } as never];
    });
    const served = await serveSession(home, SAMPLE_ID);
    const { page, errors } = await openPage(`${served.url}&i=1&tab=answer`);
    const prose = page.locator('#detail .prose');
    expect(await prose.locator('h4').innerText()).toBe('Found');
    expect(await prose.locator('ul > li').allInnerTexts()).toEqual(['one a < b', 'two']);
    expect(await prose.locator('pre').innerText()).toBe('<b>x</b>');
    expect(await prose.innerText()).toContain(
      '<i>raw</i> here (https://example.org/a) [there](javascript:alert(1))',
    );
    expect(await prose.locator('a').count()).toBe(1);
    await page.locator('[data-tab="tools"]').click();
    await page.waitForFunction(
      () => (document.querySelector<HTMLImageElement>('img.shown')?.naturalWidth ?? 0) > 0,
    );
    await page.locator('[data-tab="permissions"]').click();
    await shows(page, '#detail', /PreToolUse\s*command, 1\.0 s\s*blocked/);
    const bare = await (
      await fetch(`${served.origin}/api/export?kind=html&redact=1&session=${SAMPLE_ID}`, {
        headers: { authorization: `Bearer ${served.token}` },
      })
    ).text();
    expect(bare).not.toContain('data:image/png;base64');
    expect(errors).toEqual([]);
  });

  it('can be used with keys alone, and by readers of screens, in light and dark', async () => {
    const { page } = await openSample();
    await page.keyboard.press('w');
    await shows(page, '.detail h2', '#8');
    await page.keyboard.press('ArrowLeft');
    await shows(page, '.detail h2', '#7');
    await page.keyboard.press('f');
    expect(await page.locator('.chip[aria-pressed="true"]').count()).toBeGreaterThan(0);
    await page.keyboard.press('f');
    await page.keyboard.press('?');
    expect(await page.locator('.overlay').innerText()).toContain('the dearest iteration');
    await page.keyboard.press('Escape');
    await page.locator('.timeline canvas').focus();
    await page.keyboard.press('w');
    await page.keyboard.press('d');
    await page.waitForFunction(() => location.hash.includes('z='));
    await page.keyboard.press('0');
    await page.waitForFunction(() => !location.hash.includes('z='));
    await page.keyboard.press('Enter');
    expect(await page.evaluate(() => document.activeElement?.getAttribute('role'))).toBe('tab');

    const axe = readFileSync(AXE, 'utf8');
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await page.addInitScript(axe);
      for (const side of ['iterations', 'notable', 'agents', 'cost']) {
        await page.locator(`[data-tab="${side}"]`).click();
        // Through the debugger: the page's policy allows no script but its own.
        const found = await page.evaluate(`(async () => { if (!window.axe) { ${axe} }
          const { violations } = await axe.run({ resultTypes: ['violations'] });
          return violations.filter(({ impact }) => ['serious', 'critical'].includes(impact))
            .map(({ id, nodes }) => id + ' ' + nodes.map(({ target, any }) => target + ' ' + (any[0]?.message ?? '')).slice(0, 3)); })()`);
        expect([colorScheme, side, found]).toEqual([colorScheme, side, []]);
      }
    }
  });

  it('brings what was chosen into sight, from tiles and keys, and walks the list', async () => {
    const { page } = await openSample({ width: 1280, height: 900 });
    const isInSight = (selector: string) =>
      page.waitForFunction((found) => {
        const { top, bottom } = document.querySelector(found)?.getBoundingClientRect() ?? {
          top: -1,
          bottom: 0,
        };
        return top >= 50 && bottom <= innerHeight;
      }, selector);
    const toTop = () => page.evaluate(() => scrollTo({ top: 0, behavior: 'instant' }));
    await page.locator('.tile', { hasText: 'Dearest' }).click();
    await isInSight('.detail');
    // Nothing still moves when the next thing is asked for.
    for (const key of ['w', '$', 'w', '$']) {
      await toTop();
      await page.keyboard.press(key);
      await isInSight('.detail');
    }
    await toTop();
    await page.locator('.tile', { hasText: 'Cost' }).first().click();
    await isInSight('.side');
    await page.locator('[data-tab="iterations"]').click();
    await page.locator('.row').first().click();
    for (const [key, step] of [
      ['ArrowDown', '#2'],
      ['ArrowUp', '#1'],
      ['End', '#8'],
      ['Home', '#1'],
    ] as const) {
      await page.keyboard.press(key);
      await shows(page, '.detail h2', step);
    }
  });

  it('fills the flame by cost, and has each figure below its heading', async () => {
    const { page, data } = await openSample(undefined, '&course=flame');
    const box = await page.locator('.flame').boundingBox();
    const last = await page.locator('.flame > .flame-row > .flame-box').last().boundingBox();
    expect((last?.x ?? 0) + (last?.width ?? 0)).toBeGreaterThan((box?.x ?? 0) + (box?.width ?? 0) - 3);
    await page.getByRole('tab', { name: 'Table' }).click();
    expect(await page.locator('#course tfoot').innerText()).not.toContain('$');
    await page.getByRole('tab', { name: 'Cost' }).click();
    const heads = await page.locator('#side thead th').allInnerTexts();
    const foot = await page.locator('#side tfoot > tr > *').allInnerTexts();
    expect(foot.at(heads.indexOf('USD') - 2)).toBe(usd(data.cost.totalCostUsd));
    expect(await page.locator('#side').innerText()).toContain(
      `${usd(data.cost.waste.cacheBrokenUsd)} was paid because the prompt cache was broken.`,
    );
    expect(await page.locator('.state').innerText()).toBe('done');
  });

  it('fits a phone: nothing is wider than the window', async () => {
    const { page, errors } = await openSample({ width: 360, height: 740 });
    for (const side of ['iterations', 'notable', 'agents', 'cost']) {
      await page.locator(`[data-tab="${side}"]`).click();
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
    }
    for (const tab of ['sent', 'tools', 'raw']) {
      await page.locator(`[data-tab="${tab}"]`).click();
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
    }
    expect(errors).toEqual([]);
  });

  it('runs nothing that a session holds, and asks for nothing', async () => {
    const evil = [
      '</script><script>window.ran=1</script>',
      '<img src=x onerror="window.ran=1">',
      '<svg onload="window.ran=1">',
      '[a](javascript:window.ran=1) javascript:window.ran=1',
      '<style>body{display:none}</style>',
      '\u202Egnirts\u0007\u0000',
      'https://evil.example/steal?x=1',
    ].join('\n');
    const huge = 'x'.repeat(2_000_000);
    const home = newHome();
    const session: MadeSession = {
      ...SAMPLE,
      prompt: evil,
      cwd: '/work/<b>project',
      iterations: [
        {
          text: evil,
          calls: [
            {
              name: '<img src=x onerror=window.ran=1>',
              input: { command: evil, [evil]: evil },
              output: huge,
            },
          ],
        },
        { text: evil, calls: [{ name: 'Bash', input: { command: evil }, output: evil, outcome: 'error' }] },
        { text: evil, calls: [] },
      ],
    };
    writeSession(home, session);
    const served = await serveSession(home, SAMPLE_ID);
    const { page, errors } = await openPage(served.url);
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await page.waitForSelector('.row');
    for (const step of [0, 1, 2]) {
      await page.locator('.row').nth(step).click();
      for (const tab of ['sent', 'answer', 'tools', 'permissions', 'raw', 'why'])
        await page.locator(`[data-tab="${tab}"]`).click();
    }
    await page.locator('[data-tab="tools"]').click();
    await page.locator('.row').first().click();
    await page.locator('#detail .link').first().click();
    await page.waitForFunction(
      () => (document.querySelector('#detail')?.textContent?.length ?? 0) > 1_000_000,
    );
    expect(await page.evaluate(() => (window as { ran?: number }).ran)).toBeUndefined();
    expect(asked.filter((url) => !url.startsWith(served.origin))).toEqual([]);
    expect(errors).toEqual([]);
    expect(
      await page.evaluate(
        () => [...document.querySelectorAll('a')].filter(({ href }) => !/^https?:/.test(href)).length,
      ),
    ).toBe(0);
  });

  it('an exported page opens from a file with the same figures and asks for nothing; without contents it holds none', async () => {
    const { home, page: served, data } = await openSample();
    const folder = mkdtempSync(join(tmpdir(), 'turnwright-export-'));
    await served.locator('.menu summary').click();
    const save = async (name: string, file: string) => {
      const [download] = await Promise.all([
        served.waitForEvent('download'),
        served.getByRole('button', { name, exact: true }).click(),
      ]);
      await download.saveAs(join(folder, file));
      return readFileSync(join(folder, file), 'utf8');
    };
    await save('Page with the data in it', 'all.html');
    const bare = await save('The same, without contents', 'bare.html');
    const trace = JSON.parse(await save('Trace for Perfetto', 'trace.json')) as {
      traceEvents: { ph: string; tid: number; pid: number; ts: number; dur: number }[];
    };
    for (const secret of [
      'splitTokens',
      'parser.ts',
      'npm run lint',
      'git push',
      '/work/project',
      'empty tokens',
      'Look for other callers',
    ])
      expect([secret, bare.includes(secret)]).toEqual([secret, false]);
    // Slices of a track do not overlap.
    const ends = new Map<string, number>();
    for (const { ph, pid, tid, ts, dur } of trace.traceEvents
      .filter(({ ph }) => ph === 'X')
      .sort((a, b) => a.ts - b.ts)) {
      expect(ph).toBe('X');
      expect(ts + 1).toBeGreaterThan(ends.get(`${pid}/${tid}`) ?? 0);
      ends.set(`${pid}/${tid}`, ts + dur);
    }
    for (const file of ['all.html', 'bare.html']) {
      const { page, errors } = await openPage('about:blank');
      const asked: string[] = [];
      page.on('request', (request) => asked.push(request.url()));
      await page.goto(pathToFileURL(join(folder, file)).href);
      await page.waitForSelector('.row');
      expect(await page.locator('.reason').innerText()).toBe(data.sentence);
      expect(await page.locator('.tile .value').allInnerTexts()).toEqual(
        await served.locator('.tile .value').allInnerTexts(),
      );
      await page.locator('[data-tab="tools"]').click();
      await page.keyboard.press('$');
      await shows(page, '#detail', file === 'all.html' ? /git push --force/ : /xxx xxxx --axxaa/);
      expect(asked.filter((url) => !url.startsWith('file:') && !url.startsWith('data:'))).toEqual([]);
      expect(errors).toEqual([]);
    }
    void home;
  });

  it('stays quick with many iterations', async () => {
    const count = isLong ? 5000 : 600;
    const home = newHome();
    writeSession(home, {
      ...SAMPLE,
      iterations: Array.from(
        { length: count },
        (_, n): MadeIteration => ({
          ms: 900 + (n % 7) * 100,
          calls: ['a', 'b', 'c', 'd'].map((file) => ({
            name: 'Read',
            input: { file_path: `/work/${file}${n % 40}.ts` },
            ms: 20,
          })),
        }),
      ),
    });
    const served = await serveSession(home, SAMPLE_ID);
    const { page, errors } = await openPage(served.url);
    await page.waitForSelector('.row');
    const ready = await page.evaluate(() => performance.now());
    expect(await page.evaluate(() => document.querySelectorAll('*').length)).toBeLessThan(1500);
    const zooms = await page.evaluate(async () => {
      const canvas = document.querySelector<HTMLCanvasElement>('.timeline canvas');
      canvas?.focus();
      const took: number[] = [];
      for (let n = 0; n < 30; n++) {
        const began = performance.now();
        dispatchEvent(new KeyboardEvent('keydown', { key: n % 2 === 0 ? 'W' : 'd' }));
        await new Promise((resolve) => requestAnimationFrame(resolve));
        took.push(performance.now() - began);
      }
      return took.sort((a, b) => a - b);
    });
    const rows = page.locator('.rows');
    await rows.evaluate((box) => {
      box.scrollTop = box.scrollHeight;
    });
    await page.waitForFunction(
      (n) =>
        document.querySelector('.row .n')?.parentElement?.id !== 'row-0' &&
        document.querySelectorAll('.row').length < 40 &&
        n > 0,
      count,
    );
    expect(await page.locator('.row').last().innerText()).toContain(`#${count}`);
    console.log(
      `${count} iterations: ready after ${Math.round(ready)} ms, zoom p50 ${Math.round(zooms[15] ?? 0)} ms, p95 ${Math.round(zooms[28] ?? 0)} ms`,
    );
    expect(ready).toBeLessThan(inForm(20_000, 3000));
    expect(errors).toEqual([]);
  });
});
