/** Two iterations side by side. */
import type { InspectedIteration } from '@turnwright/engine';
import { showCount, showDuration, showShare, showUsd } from '../format.ts';
import { outName } from '../page-words.ts';

type Row = readonly [
  name: string,
  (each: InspectedIteration) => string,
  ((each: InspectedIteration) => number)?,
];

const read = ({ tokens }: InspectedIteration) =>
  tokens === undefined ? 0 : tokens.fresh + tokens.cacheRead + tokens.cacheWrite;

const ROWS: readonly Row[] = [
  ['ended with', ({ out }) => outName(out)],
  ['model', ({ model }) => model],
  ['tokens read', (each) => showCount(read(each)), read],
  [
    'from the cache',
    (each) => showShare(read(each) === 0 ? 0 : (each.tokens?.cacheRead ?? 0) / read(each)),
    (each) => each.tokens?.cacheRead ?? 0,
  ],
  ['tokens written', ({ tokens }) => showCount(tokens?.output ?? 0), ({ tokens }) => tokens?.output ?? 0],
  [
    'cost',
    ({ costUsd }) => (costUsd === undefined ? 'not known' : showUsd(costUsd)),
    ({ costUsd = 0 }) => costUsd,
  ],
  ['time', ({ start, end }) => showDuration(end - start), ({ start, end }) => end - start],
  ['attempts', ({ attempts }) => `${attempts.length}`, ({ attempts }) => attempts.length],
  ['calls', ({ calls }) => calls.map(({ name }) => name).join(', ') || 'none'],
];

export function Compare({ a, b }: { readonly a: InspectedIteration; readonly b: InspectedIteration }) {
  return (
    <table class="table compare">
      <thead>
        <tr>
          <th />
          <th>#{a.step}</th>
          <th>#{b.step}</th>
          <th class="number">difference</th>
        </tr>
      </thead>
      <tbody>
        {ROWS.map(([name, show, value]) => {
          const [from, to] = [value?.(b) ?? 0, value?.(a) ?? 0];
          return (
            <tr key={name} class={show(a) === show(b) ? 'alike' : ''}>
              <th>{name}</th>
              <td>{show(a)}</td>
              <td>{show(b)}</td>
              <td class="number">
                {value === undefined || from === 0
                  ? ''
                  : `${to >= from ? '+' : '−'}${Math.abs(Math.round((to / from - 1) * 100))} %`}
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
