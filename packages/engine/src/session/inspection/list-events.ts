/** What stands out in a session: bad ends, recoveries, failures, retries, cache breaks, denials. */
import type { InspectedCall, InspectedEvent, InspectedIteration } from '../../protocol/session/inspection.ts';
import { describeTerminal } from '../../protocol/session/terminal.ts';
import { TRANSITION_REASONS } from '../../protocol/session/transition.ts';
import { sayAttempts, sayCacheBreak, sayDuration, sayStep } from './sentences.ts';

const FAILED: Readonly<Record<Exclude<InspectedCall['outcome'], 'ok' | 'denied'>, string>> = {
  error: 'It failed.',
  invalid: 'Its input does not fit.',
  aborted: 'It was interrupted.',
  unknown_tool: 'There is no such tool.',
};

/** Ends that a person did not wish for. */
function isBadEnd(out: InspectedIteration['out']): boolean {
  if (out === 'cut_off') return true;
  const meaning = describeTerminal(out);
  return meaning !== undefined && meaning.sentence !== '';
}

export function listEvents(iterations: readonly InspectedIteration[]): readonly InspectedEvent[] {
  return iterations.flatMap((iteration) => {
    const { key, step, attempts, calls, cacheBreak, fellBackFrom, model, steps, wastedUsd, out, sentence } =
      iteration;
    const event = (kind: InspectedEvent['kind'], sentence: string, price?: number): InspectedEvent => ({
      kind,
      key,
      step,
      sentence,
      ...(price !== undefined && { usd: price }),
    });
    const failed = attempts.filter(({ outcome }) => outcome !== 'complete');
    const waited = attempts.reduce((sum, attempt) => sum + (attempt.waited ?? 0), 0);
    const pause = waited > 0 ? ` ${sayDuration(waited)} were waited.` : '';
    const isMoved = (TRANSITION_REASONS as readonly string[]).includes(out) && out !== 'next_turn';
    return [
      ...(isBadEnd(out) ? [event('end', sentence)] : []),
      ...(isMoved ? [event('recovery', sentence)] : []),
      ...(failed.length > 0 && attempts.length > 1
        ? [event('retry', `${sayAttempts(failed)}${pause}`, wastedUsd)]
        : []),
      ...(failed.length === 0 && waited > 0
        ? [event('wait', `Waited ${sayDuration(waited)} before it asked.`)]
        : []),
      ...(fellBackFrom === undefined
        ? []
        : [event('fallback', `${fellBackFrom.join(', then ')} gave no answer: ${model} took over.`)]),
      ...steps.flatMap(({ step: name, before, after }) => {
        const sentence = sayStep(name, before, after);
        return sentence === undefined ? [] : [event('compaction', sentence)];
      }),
      ...(cacheBreak === undefined ? [] : [event('cache_break', sayCacheBreak(cacheBreak), cacheBreak.usd)]),
      ...calls.flatMap(({ name, subject, outcome, askedMs, failure, isJudged, why = '' }) => {
        const call = subject === undefined ? name : `${name} ${subject}`;
        if (outcome === 'denied') return [event('denial', `${call}: ${why === '' ? 'Not allowed.' : why}`)];
        const question =
          isJudged === true
            ? [event('judged', `${call}: ${why}`)]
            : askedMs === undefined
              ? []
              : [event('question', `${call}: ${why}`)];
        if (outcome === 'ok') return question;
        return [...question, event('failure', `${call}: ${failure?.split('\n').at(-1) ?? FAILED[outcome]}`)];
      }),
    ];
  });
}
