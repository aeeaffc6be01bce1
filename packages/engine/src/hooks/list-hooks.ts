/** The registered hooks, as a readable list. */
import { HOOK_EVENTS, type HookEvent } from '../protocol/tools/hook.ts';
import type {
  HookEventInfo,
  HookListingRow,
  HookPolicy,
  HooksListing,
} from '../protocol/tools/hook-config.ts';
import { SUBJECT } from './compile-matcher.ts';
import type { RegisteredHook } from './registered-hook.ts';

const SUMMARIES: Readonly<Record<HookEvent, string>> = {
  PreToolUse: 'Before a tool runs',
  PostToolUse: 'After a tool has returned',
  PostToolUseFailure: 'After a tool has failed',
  PostToolBatch: 'After all calls of an answer are settled',
  PermissionRequest: 'Before the user is asked for permission',
  PermissionDenied: 'After a rule or mode denied a call',
  Notification: 'When the person is wanted',
  UserPromptSubmit: 'When a prompt was submitted',
  UserPromptExpansion: 'When a slash command was submitted',
  SessionStart: 'When a session begins or goes on',
  SessionEnd: 'When a session ends',
  Stop: 'When the model wants to stop',
  StopFailure: 'When the model call failed for good',
  SubagentStart: 'When a subagent begins',
  SubagentStop: 'When a subagent wants to stop',
  PreCompact: 'Before the conversation is summarised',
  PostCompact: 'After the conversation was summarised',
  PreModelSwitch: 'Before the host or a command switches the model',
  PostModelSwitch: 'After the host or a command switched the model',
  Setup: 'When a repository is set up (does not fire)',
  TeammateIdle: 'When a teammate has nothing to do (does not fire)',
  TaskCreated: 'When a task is created (does not fire)',
  TaskCompleted: 'When a task is completed (does not fire)',
  Elicitation: 'When an MCP server asks the person',
  ElicitationResult: 'Before an MCP server gets the answer',
  ConfigChange: 'When this session wrote a settings file',
  WorktreeCreate: 'When a worktree is made (does not fire)',
  WorktreeRemove: 'When a worktree is removed (does not fire)',
  InstructionsLoaded: 'When a memory file was read',
  CwdChanged: 'When the working directory changed',
  FileChanged: 'When a file changed that the model had read',
  DirectoryAdded: 'When a directory was added',
  MessageDisplay: 'Before a text of the model is shown',
  PreSkillShellCommand: 'Before a shell command in the text of a skill or command runs',
};

const CATALOG: readonly HookEventInfo[] = HOOK_EVENTS.map((name) => ({
  name,
  summary: SUMMARIES[name],
  supportsMatcher: SUBJECT[name] !== undefined,
}));

export function listHooks(
  running: readonly RegisteredHook[],
  disabled: readonly RegisteredHook[],
  policy: HookPolicy,
): HooksListing {
  const rows: readonly HookListingRow[] = [
    ...running.map(({ listing }) => listing),
    ...disabled.map(({ listing }) => ({ ...listing, disabled: true as const })),
  ].sort((a, b) => HOOK_EVENTS.indexOf(a.event) - HOOK_EVENTS.indexOf(b.event));
  const managed = rows.filter(({ source }) => source === 'policySettings');
  return {
    events: CATALOG.flatMap((info) => {
      const hookCount = rows.filter(({ event }) => event === info.name).length;
      return hookCount === 0 ? [] : [{ ...info, hookCount }];
    }),
    hooks: rows,
    eventCatalog: CATALOG,
    policy: {
      disabledByPolicy: policy.disabledByPolicy,
      managedOnly: policy.managedOnly,
      pluginOnly: false,
      allDisabled: policy.allDisabled,
      policyHookCount: managed.length,
    },
  };
}
