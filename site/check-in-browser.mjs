// Opens the built site from the disk in a headless Chromium: pages load nothing that is not there, nothing overflows on a
// narrow screen, the search finds pages and leads to them, the theme changes. Where there is no Chromium it says so.
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';

const dist = join(dirname(fileURLToPath(import.meta.url)), 'dist');
const executablePath = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/google-chrome'].find(
  (path) => path !== undefined && existsSync(path),
);
if (executablePath === undefined) {
  console.log('There is no Chromium on this machine: the site was not opened.');
  process.exit(0);
}
const PAGES = [
  'index.html',
  'start.html',
  'options.html',
  'recipes/stream-to-a-browser.html',
  'api/index/functions/query.html',
];
const addressOf = (page) => pathToFileURL(join(dist, page)).href;
const problems = [];

const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
try {
  for (const width of [360, 1400]) {
    for (const path of PAGES) {
      const page = await browser.newPage({ viewport: { width, height: 900 } });
      const say = (what) => problems.push(`${path} at ${width} pixels: ${what}`);
      page.on('pageerror', (error) => say(error.message));
      page.on('console', (message) => message.type() === 'error' && say(message.text()));
      page.on('request', (request) => request.url().startsWith('file:') || say(`loads ${request.url()}`));
      await page.goto(addressOf(path));
      if ((await page.$('article h1')) === null) say('has no heading');
      const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      if (over > 0) say(`is ${over} pixels too wide`);
      await page.close();
    }
  }
  const page = await browser.newPage({ viewport: { width: 1200, height: 900 } });
  await page.goto(addressOf('recipes/mcp-server.html'));
  await page.keyboard.press('/');
  await page.keyboard.type('maxBudgetUsd');
  await page.waitForSelector('.found li', { timeout: 10_000 });
  await page.keyboard.press('Enter');
  await page.waitForURL(/(?:options|budgets)\.html/, { timeout: 10_000 });
  for (const [words, first] of [
    ['CLAUDE.md', 'memory.html'],
    ['webhook', 'hooks.html'],
  ]) {
    await page.fill('.search input', '');
    await page.waitForSelector('.found', { state: 'hidden' });
    await page.fill('.search input', words);
    await page.waitForSelector('.found li', { timeout: 10_000 });
    const href = await page.getAttribute('.found a', 'href');
    if (!href.split('#')[0].endsWith(first)) problems.push(`"${words}" finds ${href} first, not ${first}.`);
  }
  const raw = await page.evaluate(() =>
    window.SEARCH_ENTRIES.filter(({ text }) => /(?:-{3,} ){2}/.test(text)),
  );
  for (const { url } of raw) problems.push(`The search shows lines of tables of ${url}.`);
  await page.fill('.search input', '');
  await page.click('.theme');
  const theme = await page.evaluate(() => document.documentElement.dataset.theme);
  if (theme !== 'dark') problems.push(`The button for the theme chose ${theme}.`);
} finally {
  await browser.close();
}
for (const problem of problems) console.error(problem);
console.log(`${PAGES.length} pages opened from the disk, ${problems.length} problems.`);
process.exitCode = problems.length > 0 ? 1 : 0;
