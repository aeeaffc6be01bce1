/** Commands of every session. */
import type { Command } from '../../protocol/tools/command.ts';
import { clearCommand } from './clear.ts';
import { compactCommand } from './compact.ts';
import { contextCommand } from './context.ts';
import { costCommand } from './cost.ts';
import { effortCommand } from './effort.ts';
import { helpCommand } from './help.ts';
import { modelCommand } from './model.ts';

export const BUILTIN_COMMANDS: readonly Command[] = [
  clearCommand,
  compactCommand,
  contextCommand,
  costCommand,
  effortCommand,
  helpCommand,
  modelCommand,
];
