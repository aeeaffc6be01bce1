/** A reader's browser: the Chromium of the machine, where there is one. */
import { existsSync } from 'node:fs';
import { type Browser, chromium, type Page } from 'playwright-core';
import { onTestFinished } from 'vitest';

const CANDIDATES = [
  process.env['CHROMIUM'],
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];
export const CHROMIUM = CANDIDATES.find((path) => path !== undefined && existsSync(path));

export interface BrowserPage {
  readonly page: Page;
  /** Errors of the page, and of what it loads. */
  readonly errors: readonly string[];
}

export async function openPage(url: string, size = { width: 1200, height: 800 }): Promise<BrowserPage> {
  if (CHROMIUM === undefined) throw new Error('There is no Chromium on this machine.');
  const browser: Browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
  onTestFinished(() => browser.close());
  const page = await browser.newPage({ viewport: size });
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text());
  });
  await page.goto(url);
  return { page, errors };
}
