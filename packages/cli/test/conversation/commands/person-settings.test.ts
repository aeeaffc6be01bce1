/** `/config`, `/output-style`, `/statusline` and `/sandbox` on a real session: what is shown, and what is written. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  commandsUnderTest,
  type Harness,
  type HarnessOptions,
} from '@turnwright/test/conversation/commands/command-under-test.ts';
import { afterEach, describe, expect, it } from 'vitest';

let harness: Harness | undefined;
afterEach(() => harness?.close());
const start = async (options?: HarnessOptions) => {
  harness = await commandsUnderTest(options);
  return harness;
};
const SIZES = [
  { columns: 80, rows: 24 },
  { columns: 120, rows: 40 },
  { columns: 40, rows: 24 },
] as const;
const COMMENTED = `{
  // what I like
  "theme": "light", // by day
  "sandbox": {
    "enabled": false // not yet
  },
  "unknownKey": 1
}
`;
const settings: NonNullable<HarnessOptions['prepare']> = async ({ cwd, home }) => {
  await mkdir(join(cwd, '.claude', 'output-styles'), { recursive: true });
  await writeFile(
    join(cwd, '.claude', 'output-styles', 'terse.md'),
    '---\ndescription: few words\n---\nBe terse.',
  );
  await writeFile(join(cwd, '.claude', 'settings.json'), '{ "permissions": { "deny": ["Read(.env)"] } }');
  await writeFile(join(home, 'settings.json'), COMMENTED);
};

/** The screens of a command at the three sizes, one below the other. */
async function pictures(line: string, keys: readonly string[]): Promise<string> {
  const shown: string[] = [];
  for (const size of SIZES) {
    const { run, screens } = await start({ ...size, prepare: settings, hasHome: true });
    await run(line, keys);
    shown.push(
      [`== ${size.columns}×${size.rows}`, ...screens.flatMap((screen) => [screen, '--'])].join('\n'),
    );
    await harness?.close();
  }
  return `${shown.join('\n')}\n`;
}

describe('each state at three sizes', () => {
  it.each([
    ['config', '/config', ['escape']],
    ['config-search', '/config compact', ['enter', 'down', 'escape']],
    ['config-number', '/config', ["'autoCompactWindow", 'enter', "'-1", 'enter', 'escape']],
    ['config-file', '/config autoCompactEnabled=false', ['escape']],
    ['output-style', '/output-style', ['escape']],
    ['statusline', '/statusline', ['down', 'enter', 'escape']],
    ['sandbox-unavailable', '/sandbox', ['escape']],
  ])('%s', async (name, line, keys) => {
    await expect(await pictures(line, keys)).toMatchFileSnapshot(`golden/${name}.txt`);
  });
});

describe('/config', () => {
  it('writes one key into the file that is chosen, and keeps every other byte', async () => {
    const { run, printed, home, themes } = await start({ prepare: settings });
    await run('/config theme=dark');
    expect(await readFile(join(home, 'settings.json'), 'utf8')).toBe(COMMENTED.replace('"light"', '"dark"'));
    expect(themes).toEqual(['dark']);
    await run('/config sandbox.enabled', ["'true", 'enter', 'enter']);
    expect(await readFile(join(home, 'settings.json'), 'utf8')).toBe(
      COMMENTED.replace('"light"', '"dark"').replace('"enabled": false', '"enabled": true'),
    );
    await run('/config theme', ["'not set", 'enter']);
    expect(await readFile(join(home, 'settings.json'), 'utf8')).not.toContain('theme');
    expect(printed.join(' ').replaceAll(home, '<home>')).toMatchInlineSnapshot(
      `"theme is "dark" in <home>/settings.json. sandbox.enabled is true in <home>/settings.json, from the next session on. theme is not in <home>/settings.json any more."`,
    );
  });

  it('takes out what is nowhere without a file', async () => {
    const { run, printed, cwd } = await start();
    await run('/config autoCompactEnabled', ["'not set", 'enter', 'down', 'enter']);
    expect(printed).toEqual(['autoCompactEnabled is set nowhere, and stays so.']);
    await run('/config autoCompactEnabled=false', ['down', 'enter']);
    await run('/config autoCompactEnabled', ["'not set", 'enter', 'enter']);
    expect(await readFile(join(cwd, '.turnwright', 'settings.local.json'), 'utf8')).toBe('{\n}\n');
  });

  it('says when what was written has no effect', async () => {
    const { run, printed } = await start({ prepare: settings, options: { settings: { fastMode: true } } });
    await run('/config fastMode=false', ['enter']);
    expect(printed.join(' ')).toMatch(/It is still true \(a flag\)\./);
  });

  it('refuses what is no value, and leaves the file alone', async () => {
    const { run, printed, home } = await start({ prepare: settings });
    await run('/config effortLevel=enormous');
    await run('/config skillListingBudgetFraction=2', ['enter']);
    await run('/config permissions.defaultMode=bypassPermissions');
    expect(printed.join(' ').replaceAll(home, '<home>')).toMatchInlineSnapshot(
      `"effortLevel is one of low, medium, high, xhigh, max. Settings in <home>/settings.json cannot be used: skillListingBudgetFraction (Too big: expected number to be <=1) permissions.defaultMode is one of default, acceptEdits, plan, auto."`,
    );
    expect(await readFile(join(home, 'settings.json'), 'utf8')).toBe(COMMENTED);
  });
});

it('/output-style is kept for the person in this project, and the session is opened again with it', async () => {
  const { run, printed, reopened, cwd } = await start({ prepare: settings });
  await run('/output-style terse');
  expect(JSON.parse(await readFile(join(cwd, '.claude', 'settings.local.json'), 'utf8'))).toEqual({
    outputStyle: 'terse',
  });
  expect(reopened).toEqual([{ isQuiet: true }]);
  expect(printed.join(' ')).toContain('The output style is terse, from the next prompt on.');
});

it('/statusline takes effect at once, and writes the settings of the person alone', async () => {
  const { run, statusLines, home, cwd, sent } = await start({ prepare: settings });
  await run('/statusline parts cost,model');
  expect(statusLines.at(-1)).toEqual({ statusLine: undefined, statusParts: ['model', 'cost'] });
  await run('/statusline command ./status.sh --short');
  expect(statusLines.at(-1)?.statusLine).toEqual({ command: './status.sh --short', padding: 0 });
  const kept = await readFile(join(home, 'settings.json'), 'utf8');
  expect(kept).toContain('"command": "./status.sh --short"');
  expect(kept).toContain('// what I like');
  await run('/statusline default');
  expect(await readFile(join(home, 'settings.json'), 'utf8')).not.toContain('statusLine');
  expect(await readFile(join(cwd, '.claude', 'settings.json'), 'utf8')).not.toContain('statusLine');
  await run('/statusline with the weather');
  expect(sent[0]).toContain('Write a script for my status line: with the weather');
});

it('/sandbox on says why it cannot be, and off is one for this session', async () => {
  const { run, printed, reopened } = await start({
    prepare: settings,
    options: { settings: { model: 'opus' } },
  });
  await run('/sandbox on');
  expect(printed.join(' ')).toContain('Nothing can be isolated here: ');
  await run('/sandbox off');
  expect(reopened).toEqual([{ isQuiet: true, settings: { model: 'opus', sandbox: { enabled: false } } }]);
});
