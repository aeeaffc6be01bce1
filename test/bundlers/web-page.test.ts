/** The code of docs/web.md, as it stands there: compiled, built by Next.js, served, and opened in a browser. */
import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type RehearsalServer, reply, startRehearsal, text, toolUse } from '@turnwright/testing/rehearsal';
import { buildSync } from 'esbuild';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { codeBlocks } from '../code-blocks.ts';
import { CHROMIUM, openPage } from '../front-door/browser.ts';
import { freePort } from '../front-door/free-port.ts';
import { OTHER_PACKAGES } from '../other-packages.ts';
import { APP, bin, HERE, layOut, run, variables, WORK } from './app.ts';

type ScenarioOf = Parameters<RehearsalServer['setScenario']>[0];

/** Beside the packages: Turbopack takes the folder of their lockfile for the root of the app. */
const SITE = mkdtempSync(join(HERE, 'next-app-web-'));
/** Programs of the page that Next.js does not build. */
const SERVERS = mkdtempSync(join(HERE, 'next-app-servers-'));
const blocks = codeBlocks('ts', 'tsx').filter(({ page }) => page === 'docs/web.md');

let model: RehearsalServer;
let site: string;

beforeAll(async () => {
  layOut();
  for (const folder of [SITE, SERVERS]) {
    cpSync(join(APP, 'node_modules'), join(folder, 'node_modules'), { recursive: true });
    writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
  }
  write(SITE, 'next.config.mjs', configOfRecipe());
  write(SITE, 'app/layout.jsx', LAYOUT);
  for (const { file, text } of blocks) {
    if (file === undefined) continue;
    write(SERVERS, file, text);
    if (file === 'agent.ts' || file.startsWith('app/')) write(SITE, file, text);
  }
  model = await startRehearsal({ scenario: { name: 'none', replies: [] } });
  const env = { ...variables(model, process.env['PATH']), NEXT_TELEMETRY_DISABLED: '1', CI: '1' };
  await run(bin('next'), ['build'], env, SITE);
  const port = await freePort();
  const { ready } = start([bin('next'), 'start', '-p', port, '-H', '127.0.0.1'], SITE);
  await ready(/Ready in/);
  site = `http://127.0.0.1:${port}`;
}, 300_000);

const started: ChildProcess[] = [];

afterAll(async () => {
  await Promise.all(started.map(end));
  await model.close();
  for (const folder of [SITE, SERVERS, WORK]) rmSync(folder, { recursive: true, force: true });
});

/** What `create-next-app` writes, as far as it is needed. */
const LAYOUT = `export default function Layout({ children }) {
  return <html lang="en"><body>{children}</body></html>;
}
`;

const configOfRecipe = () =>
  codeBlocks('js').find(({ page, file }) => page.endsWith('next-js.md') && file === 'next.config.mjs')
    ?.text ?? '';

function write(folder: string, name: string, text: string): void {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), text);
}

function start(args: readonly string[], cwd: string) {
  const env = { ...variables(model, process.env['PATH']), AGENT_CWD: cwd };
  const child = spawn(process.execPath, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  started.push(child);
  let said = '';
  const ready = (sign: RegExp) =>
    new Promise<void>((resolve, reject) => {
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (chunk: Buffer) => {
          said += chunk;
          if (sign.test(said)) resolve();
        });
      child.on('exit', () => reject(new Error(`${args.join(' ')} has ended: ${said}`)));
    });
  return { child, ready };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await exited;
}

describe('the code of docs/web.md', () => {
  it('compiles against the packed types and those of its frameworks', async () => {
    const folder = join(SERVERS, 'compiled');
    blocks.forEach(({ file, text }, at) => {
      write(folder, file ?? `block-${at}.ts`, text);
    });
    const compilerOptions = {
      strict: true,
      noEmit: true,
      module: 'esnext',
      moduleResolution: 'bundler',
      target: 'es2023',
      lib: ['es2023', 'dom', 'dom.iterable', 'dom.asynciterable'],
      types: ['node'],
      jsx: 'react-jsx',
      allowImportingTsExtensions: true,
      skipLibCheck: true,
    };
    write(folder, 'tsconfig.json', JSON.stringify({ compilerOptions }));
    const compiled = await run(bin('tsc'), ['-p', folder], process.env, SERVERS).catch((error) => error);
    expect(compiled.stdout).toBe('');
  });
});

/** Every state of the page since it was loaded: the texts of its paragraphs, one after the other. */
const statesOf = (page: Page) =>
  page.evaluate(() => (window as unknown as { states: readonly string[] }).states);

/** Opens a page that notes each of its states. `own`: what the server of the page does not serve, by path. */
async function open(url: string, own: Readonly<Record<string, string>> = {}): Promise<Page> {
  const { page, errors } = await openPage('about:blank');
  onTestFinished(() => expect(errors).toEqual([]));
  await page.addInitScript(() => {
    const states: string[] = [];
    Object.assign(window, { states });
    const note = () =>
      states.push([...document.querySelectorAll('p')].map(({ textContent }) => textContent).join(''));
    new MutationObserver(note).observe(document, { subtree: true, childList: true, characterData: true });
  });
  for (const [path, body] of Object.entries({ '/favicon.ico': '', ...own }))
    await page.route(
      ({ pathname }) => pathname === path,
      (route) => route.fulfill({ body, contentType: path.endsWith('.js') ? 'text/javascript' : 'text/html' }),
    );
  await page.goto(url);
  return page;
}

async function ask(url: string, prompt: string, own?: Readonly<Record<string, string>>): Promise<Page> {
  const page = await open(url, own);
  await page.fill('[name=prompt]', prompt);
  await page.press('[name=prompt]', 'Enter');
  return page;
}

const showing = (page: Page, words: string) => page.waitForSelector(`p:has-text("${words}")`);

/** The first delivery of the answer breaks within its second block, when the first one is there as a message. */
const BREAKS_ONCE: ScenarioOf = {
  name: 'breaks once',
  replies: [
    reply([text('The sky is green.'), text('That is, I think that it is green, more or less.')], {
      timing: { gapMs: 25, deltaChars: 5 },
      faults: [{ name: 'cut', times: 1, after: 11 }],
    }),
  ],
};

/** The words came in pieces, came again, and at the end each is there once. */
async function sawRetraction(page: Page): Promise<void> {
  await showing(page, 'more or less.');
  const states = await statesOf(page);
  const whole = states.findIndex((state) => state.includes('The sky is green.'));
  const pieces = states.slice(0, whole).filter((state) => /The s/.test(state));
  expect(pieces.length).toBeGreaterThan(1);
  // The new delivery begins beneath the old one, which goes when its block has come.
  expect(states.some((state) => /The sky is green\..*The s/.test(state))).toBe(true);
  expect(states.at(-1)?.match(/The sky is green\./g)).toHaveLength(1);
}

/** Asks to make a file, then another one, and then says what came of it. */
const MAKES_TWO_FILES: ScenarioOf = ({ results }) => {
  if (results.size === 0) return reply(toolUse('Bash', { command: 'touch one.txt' }));
  if (results.size === 1) return reply(toolUse('Bash', { command: 'touch two.txt' }));
  return reply('Of two files there is one.');
};

/** Denies the first call and allows the second. */
async function decides(page: Page, folder: string): Promise<void> {
  for (const name of ['one.txt', 'two.txt']) rmSync(join(folder, name), { force: true });
  await page.click('p:has-text("Bash: touch one.txt") >> text=Deny');
  await page.click('p:has-text("Bash: touch two.txt") >> text=Allow');
  await showing(page, 'Of two files there is one.');
  expect(existsSync(join(folder, 'one.txt'))).toBe(false);
  expect(existsSync(join(folder, 'two.txt'))).toBe(true);
}

/** An answer that falls silent after its first words. */
const FALLS_SILENT: ScenarioOf = {
  name: 'falls silent',
  replies: [
    reply('It is a long story.', { timing: { deltaChars: 5 }, faults: [{ name: 'stall', after: 4 }] }),
  ],
};

async function stops(page: Page): Promise<void> {
  await showing(page, 'It is');
  await page.click('button:text("Stop")');
  await page.waitForSelector('button:text("Stop")', { state: 'detached' });
}

describe.skipIf(CHROMIUM === undefined)('a browser that opens the pages of docs/web.md', () => {
  it.each(['/', '/chat'])('%s of Next.js sees words as they come, and a retraction', async (path) => {
    model.setScenario(BREAKS_ONCE);
    await sawRetraction(await ask(`${site}${path}`, 'Which colour has the sky?'));
  });

  it.each(['/ask', '/chat/ask'])('%s of Next.js denies a call, and allows one', async (path) => {
    model.setScenario(MAKES_TWO_FILES);
    await decides(await ask(`${site}${path}`, 'Make two files.'), SITE);
  });

  it.each(['/ask', '/chat/ask'])('%s of Next.js stops an answer', async (path) => {
    model.setScenario(FALLS_SILENT);
    await stops(await ask(`${site}${path}`, 'Tell me a story.'));
  });

  it.each(['server.ts', 'hono.ts'])(
    'a page of %s sees words as they come, and a retraction',
    async (name) => {
      model.setScenario(BREAKS_ONCE);
      await sawRetraction(
        await ask(await serverOf(name), 'Which colour has the sky?', pageOf('app/page.tsx')),
      );
    },
  );

  it("a page of chat.ts, whose response is the AI SDK's, sees them too", async () => {
    model.setScenario(BREAKS_ONCE);
    write(SERVERS, 'serve.ts', SERVES_CHAT);
    await sawRetraction(await ask(await serverOf('serve.ts'), 'Which?', pageOf('app/chat/page.tsx')));
  });

  it('another device answers, which knows the id of the run', async () => {
    model.setScenario(MAKES_TWO_FILES);
    const url = await serverOf('server.ts');
    const body = JSON.stringify({ prompt: 'Make two files.' });
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${url}agent`, { method: 'POST', headers, body });
    const { value } = (await response.body?.pipeThrough(new TextDecoderStream()).getReader().read()) ?? {};
    const [, run] = /"run":"([^"]+)"/.exec(value ?? '') ?? [];
    const phone = await open(`${url}?run=${run}`, { '/': HTML, ...built(PHONE) });
    await decides(phone, SERVERS);
  });
});

const HTML = '<!doctype html><div id="root"></div><script type="module" src="/page.js"></script>';

const SERVES_CHAT = `import { serve } from '@hono/node-server';
import { app } from './chat.ts';

serve({ fetch: app.fetch, port: 3000 });
`;

const PHONE = `import { watch } from './watch.ts';

const root = document.querySelector('#root');
const paragraph = (text, ...buttons) => {
  const made = document.createElement('p');
  made.append(text, ...buttons);
  root.replaceChildren(made);
};
const button = (text, act) => Object.assign(document.createElement('button'), { textContent: text, onclick: act });
const run = new URL(location.href).searchParams.get('run');
const { finished } = watch(run, (question, decide) => {
  const decided = (allow) => () => {
    root.replaceChildren();
    decide(allow);
  };
  paragraph(question, button('Allow', decided(true)), button('Deny', decided(false)));
});
const { messages } = await finished;
paragraph(messages.at(-1).result);
`;

/** What a bundler of pages makes of it. */
function built(contents: string): Readonly<Record<string, string>> {
  const [page] = buildSync({
    stdin: { contents, resolveDir: SERVERS, loader: 'tsx' },
    bundle: true,
    format: 'esm',
    jsx: 'automatic',
    define: { 'process.env.NODE_ENV': '"production"' },
    write: false,
  }).outputFiles;
  return { '/page.js': page?.text ?? '' };
}

const pageOf = (name: string) => ({
  '/': HTML,
  ...built(`import { createRoot } from 'react-dom/client';
import Page from './${name}';

createRoot(document.querySelector('#root')).render(<Page />);
`),
});

/** Starts a server, on a port of its own; resolves with its address. */
async function serverOf(name: string): Promise<string> {
  const port = await freePort();
  const [program] = buildSync({
    stdin: {
      contents: readFileSync(join(SERVERS, name), 'utf8')
        .replace('port: 3000', `port: ${port}`)
        .replace('listen(3000', `listen(${port}`),
      resolveDir: SERVERS,
      loader: 'ts',
    },
    bundle: true,
    format: 'esm',
    platform: 'node',
    external: OTHER_PACKAGES,
    write: false,
  }).outputFiles;
  write(SERVERS, `${name}.mjs`, program?.text ?? '');
  const { child } = start([`${name}.mjs`], SERVERS);
  onTestFinished(() => end(child));
  const url = `http://127.0.0.1:${port}/`;
  await expect.poll(() => fetch(url).then(Boolean, () => false), { timeout: 120_000 }).toBe(true);
  return url;
}
