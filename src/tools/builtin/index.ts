import type { AnyTool } from '../../protocol/tool.ts';
import { type BashOptions, createBashTool } from './bash.ts';
import { editTool } from './edit.ts';
import { createGlobTool } from './glob.ts';
import { createGrepTool } from './grep.ts';
import { notebookEditTool } from './notebook-edit.ts';
import { createReadTool, type ReadLimits } from './read.ts';
import type { SearchOptions } from './ripgrep.ts';
import { taskOutputTool } from './task-output.ts';
import { taskStopTool } from './task-stop.ts';
import { todoWriteTool } from './todo-write.ts';
import { writeTool } from './write.ts';

export interface BuiltinToolsOptions {
  readonly bash?: BashOptions;
  readonly read?: ReadLimits;
  readonly search?: SearchOptions;
}

/** In the order in which they are told to the model. */
const MADE: Readonly<Record<string, (options: BuiltinToolsOptions) => AnyTool>> = {
  Bash: ({ bash }) => createBashTool(bash),
  Edit: () => editTool,
  Glob: ({ search }) => createGlobTool(search),
  Grep: ({ search }) => createGrepTool(search),
  NotebookEdit: () => notebookEditTool,
  Read: ({ read }) => createReadTool(read),
  TaskOutput: () => taskOutputTool,
  TaskStop: () => taskStopTool,
  TodoWrite: () => todoWriteTool,
  Write: () => writeTool,
};

/** The tools of these names (undefined: all), in their own order. Without background tasks nobody steers any. */
export function builtinTools(
  options: BuiltinToolsOptions = {},
  isWanted: (name: string) => boolean = () => true,
): readonly AnyTool[] {
  const forTasks = options.bash?.background !== false;
  return Object.entries(MADE).flatMap(([name, make]) =>
    isWanted(name) && (forTasks || !name.startsWith('Task')) ? [make(options)] : [],
  );
}
