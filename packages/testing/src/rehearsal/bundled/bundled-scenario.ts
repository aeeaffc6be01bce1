/**
 * The model of the bundled rehearsal. It is stateless: its answers follow from the request, so the line that
 * it edits is the one that was read, and another outcome of the test run gets another answer.
 */
import type { RehearsalRequest } from '../scenario/rehearsal-request.ts';
import type { Reply, ScenarioFunction, Timing } from '../scenario/scenario.ts';
import { reply, thinking, toolUse } from '../scenario/scenario.ts';

/** The task of the bundled model. Any other task gets the same run. */
export const BUNDLED_TASK = 'The tests of this project fail. Find out why, mend it, and show that they pass.';

/** The model that is simulated: the newest of its kind, so that all features of the engine are used. */
export const BUNDLED_MODEL = 'claude-opus-5-5';

/**
 * The rehearsed model's window, lowered so that a short run can fill it (`CLAUDE_CODE_AUTO_COMPACT_WINDOW`).
 */
export const BUNDLED_WINDOW_TOKENS = 64_000;

const RUN_TESTS = { command: 'node --test --test-reporter=tap', description: 'Run the tests' } as const;
const FAULTY = /for \(let i = 0; i < (\w+)\.length - 1; i\+\+\)/;

/** About reading speed; calls are a little apart, so that tools run while the answer still streams. */
const SPOKEN: Timing = { ttftMs: 120, gapMs: 6, deltaChars: 12, blockPauseMs: 90 };
const LONG: Timing = { ttftMs: 120, gapMs: 3, deltaChars: 120, blockPauseMs: 30 };

/** Creates a scenario for one server: it remembers which sessions have received their overloaded answer. */
export function bundledScenario(): ScenarioFunction {
  const overloaded = new Set<string>();
  return function bundled(request: RehearsalRequest): Reply {
    switch (request.kind) {
      case 'compaction':
        return summary(request);
      case 'helper':
        return reply('An order book is being mended.');
      case 'main': {
        const next = nextStep(request);
        const meetsOverload = request.results.has('read_ledger') && !overloaded.has(request.session);
        if (!meetsOverload) return next;
        overloaded.add(request.session);
        return { ...next, faults: [{ name: 'http-status', status: 529 }] };
      }
    }
  };
}

function nextStep(request: RehearsalRequest): Reply {
  const { results } = request;
  const secondRun = results.get('run_again');
  if (secondRun !== undefined) return sumUp(secondRun, results.get('read_february') ?? '');
  if (results.has('mend')) return reply([toolUse('Bash', RUN_TESTS, 'run_again')], { timing: SPOKEN });
  const firstRun = results.get('run_first');
  if (firstRun !== undefined) return mend(firstRun, request);
  if (results.has('read_ledger')) return runTests();
  return lookAround();
}

function lookAround(): Reply {
  return reply(
    [
      'I look at the code, its tests and a month of data first, all three at once.',
      toolUse('Read', { file_path: 'src/ledger.js' }, 'read_ledger'),
      toolUse('Read', { file_path: 'test/ledger.test.js' }, 'read_tests'),
      toolUse('Read', { file_path: 'data/january.csv' }, 'read_january'),
    ],
    { timing: SPOKEN },
  );
}

/** The second call is announced while the first one runs. */
function runTests(): Reply {
  return reply(
    [
      'Now the tests, and the other month to compare with.',
      toolUse('Bash', RUN_TESTS, 'run_first'),
      toolUse('Read', { file_path: 'data/february.csv' }, 'read_february'),
    ],
    { timing: { ...SPOKEN, gapMs: 30 } },
  );
}

function mend(run: string, request: RehearsalRequest): Reply {
  const failed = countIn(run, 'fail');
  if (failed === 0) return reply('The tests pass as they are; there is nothing to mend.');
  // The code was read before the compaction: it is in the result, or in the summary.
  const known = `${request.results.get('read_ledger') ?? ''}\n${request.firstUserMessage}`;
  const [line, list] = FAULTY.exec(known) ?? [];
  if (line === undefined)
    return reply(`${failed ?? 'Some'} tests fail, and I do not see why in what I have read.`);
  return reply(
    [
      `${failed ?? 'Some'} tests fail, each short by one order: the loop stops before the last element of \`${list}\`.`,
      toolUse(
        'Edit',
        { file_path: 'src/ledger.js', old_string: line, new_string: line.replace('.length - 1', '.length') },
        'mend',
      ),
    ],
    { timing: SPOKEN },
  );
}

/** Longer than the default output cap: the engine raises the cap and asks again. */
function sumUp(run: string, february: string): Reply {
  const failed = countIn(run, 'fail');
  const passed = countIn(run, 'pass');
  if (failed !== 0) return reply(`The tests still fail:\n\n${run.slice(-600)}`, { timing: SPOKEN });
  const told = [
    `All ${passed ?? ''} tests pass now.`,
    'The cause was in `totalCents` in src/ledger.js: its loop ran to `orders.length - 1` and so left out the last order. A month was short by its last order, a customer by their last one, and a single order came to nothing; only the empty month was right, which is why that test had passed all along.',
    'I changed the one condition and nothing else. `totalsByCustomer` uses `totalCents` and is right again with it.',
  ].join('\n\n');
  return reply([thinking(workThrough(february)), told], { timing: LONG });
}

/**
 * Characters of thinking after which the text crosses the default cap of 8,000 tokens, at four characters
 * each.
 */
const THINKING_CHARS = 31_700;

/** Order by order, from the file as it was read. */
function workThrough(february: string): string {
  let sum = 0;
  let thought = 'The tests pass. I add up February once more by hand before I say so.\n';
  for (const [, id, cents, quantity] of february.matchAll(
    /(\d+),\d{4}-\d\d-\d\d,[^,\n]*,[^,\n]*,(\d+),(\d+)/g,
  )) {
    const amount = Number(cents) * Number(quantity);
    sum += amount;
    const line = `Order ${id}: ${quantity} × ${cents} = ${amount}, in all ${sum}.\n`;
    if (thought.length + line.length > THINKING_CHARS) break;
    thought += line;
  }
  return thought;
}

/** Made from the conversation: the faulty line is quoted, because the next step needs it. */
function summary(request: RehearsalRequest): Reply {
  const [line = 'not found yet'] = FAULTY.exec(request.results.get('read_ledger') ?? '') ?? [];
  return reply(
    `<analysis>The tests were to be mended. The code, its tests and January were read; a test run and February follow.</analysis>
<summary>
1. Requests: ${BUNDLED_TASK}
2. State of the work: src/ledger.js, test/ledger.test.js and data/january.csv have been read. Nothing was changed yet.
3. Files and code: src/ledger.js holds parseOrders, totalCents and totalsByCustomer. The loop in totalCents reads
   ${line}
   and so never reaches the last order.
4. Next step: see what the test run says, then edit that loop.
</summary>`,
    { timing: { ttftMs: 120 } },
  );
}

/** The number behind `# pass` or `# fail` in a TAP report. */
function countIn(report: string, what: 'pass' | 'fail'): number | undefined {
  const [, count] = new RegExp(`^# ${what} (\\d+)$`, 'm').exec(report) ?? [];
  return count === undefined ? undefined : Number(count);
}
