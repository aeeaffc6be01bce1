// The peers that install from npm, at the versions of bench/peers/package-lock.json. Each has a runner under its name.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('./peers/', import.meta.url));

/** Name of the runner → the packages that a user of it installs. */
export const PEERS = {
  'agent-sdk': ['@anthropic-ai/claude-agent-sdk', 'zod'],
  'anthropic-runner': ['@anthropic-ai/sdk'],
  ai: ['ai', '@ai-sdk/anthropic'],
  openai: ['@openai/agents', '@openai/agents-extensions', '@ai-sdk/anthropic', 'ai', 'zod'],
  pi: ['@mariozechner/pi-agent-core', '@mariozechner/pi-ai'],
  mastra: ['@mastra/core', '@ai-sdk/anthropic', 'zod'],
  langgraph: ['langchain', '@langchain/langgraph', '@langchain/anthropic', '@langchain/core'],
};

const manifest = (name) => JSON.parse(readFileSync(`${folder}node_modules/${name}/package.json`, 'utf8'));

/** The versions that are in `bench/peers/package.json`, for an install of one peer alone (W8). */
export const pinned = () => JSON.parse(readFileSync(`${folder}package.json`, 'utf8')).dependencies;

/** Installs what is missing. Tells the versions, and which peers this Node is too old for. */
export function installPeers(names) {
  if (!existsSync(`${folder}node_modules`)) {
    console.error('Installing the peers into bench/peers (about 1 GB).');
    execFileSync('npm', ['ci', '--no-audit', '--no-fund', '--ignore-scripts'], {
      cwd: folder,
      stdio: 'inherit',
    });
  }
  const versions = {};
  const leftOut = {};
  for (const name of names) {
    for (const dependency of PEERS[name]) {
      const { version, engines } = manifest(dependency);
      versions[dependency] = version;
      const least = /^>=\s*(\d+)/.exec(engines?.node ?? '')?.[1];
      if (least !== undefined && Number(least) > Number(process.versions.node.split('.')[0]))
        leftOut[name] = `${dependency} ${version} needs Node ${engines.node}`;
    }
  }
  for (const [name, why] of Object.entries(leftOut)) console.error(`${name} is left out: ${why}.`);
  return { versions, leftOut };
}
