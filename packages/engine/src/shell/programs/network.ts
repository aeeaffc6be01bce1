/** Whether a command uses the network, as far as its words tell. For people; no verdict depends on it. */
import { programOf, type Segment } from '../reading/segment.ts';

const ALWAYS =
  /^(?:curl|wget|aria2c|https?|xh|nc|ncat|netcat|socat|telnet|ftp|lftp|sftp|ssh|mosh|ping|traceroute|dig|host|nslookup|whois|nmap|npx|bunx|uvx|pipx|yt-dlp)$/;

/** Programs some of whose subcommands do. */
const VERBS: Readonly<Record<string, RegExp>> = {
  git: /^(?:clone|fetch|ls-remote|pull|push|send-email)$/,
  npm: /^(?:a|add|audit|ci|i|install|login|outdated|publish|up|update|view)$/,
  pnpm: /^(?:add|audit|dlx|i|install|outdated|publish|up|update)$/,
  yarn: /^(?:add|audit|dlx|install|npm|outdated|publish|up|upgrade)$/,
  bun: /^(?:a|add|i|install|outdated|publish|update|x)$/,
  pip: /^(?:download|index|install)$/,
  pip3: /^(?:download|index|install)$/,
  uv: /^(?:add|lock|pip|sync|tool)$/,
  poetry: /^(?:add|install|lock|publish|update)$/,
  cargo: /^(?:add|fetch|install|publish|search|update)$/,
  go: /^(?:get|install|mod)$/,
  gem: /^(?:install|push|update)$/,
  bundle: /^(?:install|update)$/,
  composer: /^(?:install|require|update)$/,
  brew: /^(?:fetch|install|update|upgrade)$/,
  apt: /^(?:full-upgrade|install|update|upgrade)$/,
  'apt-get': /^(?:dist-upgrade|install|update|upgrade)$/,
  apk: /^(?:add|update|upgrade)$/,
  dnf: /^(?:install|update|upgrade)$/,
  docker: /^(?:build|login|pull|push|run|search)$/,
  podman: /^(?:build|login|pull|push|run|search)$/,
};
/** Clients of services: nearly every subcommand. */
const CLIENTS =
  /^(?:gh|glab|aws|gcloud|az|kubectl|helm|terraform|heroku|vercel|fly|flyctl|netlify|wrangler)$/;
/** Only with a place on another machine. */
const COPIERS = /^(?:rsync|scp)$/;

/** The hosts that a command names; [] if it uses the network and names none; undefined if it does not. */
export function findHosts(segment: Segment): readonly string[] | undefined {
  const program = programOf(segment);
  const words = segment.words.slice(1).map(({ value, text }) => value ?? text);
  const hosts = [...new Set(words.flatMap(hostIn))];
  const verb = words.find((word) => !word.startsWith('-'));
  const verbs = Object.hasOwn(VERBS, program) ? VERBS[program] : undefined;
  const uses =
    ALWAYS.test(program) ||
    CLIENTS.test(program) ||
    (verb !== undefined && verbs?.test(verb) === true) ||
    (COPIERS.test(program) && words.some((word) => /^[^/:]+:/.test(word)));
  if (!uses) return undefined;
  if (hosts.length > 0) return hosts;
  return /^(?:ssh|mosh|ping|telnet|nc|sftp)$/.test(program) && verb !== undefined
    ? [verb.replace(/^[^@]*@/, '')]
    : [];
}

function hostIn(word: string): readonly string[] {
  const address = /^(?:--?\w[\w-]*=)?((?:https?|wss?|ftp|ssh|git):\/\/\S+)$/.exec(word)?.[1];
  if (address !== undefined) return URL.canParse(address) ? [new URL(address).host] : [];
  const remote = /^(?:[\w.-]+@)([\w.-]+):/.exec(word)?.[1];
  return remote === undefined ? [] : [remote];
}
