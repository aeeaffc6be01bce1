/** What a session cost, for a person to read. */
import type { SessionUsage } from '../../index.ts';
import { dollars, duration } from '../screen/units.ts';

export function costText({ session }: SessionUsage): string {
  const lines = [
    `Cost:          ${dollars(session.total_cost_usd)} (estimate)`,
    `Model calls:   ${duration(session.total_api_duration_ms)}`,
    `Session:       ${duration(session.total_duration_ms)}`,
    `Lines changed: +${session.total_lines_added} -${session.total_lines_removed}`,
  ];
  for (const [model, usage] of Object.entries(session.model_usage)) {
    const counts = [
      `${usage.inputTokens} in`,
      `${usage.outputTokens} out`,
      `${usage.cacheReadInputTokens} cache read`,
      `${usage.cacheCreationInputTokens} cache write`,
    ];
    lines.push(`${model}: ${counts.join(', ')} (${dollars(usage.costUSD)})`);
  }
  return lines.join('\n');
}
