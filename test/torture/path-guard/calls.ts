/** Calls of the file tools through the real executor, gate and permissions, as a session without a person makes them. */

import { nodeFiles } from '@turnwright/base/files/node-files.ts';
import { createPermissions } from '../../../packages/engine/src/permissions/permission-engine.ts';
import { editTool } from '../../../packages/engine/src/tools/builtin/files/edit.ts';
import { createReadTool } from '../../../packages/engine/src/tools/builtin/files/read.ts';
import { writeTool } from '../../../packages/engine/src/tools/builtin/files/write.ts';
import { notebookEditTool } from '../../../packages/engine/src/tools/builtin/notebook/notebook-edit.ts';
import { createGlobTool } from '../../../packages/engine/src/tools/builtin/search/glob.ts';
import { createGrepTool } from '../../../packages/engine/src/tools/builtin/search/grep.ts';
import { answerOf, callOf, contextIn, executorOf, gateOf, once } from '../../tools/support.ts';

interface Answer {
  readonly text: string;
  readonly isError: boolean;
}

/** In acceptEdits: whatever the rules do not deny inside of `cwd` is done, and all else would be a question. */
export function fileCallsIn(
  cwd: string,
  deny: readonly string[],
): (tool: string, input: object) => Promise<Answer> {
  const permissions = createPermissions({ files: nodeFiles, mode: 'acceptEdits', deny });
  const context = contextIn(cwd, { readFilter: () => permissions.readFilter({ cwd }) });
  const executor = executorOf(
    [createReadTool(), writeTool, editTool, notebookEditTool, createGrepTool(), createGlobTool()],
    {
      gate: gateOf({ decide: (question) => permissions.decide(question) }),
      makeContext: () => ({ ...context }),
    },
  );
  return async (tool, input) => answerOf(await once(executor, callOf(tool, input)));
}
