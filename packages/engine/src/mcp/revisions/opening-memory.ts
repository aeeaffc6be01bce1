/**
 * Which request servers are met with, within the process and in the configuration home, because finding out
 * costs a request, and some programs their life.
 */
import { join } from 'node:path';
import { parseJson } from '@turnwright/base/bounded-json.ts';
import { sha256 } from '@turnwright/base/ids/hash-and-uuid.ts';
import { isRecord } from '@turnwright/base/json-values.ts';
import type { PersistentFiles } from '@turnwright/base/persistent-files.ts';
import type { ExternalServerConfig } from '../servers/server-config.ts';
import type { Opening } from './revisions.ts';

export interface OpeningMemory {
  /** undefined: not known, or known for too long, for a server may have been updated. */
  recall(config: ExternalServerConfig, nowMs: number): Promise<Learned | undefined>;
  learn(config: ExternalServerConfig, opening: Learned, nowMs: number): void;
}

/** `none`: the program ended in whichever way it was met. */
export type Learned = Opening | 'none';

interface Known {
  readonly opening: Learned;
  /** When it was found out, ms since 1970. */
  readonly sinceMs: number;
}

/** Where it is kept beyond the process. */
export interface MemoryPlace {
  readonly configHome: string;
  readonly files: Pick<PersistentFiles, 'readFile' | 'makeDir' | 'writeAtomic'>;
}

const FILE = 'mcp-openings.json';
const WEEK_MS = 7 * 24 * 60 * 60_000;
const MAX_STORED = 200;

const known = new Map<string, Known>();
/** Homes whose file was read, or is being read. */
const read = new Map<string, Promise<void>>();

/** `place` absent: it lasts as long as the process. */
export function createOpeningMemory(place: MemoryPlace | undefined): OpeningMemory {
  const load = async (): Promise<void> => {
    if (place === undefined) return;
    const reading = read.get(place.configHome) ?? readInto(known, place);
    read.set(place.configHome, reading);
    await reading;
  };
  return {
    async recall(config, nowMs) {
      await load();
      const found = known.get(hashConfig(config));
      return found !== undefined && nowMs - found.sinceMs < WEEK_MS ? found.opening : undefined;
    },
    learn(config, opening, nowMs) {
      const key = hashConfig(config);
      const before = known.get(key);
      if (before?.opening === opening && nowMs - before.sinceMs < WEEK_MS) return;
      known.set(key, { opening, sinceMs: nowMs });
      if (place === undefined) return;
      void write(known, place).catch(() => {
        // It is found out again.
      });
    },
  };
}

/** Headers and environment hold secrets, and do not decide about the protocol. */
function hashConfig(config: ExternalServerConfig): string {
  const which = 'url' in config ? [config.url] : [config.command, ...(config.args ?? [])];
  return sha256(JSON.stringify(which)).slice(0, 32);
}

async function readInto(into: Map<string, Known>, { configHome, files }: MemoryPlace): Promise<void> {
  try {
    const file = join(configHome, FILE);
    const value: unknown = parseJson(new TextDecoder().decode(await files.readFile(file)));
    const servers = isRecord(value) ? value['servers'] : undefined;
    for (const [key, each] of Object.entries(isRecord(servers) ? servers : {})) {
      if (isKnown(each) && !into.has(key)) into.set(key, each);
    }
  } catch {
    // There is none yet.
  }
}

function isKnown(value: unknown): value is Known {
  return (
    isRecord(value) &&
    ['discover', 'initialize', 'none'].includes(String(value['opening'])) &&
    typeof value['sinceMs'] === 'number'
  );
}

async function write(all: ReadonlyMap<string, Known>, { configHome, files }: MemoryPlace): Promise<void> {
  const newest = [...all].sort(([, a], [, b]) => b.sinceMs - a.sinceMs).slice(0, MAX_STORED);
  await files.makeDir(configHome, 0o700);
  await files.writeAtomic(
    join(configHome, FILE),
    `${JSON.stringify({ version: 1, servers: Object.fromEntries(newest) })}\n`,
    {
      mode: 0o600,
    },
  );
}
