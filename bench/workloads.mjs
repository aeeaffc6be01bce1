// The workloads: what the simulator plays, what counts as done, and which figures a run gives.
// A figure is `[name, unit, value]`; smaller is better in all of them.
const CALLS = ['slow', 'slow', 'slow', 'slow', 'slow', 'slow'];
const MIXED = ['edit', 'slow', 'slow', 'edit', 'slow', 'edit'];

const sorted = (numbers) => [...numbers].sort((a, b) => a - b);
export const median = (numbers) => sorted(numbers)[Math.floor(numbers.length / 2)] ?? Number.NaN;
const percentile = (numbers, p) =>
  sorted(numbers)[Math.min(numbers.length - 1, Math.floor(numbers.length * p))] ?? Number.NaN;

/** Calls that ran beside one that must run alone, or out of turn. */
function violations({ spans }, names) {
  let count = 0;
  for (const one of spans) {
    if (names[one.i] !== 'edit') continue;
    for (const other of spans) {
      if (other.i < one.i && other.to > one.from + 1) count++;
      if (other.i > one.i && other.from < one.to - 1) count++;
    }
  }
  return count;
}

/** When the last call could end at the earliest, ms after the request: in order, unsafe ones alone. */
function idealMs(names, tailMs) {
  const ends = [];
  for (const [i, name] of names.entries()) {
    const before = names.flatMap((other, j) =>
      j < i && (name === 'edit' || other === 'edit') ? ends[j] : [],
    );
    ends[i] = Math.max(300 * (i + 1), ...before) + 500;
  }
  return Math.max(300 * names.length + tailMs, ...ends);
}

function turns(count, title, figures, more = {}) {
  return {
    title,
    plan: { kind: 'turns', turns: count },
    tools: ['noop'],
    requests: count + 1,
    figures,
    ...more,
  };
}

function calls(names, tailMs, title) {
  return {
    title,
    plan: { kind: 'calls', calls: names, tailMs },
    tools: ['noop', 'slow', 'edit'],
    requests: 2,
    figures: (run) => [
      ['makespan / ideal', '', (run.arrivals[1] - run.arrivals[0]) / idealMs(names, tailMs)],
      ['start lag of the first tool', 'ms', run.spans.find(({ i }) => i === 0).from - run.blocks[0]],
      ...(names === MIXED ? [['unsafe overlaps', '', violations(run, names)]] : []),
    ],
  };
}

function sessions(count, title) {
  return {
    title,
    plan: { kind: 'turns', turns: 4, latencyMs: 200 },
    tools: ['noop'],
    sessions: count,
    requests: 5 * count,
    figures: (run) => [
      ['wall / ideal', '', (run.ended - run.started) / 1000],
      ['CPU per session', 'ms', run.cpuMs / count],
      ['RSS per session', 'MB', run.rssGrowthMb / count],
    ],
  };
}

function longInput(count, title) {
  return {
    title,
    plan: { kind: 'longInput', deltas: count },
    tools: ['noop', 'take'],
    requests: 2,
    figures: (run) => [['CPU', 's', run.cpuMs / 1000]],
  };
}

/** `short` is for a gate: the same work, less of it. */
export function workloads(short = false) {
  const few = short ? 60 : 200;
  const long = short ? 300 : 1000;
  const flood = short ? 20_000 : 200_000;
  const input = short ? 40_000 : 100_000;
  return {
    W1: turns(few, `${few} turns, one trivial call each`, (run) => [
      ['overhead per turn, p50', 'ms', percentile(run.gaps, 0.5)],
      ['overhead per turn, p95', 'ms', percentile(run.gaps, 0.95)],
      ['CPU per turn', 'ms', run.cpuMs / few],
    ]),
    W1k: turns(long, `${long} turns`, (run) => [
      ['CPU per turn', 'ms', run.cpuMs / long],
      ['overhead, turns 5 to 35', 'ms', median(run.gaps.slice(4, 35))],
      ['overhead, last 30 turns', 'ms', median(run.gaps.slice(-31, -1))],
      ['peak RSS', 'MB', run.rssMb],
    ]),
    W2: turns(
      50,
      'A resumed session of 2,000 messages (4 MB), 50 more turns',
      (run) => [
        ['call → first request', 'ms', run.arrivals[0] - run.started],
        ['overhead per turn, p50', 'ms', percentile(run.gaps, 0.5)],
        ['CPU per turn', 'ms', run.cpuSinceFirstCallMs / 50],
        ['peak RSS', 'MB', run.rssMb],
      ],
      { withHistory: true },
    ),
    W3: calls(CALLS, 1000, 'Six calls stream 300 ms apart, then text for 1 s; each takes 500 ms'),
    W3m: calls(MIXED, 1000, 'As W3, but calls 1, 4 and 6 must run alone and in order'),
    W3n: calls(CALLS, 0, 'As W3 without the text'),
    W4: {
      title: 'Start, and the way of 50 deltas to the consumer',
      plan: { kind: 'paced', deltas: 50 },
      tools: ['noop'],
      requests: 1,
      deltas: 50,
      text: `${'word '.length * 49 + 'Done.'.length} characters`,
      timed: true,
      figures: (run) => {
        const lags = run.lags.map((at, i) => at - run.blocks[i]);
        return [
          ['process start → request, net', 'ms', run.arrivals[0] - run.spawned - run.ownImportsMs],
          ['call → request', 'ms', run.arrivals[0] - run.started],
          ['first delta', 'ms', lags[0]],
          ['later deltas, p50', 'ms', median(lags.slice(1))],
          ['last byte → done', 'ms', run.ended - run.lastByte],
        ];
      },
    },
    W5: sessions(100, '100 sessions at once in one process, 5 requests each, 200 ms latency'),
    W5x: sessions(500, '500 sessions at once'),
    W6: {
      title: `One answer of ${flood} text deltas`,
      plan: { kind: 'deltas', deltas: flood },
      tools: ['noop'],
      requests: 1,
      deltas: flood,
      text: `${flood * 5} characters`,
      figures: (run) => [
        ['CPU per delta', 'µs', (run.cpuMs * 1000) / flood],
        ['peak RSS', 'MB', run.rssMb],
      ],
    },
    W7a: {
      title: 'A tool returns 20 MB',
      plan: { kind: 'bigResult' },
      tools: ['noop', 'big'],
      requests: 2,
      figures: (run) => [
        ['CPU', 's', run.cpuMs / 1000],
        ['RSS growth', 'MB', run.rssGrowthMb],
        ['sent on', 'MB', run.lastBytesOnWire / 1e6],
      ],
    },
    W7b: longInput(input, `One tool input in ${input} deltas of 20 characters`),
    W7c: longInput(input / 4, `One tool input in ${input / 4} deltas`),
  };
}

/** Throws, saying what is missing, unless the run did all of the work. */
export function verify(name, workload, runner, run) {
  const faults = [];
  const expect = (what, got, wanted) => {
    if (got !== wanted) faults.push(`${what}: ${got} instead of ${wanted}`);
  };
  expect('requests', run.requests, workload.requests);
  expect('results missing in the next request', run.missing, 0);
  expect('requests without streaming', run.unstreamed, 0);
  expect('final text', run.texts.join(), workload.text ?? 'Done.');
  if (workload.withHistory && run.firstBytesOnWire < 4_000_000) {
    faults.push(`the first request has ${run.firstBytesOnWire} bytes, which is not the whole history`);
  }
  if (workload.deltas !== undefined) expect('deltas', run.deltas, workload.deltas);
  else if (run.deltas === 0) faults.push('no delta reached the consumer');
  if (faults.length > 0) throw new Error(`${runner} did not do the work of ${name}: ${faults.join('; ')}.`);
}
