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
  'pi-1': ['@earendil-works/pi-agent-core', '@earendil-works/pi-ai'],
  mastra: ['@mastra/core', '@ai-sdk/anthropic', 'zod'],
  langgraph: ['langchain', '@langchain/langgraph', '@langchain/anthropic', '@langchain/core'],
  cline: ['@cline/sdk'],
  opencode: ['opencode-ai', '@opencode-ai/sdk'],
};

const manifest = (name) => JSON.parse(readFileSync(`${folder}node_modules/${name}/package.json`, 'utf8'));

/** What a user of a peer imports; undefined where that is not the engine: beside a program, it is its client. */
export function importsOf(peer) {
  const isProgram = (name) => {
    const { main, exports } = manifest(name);
    return main === undefined && exports === undefined;
  };
  return PEERS[peer].some(isProgram) ? undefined : PEERS[peer].filter((name) => name !== 'zod');
}

/** The versions that are in `bench/peers/package.json`, for an install of one peer alone (W8). */
export const pinned = () => JSON.parse(readFileSync(`${folder}package.json`, 'utf8')).dependencies;

function isInstalled(name) {
  const { [name]: version } = pinned();
  return existsSync(`${folder}node_modules/${name}/package.json`) && manifest(name).version === version;
}

/** Installs what is missing. Tells the versions, and which peers this Node is too old for. */
export function installPeers(names) {
  if (!names.every((name) => PEERS[name].every(isInstalled))) {
    console.error('Installing the peers into bench/peers (about 1.5 GB).');
    execFileSync('npm', ['ci', '--no-audit', '--no-fund', '--ignore-scripts'], {
      cwd: folder,
      stdio: 'inherit',
    });
    // The one script that makes something: it links the program for this machine.
    execFileSync(process.execPath, ['postinstall.mjs'], {
      cwd: `${folder}node_modules/opencode-ai`,
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
