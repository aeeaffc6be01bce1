/** What was paid, by model, agent and purpose: the ledger's rows. */
import { showCount, showUsd } from '../format.ts';
import type { PanelProps } from '../panel-props.ts';

export function Costs({ data }: PanelProps) {
  const { rows, totalCostUsd, unpricedModels, computedUsd } = data.cost;
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
            <th class="number">calls</th>
            <th class="number">fresh</th>
            <th class="number">cache read</th>
            <th class="number">write</th>
            <th class="number">output</th>
            <th class="number">USD</th>
          </tr>
        </thead>
        <tbody>
          {[...rows]
            .sort((a, b) => b.costUSD - a.costUSD)
            .map((row) => (
              <tr key={`${row.agent}/${row.purpose}/${row.model}/${row.provider}`}>
                <td>{row.agent}</td>
                <td>{row.purpose.replaceAll('_', ' ')}</td>
                <td>{row.model}</td>
                <td class="number">{row.calls}</td>
                <td class="number">{showCount(row.inputTokens)}</td>
                <td class="number">{showCount(row.cacheReadInputTokens)}</td>
                <td class="number">{showCount(row.cacheCreationInputTokens)}</td>
                <td class="number">{showCount(row.outputTokens)}</td>
                <td class="number paid">
                  {row.isPriced ? showUsd(row.costUSD) : '?'}
                  <i class="weight" style={{ width: `${most === 0 ? 0 : (row.costUSD / most) * 100}%` }} />
                </td>
              </tr>
            ))}
        </tbody>
        <tfoot>
          <tr>
            <th colSpan={3}>total</th>
            <td class="number">{sum(({ calls }) => calls)}</td>
            <td class="number">{showCount(sum(({ inputTokens }) => inputTokens))}</td>
            <td class="number">{showCount(sum(({ cacheReadInputTokens }) => cacheReadInputTokens))}</td>
            <td class="number">
              {showCount(sum(({ cacheCreationInputTokens }) => cacheCreationInputTokens))}
            </td>
            <td class="number">{showCount(sum(({ outputTokens }) => outputTokens))}</td>
            <td class="number">{showUsd(totalCostUsd)}</td>
          </tr>
        </tfoot>
      </table>
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
