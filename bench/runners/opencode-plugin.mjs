// Runs in opencode's server: the tools of the benchmark as a plugin. What they saw is written to a file, in wall time,
// as the clocks of two runtimes have nothing else in common.
import { appendFileSync } from 'node:fs';
import { z } from '../peers/node_modules/zod/index.js';
import { benchTools, spans } from '../tools.mjs';

const toWall = performance.timeOrigin + performance.now() - Number(process.hrtime.bigint()) / 1e6;

export const Bench = async (_context, { tools, log }) => ({
  tool: Object.fromEntries(
    benchTools(tools, () => {}).map(({ name, description, field, run }) => [
      name,
      {
        description,
        args: field ? { [field[0]]: z[field[1]]() } : {},
        async execute(input) {
          const result = await run(input);
          const span = spans.find(({ i }) => i === input.i);
          if (span) {
            const { i, from, to } = span;
            appendFileSync(log, `${JSON.stringify({ i, from: from + toWall, to: to + toWall })}\n`);
          }
          return result;
        },
      },
    ]),
  ),
});
