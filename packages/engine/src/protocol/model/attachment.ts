/** What joins the conversation between two requests, by type. */
import type { UserBlock } from './wire.ts';

/** Context that the engine adds to a conversation, by `type`; the model gets it as a reminder. */
export type Attachment =
  | { readonly type: 'max_turns_reached'; readonly maxTurns: number; readonly turnCount: number }
  | { readonly type: 'hook_stopped_continuation'; readonly message: string; readonly hookName?: string }
  | { readonly type: 'hook_context'; readonly event: string; readonly content: readonly string[] }
  | {
      readonly type: 'queued_command';
      readonly prompt: string | readonly UserBlock[];
      /** uuid that its sender gave. */
      readonly sourceUuid?: string;
      readonly origin?: { readonly kind: string; readonly [key: string]: unknown };
    }
  | { readonly type: 'edited_file'; readonly path: string; readonly snippet: string }
  | { readonly type: 'relevant_memories'; readonly memories: readonly RecalledMemory[] }
  | { readonly type: 'todo_reminder'; readonly todos: readonly TodoItem[] }
  | { readonly type: 'structured_output'; readonly value: unknown }
  | { readonly type: string; readonly [key: string]: unknown };

/** What a prompt names and brings along: kept beside what the model reads, so that it can be shown again. */
export type PromptAttachment =
  | {
      readonly type: 'file';
      readonly path: string;
      /** Of a text. */
      readonly lines?: number;
      /** Of a folder. */
      readonly entries?: number;
      /** Why the model was not given it. */
      readonly problem?: string;
    }
  | { readonly type: 'agent_mention'; readonly agent: string }
  | {
      readonly type: 'mcp_resource';
      readonly server: string;
      readonly uri: string;
      readonly problem?: string;
    };

/** A memory file that was selected because it is relevant for a prompt. */
export interface RecalledMemory {
  readonly path: string;
  readonly scope: 'personal' | 'team';
}

/** One entry of the todo list that the model keeps with TodoWrite. */
export interface TodoItem {
  /** What is to be done, as an order. */
  readonly content: string;
  readonly status: 'pending' | 'in_progress' | 'completed';
  /** The same in the present tense, shown while it is done. */
  readonly activeForm: string;
}

/** How a todo list shows the state of an item to the model. */
export const TODO_MARKS: Readonly<Record<TodoItem['status'], string>> = {
  pending: '[ ]',
  in_progress: '[>]',
  completed: '[x]',
};
