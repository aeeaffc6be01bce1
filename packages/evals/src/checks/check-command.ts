/**
 * A check's command, run as the model's own are: by the same tool, with the settings of the run, so in its
 * sandbox if there is one, without secrets in its environment, and with a deadline.
 */

import { takeEnd } from '@turnwright/base/text/cut-text.ts';
import { textOfContent } from '@turnwright/base/text/text-blocks.ts';
import { leaderOfFamily, type Options, query } from '@turnwright/engine';
import { type CaseCheck, FOLDER_MARK } from '../case/eval-case.ts';

const LAST_WORDS = 2_000;

/** What it said last, if it did not exit with the code that is demanded. undefined: it did. */
export async function runCheckCommand(
  { command, exit, timeoutMs }: Extract<CaseCheck, { kind: 'command' }>,
  {
    folder,
    options,
    signal,
  }: { readonly folder: string; readonly options: Options; readonly signal: AbortSignal },
): Promise<string | undefined> {
  const { callTool, say, scriptedModel } = await import('@turnwright/testing');
  const call = callTool(leaderOfFamily('command'), {
    command: demanding(
      command.replaceAll(FOLDER_MARK, () => folder),
      exit,
    ),
    timeout: timeoutMs,
  });
  const abortController = new AbortController();
  const abort = () => abortController.abort();
  signal.addEventListener('abort', abort, { once: true });
  let failure: string | undefined = NOT_RUN;
  try {
    for await (const message of query({
      prompt: 'Check.',
      options: checking(options, folder, abortController),
    })) {
      if (message.type !== 'user' || typeof message.message.content === 'string') continue;
      for (const part of message.message.content)
        if (part.type === 'tool_result')
          failure = part.is_error === true ? lastWords(textOfContent(part.content ?? '')) : undefined;
    }
  } catch (error) {
    if (failure === NOT_RUN && !signal.aborted) throw error;
  } finally {
    signal.removeEventListener('abort', abort);
  }
  signal.throwIfAborted();
  return failure;

  function checking(given: Options, cwd: string, controller: AbortController): Options {
    return {
      cwd,
      env: given.env,
      settings: { ...(given.settings as object | undefined), disableAllHooks: true },
      settingSources: given.settingSources,
      projectTrusted: given.projectTrusted,
      trustRecorded: given.trustRecorded,
      managedSettingsFile: given.managedSettingsFile,
      strictMcpConfig: true,
      persistSession: false,
      model: given.model,
      abortController: controller,
      // Rules that deny hold; all else is what the author of the case chose.
      canUseTool: (_, input) => Promise.resolve({ behavior: 'allow', updatedInput: input }),
      engine: { callModel: scriptedModel([call, say('Checked.')]).callModel },
    };
  }
}

/** The exit code is compared by the shell: the tool takes some codes other than 0 for no failure. */
function demanding(command: string, exit: number): string {
  return `checked=$(mktemp)
(
${command}
) >"$checked" 2>&1
code=$?
tail -c ${LAST_WORDS} "$checked"
rm -f "$checked"
if [ "$code" -ne ${exit} ]; then echo; echo "It exited with $code, not ${exit}."; exit ${FAULT}; fi`;
}

const NOT_RUN = 'The command was not run.';

/** As the tool begins with it, this says nothing of the command. */
const FAULT = 3;

const lastWords = (text: string): string =>
  takeEnd(text.replace(new RegExp(`^Exit code ${FAULT}\\n`), ''), LAST_WORDS).trim();
