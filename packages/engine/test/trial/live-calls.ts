/** Real sessions with a scripted model, whose calls are decided by the live gate and recorded. */
import { join } from 'node:path';
import { callTool, fakeTool, recordingStore, say, scriptedModel, sequentialIds } from '@turnwright/testing';
import fc from 'fast-check';
import { query } from '../../src/index.ts';
import type { JournalEntry } from '../../src/protocol/session/journal.ts';
import type { PermissionMode, PermissionUpdate } from '../../src/protocol/tools/permission.ts';
import type { AnyTool } from '../../src/protocol/tools/tool.ts';
import { builtinTools } from '../../src/tools/builtin/index.ts';

/** Harmless, whatever a mode lets run. */
const COMMANDS = [
  'ls',
  'ls -la && true',
  'cat a.txt | head -1',
  'cat .env',
  'true',
  'true --bail',
  'false || true',
  'echo x > b.txt',
  'touch c.txt',
  'mkdir -p d/e',
  'FOO=1 true',
  'true $X',
  'true $(echo 1)',
  'cat /etc/hostname',
  'cd d && ls',
  'true; env true',
  'for i in 1 2; do true $i; done',
  'cat .e?v',
  "bash -c 'true'",
  'git status',
];
const command = fc.constantFrom(...COMMANDS).map((line) => callTool('Bash', { command: line }));
const file = fc.constantFrom(
  'a.txt',
  'd/new.txt',
  '.env',
  '.claude/settings.json',
  '/etc/hostname',
  '../x.txt',
);
const call = fc.oneof(
  { weight: 6, arbitrary: command },
  { weight: 2, arbitrary: file.map((path) => callTool('Read', { file_path: path })) },
  { weight: 2, arbitrary: file.map((path) => callTool('Write', { file_path: path, content: 'x' })) },
  { weight: 1, arbitrary: fc.constant(callTool('Glob', { pattern: '*' })) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('mcp__db__read', 'Look', 'Change').map((name) => callTool(name, { a: 1 })),
  },
  { weight: 1, arbitrary: fc.constant(callTool('TodoWrite', { todos: [] })) },
  { weight: 1, arbitrary: fc.constant(callTool('Bash', { wrong: 1 })) },
);
const rule = fc.constantFrom(
  'Bash(true:*)',
  'Bash(ls)',
  'Bash(cat:*)',
  'Bash(touch *)',
  'Bash',
  'Read(.env)',
  'Read(//etc/**)',
  'Edit(d/**)',
  'Write',
  'mcp__db',
  'Look',
  'Bash(git:*)',
  'Edit(*.txt)',
);
const rules = fc.uniqueArray(rule, { maxLength: 4 });
const mode = fc.constantFrom<PermissionMode>(
  'default',
  'default',
  'acceptEdits',
  'plan',
  'dontAsk',
  'bypassPermissions',
);

/** What the person does with a question. */
const answer = fc.constantFrom('yes', 'yes', 'no', 'always', 'other input', 'mode', 'folder', 'fails');
const hook = fc.constantFrom(undefined, undefined, undefined, 'allow', 'ask', 'deny', 'rewrite', 'answer');

export const liveSession = fc.record({
  calls: fc.array(call, { minLength: 6, maxLength: 14 }),
  allow: rules,
  deny: rules,
  ask: rules,
  mode,
  answers: fc.array(answer, { minLength: 1, maxLength: 6 }),
  hooks: fc.array(hook, { minLength: 1, maxLength: 6 }),
  isHeadless: fc.boolean(),
  sandboxed: fc.constant(false),
});
export type LiveSession = typeof liveSession extends fc.Arbitrary<infer T> ? T : never;

/** The files stay as they were when the calls were judged; a `cd` changes the folder all the same. */
function withoutEffect(tool: AnyTool): AnyTool {
  return {
    ...tool,
    async run(input, context) {
      if ((input as { readonly command?: string }).command?.startsWith('cd d') === true)
        await context.follow?.(join(context.cwd, 'd'));
      return { data: '', content: 'done' };
    },
  };
}

type Answer = NonNullable<Parameters<typeof query>[0]['options']>['canUseTool'];

export async function recordSession(session: LiveSession, cwd: string): Promise<readonly JournalEntry[]> {
  const store = recordingStore();
  const sessionId = sequentialIds().uuid();
  const { callModel } = scriptedModel([...session.calls, ...Array(3).fill(say('Done.'))]);
  let asked = 0;
  let hooked = 0;
  const canUseTool: Answer = async (_tool, input, { suggestions = [] }) => {
    const how = session.answers[asked++ % session.answers.length];
    if (how === 'no') return { behavior: 'deny', message: 'no' };
    if (how === 'fails') throw new Error('no answer');
    const updates: Record<string, readonly PermissionUpdate[]> = {
      always: suggestions.map((each) => ({ ...each, destination: 'session' })),
      mode: [{ type: 'setMode', mode: 'acceptEdits', destination: 'session' }],
      folder: [{ type: 'addDirectories', directories: ['/etc'], destination: 'session' }],
    };
    return {
      behavior: 'allow',
      updatedInput: how === 'other input' && 'command' in input ? { ...input, command: 'cat .env' } : input,
      updatedPermissions: updates[how ?? ''] ?? [],
    };
  };
  const preToolUse = async (input: unknown) => {
    const how = session.hooks[hooked++ % session.hooks.length];
    const given = (input as { readonly tool_input: Record<string, unknown> }).tool_input;
    if (how === undefined || how === 'answer') return {};
    return {
      hookSpecificOutput: {
        hookEventName: 'PreToolUse' as const,
        ...(how === 'rewrite'
          ? { updatedInput: 'command' in given ? { ...given, command: 'ls -a' } : given }
          : { permissionDecision: how, permissionDecisionReason: 'so' }),
      },
    };
  };
  const permissionRequest = async () =>
    session.hooks[hooked % session.hooks.length] === 'answer'
      ? {
          hookSpecificOutput: {
            hookEventName: 'PermissionRequest' as const,
            decision: { behavior: 'allow' as const },
          },
        }
      : {};
  const hasHooks = session.hooks.some((each) => each !== undefined);
  const run = query({
    prompt: 'Go.',
    options: {
      cwd,
      sessionId,
      settingSources: [],
      permissionMode: session.mode,
      allowDangerouslySkipPermissions: true,
      allowedTools: [...session.allow],
      disallowedTools: session.deny.filter((each) => each.includes('(')),
      settings: { permissions: { ask: [...session.ask] } },
      maxTurns: 40,
      ...(!session.isHeadless && { canUseTool }),
      ...(hasHooks && {
        hooks: {
          PreToolUse: [{ hooks: [preToolUse] }],
          PermissionRequest: [{ hooks: [permissionRequest] }],
        },
      }),
      engine: {
        callModel,
        store,
        tools: [
          ...builtinTools().map(withoutEffect),
          fakeTool({ name: 'mcp__db__read', readOnly: true }),
          fakeTool({ name: 'Look', readOnly: true }),
          fakeTool({ name: 'Change' }),
        ],
      },
    },
  });
  for await (const _ of run);
  return store.entries(sessionId);
}
