/** The built conversation in tmux, against a rehearsed model. Needs `npm run build`. */
import type { RehearsalServer } from '../../../src/rehearsal/index.ts';
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
