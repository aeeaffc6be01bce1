import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { BIN, bareEnv, temporaryFolder, turnwright } from '@turnwright/test/cli/bin.ts';
import { commandLine } from '@turnwright/test/cli/command-line.ts';
import { isLong } from '@turnwright/test/long-form.ts';
import { describe, expect, test } from 'vitest';
import { parseArgs } from '../src/flags/args.ts';

const CONFIGURED = { ANTHROPIC_API_KEY: 'sk-test-secret', ANTHROPIC_BASE_URL: 'http://127.0.0.1:9' };

async function mistake(args: readonly string[], env: Readonly<Record<string, string>> = CONFIGURED) {
  const ran = await commandLine(args, { env });
  expect(ran.stdout).toBe('');
  expect(ran.stderr).not.toMatch(/^\s+at /m);
  expect(ran.code).toBe(2);
  return ran.stderr;
}

function helpText(): string {
  const said = parseArgs(['--help'], '');
  return said.command === 'say' ? said.text : '';
}

describe('a mistake is answered with a sentence and exit code 2', () => {
  test('an unknown flag, with a suggestion', async () => {
    expect(await mistake(['-p', 'x', '--modle', 'y'])).toBe(
      "turnwright: Unknown option '--modle' (did you mean --model?)\nSee turnwright --help.\n",
    );
  });

  test.each([
    [['--max-turns', '0'], 'Give a whole number of at least 1.'],
    [['--max-turns=many'], 'Give a whole number of at least 1.'],
    [['--max-budget-usd', '-1'], 'above 0'],
    [['--strict-budget'], '--strict-budget needs --max-budget-usd'],
    [['--output-format', 'xml'], 'Allowed choices are text, json, stream-json'],
    [['--input-format', 'xml'], 'Allowed choices are text'],
    [['--permission-mode', 'yolo'], 'Allowed choices are default'],
    [['--session-id', 'abc'], 'UUID'],
    [['--json-schema', '{'], 'not JSON'],
    [['--json-schema', 'nowhere.json'], 'readable file'],
    [['--setting-sources', 'user,team'], 'user, project, local'],
    [['--model'], 'argument missing'],
  ])('%j', async (flags, expected) => {
    expect(await mistake(['-p', 'x', ...flags])).toContain(expected);
  });

  test('of a command: its own help is named, which says what is missing', async () => {
    expect(await mistake(['completion'])).toBe(
      "turnwright: Missing required argument 'shell'.\nSee turnwright completion --help.\n",
    );
    expect(await mistake(['mcp', 'add'])).toContain('See turnwright mcp --help.');
    expect(await mistake(['doctor', '--jsno'])).toContain('See turnwright doctor --help.');
  });

  const commands = [...helpText().matchAll(/^ {2}(?!task)([a-z]+) {2,}/gm)].map(([, name = '']) => name);
  test.each(commands)('an unknown flag of %s: its own help is named', async (name) => {
    expect(commands).toContain('record');
    expect(await mistake([name, '--nosuch'])).toMatch(
      new RegExp(`--nosuch.*\\nSee turnwright ${name} --help\\.\\n$`),
    );
  });

  test.each([
    ['record --submission x', '--submission takes the number'],
    ['replay --submission 0', '--submission takes the number'],
    ['fork --at', 'argument missing'],
    ['fork --at 1 --max-budget-usd none', 'Give a number above 0'],
    ['policy tri', 'policy try'],
    ['policy try', 'Say what to try'],
    ['policy try --fail-on x', '--fail-on takes'],
    ['policy try --mode x', 'Allowed choices'],
    ['eval', 'cases'],
    ['eval x --runs none', '--runs'],
    ['case ad', 'case add'],
    ['rehearse x --rate 2', 'a share between 0 and 1'],
    ['auth', 'what'],
    ['auth state', 'status'],
    ['durable mgrate', 'There is no "durable mgrate"'],
    ['completion tcsh', 'There is completion for'],
    ['mcp ad', 'mcp'],
    ['sessions --model x', '--model means nothing for sessions'],
  ])('%s: its own help is named', async (line, expected) => {
    const words = line.split(' ');
    const said = await mistake(words);
    expect(said).toContain(expected);
    expect(said).toContain(`\nSee turnwright ${words[0]} --help.\n`);
  });

  test('flags that exclude each other', async () => {
    expect(await mistake(['-p', 'x', '--continue', '--resume', 'abc'])).toContain(
      '--continue and --resume exclude each other',
    );
    expect(
      await mistake(['-p', 'x', '--dangerously-skip-permissions', '--permission-mode', 'plan']),
    ).toContain('exclude each other');
  });

  test('flags that would do nothing where they stand', async () => {
    expect(await mistake(['-p', 'x', '--include-partial-messages'])).toContain('needs --output-format');
    expect(await mistake(['-p', 'x', '--take-over'])).toContain('--resume or --continue');
    for (const args of [
      ['-p', 'x', '--resume'],
      ['--resume', '--verbose'],
      ['-r', '--', 'x'],
    ])
      expect(await mistake(args)).toContain('Name the session: --resume <id>.');
  });

  test('flags of a run beside a command that runs nothing', async () => {
    expect(await mistake(['sessions', '--model', 'x'])).toContain('--model means nothing for sessions');
    expect(await mistake(['--settings', '{}', 'mcp', 'list'])).toContain('--settings means nothing for mcp');
  });

  test.runIf(isLong)('more piped in than any model takes', async () => {
    const child = turnwright(['-p', 'x'], { env: CONFIGURED, input: 'x'.repeat(33 * 1024 * 1024) });
    expect(await child).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('32 MiB') });
  });

  test('a rule whose parenthesis is open does not become one for the whole tool', async () => {
    for (const flag of ['--allowedTools', '--disallowed-tools'])
      expect(await mistake(['-p', 'x', flag, 'Bash(git log'])).toContain('parenthesis');
  });

  test('a command that was mistyped is not sent as a task', async () => {
    for (const word of ['explian', 'docter', 'contex', 'Doctor', 'starts'])
      expect(await mistake([word])).toContain(`There is no command '${word}'`);
  });

  test('a folder that is gone', async () => {
    const cwd = temporaryFolder();
    const script = 'rmdir "$PWD" && exec "$0" "$@"';
    const ran = spawnSync('sh', ['-c', script, process.execPath, BIN, '-p', 'x'], {
      cwd,
      env: bareEnv(CONFIGURED),
      encoding: 'utf8',
    });
    expect([ran.status, ran.stdout]).toEqual([2, '']);
    expect(ran.stderr).toBe(
      'turnwright: The folder you are in does not exist any more. Go to another one.\n',
    );
  });

  test('settings that cannot be read', async () => {
    expect(await mistake(['-p', 'x', '--settings', '{"permissions":{"deny":"Bash"}}'])).toContain(
      'permissions.deny',
    );
  });

  test('no task', async () => {
    expect(await mistake([])).toContain('Say what to do');
    expect(await mistake(['-p', '--allowedTools', 'Read', 'fix it'])).toContain('put -- before the task');
  });

  test('nothing configured, and no session either: says that there is no session', async () => {
    const said = await mistake(['fork', 'nosuch', '--at', '1'], {});
    expect(said).toContain('nosuch');
    expect(said).not.toContain('ANTHROPIC_API_KEY');
  });

  test('nothing configured: says what to set, and that start works without', async () => {
    const said = await mistake(['-p', 'x'], {});
    expect(said).toContain('ANTHROPIC_API_KEY');
    expect(said).toContain('ANTHROPIC_BASE_URL');
    expect(said).toContain('turnwright start');
  });

  test.skipIf(process.platform === 'win32')(
    'a pipe in the place of settings, which is not waited for',
    async () => {
      const cwd = temporaryFolder();
      mkdirSync(join(cwd, '.turnwright'));
      spawnSync('mkfifo', [join(cwd, '.turnwright', 'settings.json')]);
      const args = ['-p', 'x', '--setting-sources', 'project', '--trust-project'];
      const ran = await turnwright(args, { env: CONFIGURED, cwd });
      expect(ran.stderr).toContain('settings.json cannot be used');
      expect(ran.code).toBe(2);
    },
  );

  test('settings that name a model are good enough to try', async () => {
    const settings = '{"baseUrl":"http://127.0.0.1:9"}';
    const ran = await commandLine(['-p', 'x', '--settings', settings, '--max-turns=1'], {
      env: { CLAUDE_CODE_MAX_RETRIES: '0' },
    });
    expect([ran.code, ran.stdout]).toEqual([1, '']);
    expect(ran.stderr).toBe(
      'API Error: The endpoint (127.0.0.1:9) refuses connections. Is the base URL right, and the server running?\n',
    );
  });

  test('a word that is a command elsewhere is not sent to the model', async () => {
    for (const word of ['config', 'chat', 'update', 'completions', 'plugin', 'setup-token', 'Agents'])
      expect(await mistake([word])).toMatch(
        new RegExp(`^turnwright: There is no command '${word}'\\. .*As a task: turnwright -- ${word}\n`),
      );
    expect(await mistake(['--model', 'haiku', 'help'])).toContain('turnwright --help');
  });

  test('what help cannot put right does not send a person there', async () => {
    for (const args of [
      ['-p', 'x', '--settings', '{"permissions":{"deny":"Bash"}}'],
      ['-p', 'x', '--add-dir', '/nowhere'],
      ['rehearse', 'missing.yaml'],
    ])
      expect(await mistake(args)).not.toContain('--help');
    expect(await mistake(['-p', 'x', '--max-turns', '0'])).toContain('See turnwright --help.');
  });

  test('a scenario that is none', async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'odd.yaml'), 'replies:\n  - blocks:\n      - txet: hello\n');
    const ran = await commandLine(['rehearse', 'odd.yaml'], { cwd });
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toContain('odd.yaml:3:');
    expect(await mistake(['rehearse', 'missing.yaml'])).toContain('cannot be read');
    writeFileSync(join(cwd, 'half.mjs'), 'export default {');
    const half = await turnwright(['rehearse', 'half.mjs'], { cwd });
    expect(half).toMatchObject({ code: 2, stdout: '' });
    expect(half.stderr).toContain('half.mjs is no JavaScript module');
    expect(await mistake(['rehearse'])).toContain("missing required argument 'scenario'".replace('m', 'M'));
  });
});

test.skipIf(process.platform !== 'linux')('a home in which nothing can be made', async () => {
  const cwd = temporaryFolder();
  mkdirSync(join(cwd, '.turnwright'));
  writeFileSync(join(cwd, '.turnwright', 'settings.json'), '{"permissions":{"allow":["Bash(ls)"]}}');
  const trusted = await turnwright(['trust'], { cwd, env: { TURNWRIGHT_HOME: '/proc/home' } });
  expect(trusted.code).toBe(1);
  expect(trusted.stderr).toMatch(/^turnwright: Trust cannot be recorded in \/proc\/home\/.*ENOENT/);

  const ran = await commandLine(['-p', 'x'], {
    env: { ...CONFIGURED, HOME: '/proc', TURNWRIGHT_HOME: '' },
  });
  expect(ran).toMatchObject({ code: 1, stdout: '' });
  expect(ran.stderr).toMatch(/^The lock of session .* cannot be written \(\/proc\/.*ENOENT.*\n$/);
});

test('a port that is taken', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => other.once('listening', resolve));
  const { port } = other.address() as { readonly port: number };
  const ran = await commandLine(['rehearse', 'bundled', '--serve', '--port', String(port)]);
  other.close();
  expect(ran).toMatchObject({ code: 2, stdout: '' });
  expect(ran.stderr).toContain(`Port ${port} is taken`);
});

test('help and version come on stdout, with exit code 0', async () => {
  const version = await turnwright(['-v']);
  expect(version).toMatchObject({ code: 0, stderr: '' });
  expect(version.stdout).toMatch(/^Turnwright \d+\.\d+\.\d+ \(protocol \d+\.\d+\.\d+\)\n$/);
  expect(await commandLine(['version'])).toEqual(await commandLine(['-v']));
  const help = await turnwright(['--help']);
  expect(help).toMatchObject({ code: 0, stderr: '' });
  for (const word of ['--max-budget-usd', 'rehearse', 'doctor', 'explain', 'start'])
    expect(help.stdout).toContain(word);
  expect(await commandLine(['help'])).toEqual(help);
  expect((await commandLine(['rehearse', '-h'])).stdout).toContain('--chaos');
  expect((await commandLine(['help', 'rehearse'])).stdout).toContain('--chaos');
});

test('help fits 80 columns, and every command has its own', async () => {
  const { stdout } = await commandLine(['--help']);
  const commands = [...(stdout.split('Commands:\n')[1] ?? '').matchAll(/^ {2}([a-z]+) /gm)].map(
    ([, name]) => name,
  );
  expect(commands.length).toBeGreaterThan(7);
  const pages = await Promise.all(commands.map((name) => commandLine([name ?? '', '--help'])));
  for (const page of [stdout, ...pages.map((ran) => ran.stdout)]) {
    expect(page).toMatch(/^Usage: turnwright/);
    expect(page.split('\n').filter((line) => line.length > 80)).toEqual([]);
  }
});

test('every flag of the help is documented in docs/cli.md', async () => {
  const { stdout } = await commandLine(['--help']);
  const documented = readFileSync(new URL('../../../docs/cli.md', import.meta.url), 'utf8');
  const flags = [...stdout.matchAll(/^ {2}(?:-\w, )?(--[A-Za-z-]+)/gm)].map(([, flag]) => flag ?? '');
  expect(flags.length).toBeGreaterThan(25);
  expect(flags.filter((flag) => !documented.includes(`\`${flag}`))).toEqual([]);
});

test.skipIf(!existsSync('/dev/full'))('an output that cannot be written is a sentence', () => {
  const ran = spawnSync('sh', ['-c', '"$0" "$@" > /dev/full', process.execPath, BIN, '--help'], {
    env: bareEnv(),
    encoding: 'utf8',
  });
  expect(ran.status).toBe(1);
  expect(ran.stderr).toMatch(/^turnwright: The output cannot be written: ENOSPC/);
});

test('a failure of ours is a sentence too; TURNWRIGHT_DEBUG=1 adds where it came from', async () => {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, 'broken.mjs'), 'throw new Error("the scenario module fell over");\n');
  const ran = await commandLine(['rehearse', 'broken.mjs'], { cwd });
  expect(ran).toMatchObject({
    code: 1,
    stderr: 'turnwright: the scenario module fell over\nSet TURNWRIGHT_DEBUG=1 for more detail.\n',
  });
  const debugged = await commandLine(['rehearse', 'broken.mjs'], { cwd, env: { TURNWRIGHT_DEBUG: '1' } });
  expect(debugged.stderr).toMatch(/broken\.mjs:1/);
});
