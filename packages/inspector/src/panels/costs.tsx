/** What was paid, by model, agent and purpose: the ledger's rows. */
import { showCount, showUsd } from '../format.ts';
import type { PanelProps } from '../page-view.ts';

const PURPOSES: Readonly<Record<string, string>> = { loop: 'conversation', retry_waste: 'broken answers' };

export function Costs({ data }: PanelProps) {
  const { rows, totalCostUsd, unpricedModels, computedUsd, wasted } = data.cost;
  const most = rows.reduce((m, { costUSD }) => Math.max(m, costUSD), 0);
  const sum = (pick: (row: (typeof rows)[number]) => number) =>
    rows.reduce((total, row) => total + pick(row), 0);
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Cost">
      <table class="table">
        <thead>
          <tr>
            <th>agent</th>
            <th>purpose</th>
            <th>model</th>
            <th class="number">USD</th>
            <th class="number">calls</th>
            <th class="number wide">fresh</th>
            <th class="number wide">cache read</th>
            <th class="number wide">cache write</th>
            <th class="number">output</th>
          </tr>
        </thead>
        <tbody>
          {[...rows]
            .sort((a, b) => b.costUSD - a.costUSD)
            .map((row) => (
              <tr key={`${row.agent}/${row.purpose}/${row.model}/${row.provider}`}>
                <td>{row.agent}</td>
                <td>{PURPOSES[row.purpose] ?? row.purpose.replaceAll('_', ' ')}</td>
                <td>{row.model}</td>
                <td class="number paid">
                  {row.isPriced ? showUsd(row.costUSD) : 'not known'}
                  <i class="weight" style={{ width: `${most === 0 ? 0 : (row.costUSD / most) * 100}%` }} />
                </td>
                <td class="number">{row.calls}</td>
                <td class="number wide">{showCount(row.inputTokens)}</td>
                <td class="number wide">{showCount(row.cacheReadInputTokens)}</td>
                <td class="number wide">{showCount(row.cacheCreationInputTokens)}</td>
                <td class="number">{showCount(row.outputTokens)}</td>
              </tr>
            ))}
        </tbody>
        <tfoot>
          <tr>
            <th colSpan={3}>total</th>
            <td class="number">{showUsd(totalCostUsd)}</td>
            <td class="number">{sum(({ calls }) => calls)}</td>
            <td class="number wide">{showCount(sum(({ inputTokens }) => inputTokens))}</td>
            <td class="number wide">{showCount(sum(({ cacheReadInputTokens }) => cacheReadInputTokens))}</td>
            <td class="number wide">
              {showCount(sum(({ cacheCreationInputTokens }) => cacheCreationInputTokens))}
            </td>
            <td class="number">{showCount(sum(({ outputTokens }) => outputTokens))}</td>
          </tr>
        </tfoot>
      </table>
      {wasted.map(({ usd, what }) => (
        <p key={what} class="quiet">
          {showUsd(usd)} {what}
        </p>
      ))}
      {data.forecast !== undefined && <p class="forecast">{data.forecast.sentence}</p>}
      {unpricedModels.length > 0 && (
        <p class="quiet">Not included: {unpricedModels.join(', ')}, whose price is not known.</p>
      )}
      {computedUsd !== undefined && (
        <p class="quiet">
          {showUsd(computedUsd)} is computed from usage that another program recorded, at list prices.
        </p>
      )}
    </div>
  );
}
