/** Changed rules over the calls of kept sessions, agents included. */

import { join, resolve } from 'node:path';
import { systemClock } from '@turnwright/base/clock.ts';
import { nodeFiles } from '@turnwright/base/files/node-files.ts';
import type { PersistentFiles } from '@turnwright/base/persistent-files.ts';
import type { BaseOptions } from '../../options/options.ts';
import type { JournalEntry } from '../../protocol/session/journal.ts';
import type { PolicyInForce, RecordedRules } from '../../protocol/session/policy-in-force.ts';
import type { PolicyChange, PolicyTrial } from '../../protocol/session/policy-trial.ts';
import type { PermissionBehavior } from '../../protocol/tools/permission.ts';
import { createFileTranscripts } from '../../session/catalog/file-transcripts.ts';
import { type JournalProblem, readJournal } from '../../session/journal/read-journal.ts';
import { configHome } from '../../settings/read/config-home.ts';
import type { Resolution } from '../../settings/resolve/resolution.ts';
import { resolveConfig } from '../../settings/resolve/resolve-config.ts';
import { checkedChange } from '../../trial/changed-policy.ts';
import type { RecordedCall } from '../../trial/recorded-call.ts';
import { readCalls } from '../../trial/recorded-calls.ts';
import { tryCalls } from '../../trial/try-calls.ts';
import { placeOfCommand } from '../sandbox/open-sandbox.ts';
import { foundSession, type SessionPlace } from './inspect-session.ts';

export interface TrialRequest {
  /** Ids; default the newest of the folder. */
  readonly sessions?: readonly string[] | undefined;
  /** Sessions of all folders. Default false. */
  readonly allProjects?: boolean | undefined;
  /** Default 100. */
  readonly limit?: number | undefined;
  /** A settings file, its text, or an object: its rules, mode, folders and sandbox are part of the change. */
  readonly settings?: BaseOptions['settings'];
  /** Default true. */
  readonly smallest?: boolean | undefined;
}

/** Newest sessions that are read where none is named. */
const MOST_SESSIONS = 100;

export async function tryPolicyAt(
  given: PolicyChange,
  request: TrialRequest,
  place: SessionPlace,
): Promise<PolicyTrial> {
  const notes: string[] = [];
  const change = checkedChange(await withSettings(given, request.settings, place, notes));
  const { files, ids, isCut } = await findSessions(request, place);
  if (isCut) notes.push(`The newest ${ids.length} sessions were read; there are more (--limit).`);
  const calls: RecordedCall[] = [];
  let unjudged = 0;
  let withoutInput = 0;
  for (const id of ids)
    for await (const { entries, agentId } of readJournals(id, place, notes)) {
      const read = readCalls(entries, agentId);
      for (const call of read.calls) calls.push(call);
      unjudged += read.unjudged;
      withoutInput += read.withoutInput;
    }
  if (unjudged > 0)
    notes.push(`Without a verdict, because malformed or cut off: ${unjudged} of the recorded calls.`);
  if (withoutInput > 0)
    notes.push(
      `Left out, because a hook wrote an input that is too long to be kept: ${withoutInput} of the calls.`,
    );
  const bases = new Map<string, Promise<PolicyInForce>>();
  const report = await tryCalls(calls, {
    files,
    placeOf: placeOfCommand,
    change,
    smallest: request.smallest !== false,
    basisFor({ root }) {
      const basis = bases.get(root) ?? policyOfNow(root, place, files);
      bases.set(root, basis);
      return basis;
    },
  });
  return { sessions: ids.length, ...report, notes: [...notes, ...report.notes] };
}

async function findSessions(
  { sessions, allProjects = false, limit = MOST_SESSIONS }: TrialRequest,
  place: SessionPlace,
): Promise<{ readonly files: PersistentFiles; readonly ids: readonly string[]; readonly isCut: boolean }> {
  const { cwd, env, files = nodeFiles } = place;
  if (sessions !== undefined && sessions.length > 0)
    return { files, ids: [...new Set(sessions)], isCut: false };
  const home = configHome(env, cwd);
  if (home === undefined) return { files, ids: [], isCut: false };
  const transcripts = createFileTranscripts({
    files,
    home,
    cwds: allProjects ? undefined : [cwd],
    clock: systemClock,
  });
  const listed = await transcripts.list({ limit: limit + 1 });
  return {
    files,
    ids: listed.slice(0, limit).map(({ sessionId }) => sessionId),
    isCut: listed.length > limit,
  };
}

async function* readJournals(
  sessionId: string,
  place: SessionPlace,
  notes: string[],
): AsyncGenerator<{ readonly entries: readonly JournalEntry[]; readonly agentId: string | undefined }> {
  const { files, found } = await foundSession(sessionId, place);
  const folder = join(found.directory, found.sessionId, 'subagents');
  const hasAgents = (await files.stat(folder))?.kind === 'directory';
  const agents = hasAgents
    ? (await files.readDir(folder)).filter((name) => name.endsWith('.jsonl')).sort()
    : [];
  for (const file of [found.file, ...agents.map((name) => join(folder, name))]) {
    const problems: JournalProblem[] = [];
    const entries: JournalEntry[] = [];
    for await (const entry of readJournal(files, file, { onProblem: (problem) => problems.push(problem) }))
      entries.push(entry);
    if (problems.length > 0) notes.push(`${file} has ${problems.length} damaged lines.`);
    const agentId =
      file === found.file ? undefined : /([^/\\]+)\.jsonl$/.exec(file)?.[1]?.replace(/^agent-/, '');
    yield { entries, agentId };
  }
}

/** With what a settings file changes. Throws `invalid_settings` for one that cannot be read. */
async function withSettings(
  change: PolicyChange,
  settings: TrialRequest['settings'],
  { cwd, env, files }: SessionPlace,
  notes: string[],
): Promise<PolicyChange> {
  if (settings === undefined) return change;
  const { config, layers, sandbox, warnings } = await resolveConfig({
    options: { settings, settingSources: [], allowDangerouslySkipPermissions: true },
    env,
    cwd,
    files: files ?? nodeFiles,
  });
  notes.push(...warnings);
  const own = config.permissionRules?.flagSettings ?? {};
  const said = layers.filter(({ source }) => source === 'flag').map((layer) => layer.settings);
  const isolates = said.some(({ sandbox: asked }) => asked?.enabled !== undefined);
  const join = (behavior: PermissionBehavior) => [...(own[behavior] ?? []), ...(change[behavior] ?? [])];
  return {
    ...change,
    allow: join('allow'),
    ask: join('ask'),
    deny: join('deny'),
    mode:
      change.mode ??
      (said.some(({ permissions }) => permissions?.defaultMode !== undefined)
        ? config.permissionMode
        : undefined),
    directories: [
      ...(config.additionalDirectories ?? []).filter(
        (path) => config.directorySources?.[path] === 'flagSettings',
      ),
      ...(change.directories ?? []),
    ],
    sandbox:
      change.sandbox ??
      (isolates ? (sandbox === undefined ? 'off' : sandbox.autoAllow ? 'auto-allow' : 'on') : undefined),
  };
}

/** What decides in a folder now: it takes the place of a policy that was not recorded. */
async function policyOfNow(
  root: string,
  { env }: SessionPlace,
  files: PersistentFiles,
): Promise<PolicyInForce> {
  const resolved = await resolveConfig({
    options: { settingSources: ['user', 'project', 'local'], allowDangerouslySkipPermissions: true },
    env,
    cwd: root,
    files,
  }).catch(() => undefined);
  return toPolicy(resolved, root, env);
}

function toPolicy(resolved: Resolution | undefined, root: string, env: SessionPlace['env']): PolicyInForce {
  const { config, homeDirectory, sandbox } = resolved ?? {};
  const rules = (behavior: PermissionBehavior): RecordedRules =>
    Object.entries(config?.permissionRules ?? {}).flatMap(([source, texts]): RecordedRules => {
      const listed = texts?.[behavior] ?? [];
      return listed.length === 0 ? [] : [[source as RecordedRules[number][0], ...listed]];
    });
  const path = env['PATH'];
  return {
    mode: config?.permissionMode ?? 'default',
    agentMode: null,
    allow: rules('allow'),
    ask: rules('ask'),
    deny: rules('deny'),
    directories: (config?.additionalDirectories ?? []).map((each) => [
      resolve(root, each),
      config?.directorySources?.[each] ?? 'cliArg',
    ]),
    locks: config?.permissionLocks ?? {},
    place: {
      root,
      ...(homeDirectory !== undefined && { home: homeDirectory }),
      ...(path !== undefined && { searchPath: path }),
      additionalDirectories: [],
      readable: [],
      protected: [],
    },
    sandbox:
      sandbox === undefined
        ? null
        : {
            autoAllow: sandbox.autoAllow && !sandbox.files.disabled,
            mayLeave: sandbox.mayLeave,
            excludedCommands: sandbox.excludedCommands,
          },
  };
}
