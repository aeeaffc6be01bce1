/** What a session has loaded, in two or three rows: model and where it is from, files, servers, the rest. */
import { homedir } from 'node:os';
import type { Options, Query } from '@turnwright/engine';
import { OPTIONS } from '@turnwright/engine/options/table.ts';
import type { Row } from '@turnwright/terminal/renderer/frame.ts';
import type { Theme } from '@turnwright/terminal/text/theme.ts';
import { oneLine } from '@turnwright/terminal/text/visible.ts';
import { wrap } from '@turnwright/terminal/text/wrap.ts';
import { shortPath } from '../../words/tool-label.ts';
import { counted } from '../../words/units.ts';
import type { Env } from '../../world.ts';

interface Place {
  readonly cwd: string;
  readonly env: Env;
  /** With which the session was opened. */
  readonly options: Pick<Options, 'model'>;
}

const NAMED = 3;

/** Rejects where the session has ended meanwhile. */
export async function loadedRows(
  query: Query,
  place: Place,
  columns: number,
  theme: Theme,
): Promise<readonly Row[]> {
  const [settings, { memoryFiles, skills }, servers, { commands, agents }] = await Promise.all([
    query.getSettings(),
    query.getContextUsage(),
    query.mcpServerStatus(),
    query.initializationResult(),
  ]);
  const path = (file: string) => shortPath(file, { cwd: place.cwd, home: place.env['HOME'] ?? homedir() });
  const files = settings.sources.flatMap((source) => source.path ?? []);
  const source = modelSource(settings, place);
  const parts = [
    `model ${settings.applied.model}${source === undefined ? '' : ` (${path(source)})`}`,
    list(
      'memory',
      memoryFiles.map((file) => path(file.path)),
    ),
    list(
      'servers',
      servers.map(({ name, status }) => `${name} ${WORDS[status] ?? status}`),
    ),
    [
      ...(skills === undefined || skills.totalSkills === 0 ? [] : [counted(skills.totalSkills, 'skill')]),
      ...(agents.length > 0 ? [counted(agents.length, 'agent')] : []),
      counted(commands.length, 'command'),
    ].join(', '),
    list('settings', files.map(path)),
  ].filter((part) => part !== '');
  return wrap(parts.map(oneLine).join(' · '), columns, { hang: '  ' }).map((row) => theme.dim(row));
}

const WORDS: Readonly<Record<string, string>> = { 'needs-auth': 'needs a login', pending: 'connects' };

/** `memory CLAUDE.md, ~/.claude/CLAUDE.md and 2 more` */
function list(what: string, names: readonly string[]): string {
  if (names.length === 0) return '';
  const more = names.length - NAMED;
  return `${what} ${names.slice(0, NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

type Settings = Awaited<ReturnType<Query['getSettings']>>;

/** The flag, the variable or the file; undefined: no one chose it. */
function modelSource({ sources }: Settings, { env, options }: Place): string | undefined {
  if (options.model !== undefined) return '--model';
  const file = sources.findLast(
    ({ settings }) => (settings as { readonly model?: unknown }).model !== undefined,
  );
  const { variable } = OPTIONS.model;
  return env[variable] === undefined ? file?.path : variable;
}
