// One run of one workload by one runner, in a process of its own. Prints one JSON line.
const [, , runner, workload, baseUrl] = process.argv;
const { run } = await import(`./runners/${runner}.mjs`);

const starts = [];
const noop = (input) => `n=${input.n}`;
const slow = (input) =>
  new Promise((resolve) => {
    starts[input.i] = performance.timeOrigin + performance.now();
    setTimeout(() => resolve(`slept ${input.i}`), 500);
  });
const tools = workload === 'W3' ? { slow } : { noop };

const before = process.cpuUsage();
const started = performance.timeOrigin + performance.now();
const outcome = await run({ baseUrl, tools });
const ended = performance.timeOrigin + performance.now();
const cpu = process.cpuUsage(before);
console.log(
  JSON.stringify({
    ...outcome,
    starts,
    started,
    ended,
    cpuMs: (cpu.user + cpu.system) / 1000,
    rssMb: process.resourceUsage().maxRSS / 1024,
  }),
);
