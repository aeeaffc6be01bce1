/** What the running prompt of a session will cost in all, or a next one like the last. */
import { describeForecast, describeNextRun, type FinishedRun } from '../../protocol/session/forecast.ts';
import type {
  InspectedIteration,
  InspectedSubmission,
  SessionInspection,
} from '../../protocol/session/inspection.ts';
import { MAIN_AGENT } from '../../protocol/session/spending.ts';
import { forecastCost } from '../forecast/forecast-cost.ts';

/** About; of a prompt before its first request. */
const CHARS_PER_TOKEN = 4;

interface Course {
  readonly isRunning: boolean;
  readonly submissions: readonly InspectedSubmission[];
  readonly iterations: readonly InspectedIteration[];
}

/** `runs`: of its folder, oldest first. Without any there is no forecast. */
export function forecastSession(
  runs: readonly FinishedRun[],
  { isRunning, submissions, iterations }: Course,
): SessionInspection['forecast'] {
  const last = runs.at(-1);
  if (last === undefined) return undefined;
  const submission = submissions.at(-1);
  if (!isRunning || submission === undefined) {
    const forecast = forecastCost(runs, last);
    return { of: 'next', spentUsd: 0, forecast, sentence: describeNextRun(forecast) };
  }
  const own = iterations.filter(({ start }) => start >= submission.start);
  const first = own.find(({ agent }) => agent === '');
  const spentUsd = own.reduce((sum, { costUsd = 0 }) => sum + costUsd, 0);
  const { context, model = last.model } = first ?? {};
  const tokens =
    context === undefined ? submission.prompt.length / CHARS_PER_TOKEN : context.used - context.overhead;
  const forecast = forecastCost(runs, { model, agent: MAIN_AGENT, tokens, spentUsd });
  return { of: 'running', spentUsd, forecast, sentence: describeForecast(forecast, spentUsd) };
}
