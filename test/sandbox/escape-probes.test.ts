import { execFileSync, spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PROBES } from './escape-probes.ts';
import { CLOSED, lacking } from './support.ts';

const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;
const USERS = [
  ['the user of this process', undefined],
  ...(isRoot ? [['nobody', NOBODY] as const] : []),
] as const;

const shared = mkdtempSync(join(tmpdir(), 'turnwright-probes-'));
const runner = join(shared, 'run-probes.mjs');
const opened: Server[] = [];
let contacts = 0;

beforeAll(async () => {
  if (lacking !== undefined) return;
  chmodSync(shared, 0o755);
  await build({
    entryPoints: [fileURLToPath(new URL('run-probes.ts', import.meta.url))],
    outfile: runner,
    bundle: true,
    platform: 'node',
    format: 'esm',
    external: ['@anthropic-ai/sandbox-runtime'],
    logLevel: 'silent',
  });
});
afterAll(() => {
  for (const server of opened) server.close();
  rmSync(shared, { recursive: true, force: true });
});

const listen = (address: object): Promise<Server> =>
  new Promise((resolve) => {
    const server = createServer((socket) => {
      contacts++;
      socket.destroy();
    });
    opened.push(server);
    server.listen(address, () => resolve(server));
  });

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

async function world(uid: number | undefined) {
  const base = join(shared, `world-${uid ?? 'own'}`);
  const ws = join(base, 'ws');
  const configHome = join(base, 'home', '.claude');
  write(join(base, 'victim'), 'untouched');
  write(join(base, 'other', 'file'), 'untouched');
  write(join(configHome, '.credentials.json'), 'CANARY');
  write(join(configHome, 'projects', 'x.jsonl'), 'CANARY');
  write(join(ws, '.mcp.json'), '{}');
  write(join(ws, 'secret', 'key'), 'CANARY');
  write(join(ws, 'locked', 'file'), 'untouched');
  write(join(ws, 'sub', 'x.pem'), 'CANARY');
  write(join(ws, 'sub', '.claude', 'settings.json'), '{}');
  write(join(ws, 'sub', 'deep', '.mcp.json'), '{}');
  write(join(base, 'tmp-file'), 'CANARY');
  for (const folder of [ws, join(ws, 'sub')]) execFileSync('git', ['init', '-q', folder]);
  const hostTmp = join(tmpdir(), `turnwright-probe-host-${process.pid}-${uid ?? 'own'}`);
  writeFileSync(hostTmp, 'CANARY');
  const abstract = `turnwright-probe-${process.pid}-${uid ?? 'own'}`;
  const tcp = await listen({ host: '127.0.0.1', port: 0 });
  await listen({ path: join(base, 'socket') });
  await listen({ path: `\0${abstract}` });
  const udp = createSocket('udp4', () => {
    contacts++;
  });
  await new Promise<void>((resolve) => udp.bind(0, '127.0.0.1', resolve));
  const port = (tcp.address() as { port: number }).port;
  if (uid !== undefined) {
    execFileSync('chown', ['-R', `${uid}:${uid}`, base]);
    chmodSync(join(base, 'socket'), 0o777);
    chownSync(hostTmp, uid, uid);
  }
  const env = {
    PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    HOME: join(base, 'home'),
    ...{ WS: ws, BASE: base, CONFIG_HOME: configHome, HOST_TMP_FILE: hostTmp, ABSTRACT: abstract },
    ...{ HOST_PID: String(process.pid), PORT: String(port), UDP_PORT: String(udp.address().port) },
  };
  const plan = join(shared, `plan-${uid ?? 'own'}.json`);
  const policy = {
    ...CLOSED,
    writable: [ws],
    home: env.HOME,
    hiddenPaths: [configHome],
    deniedReads: [
      { root: ws, segments: ['secret', '**'] },
      { root: ws, segments: ['**', '*.pem'] },
    ],
    deniedWrites: [{ root: ws, segments: ['locked', '**'] }],
  };
  writeFileSync(plan, JSON.stringify({ policy, env, cwd: ws }));
  return {
    ...{ base, ws, plan, hostTmp },
    close() {
      udp.close();
      rmSync(hostTmp, { force: true });
    },
  };
}

/** Everything that may not have changed, with its content. */
function picture(base: string, ws: string): Record<string, string> {
  const kept = [
    '.mcp.json',
    '.git/config',
    'sub/.git/config',
    'sub/.claude/settings.json',
    'sub/deep/.mcp.json',
  ];
  const texts = [
    join(base, 'victim'),
    join(base, 'other', 'file'),
    join(ws, 'locked', 'file'),
    ...kept.map((name) => join(ws, name)),
  ];
  const lists = [base, join(base, 'home'), join(ws, '.git/hooks'), join(ws, 'sub/.git/hooks')];
  return {
    ...Object.fromEntries(
      texts.map((path) => [
        path,
        `${existsSync(path) ? readFileSync(path, 'utf8') : 'gone'} ${existsSync(path) ? statSync(path).mode : ''}`,
      ]),
    ),
    ...Object.fromEntries(lists.map((path) => [path, readdirSync(path).sort().join()])),
  };
}

const MUST_NOT_BE = [
  '.claude',
  '.turnwright',
  '.husky',
  '.vscode',
  '.gitmodules',
  '.envrc',
  '.npmrc',
  '.git/commondir',
  '.git/config.worktree',
  '.git/info/attributes',
  'unlocked',
];
const OUTSIDE = [
  '/tmp/turnwright-escaped',
  '/var/tmp/turnwright-escaped',
  '/dev/shm/turnwright-escaped',
  '/etc/escaped',
  '/root/escaped',
];

const isSleeping = (name: string): boolean => {
  try {
    return readFileSync(`/proc/${name}/cmdline`, 'utf8').startsWith('sleep\x004242');
  } catch {
    return false;
  }
};

const runAs = (plan: string, uid: number | undefined): Promise<string> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [runner, plan], {
      cwd: '/',
      env: { PATH: '/usr/local/bin:/usr/bin:/bin', TMPDIR: '/tmp', CANARY_TOKEN: 'CANARY' },
      ...(uid !== undefined && { uid, gid: uid }),
    });
    let out = '';
    let complaint = '';
    child.stdout.setEncoding('utf8').on('data', (text) => (out += text));
    child.stderr.setEncoding('utf8').on('data', (text) => (complaint += text));
    child.on('close', (code) => (code === 0 ? resolve(out) : reject(new Error(complaint))));
  });

describe.skipIf(lacking !== undefined)('escape probes', () => {
  it('there are at least eighty', () => {
    expect(PROBES.length).toBeGreaterThanOrEqual(80);
    expect(new Set(PROBES.map(([, command]) => command)).size).toBe(PROBES.length);
  });

  it.each(USERS)('none gets out, as %s', { timeout: 180_000 }, async (name, uid) => {
    const { base, ws, plan, close } = await world(uid);
    contacts = 0;
    const before = picture(base, ws);
    const said = JSON.parse(await runAs(plan, uid)) as Record<string, string>;
    const escapes = Object.entries(said).filter(([, text]) => text.includes('ESCAPED'));
    const sleeping = readdirSync('/proc').filter(isSleeping);
    const made = [...MUST_NOT_BE.map((each) => join(ws, each)), ...OUTSIDE].filter((path) =>
      existsSync(path),
    );
    console.log(
      `${PROBES.length} probes, ${escapes.length + sleeping.length + made.length + contacts} escapes (as ${name})`,
    );
    expect(Object.fromEntries(escapes)).toEqual({});
    expect({ sleeping, made, contacts, picture: picture(base, ws) }).toEqual({
      sleeping: [],
      made: [],
      contacts: 0,
      picture: before,
    });
    close();
  });
});
