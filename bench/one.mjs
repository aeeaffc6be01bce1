// One run of one workload by one runner, in a process of its own. Prints one JSON line.
// Usage: node bench/one.mjs '{ runner, baseUrl, tools, sessions, prepared?, withHistory? }'

import { now } from './now.mjs';
import { cpuOfTree, watchChildren } from './process-tree.mjs';
import { benchTools, spans } from './tools.mjs';

const spec = JSON.parse(process.argv[2]);
const module = await import(`./runners/${spec.runner}.mjs`);

// What a caller must import for itself (a schema library) is not the engine's.
const beforeOwn = now();
await module.callersImports?.();
const ownImportsMs = now() - beforeOwn;
const run = await module.load();

let firstCall;
const onCall = () => {
  firstCall ??= { cpuMs: cpuOfTree() };
};
const tools = benchTools(spec.tools, onCall);
const history = spec.withHistory ? (await import('./history.mjs')).history() : [];
let deltas = 0;
const lags = [];
const onDelta = spec.timed ? () => deltas++ < 100_000 && lags.push(now()) : () => void deltas++;

const memoryBefore = process.memoryUsage.rss() / 2 ** 20;
const memoryOfChildren = module.startsProcesses ? watchChildren() : () => 0;
const cpuBefore = cpuOfTree();
const started = now();
const outcomes = await Promise.all(
  Array.from({ length: spec.sessions }, (_, i) =>
    run({ baseUrl: `${spec.baseUrl}/s${i}`, tools, history, onDelta, onCall, prepared: spec.prepared }),
  ),
);
const ended = now();
const cpuAfter = cpuOfTree();
const childrenMb = memoryOfChildren();
const rssMb = process.resourceUsage().maxRSS / 1024 + childrenMb;
const outcome = {
  texts: [...new Set(outcomes.map((text) => (text?.length > 100 ? `${text.length} characters` : text)))],
  deltas,
  lags,
  spans,
  ownImportsMs,
  started,
  ended,
  cpuMs: cpuAfter - cpuBefore,
  cpuSinceFirstCallMs: firstCall === undefined ? undefined : cpuAfter - firstCall.cpuMs,
  rssMb,
  rssGrowthMb: rssMb - memoryBefore,
};
await module.unload?.();
process.stdout.write(`${JSON.stringify(outcome)}\n`, () => process.exit(0));
