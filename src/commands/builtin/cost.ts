/** `/cost`: what this session has spent. */
import type { Command } from '../../protocol/command.ts';

export const costCommand: Command = {
  name: 'cost',
  aliases: ['usage'],
  description: 'Shows what this session has cost, by model',
  origin: 'builtin',
  run(_, { session }) {
    const { totalUsd, models } = session.cost();
    const count = (tokens: number) => tokens.toLocaleString('en-US');
    const rows = Object.entries(models).map(([model, usage]) => {
      const cached = usage.cacheReadInputTokens + usage.cacheCreationInputTokens;
      const cost = usage.costBasis === 'unknown' ? 'price not known' : `$${usage.costUSD.toFixed(4)}`;
      return `- ${model}: ${count(usage.inputTokens)} in, ${count(cached)} cached, ${count(usage.outputTokens)} out, ${cost}`;
    });
    const text = [`Cost so far: $${totalUsd.toFixed(4)} (an estimate from list prices)`, ...rows];
    return { messages: [], shouldQuery: false, resultText: text.join('\n') };
  },
};
