/** `turnwright explain [session]`: why each iteration of a session ended as it did. */
import { explainInspection, type IterationDetail, openInspection } from '@turnwright/engine';
import { visible } from '@turnwright/terminal/text/visible.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import type { ExplainInvocation } from '../flags/inspect-flags.ts';
import { UsageError } from '../usage-error.ts';
import type { World } from '../world.ts';

/** The named session, in any folder; else the newest of this folder. */
export async function runExplainCommand(
  { cwd, env, out }: Pick<World, 'cwd' | 'env' | 'out'>,
  { session, redact, json, iteration, whyStopped }: ExplainInvocation,
): Promise<ExitCode> {
  const inspection = await openInspection(session, { cwd, env, redact });
  const data = inspection.data();
  let text = json ? JSON.stringify(data, undefined, 2) : '';
  if (whyStopped)
    text = json ? JSON.stringify({ terminal: data.terminal, sentence: data.sentence }) : data.sentence;
  else if (iteration !== undefined) {
    const key = data.iterations.find(({ step, key }) => step === iteration || key === iteration)?.key;
    const [detail] = key === undefined ? [] : await inspection.details([key]);
    if (detail === undefined) {
      const steps = data.iterations.map(({ step }) => step);
      throw new UsageError(
        `There is no iteration ${iteration}: they are numbered ${steps[0]} to ${steps.at(-1)}.`,
      );
    }
    text = json ? JSON.stringify(detail, undefined, 2) : detailText(iteration, detail);
  } else if (!json) text = await explainInspection(data);
  await out.write(`${json ? text : visible(text.trimEnd())}\n`);
  return data.damage.length > 0 ? EXIT.damaged : EXIT.success;
}

const VERDICTS = { no: 'no ', decided: 'YES', 'not reached': '-  ' } as const;
const MOST_TEXT = 300;

function detailText(
  step: string,
  { sentence, rules, sent, answer, calls, hooks, breakAt }: IterationDetail,
): string {
  const { unchanged, unchangedTokens, entries, removedCount, system } = sent;
  const short = (text: string) => {
    const line = text.replace(/\s+/g, ' ').trim();
    return line.length > MOST_TEXT ? `${line.slice(0, MOST_TEXT)}…` : line;
  };
  const about = (name: string | undefined) => (name === undefined ? '' : ` ${name}`);
  return [
    `#${step}: ${sentence}`,
    '',
    'The rules, in order:',
    ...rules.map(({ question, verdict, facts }) => {
      const read = facts.map(([name, value]) => `${name}=${value}`).join(', ');
      return `  ${VERDICTS[verdict]} ${question}${verdict === 'decided' && read !== '' ? ` (${short(read)})` : ''}`;
    }),
    '',
    `Sent: ${unchanged + entries.length} entries, ${unchanged} of them (about ${unchangedTokens} tokens) as in the request before.`,
    ...(system.changed.length > 0
      ? [`  Changed before the conversation: ${system.changed.join(', ')}.`]
      : []),
    ...(removedCount > 0 ? [`  ${removedCount} entries of the request before are gone.`] : []),
    ...entries.map(({ kind, name, state, text }) => `  ${state} ${kind}${about(name)}: ${short(text)}`),
    ...(breakAt === undefined ? [] : ['', breakAt]),
    '',
    'Answer:',
    ...answer.map(({ kind, name, text }) => `  ${kind}${about(name)}: ${short(text)}`),
    ...(calls.length === 0 ? [] : ['', 'Calls:']),
    ...calls.flatMap(({ name, permission, output }) => [
      `  ${name}: ${permission ?? 'no permission was needed.'}`,
      ...(output === undefined ? [] : [`    ${short(output.text)}`]),
    ]),
    ...(hooks.length === 0 ? [] : ['', 'Hooks:', ...hooks.map((hook) => `  ${short(hook)}`)]),
  ].join('\n');
}
