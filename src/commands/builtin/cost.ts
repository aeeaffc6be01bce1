/** `/cost`: what this session has spent. */
import type { Command } from '../../protocol/tools/command.ts';
import { grouped } from '../../util/text/grouped.ts';

export const costCommand: Command = {
  name: 'cost',
  aliases: ['usage'],
  description: 'Shows what this session has cost, by model',
  origin: 'builtin',
  run(_, { session }) {
    const { totalUsd, models } = session.cost();
    const rows = Object.entries(models).map(([model, usage]) => {
      const cached = usage.cacheReadInputTokens + usage.cacheCreationInputTokens;
      const cost = usage.costBasis === 'unknown' ? 'price not known' : `$${usage.costUSD.toFixed(4)}`;
      return `- ${model}: ${grouped(usage.inputTokens)} in, ${grouped(cached)} cached, ${grouped(usage.outputTokens)} out, ${cost}`;
    });
    const text = [`Cost so far: $${totalUsd.toFixed(4)} (an estimate from list prices)`, ...rows];
    return { messages: [], shouldQuery: false, resultText: text.join('\n') };
  },
};
