import { toolFacts } from '../../protocol/tools/builtin-tools.ts';
import type { AnyTool } from '../../protocol/tools/tool.ts';
import { editTool } from './files/edit.ts';
import { createReadTool, type ReadLimits } from './files/read.ts';
import { writeTool } from './files/write.ts';
import { notebookEditTool } from './notebook/notebook-edit.ts';
import { todoWriteTool } from './planning/todo-write.ts';
import { createGlobTool } from './search/glob.ts';
import { createGrepTool } from './search/grep.ts';
import type { SearchOptions } from './search/ripgrep.ts';
import { createBashTool } from './shell/bash.ts';
import type { BashOptions } from './shell/bash-options.ts';
import { taskOutputTool } from './tasks/task-output.ts';
import { taskStopTool } from './tasks/task-stop.ts';

interface BuiltinToolsOptions {
  readonly bash?: BashOptions;
  readonly read?: ReadLimits;
  readonly search?: SearchOptions;
}

/** In the order in which the model receives them. */
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

/**
 * The tools of these names (undefined: all), in their own order. Tools about background tasks need a session
 * that has them.
 */
export function builtinTools(
  options: BuiltinToolsOptions = {},
  isWanted: (name: string) => boolean = () => true,
): readonly AnyTool[] {
  const forTasks = options.bash?.background !== false;
  return Object.entries(MADE).flatMap(([name, make]) =>
    isWanted(name) && (forTasks || toolFacts(name).madeOf !== 'tasks') ? [make(options)] : [],
  );
}
