/** The journal says which policy decided about each call, and what the rules said before anyone answered. */

import { tempFolder } from '@turnwright/test/permissions/ask-doubles.ts';
import { callTool, recordingStore, say, scriptedModel, sequentialIds } from '@turnwright/testing';
import { afterAll, expect, it } from 'vitest';
import { query } from '../../src/index.ts';
import type { JournalEntry } from '../../src/protocol/session/journal.ts';

const folder = await tempFolder();
afterAll(() => folder.remove());

type Steps = Parameters<typeof scriptedModel>[0];
type Options = NonNullable<Parameters<typeof query>[0]['options']>;

async function recordRun(steps: Steps, options: Options): Promise<readonly JournalEntry[]> {
  const store = recordingStore();
  const sessionId = sequentialIds().uuid();
  const { callModel } = scriptedModel([...steps, say('Done.')]);
  const run = query({
    prompt: 'Go.',
    options: { cwd: folder.path, sessionId, settingSources: [], ...options, engine: { callModel, store } },
  });
  for await (const _ of run);
  return store.entries(sessionId);
}

const policiesIn = (entries: readonly JournalEntry[]) =>
  entries.flatMap((entry) => (entry.type === 'policy' ? [entry] : []));
const permissionsIn = (entries: readonly JournalEntry[]) =>
  entries.flatMap((entry) =>
    entry.type === 'decision' ? entry.record.tools.map(({ permission }) => permission) : [],
  );

it('is written once, before the first call, with all that decides', async () => {
  const entries = await recordRun([callTool('Glob', { pattern: '*' }), callTool('Bash', { command: 'ls' })], {
    allowedTools: ['Bash(npm test:*)'],
    disallowedTools: ['Read(.env)'],
  });
  const [policy, ...more] = policiesIn(entries);
  expect(more).toEqual([]);
  expect(policy).toMatchObject({
    mode: 'default',
    agentMode: null,
    allow: [['cliArg', 'Bash(npm test:*)']],
    deny: [['cliArg', 'Read(.env)']],
    ask: [],
    sandbox: null,
    place: { root: folder.path },
  });
  const first = entries.findIndex(({ type }) => type === 'intent');
  expect(entries.findIndex(({ type }) => type === 'policy')).toBeLessThan(first);
  expect(permissionsIn(entries)).toEqual([
    { verdict: 'allow', source: 'workingDir', policy: policy?.policy },
    { verdict: 'allow', source: 'workingDir', policy: policy?.policy },
  ]);
});

it('is written again with what has changed, and by its name alone where it was in force before', async () => {
  const write = (name: string) => callTool('Write', { file_path: `${folder.path}/${name}`, content: 'x' });
  let asked = 0;
  const entries = await recordRun([write('a'), write('b'), write('c')], {
    canUseTool: async (_tool, input) => {
      asked++;
      return asked === 1
        ? {
            behavior: 'allow',
            updatedInput: input,
            updatedPermissions: [{ type: 'setMode', mode: 'acceptEdits', destination: 'session' }],
          }
        : { behavior: 'deny', message: 'no' };
    },
  });
  const [first, second, ...more] = policiesIn(entries);
  expect(more).toEqual([]);
  const { policy, mode, ...rest } = second as NonNullable<typeof second>;
  expect(mode).toBe('acceptEdits');
  expect(rest).not.toHaveProperty('allow');
  expect(rest).not.toHaveProperty('place');
  expect(permissionsIn(entries)).toMatchObject([
    {
      verdict: 'allow',
      source: 'host',
      policy: first?.policy,
      ruled: { verdict: 'ask', source: 'other' },
    },
    { verdict: 'allow', source: 'mode', policy },
    { verdict: 'allow', source: 'mode', policy },
  ]);
});

it('holds what a hook said, and the input that it put in the place of the model’s', async () => {
  const entries = await recordRun([callTool('Bash', { command: 'make' })], {
    hooks: {
      PreToolUse: [
        {
          hooks: [
            async () => ({
              hookSpecificOutput: {
                hookEventName: 'PreToolUse',
                permissionDecision: 'ask',
                permissionDecisionReason: 'sure?',
                updatedInput: { command: 'make all' },
              },
            }),
          ],
        },
      ],
    },
    canUseTool: async () => ({ behavior: 'deny', message: 'no' }),
  });
  expect(permissionsIn(entries)).toMatchObject([
    {
      verdict: 'deny',
      source: 'host',
      hook: 'ask',
      input: { command: 'make all' },
      ruled: { verdict: 'ask' },
    },
  ]);
});
