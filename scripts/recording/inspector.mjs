// `npm run pictures`: the pictures of docs/inspector.md, of a made session. Needs a build and a Chromium.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { chromium } from 'playwright-core';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'turnwright-pictures-'));
const PICTURES = [
  { file: 'inspector.png', colorScheme: 'light', hash: '&i=4' },
  { file: 'inspector-dark.png', colorScheme: 'dark', hash: '&i=7&tab=sent&side=notable' },
];

const bundled = join(root, 'node_modules/.cache-pictures.mjs');
const { outputFiles } = await build({
  stdin: {
    contents: `export * from './test/inspector/made-session.ts'; export * from './test/inspector/sample-sessions.ts';`,
    resolveDir: root,
  },
  bundle: true,
  write: false,
  platform: 'node',
  format: 'esm',
  packages: 'external',
  alias: {
    '@turnwright/engine': join(root, 'packages/engine/src'),
    '@turnwright/base': join(root, 'packages/base/src'),
  },
});
writeFileSync(bundled, outputFiles[0].text);
try {
  const { writeSession, SAMPLE, SAMPLE_ID, AGENT, AGENT_ID } = await import(pathToFileURL(bundled));
  writeSession(folder, SAMPLE, [{ id: AGENT_ID, description: 'Look for other callers', session: AGENT }]);
  const child = spawn(process.execPath, [join(root, 'dist/bin/turnwright'), 'inspect', SAMPLE_ID], {
    env: { PATH: process.env.PATH, HOME: folder, TURNWRIGHT_HOME: folder },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const url = await new Promise((resolve) =>
      child.stdout.once('data', (text) => resolve(String(text).trim())),
    );
    await takePictures(url);
  } finally {
    child.kill();
  }
} finally {
  rmSync(bundled, { force: true });
  rmSync(folder, { recursive: true, force: true });
}

async function takePictures(url) {
  const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  for (const { file, colorScheme, hash } of PICTURES) {
    const page = await browser.newPage({
      viewport: { width: 1320, height: 1480 },
      colorScheme,
      reducedMotion: 'reduce',
    });
    await page.goto(`${url}${hash}`);
    await page.waitForSelector('.detail .tabs');
    await page.waitForTimeout(500);
    await page.screenshot({ path: join(root, 'docs/assets', file) });
    console.log(`docs/assets/${file}`);
  }
  await browser.close();
}
