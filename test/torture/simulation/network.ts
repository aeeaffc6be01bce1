/** Connections to an endpoint in memory: what it answers arrives on the clock of the simulation. */
import { EventEmitter } from 'node:events';
import type { ClientRequest } from 'node:http';
import type { Connections, HttpRequest } from '@turnwright/base/http/connections.ts';
import type { Clock } from '@turnwright/engine/protocol/ports.ts';

export interface Received {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** What arrives, and how long after the step before. */
export type Delivery = { readonly afterMs: number } & (
  | { readonly kind: 'head'; readonly status: number; readonly headers: Readonly<Record<string, string>> }
  | { readonly kind: 'bytes'; readonly bytes: Buffer }
  | { readonly kind: 'end' }
  | { readonly kind: 'reset' }
);

export interface Network extends Connections {
  /** Requests that are neither answered to their end nor given up. */
  readonly open: number;
}

type Answering = (request: Received) => Promise<readonly Delivery[]>;

export function networkTo(answer: Answering, clock: Clock): Network {
  const open = new Set<SimulatedRequest>();
  return {
    proxied: false,
    get open() {
      return open.size;
    },
    request(wanted) {
      const request = new SimulatedRequest(wanted, answer, clock, () => open.delete(request));
      open.add(request);
      return request as unknown as ClientRequest;
    },
    dropIdle() {},
    close() {},
  };
}

class SimulatedRequest extends EventEmitter {
  readonly #wanted: HttpRequest;
  readonly #answer: Answering;
  readonly #clock: Clock;
  readonly #onOver: () => void;
  readonly #body: string[] = [];
  #response: SimulatedResponse | undefined;
  #cancel = () => {};
  #isOver = false;

  constructor(wanted: HttpRequest, answer: Answering, clock: Clock, onOver: () => void) {
    super();
    this.#wanted = wanted;
    this.#answer = answer;
    this.#clock = clock;
    this.#onOver = onOver;
  }

  cork(): void {}
  uncork(): void {}

  write(chunk: Buffer | string): void {
    this.#body.push(chunk.toString());
  }

  end(chunk?: Buffer | string): void {
    if (chunk !== undefined) this.write(chunk);
    queueMicrotask(() => {
      if (this.#isOver) return;
      this.emit('socket', { connecting: false });
      const { path, headers } = this.#wanted;
      const named = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]);
      const received = { path, headers: Object.fromEntries(named), text: this.#body.join('') };
      void this.#answer(received).then((deliveries) => this.#deliver(deliveries, 0));
    });
  }

  destroy(): void {
    this.#over();
  }

  #over(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#cancel();
    this.#onOver();
  }

  #deliver(deliveries: readonly Delivery[], at: number): void {
    const next = deliveries[at];
    if (next === undefined) return; // silence
    const arrive = () => {
      if (this.#isOver) return;
      this.#arrived(next);
      this.#deliver(deliveries, at + 1);
    };
    if (next.afterMs === 0) queueMicrotask(arrive);
    else this.#cancel = this.#clock.timer(next.afterMs, arrive);
  }

  #arrived(step: Delivery): void {
    switch (step.kind) {
      case 'head':
        this.#response = new SimulatedResponse(step.status, step.headers);
        this.emit('response', this.#response);
        return;
      case 'bytes':
        this.#response?.arrived(step.bytes);
        return;
      case 'end':
        this.#over();
        this.#response?.ended();
        return;
      case 'reset': {
        this.#over();
        const error = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
        if (this.#response === undefined) this.emit('error', error);
        else {
          this.#response.emit('error', error);
          this.#response.emit('close');
        }
      }
    }
  }
}

class SimulatedResponse extends EventEmitter {
  readonly statusCode: number;
  readonly rawHeaders: readonly string[];
  headers: unknown;
  #paused = false;
  #held: Buffer[] = [];
  #hasEnded = false;

  constructor(status: number, headers: Readonly<Record<string, string>>) {
    super();
    this.statusCode = status;
    this.rawHeaders = Object.entries(headers).flat();
    this.headers = headers;
  }

  pause(): void {
    this.#paused = true;
  }

  isPaused(): boolean {
    return this.#paused;
  }

  resume(): void {
    this.#paused = false;
    const held = this.#held;
    this.#held = [];
    for (const bytes of held) this.emit('data', bytes);
    if (this.#hasEnded) this.ended();
  }

  arrived(bytes: Buffer): void {
    if (this.#paused) this.#held.push(bytes);
    else this.emit('data', bytes);
  }

  ended(): void {
    this.#hasEnded = true;
    if (this.#paused) return;
    this.emit('end');
    this.emit('close');
  }
}
