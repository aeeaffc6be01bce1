/** The built conversation in tmux, against a rehearsed model. Needs `npm run build`. */
import { execFileSync } from 'node:child_process';
import type { RehearsalServer } from '@turnwright/testing/rehearsal';
import { against, BIN, bareEnv, temporaryFolder } from '../../cli/bin.ts';
import { inTmux, type Tmux } from '../../terminal/tmux.ts';

export interface Talk extends Tmux {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

interface Launch {
  readonly args?: readonly string[];
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly columns?: number;
  readonly rows?: number;
}

export async function converse(server: RehearsalServer, launch: Launch = {}): Promise<Talk> {
  const { args = [], cwd = temporaryFolder(), columns, rows } = launch;
  const env = launch.env ?? bareEnv(against(server));
  const command = ['sh', '-c', 'cd "$0" && exec "$@"', cwd, process.execPath, BIN, ...args];
  const terminal = await inTmux(command, { env, ...(columns && { columns }), ...(rows && { rows }) });
  const talk: Talk = { ...terminal, cwd, env };
  await talk.seen('›');
  return talk;
}

/** The process of the conversation: the newest that runs our bin in the terminal of this pane. */
export function processOf(talk: Talk): number {
  const tty = talk.ask('#{pane_tty}').replace('/dev/', '');
  const rows = execFileSync('ps', ['-t', tty, '-o', 'pid=,args='], { encoding: 'utf8' }).trim().split('\n');
  const row = rows.findLast((line) => line.includes('dist/bin/turnwright') && !line.includes('sh -c'));
  return Number(row?.trim().split(/\s+/)[0]);
}
