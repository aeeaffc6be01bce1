// Many machines on paper: what a cell can do, which part is used up first, what a deployment costs.
//   npm run bench:scale                          the tables, from the measured costs in costs.json
//   npm run bench:scale -- --page docs/scale.md  writes them into the page
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { ASSUMED, deployment, firstWall } from './plans.mjs';

const { values } = parseArgs({ options: { page: { type: 'string' }, quick: { type: 'boolean' } } });
const costs = JSON.parse(readFileSync(new URL('costs.json', import.meta.url), 'utf8'));
const seconds = values.quick === true ? 5 : 60;

const number = (value, digits = 0) =>
  value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
const share = (value) => `${number(value * 100)} %`;
const table = (head, rows) =>
  [head, head.map((_, at) => (at === 0 ? '---' : '---:')), ...rows]
    .map((row) => `| ${row.join(' | ')} |`)
    .join('\n');

const deployments = table(
  [
    'active sessions at peak',
    'iterations/s',
    'cells of 16 vCPU (+ spare)',
    'worker cores',
    'WAL, MB/s',
    'journal, TB a day',
    'database used',
    'added to an iteration, p50 / p95, ms',
    'dispatch, p95, ms',
    'engine, $ a month',
    'model, $ a month',
  ],
  [10_000, 100_000, 1_000_000].map((active) => {
    const found = deployment(active, costs, { seconds });
    const { simulated } = found;
    return [
      number(active),
      number(found.iterationsPerSecond),
      `${found.cells} (+${found.spare})`,
      number(found.workerCores),
      number(found.walMegabytesPerSecond),
      number(found.journalTerabytesPerDay, 2),
      share(simulated.postgresUsed),
      `${number(simulated.addedMs.p50, 1)} / ${number(simulated.addedMs.p95, 1)}`,
      number(simulated.dispatchMs.p95),
      number(found.dollarsPerMonth),
      number(found.modelDollarsPerMonth),
    ];
  }),
);

const walls = table(
  [
    'one cell, with twice the sessions until a part is used up',
    'is enough for',
    'is not enough for',
    'which part',
  ],
  [
    ['no session is followed, or deltas do not pass the database', { followed: 0, deltaBatches: 0 }],
    ['one in ten sessions is followed, 50 batches an answer', { followed: 0.1, deltaBatches: 50 }],
    ['every session is followed, 50 batches an answer', { followed: 1, deltaBatches: 50 }],
  ].map(([what, followers]) => {
    const { active, before, wall } = firstWall(costs, { ...followers, seconds: seconds / 3 });
    return [what, before === undefined ? 'less' : number(before), number(active), wall];
  }),
);

const text = `${deployments}\n\n${walls}\n\nMeasured: ${list(costs)}.\n\nAssumed: ${list(ASSUMED)}.`;
if (values.page === undefined) console.log(text);
else {
  const page = readFileSync(values.page, 'utf8');
  const [head, rest] = page.split('<!-- simulation -->\n');
  const tail = rest?.split('<!-- end of simulation -->')[1];
  if (tail === undefined) {
    console.error(`${values.page} has no lines <!-- simulation --> and <!-- end of simulation -->`);
    process.exit(1);
  }
  writeFileSync(values.page, `${head}<!-- simulation -->\n\n${text}\n\n<!-- end of simulation -->${tail}`);
}

function list(facts) {
  return Object.entries(facts)
    .filter(([, value]) => typeof value === 'number')
    .map(([name, value]) => `\`${name}\` ${value.toLocaleString('en-US')}`)
    .join(', ');
}
