/** Reads cases from folders: what is wrong with one is said with file and line. */
import { readdir, readFile } from 'node:fs/promises';
import { basename, join, relative, resolve } from 'node:path';
import { findGitFolder } from '@turnwright/base/files/git-folder.ts';
import { nodeFiles } from '@turnwright/base/files/node-files.ts';
import { sha256 } from '@turnwright/base/ids/hash-and-uuid.ts';
import { TurnwrightError } from '@turnwright/engine';
import type { CaseFile } from './case-schema.ts';
import type { CaseCheck, EvalCase, TextDemand } from './eval-case.ts';

const NAMES = ['case.yaml', 'case.yml', 'case.json'] as const;
const COMMAND_MS = 120_000;

/**
 * The cases of these folders: a folder with a case file is a case, of another one its folders are. In the
 * order of their names. Throws `invalid_option`, with a line for each problem.
 */
export async function readCases(paths: readonly string[], cwd: string): Promise<readonly EvalCase[]> {
  const folders = (await Promise.all(paths.map((path) => caseFolders(resolve(cwd, path), path)))).flat();
  const unique = [...new Set(folders)];
  const read = await Promise.all(unique.map((folder) => readCase(folder, cwd)));
  const problems = read.flatMap((one) => ('problems' in one ? one.problems : []));
  const cases = read.flatMap((one) => ('problems' in one ? [] : [one]));
  const twice = cases.filter(({ name }, at) => cases.findIndex((one) => one.name === name) !== at);
  problems.push(
    ...twice.map(({ name, folder }) => `${shown(folder, cwd)}: another case is named ${name} too`),
  );
  if (problems.length > 0) throw new TurnwrightError('invalid_option', problems.join('\n'));
  return cases;
}

async function caseFolders(folder: string, given: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((cause: unknown) => {
    throw new TurnwrightError('invalid_option', `${given}: there is no such folder of cases.`, { cause });
  });
  if (entries.some(({ name }) => isCaseFile(name))) return [folder];
  const found: string[] = [];
  for (const entry of entries.filter((one) => one.isDirectory()).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    if ((await readdir(path)).some(isCaseFile)) found.push(path);
  }
  if (found.length === 0)
    throw new TurnwrightError(
      'invalid_option',
      `${given}: neither the folder nor a folder in it has a case.yaml. turnwright case add <session> makes one.`,
    );
  return found;
}

const isCaseFile = (name: string): boolean => NAMES.some((each) => each === name);
const shown = (path: string, cwd: string): string => relative(cwd, path) || '.';

async function readCase(
  folder: string,
  cwd: string,
): Promise<EvalCase | { readonly problems: readonly string[] }> {
  const entries = await readdir(folder);
  const name = NAMES.find((each) => entries.includes(each)) as string;
  const file = shown(join(folder, name), cwd);
  const [{ readCheckedYaml }, { caseSchema }, source] = await Promise.all([
    import('@turnwright/base/yaml/checked-yaml.ts'),
    import('./case-schema.ts'),
    readFile(join(folder, name), 'utf8'),
  ]);
  const read = readCheckedYaml(source, caseSchema, { file, whole: 'case' });
  if (read.kind === 'refused') return read;
  const problems: string[] = [];
  const known = [name, ...TREES, PATCH, ANSWERS, 'README.md'];
  for (const other of entries.filter((each) => !known.includes(each) && !each.startsWith('.')))
    problems.push(
      `${shown(join(folder, other), cwd)}: a case has ${known.slice(1).join(', ')}, and nothing else`,
    );
  const { repository, commit, prompt, options } = read.value;
  if (entries.includes(PATCH) && repository === undefined)
    problems.push(`${shown(join(folder, PATCH), cwd)}: a patch needs repository and commit in ${name}`);
  if (repository !== undefined && (await findGitFolder(resolve(folder, repository), nodeFiles)) === undefined)
    problems.push(
      `${file}:${read.lineAt(['repository'])}: repository: there is no repository at this path from here`,
    );
  if (problems.length > 0) return { problems };
  const at = (part: string) => (entries.includes(part) ? join(folder, part) : undefined);
  const [files, after] = TREES.map(at);
  const [patch, answers] = await Promise.all(
    [PATCH, ANSWERS].map((part) =>
      entries.includes(part) ? readFile(join(folder, part), 'utf8') : undefined,
    ),
  );
  return {
    name: basename(folder),
    folder,
    hash: await hashTree(folder),
    prompts: typeof prompt === 'string' ? [prompt] : prompt,
    state: {
      ...(repository !== undefined &&
        commit !== undefined && { repository: { path: resolve(folder, repository), commit } }),
      ...(patch !== undefined && { patch }),
      ...(files !== undefined && { files }),
      ...(after !== undefined && { after }),
    },
    checks: read.value.checks.map(toCheck),
    options: (options ?? {}) as EvalCase['options'],
    answers,
  };
}

const TREES = ['files', 'after'] as const;
const PATCH = 'patch.diff';
const ANSWERS = 'answers.jsonl';

function toCheck(given: CaseFile['checks'][number]): CaseCheck {
  const { contains, matches, command, file, schema, judge } = given;
  const demand: TextDemand = {
    ...(contains !== undefined && { contains }),
    ...(matches !== undefined && { matches }),
  };
  if (command !== undefined) {
    const { exit = 0, timeoutSeconds } = given;
    return {
      kind: 'command',
      command,
      exit,
      timeoutMs: timeoutSeconds ? timeoutSeconds * 1_000 : COMMAND_MS,
    };
  }
  if (file !== undefined) {
    const { exists, unchanged } = given;
    return {
      kind: 'file',
      file,
      ...demand,
      ...(exists !== undefined && { exists }),
      ...(unchanged && { unchanged }),
    };
  }
  if (schema !== undefined) return { kind: 'schema', schema };
  if (judge !== undefined) return { kind: 'judge', question: judge, model: given.model ?? '' };
  return { kind: 'answer', ...demand };
}

/** Of names and contents, except recorded answers, which change nothing about what a run is judged by. */
async function hashTree(folder: string): Promise<string> {
  const parts: string[] = [];
  const visit = async (within: string): Promise<void> => {
    const entries = await readdir(join(folder, within), { withFileTypes: true });
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = within === '' ? entry.name : `${within}/${entry.name}`;
      if (path === ANSWERS || path === 'README.md') continue;
      if (entry.isDirectory()) await visit(path);
      else if (entry.isFile()) parts.push(path, sha256(await readFile(join(folder, path))));
    }
  };
  await visit('');
  return sha256(JSON.stringify(parts)).slice(0, 16);
}
