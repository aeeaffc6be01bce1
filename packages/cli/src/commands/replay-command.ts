/** `turnwright replay [session]`: whether a session decides the same again. */

import { takeStart } from '@turnwright/base/text/cut-text.ts';
import { type ReplayDifference, type ReplayReport, replaySession } from '@turnwright/engine';
import { visible } from '@turnwright/terminal/text/visible.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import type { ReplayInvocation } from '../flags/replay-flags.ts';
import { withDatabaseSession } from '../inspect/database-session.ts';
import { counted } from '../words/units.ts';
import type { World } from '../world.ts';

type Asked = Omit<ReplayInvocation, 'command'>;

/** The named session, in any folder or in the database; else the newest of this folder. */
export async function runReplayCommand(
  { cwd, env, out }: Pick<World, 'cwd' | 'env' | 'out'>,
  { session, json, redact, submission, db }: Asked,
): Promise<ExitCode> {
  const options = { cwd, env, redact, submission };
  const report =
    db === undefined
      ? await replaySession(session, options)
      : await withDatabaseSession(db, session, (sessionId, source) =>
          replaySession(sessionId, { ...options, source }),
        );
  const text = json ? JSON.stringify(report, undefined, 2) : visible(replayText(report));
  await out.write(`${text}\n`);
  if (report.difference !== undefined) return EXIT.error;
  return report.iterations === 0 ? EXIT.notRecorded : EXIT.success;
}

/** The verdict first, then what it rests on. */
export function replayText({ runs, iterations, difference, notRecorded }: ReplayReport): string {
  const compared = `${counted(iterations, 'iteration')} of ${counted(runs, 'run')}`;
  const lines = difference === undefined ? [same(iterations, compared)] : differing(difference);
  return [...lines, ...notRecorded.map((each) => `not recorded: ${each}`)].join('\n');
}

const same = (iterations: number, compared: string): string =>
  iterations === 0 ? 'Nothing can be replayed: no decision is recorded.' : `Same decisions: ${compared}.`;

/** Of a value in a report. */
const VALUE_CHARS = 400;
const MOST_OTHERS = 8;

function differing({
  submission,
  iteration,
  agentPath,
  fact,
  rule,
  recorded,
  now,
  others,
  records,
}: ReplayDifference) {
  const agent = agentPath === '' ? '' : ` of agent ${agentPath}`;
  const by = rule === undefined ? '' : ` (rule ${rule})`;
  const more = others
    .slice(0, MOST_OTHERS)
    .map((each) => `  ${each.fact}: ${shown(each.recorded)} → ${shown(each.now)}`);
  const left = others.length - more.length;
  return [
    `Different: submission ${submission}, iteration ${iteration}${agent}: ${fact}${by}`,
    `  recorded: ${shown(recorded)}`,
    `  now:      ${shown(now)}`,
    ...(more.length > 0 ? ['also in this iteration:', ...more] : []),
    ...(left > 0 ? [`  … and ${left} more`] : []),
    `the record: ${records.recorded?.decision?.sentence ?? 'no decision'}`,
    `now:        ${records.now?.decision?.sentence ?? 'no decision'}`,
  ];
}

function shown(value: unknown): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(value);
  return text.length <= VALUE_CHARS ? text : `${takeStart(text, VALUE_CHARS)}…`;
}
