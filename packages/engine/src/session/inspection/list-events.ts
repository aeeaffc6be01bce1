/** What stands out in a session: retries, fallbacks, compactions, cache breaks, denials, questions. */
import type { InspectedEvent, InspectedIteration } from '../../protocol/session/inspection.ts';
import { sayAttempts, sayCacheBreak, sayDuration, sayStep } from './sentences.ts';

export function listEvents(iterations: readonly InspectedIteration[]): readonly InspectedEvent[] {
  return iterations.flatMap((iteration) => {
    const { key, step, attempts, calls, cacheBreak, fellBackFrom, model, steps, wastedUsd } = iteration;
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
    return [
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
      ...calls.flatMap(({ name, subject, outcome, askedMs, why = '' }) => {
        const call = subject === undefined ? name : `${name} ${subject}`;
        if (outcome === 'denied') return [event('denial', `${call}: ${why === '' ? 'Not allowed.' : why}`)];
        return askedMs === undefined ? [] : [event('question', `${call}: ${why}`)];
      }),
    ];
  });
}
