import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nodeFiles } from '@turnwright/base/files/node-files.ts';
import { type CanUseTool, type Options, query, type SDKMessage } from '@turnwright/engine';
import { callTool, fakeTool, type ScriptStep, say, scriptedModel } from '@turnwright/testing';
import { expect, it, onTestFinished } from 'vitest';
import { addRun, readRuns } from '../../../src/session/forecast/run-history.ts';
import { sessionsDirectory } from '../../../src/session/paths.ts';

const MODEL = 'claude-opus-5-5';
/** Output tokens that cost $1. */
const DOLLAR = 50_000;

function emptyPlace() {
  const root = mkdtempSync(join(tmpdir(), 'turnwright-asking-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const home = join(root, 'home');
  return { root, home, directory: sessionsDirectory(home, root) };
}

async function play(
  place: ReturnType<typeof emptyPlace>,
  script: readonly ScriptStep[],
  options: Options = {},
) {
  const model = scriptedModel(script);
  const messages: SDKMessage[] = [];
  const running = query({
    prompt: 'Go.',
    options: {
      cwd: place.root,
      env: { TURNWRIGHT_HOME: place.home },
      model: MODEL,
      settingSources: [],
      ...options,
      engine: { callModel: model.callModel, tools: [fakeTool({ name: 'Look' })], ...options.engine },
    },
  });
  try {
    for await (const message of running) messages.push(message);
  } catch {
    // An error result is thrown again when it has been emitted.
  }
  await running.close();
  const result = messages.find((message) => message.type === 'result');
  return { result, requests: model.requests.length };
}

/** Twenty runs of $1 to $20. */
async function rememberRuns({ directory }: ReturnType<typeof emptyPlace>): Promise<void> {
  await nodeFiles.makeDir(directory);
  for (let usd = 1; usd <= 20; usd++)
    await addRun(nodeFiles, directory, { at: 0, model: MODEL, agent: 'main', tokens: 2, usd });
}

const turn = (dollars: number) => callTool('Look', {}, { usage: { output_tokens: DOLLAR * dollars } });

/** Answers one question after the other. */
function answering(...choices: readonly string[]) {
  const asked: string[] = [];
  const left = [...choices];
  const canUseTool: CanUseTool = async (tool, input) => {
    if (tool !== 'AskUserQuestion') return { behavior: 'allow', updatedInput: input };
    const [first] = input['questions'] as readonly { readonly question: string }[];
    const question = first?.question ?? '';
    asked.push(question);
    return { behavior: 'allow', updatedInput: { ...input, answers: { [question]: left.shift() ?? '' } } };
  };
  return { asked, canUseTool };
}

it('before a run that will probably cost more, the person is asked; at Stop no request is made', async () => {
  const place = emptyPlace();
  await rememberRuns(place);
  const { asked, canUseTool } = answering('Stop');
  const { result, requests } = await play(place, [say('Never.')], { askAboveUsd: 5, canUseTool });
  expect(asked).toEqual([
    'It will probably cost $2.00–19.00: 81 % of 20 runs like this did. You wanted to be asked above $5.00. Go on?',
  ]);
  expect(requests).toBe(0);
  expect(result).toMatchObject({
    subtype: 'error_max_budget_usd',
    terminal_reason: 'budget_exhausted',
    errors: [expect.stringContaining('You chose to stop.')],
  });
});

it('what was said holds until the range to the end leaves it', async () => {
  const place = emptyPlace();
  await rememberRuns(place);
  const { asked, canUseTool } = answering('Go on', 'Go on');
  const script = [turn(1), turn(1), turn(18), say('Done.')];
  const { result } = await play(place, script, { askAboveUsd: 5, canUseTool });
  expect(result).toMatchObject({ subtype: 'success' });
  expect(asked).toHaveLength(2);
  expect(asked[1]).toContain('$20.00 is spent.');
  expect(asked[1]).toContain('You wanted to be asked above $19.00.');
});

it('without anyone to ask, the run ends with the reason and what to do', async () => {
  const place = emptyPlace();
  await rememberRuns(place);
  const { result, requests } = await play(place, [say('Never.')], { askAboveUsd: 5 });
  expect(requests).toBe(0);
  expect(result).toMatchObject({
    subtype: 'error_max_budget_usd',
    errors: [expect.stringContaining('Nobody can be asked here: raise askAboveUsd (--ask-above) to go on.')],
  });
});

it('without a history, it is what is spent that counts', async () => {
  const place = emptyPlace();
  const { asked, canUseTool } = answering('Go on');
  const script = [turn(2), turn(1), say('Done.')];
  const { result } = await play(place, script, { askAboveUsd: 1.5, canUseTool });
  expect(result).toMatchObject({ subtype: 'success' });
  expect(asked).toHaveLength(1);
  expect(asked[0]).toMatch(/^\$2\.00 is spent\. No forecast: no run with this model/);
});

it('below the amount there is no question', async () => {
  const place = emptyPlace();
  await rememberRuns(place);
  const { asked, canUseTool } = answering();
  await play(place, [say('Done.')], { askAboveUsd: 19, canUseTool });
  expect(asked).toEqual([]);
});

it('a run that has ended is one line of the history, and a history is read by nothing else', async () => {
  const place = emptyPlace();
  const read: string[] = [];
  const files = {
    ...nodeFiles,
    readSmall: (path: string) => {
      read.push(path);
      return nodeFiles.readSmall(path);
    },
  };
  await play(place, [turn(1), say('Done.')], { engine: { files } });
  const [run] = await readRuns(nodeFiles, place.directory);
  expect(run).toMatchObject({ model: MODEL, agent: 'main', usd: expect.closeTo(1, 2) });
  expect(run?.tokens).toBeGreaterThan(0);
  expect(read.filter((path) => path.endsWith('runs.log'))).toEqual([]);
});

it('a session that is not kept leaves no history', async () => {
  const place = emptyPlace();
  await play(place, [turn(1), say('Done.')], { persistSession: false });
  expect(readdirSync(place.root)).not.toContain('home');
});
