/** Words for the model about a call that was ended before its time: the true cause, and what it left. */
import type { AbortWhy } from '../protocol/tools/tool-call.ts';

const IN_PART = 'It may have run in part: check what it did before repeating it.';
const WAIT = 'Wait for what the user says next.';

/** What happened while the tool was running; the same without it. */
const CAUSES: Readonly<Record<AbortWhy, readonly [running: string, before: string, after?: string]>> = {
  interrupted: [
    "The user doesn't want to proceed with this tool use and stopped it while it was running.",
    "The user doesn't want to proceed with this tool use: the turn was interrupted before it ran.",
    WAIT,
  ],
  preempted: [
    'A message of the user that could not wait stopped this tool while it was running.',
    'A message of the user that could not wait ended the turn before this call ran.',
  ],
  left: [
    'The program that runs this session left it while this tool was running; nobody refused the call.',
    'The program that runs this session left it before this call ran; nobody refused the call.',
  ],
  out_of_money: [
    'The budget of the run was used up while this tool was running; nobody refused the call.',
    'The budget of the run was used up before this call ran; nobody refused the call.',
  ],
  out_of_attempts: [
    'The attempts at a structured output were used up while this tool was running; nobody refused the call.',
    'The attempts at a structured output were used up before this call ran; nobody refused the call.',
  ],
  out_of_time: [
    'The time of the run was over while this tool was running; nobody refused the call.',
    'The time of the run was over before this call ran; nobody refused the call.',
  ],
  refused: [
    'The answer that made this call ended as a refusal while the tool was running, so it was stopped.',
    'The answer that made this call ended as a refusal, so it did not run.',
  ],
  discarded: [
    'The response that made this call was discarded while the tool was running.',
    'The response that made this call was discarded, so it did not run.',
  ],
  superseded: [
    'The response that made this call was replaced by a newer one while the tool was running.',
    'The response that made this call was replaced by a newer one, so it did not run.',
  ],
  failed: [
    'The turn failed while this tool was running.',
    'The turn failed before this call could run, so it did not run.',
  ],
};

/** `started`: the tool may have done part of its work. */
export function abortText(why: AbortWhy, started: boolean): string {
  const [running, before, after] = CAUSES[why];
  return [...(started ? [running, IN_PART] : [before]), ...(after === undefined ? [] : [after])].join(' ');
}
