/** The README's section "One machine to many", run word for word in a folder that has nothing yet. */
import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { programFolder } from '@turnwright/test/durable/cluster.ts';
import { reply, startRehearsal, text, toolUse } from '@turnwright/testing/rehearsal';
import { expect, onTestFinished, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const SOCKETS = process.env['TURNWRIGHT_TEST_CLUSTER'] ?? '';

/** The one shell block of the section. */
function block(): string {
  const [, section = ''] = readFileSync(join(ROOT, 'README.md'), 'utf8').split('## One machine to many\n');
  const found = /^```sh\n([\s\S]*?)^```$/m.exec(section.split('\n## ')[0] ?? '');
  return found?.[1] ?? '';
}

/** `sudo` of a machine whose Postgres is the one of this test run; all other programs are the real ones. */
function programs(folder: string): string {
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  writeFileSync(
    join(bin, 'sudo'),
    `#!/bin/sh
[ "$1" = apt-get ] && exit 0
shift 2
program=$1
shift
PGHOST='${SOCKETS}' PGUSER=turnwright exec ${programFolder()}/$program "$@"
`,
  );
  chmodSync(join(bin, 'sudo'), 0o755);
  return bin;
}

test('a reader who follows it gets a session that was followed, killed and resumed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'readme-'));
  const project = join(folder, 'project');
  mkdirSync(project);
  const packed = execFileSync(
    'npm',
    ['pack', '--ignore-scripts', '--silent', '--pack-destination', project],
    {
      cwd: ROOT,
      encoding: 'utf8',
    },
  ).trim();
  expect(block()).toContain(packed);
  const slowly = { timing: { gapMs: 40, deltaChars: 4 } };
  // By the conversation, not by the number of the request: the worker that dies leaves one open, which is made again.
  const server = await startRehearsal({
    scenario: ({ lastMessage, lastResult }) => {
      if (lastMessage.includes('and now?')) return reply('All is well.');
      if (lastResult !== undefined) return reply('The tests are fixed.', slowly);
      return reply(
        [text('Looking. '.repeat(30)), toolUse('Bash', { command: 'sleep 1; echo looked >> looked' })],
        slowly,
      );
    },
  });
  onTestFinished(() => server.close());
  const child = spawn(
    'bash',
    ['--norc', '-euo', 'pipefail', '-c', block().replaceAll('/var/run/postgresql', SOCKETS)],
    {
      cwd: project,
      detached: true,
      env: {
        PATH: `${programs(folder)}:${process.env['PATH']}`,
        HOME: folder,
        USER: 'reader',
        ANTHROPIC_BASE_URL: server.url,
        ANTHROPIC_API_KEY: 'any',
        npm_config_prefer_offline: 'true',
        npm_config_audit: 'false',
        npm_config_fund: 'false',
      },
    },
  );
  let said = '';
  let problems = '';
  child.stdout.on('data', (chunk) => {
    said += chunk;
  });
  child.stderr.on('data', (chunk) => {
    problems += chunk;
  });
  const code = await new Promise<number | null>((resolve) => child.once('exit', resolve));
  // The workers are still running, in the group of the shell.
  process.kill(-(child.pid as number), 'SIGKILL');
  expect(code, `${said}\n${problems}`).toBe(0);
  expect(said).toContain('The tests are fixed.');
  expect(said).toContain('All is well.');
  expect(said).toMatch(/^s1 {2}idle/m);
}, 300_000);
