/** One simulated world: a disk, an endpoint, time, and the processes that work on one session, one after the other. */
import { QueryEngine } from '@turnwright/engine';
import type { ViewMessage } from '@turnwright/engine/protocol/model/messages.ts';
import type { CallModel } from '@turnwright/engine/protocol/model/model.ts';
import type { LeaseStore } from '@turnwright/engine/protocol/ports.ts';
import type { JournalEntry } from '@turnwright/engine/protocol/session/journal.ts';
import { sequentialIds, type VirtualClock, virtualClock } from '@turnwright/testing';
import { createModelClient } from '../../../packages/engine/src/model/create-model-client.ts';
import { trackGaps } from '../../../packages/engine/src/model/http/endpoint-gaps.ts';
import { createMessagesWire } from '../../../packages/engine/src/model/messages-wire.ts';
import { createFileJournalStore } from '../../../packages/engine/src/session/journal/file-store.ts';
import { readEntries } from '../../../packages/engine/src/session/journal/read-journal.ts';
import { sessionsDirectory } from '../../../packages/engine/src/session/paths.ts';
import { obedientTool } from '../../properties/obedient-tools.ts';
import { Choices } from './choices.ts';
import { drawnOptions, FALLBACK, MODEL } from './drawn-options.ts';
import { type Endpoint, endpointOf } from './endpoint.ts';
import { filesOn, MemoryDisk } from './memory-files.ts';
import { type Network, networkTo } from './network.ts';
import { ProcessClock } from './process-clock.ts';
import { answer, hooks, host, type Mood } from './script.ts';

const HOME = '/home';
const CWD = '/work';

/** A request as the engine makes it, before the model layer. */
export interface Asked {
  readonly source: string;
  readonly agentId: string | undefined;
  /** Of the process that asked, from 0. */
  readonly process: number;
  readonly uuids: readonly string[];
  /** Edits, retractions and rewinds on record at that time. */
  readonly changes: number;
  /** What the process had spent when it asked. */
  readonly spentUsd: number;
}

export class World {
  readonly choices: Choices;
  readonly clock: VirtualClock = virtualClock();
  readonly disk = new MemoryDisk();
  readonly endpoint: Endpoint;
  readonly mood: Mood;
  readonly ids = sequentialIds();
  readonly sessionId: string;
  readonly asked: Asked[] = [];
  /** Runs of a call of a tool that must not run twice, by the id of the call. */
  readonly runs = new Map<string, number>();
  /** Stop hooks and requests of the main agent, in order. */
  readonly stops: ('request' | 'Stop')[] = [];
  readonly processes: Process[] = [];
  readonly violations: string[] = [];
  /** Whether any process has met a fault of the disk. */
  diskStruck = false;
  changes = 0;
  readonly #configured: ReturnType<typeof drawnOptions>;
  #holder: Process | undefined;
  readonly #seed: number;

  constructor(seed: number) {
    this.#seed = seed;
    this.choices = new Choices(seed);
    const { choices } = this;
    this.sessionId = this.ids.uuid();
    this.mood = {
      calls: choices.pick([0.3, 0.6, 0.8]),
      faults: choices.pick([0, 0.1, 0.3]),
      hooks: choices.pick([0, 0, 0.2]),
      isCalm: false,
      overloads: 0,
      silences: 0,
      isAltered: false,
    };
    const window = choices.pick([200_000, 200_000, 60_000, 24_000]);
    this.#configured = drawnOptions(choices, window);
    // Now and then the endpoint takes less than the client believes (F116).
    const real = choices.chance(0.1) ? Math.floor(window * 0.7) : window;
    this.endpoint = endpointOf((request) => answer(request, choices, this.mood), {
      clock: this.clock,
      windows: { [MODEL]: real, [FALLBACK]: real },
    });
  }

  open(how: { readonly resume: boolean; readonly takeOver?: boolean }): Process {
    const process = new Process(this, this.#configured, how, this.#seed);
    this.processes.push(process);
    return process;
  }

  readonly leasesOf = (process: () => Process): LeaseStore => ({
    acquire: async (_sessionId, how) => {
      const own = process();
      if (this.#holder !== undefined && how?.takeOver !== true) throw new Error('The session is in use.');
      this.#holder = own;
      const controller = new AbortController();
      return {
        signal: controller.signal,
        release: async () => {
          if (this.#holder === own) this.#holder = undefined;
        },
      };
    },
  });

  /** The process is gone, and with it its lock. */
  freed(process: Process): void {
    if (this.#holder === process) this.#holder = undefined;
  }

  /** What is on record, as another program would read it. */
  async entries(): Promise<JournalEntry[]> {
    const files = filesOn(this.disk, { fault: () => undefined, nowMs: () => 0, isDead: false });
    const directory = sessionsDirectory(HOME, CWD);
    const store = createFileJournalStore({ files, directory, cwd: CWD, clock: this.clock });
    return (await store.exists(this.sessionId)) ? readEntries(store, this.sessionId) : [];
  }
}

const CHANGE = /"type":"(?:retract|rewind|replacement|snip|collapse|boundary)"/;

/** One process: its engine, and all that it sees of the world. */
export class Process {
  readonly world: World;
  readonly engine: QueryEngine;
  readonly clock: ProcessClock;
  readonly network: Network;
  readonly number: number;
  /** The next changes of the disk fail: how many, with which code, and how much of an append is written. */
  diskFault: { left: number; readonly code: string; readonly part: number } | undefined;
  diskStruck = false;
  /** Calls of tools that run. */
  running = 0;
  /** Messages in memory at the last `/seen`. */
  seen: readonly ViewMessage[] | undefined;

  constructor(
    world: World,
    config: object,
    { resume, takeOver }: { readonly resume: boolean; readonly takeOver?: boolean },
    seed: number,
  ) {
    this.world = world;
    this.number = world.processes.length;
    const clock = new ProcessClock(world.clock);
    this.clock = clock;
    this.network = networkTo(
      (received) => (clock.isDead ? new Promise<never>(() => {}) : world.endpoint.answer(received)),
      clock,
    );
    const wait = async (ms: number, signal: AbortSignal | undefined) => {
      await clock.sleep(ms, signal).catch(() => undefined);
    };
    const hookWorld = {
      choices: world.choices,
      mood: world.mood,
      wait,
      ran: (event: string, agent: string | undefined) => {
        // One that was displaced, and has not written since, does not know it yet.
        const isDisplaced = world.processes.at(-1) !== this;
        if (event === 'Stop' && agent === undefined && !isDisplaced) world.stops.push('Stop');
      },
    };
    const tools = (
      [
        ['Look', true, 'pure'],
        ['Keep', false, 'idempotent'],
        ['Change', false, 'unsafe'],
      ] as const
    ).map(([name, safe, effects]) =>
      obedientTool(
        name,
        { safe, effects },
        { wait, onRun: (tool, context) => this.#runs(tool, context.toolUseId) },
      ),
    );
    this.engine = new QueryEngine({
      cwd: CWD,
      home: HOME,
      tools,
      agents: [{ name: 'general-purpose', description: 'Does work.', prompt: 'Work.', maxTurns: 3 }],
      systemPrompt: ['You are simulated.'],
      callModel: this.#callModel(seed),
      model: MODEL,
      files: filesOn(world.disk, this.#weather()),
      leases: world.leasesOf(() => this),
      clock,
      ids: world.ids,
      random: world.choices.random,
      canUseTool: host(hookWorld),
      hooks: hooks(hookWorld),
      commands: [
        {
          name: 'seen',
          description: 'Takes down the conversation in memory.',
          run: (_args: string, { messages }: { readonly messages: Iterable<ViewMessage> }) => {
            this.seen = [...messages];
            return { messages: [], shouldQuery: false, resultText: 'Seen.' };
          },
        },
      ],
      ...config,
      ...(resume ? { resume: world.sessionId } : { sessionId: world.sessionId }),
      ...(takeOver === true && { takeOver }),
    } as ConstructorParameters<typeof QueryEngine>[0]);
  }

  /** SIGKILL: nothing of it happens any more. */
  kill(): void {
    this.clock.kill();
    this.world.freed(this);
  }

  #runs(tool: string, id: string): () => void {
    const { runs } = this.world;
    if (tool === 'Change') runs.set(id, (runs.get(id) ?? 0) + 1);
    this.running++;
    return () => {
      this.running--;
    };
  }

  #weather() {
    const { world } = this;
    const self = this;
    return {
      nowMs: world.clock.nowMs,
      get isDead() {
        return self.clock.isDead;
      },
      fault: () => {
        const { diskFault } = this;
        if (diskFault === undefined || diskFault.left <= 0) return undefined;
        diskFault.left--;
        this.diskStruck = true;
        world.diskStruck = true;
        return diskFault;
      },
      wrote: (path: string, bytes: Buffer) => {
        if (path.endsWith(`${world.sessionId}.jsonl`) && CHANGE.test(bytes.toString('latin1')))
          world.changes++;
      },
    };
  }

  /** The real model layer, but for its sockets. */
  #callModel(seed: number): CallModel {
    const { world, network, clock } = this;
    const url = `https://${seed}.simulated`;
    const client = createModelClient({
      baseUrl: url,
      apiKey: 'key',
      clock,
      random: world.choices.random,
      looksUpModels: false,
      wire: (ports) =>
        createMessagesWire(
          {
            connections: network,
            gaps: trackGaps(`${url}/${this.number}`, clock),
            path: '/v1/messages',
            userAgent: 'simulated',
            headers: {},
            caching: true,
            cacheTtl: '5m',
            extraBody: undefined,
          },
          ports,
        ),
    });
    return (request, options) => {
      world.asked.push({
        source: request.querySource,
        agentId: request.agentId,
        process: this.number,
        uuids: [...request.view].map(({ uuid }) => uuid),
        changes: world.changes,
        spentUsd: this.engine.controls.usage().session.total_cost_usd,
      });
      if (request.querySource === 'main') world.stops.push('request');
      return client.call(request, options);
    };
  }
}
