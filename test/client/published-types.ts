/**
 * Compiled, never run: a program written against the published types reads what we say, and what it hands in we take.
 * Lists of ours are readonly and ids plain texts, which `Loose` levels; everything else must fit as it is.
 */
import type * as client from '@anthropic-ai/claude-agent-sdk';
import type * as own from '@turnwright/engine';

type Uuid = `${string}-${string}-${string}-${string}-${string}`;
/** `string & {}`, which lists the known words of an open set, is a text as well. */
type Loose<T> = T extends Uuid
  ? string
  : T extends string
    ? string extends T & string
      ? string
      : T extends { readonly length: number } & object
        ? string
        : T
    : T extends (...given: never[]) => unknown
      ? T
      : T extends readonly (infer Item)[]
        ? Loose<Item>[]
        : T extends object
          ? { -readonly [K in keyof T]: Loose<Exclude<T[K], undefined>> }
          : T;

type Told = Loose<own.SDKMessage>;
type Of<Type extends string> = Extract<Told, { type: Type }>;
/** Of each member of a union. */
type Without<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;
type System<Subtype extends string> = Extract<Told, { type: 'system'; subtype: Subtype }>;

/** The one end that the published types have no word for: it is told only to those who asked for `verify`. */
type KnownEnd<T> = T extends { terminal_reason?: infer Reason }
  ? Without<T, 'terminal_reason'> & { terminal_reason?: Exclude<Reason, 'unverified'> }
  : T;

export const result = (
  told: KnownEnd<Without<Of<'result'>, 'origin'>>,
): Without<Loose<client.SDKResultMessage>, 'origin'> => told;
export const assistant = (
  told: Omit<Of<'assistant'>, 'message'>,
): Omit<Loose<client.SDKAssistantMessage>, 'message'> => told;
export const user = (
  told: Omit<Of<'user'>, 'message' | 'origin' | 'isReplay'>,
): Omit<Loose<client.SDKUserMessage>, 'message' | 'origin'> => told;
export const replay = (
  told: Omit<Extract<Of<'user'>, { isReplay: true }>, 'message' | 'origin'>,
): Omit<Loose<client.SDKUserMessageReplay>, 'message' | 'origin'> => told;
export const event = (
  told: Omit<Of<'stream_event'>, 'event'>,
): Omit<Loose<client.SDKPartialAssistantMessage>, 'event'> => told;
export const progress = (told: Of<'tool_progress'>): Loose<client.SDKToolProgressMessage> => told;
export const summary = (told: Of<'tool_use_summary'>): Loose<client.SDKToolUseSummaryMessage> => told;
export const reset = (told: Of<'conversation_reset'>): Loose<client.SDKConversationResetMessage> => told;
export const init = (
  told: Omit<System<'init'>, 'apiKeySource'>,
): Omit<Loose<client.SDKSystemMessage>, 'apiKeySource'> => told;
export const status = (told: System<'status'>): Loose<client.SDKStatusMessage> => told;
export const boundary = (told: System<'compact_boundary'>): Loose<client.SDKCompactBoundaryMessage> => told;
export const retry = (told: System<'api_retry'>): Loose<client.SDKAPIRetryMessage> => told;
export const hookStarted = (told: System<'hook_started'>): Loose<client.SDKHookStartedMessage> => told;
export const hookProgress = (told: System<'hook_progress'>): Loose<client.SDKHookProgressMessage> => told;
export const hookResponse = (told: System<'hook_response'>): Loose<client.SDKHookResponseMessage> => told;
export const taskStarted = (told: System<'task_started'>): Loose<client.SDKTaskStartedMessage> => told;
export const taskProgress = (told: System<'task_progress'>): Loose<client.SDKTaskProgressMessage> => told;
export const taskUpdated = (told: System<'task_updated'>): Loose<client.SDKTaskUpdatedMessage> => told;
export const taskEnded = (told: System<'task_notification'>): Loose<client.SDKTaskNotificationMessage> =>
  told;
export const tasks = (
  told: System<'background_tasks_changed'>,
): Loose<client.SDKBackgroundTasksChangedMessage> => told;
export const commands = (told: System<'commands_changed'>): Loose<client.SDKCommandsChangedMessage> => told;
export const notice = (told: System<'notification'>): Loose<client.SDKNotificationMessage> => told;
export const asked = (told: System<'elicitation_complete'>): Loose<client.SDKElicitationCompleteMessage> =>
  told;
export const denied = (told: System<'permission_denied'>): Loose<client.SDKPermissionDeniedMessage> => told;
export const mirror = (told: System<'mirror_error'>): Loose<client.SDKMirrorErrorMessage> => told;
export const note = (told: System<'informational'>): Loose<client.SDKInformationalMessage> => told;

export const thought = (told: System<'thinking_tokens'>): Loose<client.SDKThinkingTokensMessage> => told;
export const refused = (
  told: System<'model_refusal_no_fallback'>,
): Loose<client.SDKModelRefusalNoFallbackMessage> => told;
export const lost = (told: System<'session_writes_lost'>): Loose<client.SDKSessionWritesLostMessage> => told;

/**
 * Options that both have and whose published values ours does not take as they are: they can name the mode `auto`,
 * or answer to our own types.
 */
type Unfit = {
  [K in keyof own.Options & keyof client.Options]-?: Loose<client.Options[K]> extends Loose<own.Options[K]>
    ? never
    : K;
}[keyof own.Options & keyof client.Options];
export const unfit: Record<Unfit, true> = {
  canUseTool: true,
  hooks: true,
  onElicitation: true,
};

export const prompt = (given: Omit<client.SDKUserMessage, 'message'>): Omit<own.SDKUserMessage, 'message'> =>
  given;
export const answer = (
  given: Omit<Extract<client.PermissionResult, { behavior: 'allow' }>, 'updatedPermissions'>,
): own.PermissionResult => given;
export const mode = (given: client.PermissionMode): own.PermissionMode => given;
export const agent = (given: client.AgentDefinition): NonNullable<own.Options['agents']>[string] => given;
