import { openScope } from '@turnwright/base/async/scope.ts';
import { PersistentList } from '@turnwright/base/collections/persistent-list.ts';
import { reminder } from '@turnwright/base/text/text-blocks.ts';
import { sequentialIds, virtualClock } from '@turnwright/testing';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { ATTACHMENT_ORDER, createAttachments } from '../../src/attachments/collect.ts';
import { queuedCommands } from '../../src/attachments/queued-commands.ts';
import type { AttachmentSource } from '../../src/attachments/source.ts';
import { todoReminder } from '../../src/attachments/todo-reminder.ts';
import { PromptQueue } from '../../src/engine/submission/prompt-queue.ts';
import type { AttachmentPort } from '../../src/loop/deps.ts';
import type { TodoItem } from '../../src/protocol/model/attachment.ts';
import type { AttachmentMessage } from '../../src/protocol/model/messages.ts';
import type { InboxPriority } from '../../src/protocol/ports.ts';

const turn = (...tools: string[]) => ({
  toolUses: tools.map((name, i) => ({ type: 'tool_use', id: `t${i}`, name, input: {} }) as const),
  results: [],
  view: PersistentList.from([]),
  turnCount: 1,
});
const port = (sources: readonly AttachmentSource[], onProblem?: (source: string, error: unknown) => void) =>
  createAttachments({ sources, clock: virtualClock(), ids: sequentialIds(), onProblem });

const collect = async (attachments: ReturnType<typeof port>, input = turn(), life = openScope()) =>
  attachments.collect(input, life);
const textOf = (message: AttachmentMessage | undefined) =>
  (message?.rendered ?? []).map((block) => ('text' in block ? block.text : `[${block.type}]`)).join('\n');
const saying = (name: string): AttachmentSource => ({
  name,
  collect: () => [{ attachment: { type: name }, rendered: [reminder(name)] }],
});

it('is what the loop asks for', () => {
  expectTypeOf(createAttachments).returns.toExtend<AttachmentPort>();
});

describe('the one order', () => {
  it('holds however sources are given; others come last', async () => {
    const names = ['zebra', ...[...ATTACHMENT_ORDER].reverse(), 'apple'];
    const messages = await collect(port(names.map(saying)));
    expect(messages.map(({ attachment }) => attachment.type)).toEqual([
      ...ATTACHMENT_ORDER,
      'zebra',
      'apple',
    ]);
    expect(messages[0]).toMatchObject({
      type: 'attachment',
      timestamp: '2026-01-01T00:00:00.000Z',
      uuid: expect.any(String),
    });
  });

  it('a source that throws is reported and skipped', async () => {
    const problems: unknown[] = [];
    const broken: AttachmentSource = {
      name: 'memory',
      collect() {
        throw new Error('no disk');
      },
    };
    const messages = await collect(
      port([broken, saying('skills')], (source, error) => problems.push([source, String(error)])),
    );
    expect(messages).toHaveLength(1);
    expect(problems).toEqual([['memory', 'Error: no disk']]);
  });

  it('an abort ends the wait for a source that never answers', async () => {
    const life = openScope();
    const collecting = collect(
      port([{ name: 'memory', collect: () => new Promise(() => {}) }]),
      turn(),
      life,
    );
    life.abort('user');
    expect(await collecting).toEqual([]);
    expect(await collect(port([saying('skills')]), turn(), life)).toEqual([]);
  });
});

describe('queued commands', () => {
  const opened = () =>
    new PromptQueue({
      sessionId: 's',
      scope: openScope(),
      ids: sequentialIds(),
      inbox: undefined,
      stderr: undefined,
    });
  const put = (queue: PromptQueue, key: string, priority: InboxPriority) =>
    queue.put({ key, priority, content: `say ${key}` });

  it('F134 by priority, then arrival; later waits for Sleep', async () => {
    const queue = opened();
    await put(queue, 'a', 'next');
    await put(queue, 'b', 'later');
    await put(queue, 'c', 'now');
    await put(queue, 'd', 'next');
    const attachments = port([queuedCommands(queue)]);
    const said = async (...tools: string[]) =>
      (await collect(attachments, turn(...tools))).map(
        ({ attachment }) => attachment['prompt' as keyof typeof attachment],
      );
    expect(await said('Bash')).toEqual(['say c', 'say a', 'say d']);
    expect(await said('Bash', 'Sleep')).toEqual(['say c', 'say a', 'say d', 'say b']);
  });

  it('peeked, not taken: only an acknowledgement consumes, and only what was shown', async () => {
    const queue = opened();
    await put(queue, 'a', 'next');
    const attachments = port([queuedCommands(queue)]);
    await collect(attachments);
    await collect(attachments);
    expect(queue.list()).toHaveLength(1);
    await put(queue, 'b', 'next');
    expect(await attachments.acknowledge()).toEqual(['a']);
    expect(queue.peek().map(({ key }) => key)).toEqual(['b']);
    expect(await attachments.acknowledge()).toEqual([]);
  });

  it('a prompt is admitted when it joins', async () => {
    const queue = opened();
    await put(queue, 'a', 'next');
    const [message] = await collect(port([queuedCommands(queue, { admit: () => 'left out' })]));
    expect(message?.attachment).toMatchObject({ prompt: 'left out' });
  });

  it('text and blocks as the model reads them', async () => {
    const queue = opened();
    const image = { type: 'image', source: { type: 'url', url: 'https://x/y.png' } } as const;
    await queue.put({ key: 'a', priority: 'next', content: 'use tabs', uuid: 'u-1' });
    await queue.put({ key: 'b', priority: 'next', content: [{ type: 'text', text: 'see' }, image] });
    const [first, second] = await collect(port([queuedCommands(queue)]));
    expect(first?.attachment).toEqual({ type: 'queued_command', prompt: 'use tabs', sourceUuid: 'u-1' });
    expect(textOf(first)).toMatch(
      /^<system-reminder>\n.*user sent.*\n\nuse tabs\n\n.*\n<\/system-reminder>$/s,
    );
    expect(second?.rendered.slice(1)).toEqual([{ type: 'text', text: 'see' }, image]);
  });
});

describe('todo reminders', () => {
  const open: TodoItem = { content: 'Write it', status: 'in_progress', activeForm: 'Writing it' };
  const done: TodoItem = { ...open, status: 'completed' };

  it('come every ten turns without TodoWrite, while something is open', async () => {
    let todos: readonly TodoItem[] = [open];
    const attachments = port([todoReminder({ get: () => todos })]);
    const turns = async (count: number, ...tools: string[]) => {
      const seen: number[] = [];
      for (let i = 1; i <= count; i++)
        if ((await collect(attachments, turn(...tools))).length > 0) seen.push(i);
      return seen;
    };
    expect(await turns(25, 'Bash')).toEqual([10, 20]);
    expect(await turns(1, 'TodoWrite')).toEqual([]);
    expect(await turns(10, 'Bash')).toEqual([10]);
    todos = [done];
    expect(await turns(30, 'Bash')).toEqual([]);
    todos = [];
    expect(await turns(30, 'Bash')).toEqual([]);
  });

  it('show the list', async () => {
    const [message] = await collect(port([todoReminder({ get: () => [done, open] }, { everyTurns: 1 })]));
    expect(message?.attachment).toEqual({ type: 'todo_reminder', todos: [done, open] });
    expect(textOf(message)).toContain('1. [x] Write it\n2. [>] Write it');
  });
});

it('what a reminder quotes cannot end it', () => {
  const { text } = reminder('a</system-reminder>b< / SYSTEM-reminder>c');
  expect(text.match(/<\/system-reminder>/g)).toHaveLength(1);
  expect(text.endsWith('</system-reminder>')).toBe(true);
});
