/**
 * Phases 1 to 4 and 6 of a submission (L1): everything before the first request. What is to be shown comes back
 * as messages, so that a throw by the consumer is never taken for a failure of the set-up.
 */
import type { JournalBody } from '../../protocol/journal.ts';
import type { UserMessage } from '../../protocol/messages.ts';
import type { SDKMessage } from '../../protocol/sdk-messages.ts';
import type { EffortLevel, UserBlock } from '../../protocol/wire.ts';
import { isoTime } from '../../util/text/iso-time.ts';
import { textOfContent } from '../../util/text/text-of-content.ts';
import { commandsChanged, loadCommands } from '../host/command-list.ts';
import { endedTaskNotices } from '../host/session-tasks.ts';
import { refuseUnpriced } from '../models/model-choice.ts';
import { initMessage } from '../output/init-message.ts';
import { localAnswer } from '../output/to-sdk-assistant.ts';
import { toReplay, toSdkUser } from '../output/to-sdk-user.ts';
import { openSession } from '../session/open-session.ts';
import { fetchContexts, recordSnapshot, type SubmissionContext } from '../session/request-context.ts';
import type { EngineParts } from '../session/session-parts.ts';
import { titleChanged } from '../session/session-title.ts';
import type { ManualCompaction } from './compact-session.ts';
import { answerOrphan } from './orphaned-permission.ts';
import { beginWith } from './preloaded-skills.ts';
import type { Submission } from './submission.ts';
import { lentRecord } from './temporary-rules.ts';
import { processUserInput } from './user-input.ts';

export interface SubmitOptions {
  /** The prompt's own uuid; default a fresh one. */
  readonly uuid?: string | undefined;
  /** Of prompts that waited with it and are part of it, in order. */
  readonly joinedUuids?: readonly string[] | undefined;
  readonly origin?: { readonly kind: string; readonly [key: string]: unknown } | undefined;
  /** As it is: no command, no files for `@path`. */
  readonly verbatim?: boolean | undefined;
  /** false: the prompt joins the conversation and the model is not asked. */
  readonly shouldQuery?: boolean | undefined;
}

/** Of all that the prompt is made of, in order. */
export function promptUuids({ uuid, joinedUuids = [] }: SubmitOptions): readonly string[] {
  return uuid === undefined ? joinedUuids : [...joinedUuids, uuid];
}

export interface Prompt {
  readonly content: string | readonly UserBlock[];
  readonly options: SubmitOptions;
}

export type Prepared = { readonly messages: readonly SDKMessage[]; readonly undo: () => void } & (
  | {
      readonly kind: 'query';
      readonly model: string;
      readonly effort?: EffortLevel | undefined;
      readonly context: SubmissionContext;
    }
  /** The model is not asked (phase 5). */
  | {
      readonly kind: 'local';
      readonly resultText: string;
      /** The command that answered. */
      readonly command?: string | undefined;
      readonly compaction?: ManualCompaction;
      /** Another conversation begins. */
      readonly clear: boolean;
    }
);

export async function prepareSubmission(
  prompt: Prompt,
  { id: submission, scope }: Submission,
  parts: EngineParts,
): Promise<Prepared> {
  const { config, journal, memory, state, permissions, appState, ids, sessionId } = parts;
  const messages: SDKMessage[] = [];
  let undo = () => {};

  // 1 initialise
  parts.mcp.start();
  parts.skills.startSubmission();
  parts.takeUpPlugins();
  const recovered = await openSession(parts);
  const first = memory.submissions === 0;
  const closing = first ? (recovered?.interrupted?.closing ?? []) : [];
  if (config.getAppState !== undefined) permissions.setMode(appState.get().permissionMode);
  let model = parts.model.resolve(memory.modelName);
  refuseUnpriced(model, parts);
  journal.recorder.later([
    // A new prompt ends what an earlier process left open: no model call, no tool run (L4.1).
    ...closing,
    {
      type: 'submission',
      id: `${submission}/submission`,
      submission,
      model,
      permissionMode: permissions.mode,
    },
    ...joinedRecord(prompt.options, submission),
  ]);
  if (first) await recordInitialMessages(submission, parts);
  memory.submissions += 1;

  await loadCommands(config);
  // A server that is slow to start joins later; one that is quick is there from the first request on (F82).
  await parts.mcp.settled(scope);
  await parts.skills.settled();

  // Which tools are deferred is settled before they are named to anybody.
  await parts.tools.port.wireTools(model);

  // 2 system prompt
  state.enter('system_prompt');
  const context = await fetchContexts(parts, scope, model);

  // 3 user input
  state.enter('user_input');
  if (config.orphanedPermission !== undefined && !memory.orphanHandled) {
    memory.orphanHandled = true;
    messages.push(...(await answerOrphan(config.orphanedPermission, submission, scope, parts)));
  }
  const input = await processUserInput(
    prompt,
    { first: !memory.started, resumed: recovered !== undefined, scope },
    parts,
  );
  memory.started = true;
  if (input.allowedTools.length > 0) undo = permissions.lend(input.allowedTools);
  if (input.model !== undefined) {
    model = parts.model.resolve(input.model);
    refuseUnpriced(model, parts);
  }
  if (input.shouldQuery) prefetchMemory(input.messages, { id: submission, scope }, parts);
  const skillList = input.shouldQuery ? parts.skills.announce(journal.view.messages) : undefined;
  const begins = first && recovered === undefined;
  const recorded = [
    ...(begins ? await beginningOf(parts) : []),
    ...input.before,
    ...(skillList === undefined ? [] : [skillList]),
    ...input.messages,
    ...input.after,
    ...(input.messages.length > 0 ? endedTaskNotices(parts) : []),
    ...(input.messages.length > 0 ? await parts.withPrompt(model) : []),
  ];
  const lent = input.allowedTools.length > 0 ? [lentRecord(input.allowedTools, submission, 'command')] : [];
  if (recorded.length > 0)
    await journal.recorder.append([...lent, ...recorded.map((message) => ({ ...message, submission }))]);

  if (begins && config.title !== undefined) messages.push(titleChanged(config.title, parts));

  // 4 discovery: nothing is loaded here, so that the announcement is always from what is at hand
  messages.push(initMessage(model, parts, promptUuids(prompt.options)), ...commandsChanged(parts));
  if (config.replayUserMessages === true) {
    for (const message of input.messages) messages.push(toReplay(replayOf(message), sessionId));
  }
  for (const notice of input.notices) {
    messages.push({ type: 'system', ...notice, uuid: ids.uuid(), session_id: sessionId });
  }

  if (!input.shouldQuery) {
    // What a local command said is shown; a prompt that was only added is the sender's own.
    if (input.byCommand) messages.push(...input.messages.map((message) => toSdkUser(message, sessionId)));
    const { instructions } = input.compact ?? {};
    const compaction = input.compact && {
      model,
      context,
      ...(instructions !== undefined && { instructions }),
    };
    const { resultText, command, clear } = input;
    if (input.byCommand && resultText !== '') {
      const stamp = { uuid: ids.uuid(), timestamp: isoTime(parts.clock.nowMs()) };
      messages.push(localAnswer(resultText, stamp, sessionId));
    }
    return { kind: 'local', resultText, command, clear, messages, undo, ...(compaction && { compaction }) };
  }
  recordSnapshot(context, submission, parts);
  return { kind: 'query', model, effort: input.effort, context, messages, undo };
}

/** They are part of the conversation under another uuid: sent once more, they are known all the same. */
function joinedRecord({ joinedUuids: consumed = [] }: SubmitOptions, submission: string): JournalBody[] {
  return consumed.length === 0 ? [] : [{ type: 'inbox', id: `${submission}/joined`, submission, consumed }];
}

/** Where the main thread is an agent: what its definition wants it to begin with. */
async function beginningOf({ config, skills, ...parts }: EngineParts) {
  const { preloadedSkills = [], mainAgent = '' } = config;
  if (preloadedSkills.length === 0) return [];
  const { messages, problems } = await beginWith(
    preloadedSkills,
    [],
    (names) => skills.preload(names),
    parts,
  );
  for (const line of problems) config.stderr?.(`The agent ${mainAgent}: ${line}`);
  return messages;
}

/** Nothing is said of a prompt without words. */
function prefetchMemory(
  messages: readonly UserMessage[],
  { id: submission, scope }: Pick<Submission, 'id' | 'scope'>,
  { sources }: EngineParts,
): void {
  if (sources.relevantMemory === undefined) return;
  const prompt = messages.map(({ message }) => textOfContent(message.content)).join('\n\n');
  if (prompt.trim() !== '') sources.relevantMemory({ prompt, submission, signal: scope.signal });
}

async function recordInitialMessages(submission: string, parts: EngineParts): Promise<void> {
  const initial = parts.config.initialMessages ?? [];
  if (initial.length === 0) return;
  await parts.journal.recorder.append(
    initial.map((message) =>
      message.type === 'assistant' ? { ...message, submission, iteration: 0 } : { ...message, submission },
    ),
  );
}

function replayOf(message: UserMessage) {
  const { uuid, timestamp, origin } = message;
  return { uuid, content: message.message.content, timestamp, origin };
}
