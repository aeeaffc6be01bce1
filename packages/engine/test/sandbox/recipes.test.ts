/** The code of docs/sandbox.md: each is a settings file, under which a session does what the page says. */
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { has, lacking } from '@turnwright/test/sandbox/support.ts';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Options } from '../../src/index.ts';
import { lacksProxy } from '../../src/sandbox/linux/domain-proxy.ts';
import { type HomeFolder, homeFolder, sessionOf } from './session.ts';

const page = readFileSync(new URL('../../../../docs/sandbox.md', import.meta.url), 'utf8');
const blocks = [...page.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map(([, language, text = '']) => ({
  language,
  text,
}));
const filtersDomains = has('socat') && (await lacksProxy()) === undefined;

let at: HomeFolder;
let outside: string;
beforeEach(() => {
  at = homeFolder();
  outside = join(at.home, 'outside');
});

/** What the model is told of its calls of Bash, and which of them somebody was asked about. */
async function under(settings: object, commands: readonly string[], more: Options = {}, input: object = {}) {
  const asked: unknown[] = [];
  const { results } = await sessionOf(
    at,
    commands.map((command) => ['Bash', { command, ...input }]),
    {
      settings: settings as NonNullable<Exclude<Options['settings'], string>>,
      canUseTool: async (_tool, { command }) => {
        asked.push(command);
        return { behavior: 'allow' };
      },
      ...more,
    },
  );
  return { results, asked };
}

const WRITES = () => `echo x > ${outside}`;

/** By the key that a recipe adds to `enabled`. */
const CHECKS: Readonly<Record<string, (settings: object) => Promise<void>>> = {
  '': async (settings) => {
    const { asked } = await under(settings, [WRITES(), 'echo mine > mine']);
    expect(asked).toHaveLength(2);
    expect(existsSync(outside)).toBe(false);
    expect(existsSync(join(at.cwd, 'mine'))).toBe(true);
  },
  autoAllowBashIfSandboxed: async (settings) => {
    const { results, asked } = await under(settings, ['touch mine', 'rm mine && echo ran']);
    expect(asked).toEqual([]);
    expect(results[1]).toContain('ran');
  },
  allowUnsandboxedCommands: async (settings) => {
    await under(settings, [WRITES()], {}, { dangerouslyDisableSandbox: true });
    expect(existsSync(outside)).toBe(false);
  },
  network: async (settings) => {
    const { results } = await under(settings, ['echo "$HTTPS_PROXY"; ls /run']);
    expect(results[0]).toMatch(/http:\/\/\S+127\.0\.0\.1:3128/);
  },
  hooks: async (settings) => {
    const hooks = { PreToolUse: [{ hooks: [{ type: 'command', command: `touch ran; ${WRITES()}` }] }] };
    await under({ ...settings, hooks }, ['true']);
    expect(existsSync(join(at.cwd, 'ran'))).toBe(true);
    expect(existsSync(outside)).toBe(false);
  },
  mcpServers: async (settings) => {
    copyFileSync(
      new URL('../../../../test/sandbox/shell-server.mjs', import.meta.url),
      join(at.cwd, 'server.mjs'),
    );
    const files = { type: 'stdio' as const, command: process.execPath, args: ['server.mjs'] };
    await sessionOf(at, [['mcp__files__shell', { command: `touch ran; ${WRITES()}` }]], {
      settings: settings as NonNullable<Exclude<Options['settings'], string>>,
      mcpServers: { files },
      allowedTools: ['mcp__files'],
    });
    expect(existsSync(join(at.cwd, 'ran'))).toBe(true);
    expect(existsSync(outside)).toBe(false);
  },
  excludedCommands: async (settings) => {
    const programs = join(at.home, 'bin');
    mkdirSync(programs);
    writeFileSync(join(programs, 'docker'), `#!/bin/sh\n${WRITES()}\n`, { mode: 0o755 });
    const env = { PATH: `${programs}:${process.env['PATH']}` };
    const { asked } = await under(settings, ['docker run web'], { env });
    expect(asked).toEqual(['docker run web']);
    expect(existsSync(outside)).toBe(true);
  },
  filesystem: async (settings) => {
    for (const name of ['.npmrc', '.netrc']) writeFileSync(join(at.home, name), `CANARY${name}`);
    const { results } = await under(settings, ['cat ~/.npmrc ~/.netrc; true'], {
      additionalDirectories: [at.home],
    });
    expect(results[0]).toContain('CANARY.npmrc');
    expect(results[0]).not.toContain('CANARY.netrc');
  },
};

it('every recipe is checked, and each check is of a recipe', () => {
  expect(blocks.map(({ language }) => language)).toEqual(blocks.map(() => 'json'));
  const keys = blocks.map(({ text }) => keyOf(JSON.parse(text)));
  expect(keys.sort()).toEqual(Object.keys(CHECKS).sort());
});

describe.skipIf(lacking !== undefined).each(blocks)('$text', ({ text }) => {
  const settings = JSON.parse(text) as Settings;
  it.skipIf(keyOf(settings) === 'network' && !filtersDomains)('does what the page says', async () => {
    await CHECKS[keyOf(settings)]?.(settings);
  });
});

interface Settings {
  readonly sandbox: Readonly<Record<string, unknown>>;
}

function keyOf({ sandbox }: Settings): string {
  return Object.keys(sandbox)
    .filter((key) => key !== 'enabled')
    .join();
}
