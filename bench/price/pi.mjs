// pi as a runner: its own system prompt, tools and stores. It has no plan mode, lists of tasks or subagents, and its
// servers are an extension, so it does the works that need none of these. Needs Node 22.19.
import * as fs from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

export const PI = '@earendil-works/pi-coding-agent';

/** The works that it can do. */
export const PI_WORKS = ['short', 'turns45', 'turns200', 'effort', 'resumed', 'memory'];

const CALLS = {
  Read: ({ file_path }) => ['read', { path: file_path }],
  Bash: ({ command }) => ['bash', { command }],
};

/** A call of the script, as pi's tools take it. */
export const piCall = ([name, input]) => CALLS[name](input);

/** What has a session with it, from the folder that it is installed in. */
export async function openPi(root) {
  if (!('globSync' in fs)) throw new Error('pi needs Node 22.19 or later');
  const at = createRequire(join(root, 'package.json')).resolve.paths(PI)[0];
  const pi = await import(pathToFileURL(join(at, PI, 'dist', 'index.js')).href);
  return async ({ prompts, options: { cwd, env, model: id, resume } }) => {
    const agentDir = join(env.HOME, '.pi');
    const sessions = join(agentDir, 'sessions');
    fs.mkdirSync(sessions, { recursive: true });
    const modelRuntime = await pi.ModelRuntime.create({
      authPath: join(agentDir, 'auth.json'),
      modelsPath: join(agentDir, 'models.json'),
    });
    await modelRuntime.setRuntimeApiKey('anthropic', env.ANTHROPIC_API_KEY);
    const listed = modelRuntime.getModel('anthropic', id);
    if (listed === undefined) throw new Error(`pi does not know ${id}`);
    const window = Number(env.CLAUDE_CODE_AUTO_COMPACT_WINDOW ?? listed.contextWindow);
    const { session } = await pi.createAgentSession({
      cwd,
      agentDir,
      model: { ...listed, baseUrl: env.ANTHROPIC_BASE_URL, contextWindow: window },
      modelRuntime,
      sessionManager:
        resume === undefined
          ? pi.SessionManager.create(cwd, sessions)
          : pi.SessionManager.open(resume, sessions),
      settingsManager: pi.SettingsManager.inMemory(),
    });
    try {
      const handle = { applyFlagSettings: ({ effortLevel }) => session.setThinkingLevel(effortLevel) };
      for (const { text, before } of prompts) {
        await before?.(handle);
        await session.prompt(text);
      }
      return session.sessionFile;
    } finally {
      session.dispose();
    }
  };
}
