/** Makes a case of a session: a folder that is read again like one that was written by hand. */
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { isInside } from '@turnwright/base/files/inside.ts';
import { makeTemporaryFolder } from '@turnwright/base/files/temporary-folder.ts';
import { codeOf } from '@turnwright/base/text/error-text.ts';
import { runGitHere } from '@turnwright/base/working-copies/run-git-here.ts';
import { TurnwrightError } from '@turnwright/engine';
import { copySessionBeginning, readPatch } from '@turnwright/engine/engine/standalone/session-beginning.ts';
import { FOLDER_MARK } from '../case/eval-case.ts';
import { readSession } from './read-session.ts';
import { openSecretRemover, type SecretRemover } from './secrets-of-case.ts';

interface AddRequest {
  readonly sessionId: string;
  /** Id of a prompt, or its beginning; default the first one. */
  readonly at: string | undefined;
  /** Default `cases/<words of the prompt>` in `cwd`. */
  readonly to: string | undefined;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface AddedCase {
  /** Absolute. */
  readonly folder: string;
  /** The lines of the checks, as they are in the case. */
  readonly checks: readonly string[];
  /** What was removed, by kind and place; never a value. */
  readonly secrets: readonly string[];
  /** What is not known of the files, or was left out; sentences without a full stop. */
  readonly notes: readonly string[];
}

/** Of a folder without a repository. */
const MAX_TREE_BYTES = 20 * 1024 * 1024;

/**
 * Throws `session_not_found`, and `invalid_option` where nothing can be made. Writes into no folder that is
 * there.
 */
export async function addCase({ sessionId, at, to, cwd, env }: AddRequest): Promise<AddedCase> {
  const session = await readSession(sessionId, at, env);
  const { prompt } = session;
  const target = resolve(cwd, to ?? join('cases', slug(prompt.text)));
  const parent = await makeTemporaryFolder('turnwright-case');
  try {
    const wanted = { prompt: prompt.uuid, sentAt: prompt.timestamp, parent, maxBytes: MAX_TREE_BYTES };
    const beginning = await copySessionBeginning(sessionId, { cwd, env }, wanted);
    const { folder, copy, commit } = beginning;
    const remover = await openSecretRemover(folder, env);
    const notes = [...beginning.notes];
    await makeFolder(target);
    try {
      const root =
        commit && (await runGitHere(['rev-parse', '--show-toplevel'], { cwd: folder, env })).trimEnd();
      if (root !== undefined) notes.push(...(await writePatch(target, beginning, remover, env)));
      else notes.push(...(await writeTree(join(target, 'files'), copy.path, remover)));
      const local = (text: string) => text.replaceAll(folder, FOLDER_MARK);
      const checks = proposeChecks(session, folder).map((line) => remover.text(local(line), 'checks'));
      const lines = session.answers.map((answer, index) =>
        local(JSON.stringify(remover.value(answer, `answers.jsonl line ${index + 1}`))),
      );
      if (lines.length > 0) await writeFile(join(target, 'answers.jsonl'), `${lines.join('\n')}\n`);
      const text = remover.text(local(prompt.text), 'prompt');
      await writeFile(
        join(target, 'case.yaml'),
        [
          ...(await blockText('prompt', text)),
          ...(root === undefined
            ? []
            : [`repository: ${JSON.stringify(relative(target, folder) || '.')}`, `commit: "${commit}"`]),
          'checks:',
          ...checks.map((check) => `  - ${check}`),
          `notes: ${JSON.stringify(`Of session ${sessionId}, ${prompt.timestamp}.`)}`,
          '',
        ].join('\n'),
      );
      return { folder: target, checks, secrets: remover.removed, notes };
    } catch (error) {
      await rm(target, { recursive: true, force: true });
      throw error;
    } finally {
      await copy.discard();
    }
  } finally {
    await rm(parent, { recursive: true, force: true });
  }
}

/** The first words. */
const slug = (text: string): string =>
  text
    .toLowerCase()
    .match(/[a-z0-9]+/g)
    ?.slice(0, 5)
    .join('-')
    .slice(0, 48) || 'case';

async function makeFolder(path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  try {
    await mkdir(path);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    throw new TurnwrightError('invalid_option', `There is ${path} already. Give another folder: --to.`);
  }
}

/**
 * A file whose secrets are in lines that the patch does not add is left out of it, for it would not fit any
 * more.
 */
async function writePatch(
  target: string,
  beginning: Parameters<typeof readPatch>[0],
  remover: SecretRemover,
  env: AddRequest['env'],
): Promise<readonly string[]> {
  const whole = await readPatch(beginning, env);
  const leftOut: string[] = [];
  for (const part of whole.split(/^(?=diff --git )/m)) {
    const kept = part
      .split('\n')
      .filter((line) => /^[ -]/.test(line) && !line.startsWith('--- '))
      .join('\n');
    const path = /^(?:\+\+\+ b|--- a)\/(.+?)\t?$/m.exec(part)?.[1];
    const isTouched = kept !== '' && remover.text(kept, `what ${path} held before`) !== kept;
    if (isTouched && path !== undefined) leftOut.push(path);
  }
  const patch = leftOut.length === 0 ? whole : await readPatch(beginning, env, leftOut);
  if (patch !== '') await writeFile(join(target, 'patch.diff'), remover.text(patch, 'patch.diff'));
  return leftOut.map(
    (path) => `${path} is as it is in the commit: a secret is in lines that were there before`,
  );
}

/** All files, those that are text without secrets. */
async function writeTree(target: string, from: string, remover: SecretRemover): Promise<readonly string[]> {
  const notes: string[] = [];
  await cp(from, target, {
    recursive: true,
    verbatimSymlinks: true,
    filter: (path) => basename(path) !== '.git',
  });
  for (const entry of await readdir(target, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const bytes = await readFile(path);
    if (bytes.includes(0)) continue;
    const text = bytes.toString('utf8');
    const left = remover.text(text, join('files', relative(target, path)));
    if (left !== text) await writeFile(path, left);
  }
  return notes;
}

const MOST_COMMANDS = 2;
const MOST_FILES = 8;
const CHECKING =
  /\b(?:tests?|check|lint|tsc|typecheck|build|pytest|vitest|jest|cargo|make|go (?:vet|build))\b/;

/** Proposals: the last commands that succeeded and look like tests, and the files that were written. */
function proposeChecks(
  { commands, written }: Pick<Awaited<ReturnType<typeof readSession>>, 'commands' | 'written'>,
  folder: string,
): readonly string[] {
  const tests = commands.filter((command) => CHECKING.test(command)).slice(0, MOST_COMMANDS);
  const files = written.filter((path) => isInside(path, folder)).slice(0, MOST_FILES);
  const checks = [
    ...tests.map((command) => `command: ${JSON.stringify(command)}`),
    ...files.map((path) => `{ file: ${JSON.stringify(relative(folder, path))}, exists: true }`),
  ];
  return checks.length > 0 ? checks : ['{ answer: true, matches: "\\\\S" }'];
}

/** A text as YAML, over several lines where it has them. */
async function blockText(key: string, text: string): Promise<readonly string[]> {
  const { stringify } = await import('yaml');
  return stringify({ [key]: text }, { lineWidth: 0 })
    .trimEnd()
    .split('\n');
}
