/** Why a session and its submissions ended, or what they do now. */
import type {
  InspectedIteration,
  InspectedSubmission,
  SessionInspection,
} from '../../protocol/session/inspection.ts';
import { TRANSITION_REASONS } from '../../protocol/session/transition.ts';
import type { JournalRows } from './iteration-rows.ts';
import { sayTerminal } from './sentences.ts';

interface Running {
  readonly main: JournalRows;
  readonly isRunning: boolean;
}

const goesOn = ({ out }: InspectedIteration): boolean =>
  (TRANSITION_REASONS as readonly string[]).includes(out);

interface Ending {
  readonly hasResult: boolean;
  readonly isParked: boolean;
  readonly terminal: string | undefined;
  readonly isRunning: boolean;
}

/** `last`: the last iteration of the submission. */
export function sayEnd(
  last: InspectedIteration | undefined,
  { hasResult, isParked, terminal, isRunning }: Ending,
): string {
  const isSaid = last !== undefined && !goesOn(last) && last.out !== 'cut_off';
  if (hasResult) return isSaid ? last.sentence : sayTerminal(terminal);
  if (last === undefined)
    return isRunning
      ? 'Running: the first request is being prepared.'
      : 'Interrupted here: the prompt is recorded, no request is.';
  if (isParked || !goesOn(last)) return last.sentence;
  return isRunning
    ? 'Running: the next request is being prepared.'
    : `Interrupted here: after iteration ${last.step}, before the next request.`;
}

export function describeEnd(
  { main, isRunning }: Running,
  submissions: readonly InspectedSubmission[],
  iterations: readonly InspectedIteration[],
): { readonly state: SessionInspection['state']; readonly sentence: string; readonly terminal?: string } {
  const last = submissions.at(-1);
  const open = main.submissions.at(-1);
  if (last === undefined || open === undefined) return withoutSubmissions(main);
  const { sentence } = last;
  if (open.hasResult) {
    const end = iterations.findLast(({ agent, submission }) => agent === '' && submission === open.number);
    const terminal = end !== undefined && !goesOn(end) && end.out !== 'cut_off' ? end.out : open.terminal;
    return { state: 'stopped', sentence, ...(terminal !== undefined && { terminal }) };
  }
  if (open.isParked) return { state: 'parked', sentence };
  return { state: isRunning ? 'running' : 'cut_off', sentence };
}

/** What another program wrote has messages, and no record of why its iterations ended. */
function withoutSubmissions({ foreignAnswers, hasForeign }: JournalRows) {
  if (!hasForeign) return { state: 'empty', sentence: 'Nothing was asked in this session yet.' } as const;
  const records = foreignAnswers === 1 ? '1 record of an answer' : `${foreignAnswers} records of answers`;
  return {
    state: 'foreign',
    sentence: `This session was written by another program: ${records}, and no record of iterations. Why each of them ended is not known; turnwright cost computes what they cost.`,
  } as const;
}
