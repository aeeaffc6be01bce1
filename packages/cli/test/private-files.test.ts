/** GHSA-q5f5, tests 143 and 144: what the engine writes is for its owner alone, whatever the umask, and wherever somebody planted. */
import { spawn } from 'node:child_process';
import { chmod, mkdir, readdir, readFile, realpath, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { against, BIN, bareEnv, rehearse, temporaryFolder } from '@turnwright/test/cli/bin.ts';
import { commandLine } from '@turnwright/test/cli/command-line.ts';
import { inForm, sharedInShortForm } from '@turnwright/test/long-form.ts';
import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { describe, expect, it } from 'vitest';

const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);

async function modesBelow(folder: string): Promise<Record<string, string>> {
  const modes: Record<string, string> = {};
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    modes[`${path.slice(folder.length + 1)}${entry.isDirectory() ? '/' : ''}`] = await modeOf(path);
  }
  return modes;
}

/** Runs the command line under a umask. */
async function runUnder(umask: string, args: readonly string[], cwd: string, env: Record<string, string>) {
  const script = `umask ${umask}; exec "$@"`;
  const child = spawn('/bin/sh', ['-c', script, 'sh', process.execPath, BIN, ...args], {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  const code = await new Promise((resolve) => child.once('close', resolve));
  return { code, output };
}

const LARGE = toolUse('Bash', { command: 'seq 1 40000' });

describe.skipIf(process.platform === 'win32').each(['000', '022', '077'])('under umask %s', (umask) => {
  const ownSession = sharedInShortForm(async () => {
    const server = await rehearse(
      reply([
        toolUse('Write', { file_path: 'new/made.txt', content: 'x\n' }),
        LARGE,
        toolUse('Bash', { command: 'sleep 0.1; echo done', run_in_background: true }),
        toolUse('TodoWrite', { todos: [{ content: 'a', status: 'pending', activeForm: 'a' }] }),
      ]),
      ...['Done.', 'Noted.', 'Done again.', 'Noted.'].map((text) => reply(text)),
    );
    const cwd = await realpath(temporaryFolder());
    const env = bareEnv(against(server));
    const home = env['TURNWRIGHT_HOME'] as string;
    await mkdir(home, { recursive: true });
    await writeFile(join(home, 'settings.json'), '{"fileCheckpointingEnabled":true}');
    const args = [
      '-p',
      'Go.',
      '--permission-mode',
      'bypassPermissions',
      '--allow-dangerously-skip-permissions',
    ];
    const debug = ['--debug-file', join(home, 'logs', 'debug.log')];
    const first = await runUnder(umask, [...args, ...debug, '--output-format', 'json'], cwd, env);
    return { cwd, env, home, args, first };
  });

  it('all that a session leaves in its home is 0600, its folders 0700; what was open is closed', async () => {
    const { cwd, env, home, args, first } = await ownSession();
    expect(first, first.output).toMatchObject({ code: 0 });
    const id = /"session_id":"([^"]+)"/.exec(first.output)?.[1] as string;

    const modes = await modesBelow(home);
    const own = Object.entries(modes).filter(([name]) => name !== 'settings.json');
    expect(own.length).toBeGreaterThan(5);
    expect(Object.keys(modes)).toContainEqual(expect.stringMatching(/tool-results\/./));
    expect(own.filter(([name, mode]) => mode !== (name.endsWith('/') ? '700' : '600'))).toEqual([]);

    for (const [name] of own) await chmod(join(home, name), name.endsWith('/') ? 0o755 : 0o644);
    // The modes that are changed here do not depend on the umask: in the short form one resumed process suffices.
    const again = [...args, '--resume', id];
    const resumed = inForm(umask !== '000', false)
      ? commandLine(again, { cwd, env })
      : runUnder(umask, again, cwd, env);
    expect(await resumed).toMatchObject({ code: 0 });
    const journal = Object.keys(modes).find((name) => name.endsWith(`${id}.jsonl`)) as string;
    expect(await modeOf(join(home, journal))).toBe('600');
  });

  const folderOfSession = async () => {
    const server = await rehearse(
      reply(toolUse('Write', { file_path: 'new/made.txt', content: 'x\n' })),
      reply('Done.'),
    );
    const cwd = await realpath(temporaryFolder());
    await runUnder(umask, ['-p', 'Go.', '--permission-mode', 'acceptEdits'], cwd, bareEnv(against(server)));
    return cwd;
  };

  it('what is the project’s has the modes that the umask says', async () => {
    const cwd = await inForm(async () => (await ownSession()).cwd, folderOfSession)();
    const bits = 0o777 & ~Number.parseInt(umask, 8);
    expect(await modesBelow(cwd)).toEqual({
      'new/': bits.toString(8),
      'new/made.txt': (bits & 0o666).toString(8),
    });
  });
});

describe.skipIf(process.platform === 'win32')('a session that is not kept', () => {
  it.each([
    ['a link to a folder of others', (planted: string, theirs: string) => symlink(theirs, planted)],
    [
      'a folder open to others',
      async (planted: string) => {
        await mkdir(planted);
        await chmod(planted, 0o777);
      },
    ],
    ['a file', (planted: string) => writeFile(planted, 'theirs')],
  ])('puts large results into a folder of its own, not into %s that was planted', async (_, plant) => {
    const server = await rehearse(
      reply([LARGE, toolUse('Bash', { command: 'echo done', run_in_background: true })]),
      reply('Done.'),
      reply('Noted.'),
    );
    const tmp = await realpath(temporaryFolder());
    const theirs = await realpath(temporaryFolder());
    await plant(join(tmp, 'turnwright'), theirs);
    const env = { ...bareEnv(against(server)), TMPDIR: tmp };
    const ran = await runUnder(
      '000',
      ['-p', 'Go.', '--allowedTools', 'Bash', '--no-session-persistence'],
      await realpath(temporaryFolder()),
      env,
    );
    expect(ran, ran.output).toMatchObject({ code: 0 });
    expect(await readdir(theirs)).toEqual([]);
    const made = (await readdir(tmp)).filter((name) => /^turnwright-.{6}$/.test(name));
    expect(made).toHaveLength(1);
    const own = join(tmp, made[0] as string);
    expect(await modeOf(own)).toBe('700');
    const modes = Object.entries(await modesBelow(own));
    expect(modes.map(([name]) => name)).toContainEqual(expect.stringMatching(/tool-results\/./));
    expect(modes.filter(([name, mode]) => mode !== (name.endsWith('/') ? '700' : '600'))).toEqual([]);
    // Nothing went into what was planted.
    const planted = join(tmp, 'turnwright');
    if ((await stat(planted)).isDirectory()) expect(await readdir(planted)).toEqual([]);
    else expect(await readFile(planted, 'utf8')).toBe('theirs');
    expect(JSON.stringify(server.requests.at(-1)?.body)).toContain(own);
  });
});
