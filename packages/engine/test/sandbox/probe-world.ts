/** What the probes try to get at: a workspace, a home with secrets, files and sockets outside. */
import { execFileSync } from 'node:child_process';
import { randomInt, randomUUID } from 'node:crypto';
import { createSocket } from 'node:dgram';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { CLOSED } from '@turnwright/test/sandbox/support.ts';
import type { SandboxPolicy } from '../../src/sandbox/policy.ts';

export interface Escapes {
  /** What probes said that got out, by the name of the probe. */
  readonly said: Readonly<Record<string, string>>;
  /** Processes that were left. */
  readonly sleeping: readonly string[];
  /** Files that came into being. */
  readonly made: readonly string[];
  /** Connections from inside. */
  readonly contacts: number;
  /** Files outside, and protected ones, that are others now. */
  readonly changed: readonly (readonly [path: string, content: string])[];
}

export interface ProbeWorld {
  readonly base: string;
  readonly ws: string;
  readonly configHome: string;
  /** Of the probes. */
  readonly env: Readonly<Record<string, string>>;
  readonly policy: SandboxPolicy;
  /** `said`: what the probes said, by their names. */
  escapes(said: Readonly<Record<string, string>>): Escapes;
  close(): void;
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** Below `shared`, which its user can read; `uid`: whose it is, default of this process. */
export async function probeWorld(shared: string, uid: number | undefined): Promise<ProbeWorld> {
  let contacts = 0;
  const id = randomUUID();
  const opened: Server[] = [];
  const listen = (address: object): Promise<Server> =>
    new Promise((resolve, reject) => {
      const server = createServer((socket) => {
        contacts++;
        socket.destroy();
      });
      opened.push(server);
      server.once('error', reject);
      server.listen(address, () => resolve(server));
    });

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
  const hostTmp = join(tmpdir(), `turnwright-probe-host-${id}`);
  writeFileSync(hostTmp, 'CANARY');
  const abstract = `turnwright-probe-${id}`;
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
    // No other world has processes of the same number, which may run at the same time.
    SLEEP: String(randomInt(100_000, 1_000_000)),
  };
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
  const before = picture(base, ws);
  return {
    ...{ base, ws, configHome, env, policy },
    escapes: (said) => ({
      said: Object.fromEntries(Object.entries(said).filter(([, text]) => text.includes('ESCAPED'))),
      sleeping: readdirSync('/proc').filter((name) => sleeps(name, env.SLEEP)),
      made: [...MUST_NOT_BE.map((each) => join(ws, each)), ...OUTSIDE].filter((path) => existsSync(path)),
      contacts,
      changed: Object.entries(picture(base, ws)).filter(([path, text]) => before[path] !== text),
    }),
    close() {
      for (const server of opened) server.close();
      udp.close();
      rmSync(hostTmp, { force: true });
    },
  };
}

/** What there is when nothing got out. */
export const NO_ESCAPE: Escapes = { said: {}, sleeping: [], made: [], contacts: 0, changed: [] };

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

const sleeps = (name: string, seconds: string): boolean => {
  try {
    return readFileSync(`/proc/${name}/cmdline`, 'utf8') === `sleep\0${seconds}\0`;
  } catch {
    return false;
  }
};
