/**
 * Phases 1 to 4 and 6 of a submission (L1): everything before the first request. What is to be shown comes
 * back as messages, so that a throw by the consumer is never taken for a failure of the set-up.
 */

import { extended } from '@turnwright/base/collections/extended.ts';
import { textOfContent } from '@turnwright/base/text/text-blocks.ts';
import { toAttachmentMessage } from '../../attachments/collect.ts';
import type { AttachmentMessage, UserMessage } from '../../protocol/model/messages.ts';
import type { EffortLevel } from '../../protocol/model/wire.ts';
import type { JournalBody } from '../../protocol/session/journal.ts';
import type { SDKMessage } from '../../protocol/stream/sdk-messages.ts';
import { takeUpPlugins } from '../host/session-plugins.ts';
import { endedTaskNotices } from '../host/session-tasks.ts';
import { initMessage } from '../output/create-init-message.ts';
import { localAnswer } from '../output/to-sdk-assistant.ts';
import { toReplay, toSdkUser } from '../output/to-sdk-user.ts';
import { openSession } from '../session/open-session.ts';
import {
  fetchContexts,
  findContextChanges,
  recordSnapshot,
  type SubmissionContext,
} from '../session/request-context.ts';
import type { Session } from '../session/session.ts';
import { titleChanged } from '../session/session-title.ts';
import { beginVerification } from '../verifying/verify-submission.ts';
import type { ManualCompaction } from './compact-session.ts';
import { beginWith } from './preloaded-skills.ts';
import { type Prompt, promptUuids } from './prompt.ts';
import type { Submission } from './submission.ts';
import { lentRecord } from './temporary-rules.ts';
import { processUserInput, type UserInput } from './user-input.ts';

export type PreparedSubmission = { readonly messages: readonly SDKMessage[]; readonly undo: () => void } & (
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
  { id: submission, prompt, scope }: Submission,
  session: Session,
): Promise<PreparedSubmission> {
  const { commands, config, conversation, host, permissions, submissions } = session;
  const { recorder, sessionId } = conversation;
  const messages: SDKMessage[] = [];
  let undo = () => {};

  // 1 initialise
  session.mcp.start();
  session.skills.startSubmission();
  takeUpPlugins(session);
  const recovered = await openSession(session);
  const first = submissions.isFirst;
  const closing = first ? (recovered?.interrupted?.closing ?? []) : [];
  const orphan = submissions.takeOrphan() ? config.orphanedPermission : undefined;
  const orphans = orphan && (await import('./orphaned-permission.ts'));
  if (config.getAppState !== undefined) permissions.setMode(session.appState.get().permissionMode);
  let model = session.model.begin();
  recorder.later([
    // A new prompt ends what an earlier process left open: no model call, no tool run (L4.1).
    ...(orphan && orphans ? orphans.leftOpen(orphan, closing, session) : closing),
    {
      type: 'submission',
      id: `${submission}/submission`,
      submission,
      model,
      ...session.model.asChosen(model),
      permissionMode: permissions.mode,
    },
    ...joinedRecord(prompt, submission),
    ...(first && recovered?.mainAgent !== config.mainAgent ? agentRecord(config.mainAgent, submission) : []),
  ]);
  if (first) await recordInitialMessages(submission, session);
  submissions.recorded();

  await commands.load();
  // A server that is slow to start joins later; one that is quick is there from the first request on (F82).
  await session.mcp.settled(scope);
  await session.skills.settled();

  // The deferred tools are determined before any message or request names them.
  await session.tools.port.wireTools(model);

  // 2 system prompt
  host.enter('system_prompt');
  const context = await fetchContexts(session, scope, model);

  // 3 user input
  host.enter('user_input');
  if (orphan && orphans) messages.push(...(await orphans.answerOrphan(orphan, submission, scope, session)));
  const input = await processUserInput(
    prompt,
    { first: !submissions.isStarted, resumed: recovered !== undefined, scope },
    session,
  );
  submissions.started();
  if (input.allowedTools.length > 0) undo = permissions.lend(input.allowedTools);
  if (input.model !== undefined) {
    model = session.model.inMode(input.model);
    session.model.refuseUnpriced(input.model);
  }
  if (input.shouldQuery) prefetchMemory(input.messages, { id: submission, scope }, session.sources);
  const skillList = input.shouldQuery ? session.skills.announce(conversation.messages) : undefined;
  const changed = input.shouldQuery ? findContextChanges(context, session) : undefined;
  const begins = first && recovered === undefined;
  const recorded = [
    ...(begins ? await preloadSkills(session) : []),
    ...input.before,
    ...(skillList === undefined ? [] : [skillList]),
    ...(changed === undefined ? [] : [toAttachmentMessage(changed, session.world.clock, session.world.ids)]),
    ...input.messages,
    ...input.after,
    ...(input.messages.length > 0 ? endedTaskNotices(session.tasks, session.world) : []),
    ...(input.messages.length > 0 ? await session.context.withPrompt(model) : []),
  ];
  await recordInput(recorded, input, submission, session);

  const title = begins ? config.title : recovered?.title;
  if (first && title !== undefined) messages.push(titleChanged(title, host));

  // 4 discovery: nothing is loaded here, so that the announcement is always from what is at hand
  messages.push(initMessage(model, session, promptUuids(prompt)), ...commands.changed());
  messages.push(...announceInput(input, session));

  if (!input.shouldQuery) {
    if (recorded.length === 0) recorder.later(consumedRecord(prompt, submission));
    // What a local command said is shown; a prompt that was only added is the sender's own.
    if (input.byCommand) messages.push(...input.messages.map((message) => toSdkUser(message, sessionId)));
    const compaction = input.compact && { model, context, ...input.compact };
    const { resultText, command, clear } = input;
    if (input.byCommand && resultText !== '')
      messages.push(localAnswer(resultText, host.timedStamp(), sessionId));
    return { kind: 'local', resultText, command, clear, messages, undo, ...(compaction && { compaction }) };
  }
  for (const sentence of session.model.unsentOptions(model)) session.notices.say(sentence, 'notice');
  recordSnapshot(context, submission, model, session);
  return { kind: 'query', model, effort: input.effort, context, messages, undo };
}

/** Records what the prompt became, behind the rules that its command lends and what must hold at its end. */
async function recordInput(
  messages: readonly (UserMessage | AttachmentMessage)[],
  { allowedTools, shouldQuery, verify }: Pick<UserInput, 'allowedTools' | 'shouldQuery' | 'verify'>,
  submission: string,
  session: Session,
): Promise<void> {
  if (shouldQuery) await beginVerification(submission, verify, session);
  if (messages.length === 0) return;
  const lent = allowedTools.length > 0 ? [lentRecord(allowedTools, submission, 'command')] : [];
  const { recorder } = session.conversation;
  await recorder.append([...lent, ...messages.map((message) => extended(message, { submission }))]);
}

/** The prompt as the host sees it, and what is said about it. */
function announceInput(
  { messages, notices }: UserInput,
  { config, conversation, host }: Session,
): readonly SDKMessage[] {
  const replayed = config.replayUserMessages === true ? messages : [];
  return [
    ...replayed.map((message) => toReplay(toReplayFields(message), conversation.sessionId)),
    ...notices.map((notice): SDKMessage => ({ type: 'system', ...notice, ...host.stamp() })),
  ];
}

/** They are part of the conversation under another uuid: sent once more, they are known all the same. */
function joinedRecord({ joinedUuids: consumed = [] }: Prompt, submission: string): JournalBody[] {
  return consumed.length === 0 ? [] : [{ type: 'inbox', id: `${submission}/joined`, submission, consumed }];
}

/** A prompt that became no message, such as a command: a later process does not begin it again. */
function consumedRecord({ uuid }: Prompt, submission: string): JournalBody[] {
  return uuid === undefined
    ? []
    : [{ type: 'inbox', id: `${submission}/inbox`, submission, consumed: [uuid] }];
}

/** Who the session is, for the process that resumes it. */
function agentRecord(agentSetting: string | undefined, submission: string): JournalBody[] {
  if (agentSetting === undefined) return [];
  return [{ type: 'agent-setting', id: `${submission}/agent`, submission, agentSetting }];
}

/** Where the main thread is an agent: what its definition wants it to begin with. */
async function preloadSkills({ config, skills, world }: Pick<Session, 'config' | 'skills' | 'world'>) {
  const { preloadedSkills = [], mainAgent = '' } = config;
  if (preloadedSkills.length === 0) return [];
  const { messages, problems } = await beginWith(
    preloadedSkills,
    [],
    (names) => skills.preload(names),
    world,
  );
  for (const line of problems) config.stderr?.(`The agent ${mainAgent}: ${line}`);
  return messages;
}

/** Nothing is said of a prompt without words. */
function prefetchMemory(
  messages: readonly UserMessage[],
  { id: submission, scope }: Pick<Submission, 'id' | 'scope'>,
  sources: Session['sources'],
): void {
  if (sources.relevantMemory === undefined) return;
  const prompt = messages.map(({ message }) => textOfContent(message.content)).join('\n\n');
  if (prompt.trim() !== '') sources.relevantMemory({ prompt, submission, signal: scope.signal });
}

async function recordInitialMessages(
  submission: string,
  { config, conversation }: Pick<Session, 'config' | 'conversation'>,
): Promise<void> {
  const initial = config.initialMessages ?? [];
  if (initial.length === 0) return;
  await conversation.recorder.append(
    initial.map((message) =>
      message.type === 'assistant' ? { ...message, submission, iteration: 0 } : { ...message, submission },
    ),
  );
}

function toReplayFields(message: UserMessage) {
  const { uuid, timestamp, origin } = message;
  return { uuid, content: message.message.content, timestamp, origin };
}
