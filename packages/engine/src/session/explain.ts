/** Why a session stopped and what each of its iterations did, as text: what the inspector's page says. */
import type {
  InspectedCall,
  InspectedIteration,
  InspectedTotals,
  SessionInspection,
} from '../protocol/session/inspection.ts';
import { shortenSubject } from './inspection/iteration-rows.ts';
import { sayCount, sayDuration, sayUsd } from './inspection/sentences.ts';

/** Plain text for a terminal: the reason for the last stop first, then one line per iteration. */
export function inspectionText(inspection: SessionInspection): string {
  const { state, sentence, submissions, damage } = inspection;
  if (state === 'empty' || state === 'foreign') return [sentence, ...damaged(damage)].join('\n');
  const several = submissions.length > 1;
  const lines = [
    sentence,
    sumLine(inspection.totals),
    ...submissions.flatMap(({ number, sentence: end, prompt }) => {
      const own = inspection.iterations.filter(
        ({ agent, submission }) => agent === '' && submission === number,
      );
      const head = several ? [`Submission ${number} of ${submissions.length}: ${end}`] : [];
      const asked = several && prompt !== '' ? [`  asked: ${shortenSubject(oneLine(prompt), 60)}`] : [];
      const rows = own.length === 0 ? ['  (no request was made)'] : folded(own);
      return ['', ...head, ...asked, ...rows];
    }),
    ...agentLines(inspection),
    ...notable(inspection),
    ...damaged(damage),
  ];
  return lines.join('\n');
}

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();

function sumLine({ turns, costUsd, wastedUsd, cacheHit, activeMs, waitingMs }: InspectedTotals): string {
  const parts = [
    `${turns} ${turns === 1 ? 'iteration' : 'iterations'}`,
    sayUsd(costUsd),
    sayDuration(activeMs),
    `${Math.round(cacheHit * 100)} % read from the cache`,
    ...(waitingMs >= 1000 ? [`${sayDuration(waitingMs)} waited`] : []),
    ...(wastedUsd > 0 ? [`${sayUsd(wastedUsd)} wasted`] : []),
  ];
  return parts.join(' · ');
}

/** Runs of iterations that did the same without trouble are one line. */
function folded(iterations: readonly InspectedIteration[]): readonly string[] {
  const lines: string[] = [];
  for (let at = 0; at < iterations.length; ) {
    const first = iterations[at] as InspectedIteration;
    let to = at + 1;
    while (to < iterations.length && isAlike(first, iterations[to] as InspectedIteration)) to++;
    if (to - at >= LEAST_FOLDED) lines.push(foldedLine(iterations.slice(at, to)));
    else lines.push(...iterations.slice(at, to).flatMap(describeIteration));
    at = to;
  }
  return lines;
}

/** Shorter runs are written out. */
const LEAST_FOLDED = 4;

const isAlike = (a: InspectedIteration, b: InspectedIteration): boolean =>
  isPlain(a) && isPlain(b) && a.model === b.model && namesIn(a) === namesIn(b);

const isPlain = ({ out, marks }: InspectedIteration): boolean => out === 'next_turn' && marks.length === 0;
const namesIn = ({ calls }: InspectedIteration): string => calls.map(({ name }) => name).join();

function foldedLine(run: readonly InspectedIteration[]): string {
  const [first, last] = [run[0], run.at(-1)];
  const names = [...new Set(first?.calls.map(({ name }) => name))].join(', ');
  const cost = run.reduce((sum, { costUsd = 0 }) => sum + costUsd, 0);
  const ms = run.reduce((sum, { start, end }) => sum + end - start, 0);
  return `#${first?.step} to #${last?.step} · ${run.length} times ${names} · ${sayUsd(cost)} · ${sayDuration(ms)}`;
}

const SUBJECT_CHARS = 60;
const MOST_CALLS = 4;

function describeIteration(iteration: InspectedIteration): readonly string[] {
  const { step, calls, tokens, context, costUsd, start, end, model, out, marks } = iteration;
  const read = tokens === undefined ? 0 : tokens.fresh + tokens.cacheRead + tokens.cacheWrite;
  const share =
    context === undefined || context.window === 0 ? '' : ` (${Math.round((read / context.window) * 100)} %)`;
  const failed = calls.filter(({ failure }) => failure !== undefined);
  const parts = [
    `#${step}`,
    model,
    ...(calls.length === 0 ? [] : [callsText(calls)]),
    ...(tokens === undefined
      ? []
      : [
          `${sayCount(read)}${share}`,
          `cache ${read === 0 ? 0 : Math.round((tokens.cacheRead / read) * 100)} %`,
        ]),
    ...(costUsd === undefined ? [] : [sayUsd(costUsd)]),
    sayDuration(end - start),
  ];
  const isTold = out !== 'next_turn' || marks.includes('left');
  return [
    parts.join(' · '),
    ...calls
      .slice(0, MOST_CALLS)
      .flatMap((call) =>
        call.subject === undefined && call.ranIn === undefined ? [] : [`     ${callText(call)}`],
      ),
    ...(calls.length > MOST_CALLS ? [`     … and ${calls.length - MOST_CALLS} more`] : []),
    ...failed.flatMap(({ failure = '' }) => failure.split('\n').map((line) => `       ${line}`)),
    ...(isTold ? [`     ${iteration.sentence}`] : []),
    ...(marks.includes('left') ? ['     The conversation went back behind this.'] : []),
  ];
}

function callsText(calls: readonly InspectedCall[]): string {
  const counts = new Map<string, number>();
  for (const { name } of calls) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].map(([name, n]) => (n === 1 ? name : `${n} × ${name}`)).join(', ');
}

const OUTCOMES: Readonly<Record<InspectedCall['outcome'], string>> = {
  ok: 'ok',
  error: 'failed',
  denied: 'not allowed',
  invalid: 'with an input that does not fit',
  aborted: 'interrupted',
  unknown_tool: 'no such tool',
};

const PLACES = {
  sandbox: ' in the sandbox',
  excluded: ' outside of the sandbox, as the settings say',
  override: ' outside of the sandbox, as the call asked',
} as const;

function callText({ name, subject, outcome, ranIn, start, end }: InspectedCall): string {
  const about = subject === undefined ? '' : ` \`${shortenSubject(subject, SUBJECT_CHARS)}\``;
  const place = ranIn === undefined ? '' : PLACES[ranIn];
  const time = start === undefined ? '' : ` ${sayDuration(end - start)}`;
  return `${name}${about} ${OUTCOMES[outcome]}${place}${time}`;
}

function agentLines({ agents }: SessionInspection): readonly string[] {
  const below = agents.filter(({ id }) => id !== '');
  if (below.length === 0) return [];
  return [
    '',
    'Agents:',
    ...below.map(
      ({ type, description, iterations, treeCostUsd, id }) =>
        `  ${id.slice(0, 8)} ${type} · ${iterations} ${iterations === 1 ? 'iteration' : 'iterations'} · ${sayUsd(treeCostUsd)} · ${shortenSubject(oneLine(description), SUBJECT_CHARS)}`,
    ),
  ];
}

const MOST_DEAREST = 5;
/** With fewer iterations the lines above show it. */
const LEAST_FOR_DEAREST = 6;

const HEADINGS = {
  recovery: 'Recovered:',
  failure: 'Failed:',
  retry: 'Asked again:',
  wait: 'Waited:',
  fallback: 'Other models:',
  compaction: 'Shortened:',
  cache_break: 'Cache breaks:',
  denial: 'Not allowed:',
  question: 'Asked about:',
  judged: 'Allowed by the judge:',
} as const;

function notable({ iterations, events }: SessionInspection): readonly string[] {
  const dearest = iterations
    .filter(({ costUsd = 0 }) => costUsd > 0)
    .sort((a, b) => (b.costUsd ?? 0) - (a.costUsd ?? 0))
    .slice(0, MOST_DEAREST)
    .map(
      ({ step, costUsd = 0, tokens }) =>
        `  #${step} ${sayUsd(costUsd)}, ${sayCount(tokens?.output ?? 0)} tokens written`,
    );
  const kinds = Object.entries(HEADINGS).flatMap(([kind, heading]) => {
    const lines = events
      .filter((event) => event.kind === kind)
      .map(({ step, sentence }) => `  #${step} ${sentence}`);
    return lines.length === 0 ? [] : ['', heading, ...lines];
  });
  return [...(iterations.length < LEAST_FOR_DEAREST ? [] : ['', 'Dearest:', ...dearest]), ...kinds];
}

const damaged = (damage: readonly string[]): readonly string[] =>
  damage.length === 0 ? [] : ['', ...damage.map((each) => `Damaged: ${each}`)];
