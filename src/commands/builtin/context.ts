/** `/context`: what fills the context. */
import type { Command } from '../../protocol/tools/command.ts';
import { grouped } from '../../util/text/grouped.ts';

export const contextCommand: Command = {
  name: 'context',
  description: 'Shows what fills the context window',
  origin: 'builtin',
  async run(_, { session }) {
    const usage = await session.contextUsage();
    const share = (tokens: number) => `${((tokens / usage.rawMaxTokens) * 100).toFixed(1)} %`;
    const rows = usage.categories.map(
      ({ name, tokens }) => `| ${name} | ${grouped(tokens)} | ${share(tokens)} |`,
    );
    const memory = usage.memoryFiles.map(
      ({ path, type, tokens }) => `- ${path} (${type}): ${grouped(tokens)}`,
    );
    const lines = [
      `${usage.model}: ${grouped(usage.totalTokens)} of ${grouped(usage.rawMaxTokens)} tokens (${usage.percentage} %)`,
      '',
      '| what | tokens | of the window |',
      '|---|---:|---:|',
      ...rows,
      ...(memory.length > 0 ? ['', 'Memory files:', ...memory] : []),
    ];
    return { messages: [], shouldQuery: false, resultText: lines.join('\n') };
  },
};
