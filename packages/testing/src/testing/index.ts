/**
 * `turnwright/testing`: runs the real loop with a scripted model, a virtual clock and a readable journal,
 * without a network.
 */

export type { Frame, Outbox, OutboxPage, Place, Published } from '@turnwright/engine/protocol/ports.ts';
export type { ReplayOptions } from '@turnwright/engine/replay/replay-journal.ts';
export { createAdmission } from '@turnwright/engine/session/in-process/admission.ts';
export { createMemoryBlobStore } from '@turnwright/engine/session/in-process/blob-store.ts';
export { createMemoryInbox } from '@turnwright/engine/session/in-process/inbox.ts';
export { createMemoryLeaseStore } from '@turnwright/engine/session/in-process/lease-store.ts';
export { createMemoryOutbox } from '@turnwright/engine/session/in-process/outbox.ts';
export type { Check, Open, Opened } from './checks/check.ts';
export { journalStoreChecks } from './checks/journal-store-checks.ts';
export type {
  AnswerBreak,
  AnswerPart,
  AnswerUsage,
  MessageAnswer,
  ModelServer,
  NoAnswer,
  ReceivedMessage,
  ReceivedPart,
  ReceivedRequest,
  RefusalAnswer,
  RefusalReason,
  ServerAnswer,
} from './checks/model/model-server.ts';
export type { ModelClientSetup, OpenedModel, WireTraits } from './checks/model/opened-model.ts';
export { modelClientChecks } from './checks/model-client-checks.ts';
export { type OutboxAndJournal, outboxChecks } from './checks/outbox-checks.ts';
export {
  admissionChecks,
  blobStoreChecks,
  inboxChecks,
  leaseStoreChecks,
} from './checks/port-checks.ts';
export { sessionStoreChecks } from './checks/session-store-checks.ts';
export { type OpenedWire, wireChecks } from './checks/wire-checks.ts';
export { type Deferred, deferred } from './deferred.ts';
export {
  type FakeAnswer,
  type FakeTool,
  type FakeToolCall,
  type FakeToolOptions,
  fakeTool,
} from './fake-tool.ts';
export {
  type CountingLedger,
  countingLedger,
  idleAttachments,
  idleContext,
  idleGuard,
  idleHooks,
  type LoopRun,
  loopDeps,
  loopParams,
  type QueryLoop,
  runLoop,
  userMessage,
} from './loop-deps.ts';
export { seededRandom, sequentialIds } from './predictable.ts';
export {
  type RecorderOptions,
  type RecordingRecorder,
  type RecordingStore,
  type RecordingStoreOptions,
  recorder,
  recordingStore,
} from './recording-store.ts';
export { replay } from './replay.ts';
export {
  block,
  broken,
  callTool,
  fail,
  failure,
  fallback,
  hang,
  type Part,
  pause,
  type Reply,
  type ReplyOptions,
  reply,
  retries,
  type ScriptStep,
  type Step,
  say,
  think,
  throws,
  unfinished,
} from './reply.ts';
export {
  type RecordedRequest,
  type ScriptedModel,
  type ScriptedModelOptions,
  scriptedModel,
  UnexpectedModelCallError,
} from './scripted-model.ts';
export {
  type HandlerAnswer,
  type ScriptedTools,
  type ScriptedToolsOptions,
  scriptedTools,
  type ToolHandler,
} from './scripted-tools.ts';
export { type VirtualClock, virtualClock } from './virtual-clock.ts';
