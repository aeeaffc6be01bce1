/** All commands of the conversation, in the order of the help. */

import {
  configCommand,
  outputStyleCommand,
  sandboxCommand,
  statuslineCommand,
} from '../settings/settings-commands.ts';
import { asideCommand } from '../side/aside.ts';
import { tasksCommand } from '../tasks/tasks-command.ts';
import type { ConversationCommand } from './command-type.ts';
import {
  clearCommand,
  compactCommand,
  exitCommand,
  forkCommand,
  goalCommand,
  initCommand,
  planCommand,
  renameCommand,
  reviewCommand,
} from './conversation-commands.ts';
import { agentsCommand, hooksCommand, memoryCommand, skillsCommand } from './extensions.ts';
import { helpCommand } from './help.ts';
import { loginCommand, logoutCommand } from './login.ts';
import { mcpCommand } from './mcp-overlay.ts';
import { effortCommand, modelCommand } from './model-command.ts';
import { addDirCommand, permissionsCommand } from './permissions-command.ts';
import { queueCommand } from './queue.ts';
import {
  contextCommand,
  costCommand,
  doctorCommand,
  explainCommand,
  statusCommand,
  todosCommand,
} from './reports.ts';
import { rewindCommand } from './rewind-command.ts';
import { resumeCommand } from './session-list.ts';
import { themeCommand } from './theme-command.ts';
import { copyCommand, diffCommand, exportCommand } from './transcript-commands.ts';

export const COMMANDS: readonly ConversationCommand[] = [
  helpCommand(() => COMMANDS),
  clearCommand,
  compactCommand,
  asideCommand,
  resumeCommand,
  rewindCommand,
  forkCommand,
  renameCommand,
  planCommand,
  goalCommand,
  diffCommand,
  reviewCommand,
  initCommand,
  modelCommand,
  effortCommand,
  contextCommand,
  costCommand,
  statusCommand,
  configCommand,
  sandboxCommand,
  outputStyleCommand,
  statuslineCommand,
  loginCommand,
  logoutCommand,
  explainCommand,
  permissionsCommand,
  addDirCommand,
  mcpCommand,
  hooksCommand,
  agentsCommand,
  skillsCommand,
  memoryCommand,
  todosCommand,
  tasksCommand,
  queueCommand,
  exportCommand,
  copyCommand,
  themeCommand,
  doctorCommand,
  exitCommand,
];
