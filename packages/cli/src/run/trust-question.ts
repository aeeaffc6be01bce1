/** Before a run: asks whether a folder's settings may take effect. Asked once for each content. */
import { relative, sep } from 'node:path';
import { type ProjectTrust, projectTrust, trustProject } from '@turnwright/engine';
import { SETTING_SOURCES } from '@turnwright/engine/options/option-values.ts';
import { visible } from '@turnwright/terminal/text/visible.ts';
import type { RunFlags } from '../flags/run-flags.ts';
import { UsageError } from '../usage-error.ts';
import { drain, readKeys } from '../words/raw-keys.ts';
import { countColumns, type Env, type World } from '../world.ts';

/** Maximum length of a value; a longer one is truncated in the middle, so that neither end is hidden. */
const MAX_VALUE_CHARS = 400;

/** Trusted by flag or environment, for machines without a user (CI). */
export function isTrustedUnasked(flags: Pick<RunFlags, 'trustProject'>, env: Env): boolean {
  return flags.trustProject === true || env['TURNWRIGHT_TRUST_PROJECT'] === '1';
}

/** `details`: everything that trust would enable, value by value. */
export type TrustAsk = (
  world: World,
  keyboard: NodeJS.ReadStream,
  details: readonly string[],
) => Promise<boolean>;

interface TrustAsking {
  /** Input for the answer; undefined: no question is asked. */
  readonly keyboard?: NodeJS.ReadStream | undefined;
  /** Another way to ask, after what would take effect was shown. */
  readonly ask?: TrustAsk | undefined;
  /** Nothing runs: trust that has lapsed is only said. */
  readonly onlyLooks?: true;
}

/**
 * Without an agreement, the run itself ignores the settings. 'declined': a person said no. Throws UsageError
 * when hooks that were trusted do not run any more, and no person can be asked.
 */
export async function settleTrust(
  world: World,
  flags: Pick<RunFlags, 'trustProject' | 'options'>,
  { keyboard, ask = agrees, onlyLooks }: TrustAsking = {},
): Promise<'declined' | undefined> {
  const { settingSources = SETTING_SOURCES, projectConfigRoot } = flags.options;
  if (isTrustedUnasked(flags, world.env) || !settingSources.some((source) => source !== 'user'))
    return undefined;
  const { cwd, env } = world;
  const trust = await projectTrust({ cwd, env, settingSources, projectConfigRoot });
  if (trust.state === 'nothing' || trust.state === 'trusted') return undefined;
  if (keyboard === undefined && trust.lapsed !== undefined && onlyLooks !== true)
    throw new UsageError(visible(trust.lapsed));
  if (keyboard === undefined) {
    await world.err.write(
      `turnwright: What the settings of ${visible(trust.root)} would allow or run is passed over: ${WHY[trust.state]} See it with turnwright trust --show; turnwright trust agrees to it.\n`,
    );
    return undefined;
  }
  const { trustWords } = await import('./trust-words.ts');
  const { rows } = trustWords(trust, countColumns(world.stdout) - 1);
  await world.out.write(`${rows.join('\n')}\n`);
  if (!(await ask(world, keyboard, describeItems(trust)))) return 'declined';
  await trustProject(trust, { cwd, env });
  return undefined;
}

const WHY = {
  untrusted: 'the folder is not trusted.',
  changed: 'it has changed since the folder was trusted.',
} as const;

/** Everything that trust would enable, so that nothing is agreed to unseen. */
export function describeItems({
  root,
  state,
  items,
  changes = [],
  lapsed,
  unused = [],
}: ProjectTrust): readonly string[] {
  if (items.length === 0 && lapsed !== undefined) return [visible(lapsed)];
  if (items.length === 0) return [`The settings of ${visible(root)} ask for nothing that needs trust.`];
  const lines: string[] = [];
  let file: string | undefined;
  for (const item of items) {
    if (item.file !== file) lines.push(`  ${visible(item.file)}`);
    file = item.file;
    const named = nameOf(root, item);
    lines.push(`    ${visible(named ?? `${item.key}: ${shortened(item.value)}`)}`);
  }
  const changed =
    state === 'changed' ? ` They have changed since you agreed to them: ${visible(changes.join(', '))}.` : '';
  return [
    `The settings of ${visible(root)} would allow, set or run:${changed}`,
    ...lines,
    ...notUsed(unused),
  ];
}

/** A repository may have them for other programs. */
export function notUsed(keys: readonly string[]): readonly string[] {
  if (keys.length === 0) return [];
  return [`  Not used: ${keys.join(', ')}. The screen is yours: such keys count in your own settings alone.`];
}

/** What a file beside the settings is, which is trusted by its content: a hash says nothing to a person. */
function nameOf(root: string, { file, key }: ProjectTrust['items'][number]): string | undefined {
  const path = relative(root, file).split(sep).join('/');
  const [, kind, name = ''] =
    /^\.(?:claude|turnwright)\/(hooks|skills|commands|agents)\/(.+)$/.exec(path) ?? [];
  if (key !== 'content') return undefined;
  if (kind === undefined) return 'a script that a command names, or that one loads';
  const plain = name.replace(/\.md$/i, '');
  switch (kind) {
    case 'skills':
      return `of the skill ${name.split('/')[0]}`;
    case 'commands':
      return `the command /${plain.replaceAll('/', ':')}`;
    case 'agents':
      return `the agent ${plain}`;
    default:
      return 'a file that hooks may run';
  }
}

function shortened(value: string): string {
  if (value.length <= MAX_VALUE_CHARS) return value;
  const half = MAX_VALUE_CHARS / 2;
  return `${value.slice(0, half)} … ${value.length - MAX_VALUE_CHARS} more characters … ${value.slice(-half)}`;
}

/** A yes that comes sooner after the question was typed before it could be read. */
const TOO_SOON_MS = 400;

/** One key: y or n, or s to see all of it first. Esc means no. */
async function agrees(
  world: World,
  keyboard: NodeJS.ReadStream,
  details: readonly string[],
): Promise<boolean> {
  await drain(keyboard);
  await world.out.write('  trust this? y / n · s shows all of it (Esc: no) ');
  const askedMs = performance.now();
  const answer = await readKeys(keyboard, world.signals.raiseInterrupt, (key) => {
    if (key === 'n' || key === 'N') return false;
    if (key === 's' || key === 'S') return 'show';
    const isMeant = performance.now() - askedMs >= TOO_SOON_MS;
    return (key === 'y' || key === 'Y') && isMeant ? true : undefined;
  });
  if (answer === 'show') {
    await world.out.write(`all of it\n${details.join('\n')}\n`);
    return agrees(world, keyboard, details);
  }
  await world.out.write(answer === true ? 'yes\n' : 'no\n');
  return answer === true;
}
