// Events in the order of their times; events of the same time in the order in which they were added.

export class EventQueue {
  nowMs = 0;
  #heap = [];
  #added = 0;

  /** Calls back `delayMs` from now. */
  after(delayMs, callback) {
    const event = { atMs: this.nowMs + delayMs, n: this.#added++, callback };
    this.#heap.push(event);
    this.#rise(this.#heap.length - 1);
  }

  /** Runs events up to this time; the clock then stands there. */
  runUntil(endMs) {
    while (this.#heap.length > 0 && this.#heap[0].atMs <= endMs) {
      const { atMs, callback } = this.#take();
      this.nowMs = atMs;
      callback();
    }
    this.nowMs = endMs;
  }

  #take() {
    const first = this.#heap[0];
    const last = this.#heap.pop();
    if (this.#heap.length > 0) {
      this.#heap[0] = last;
      this.#sink(0);
    }
    return first;
  }

  #isBefore(a, b) {
    const [one, other] = [this.#heap[a], this.#heap[b]];
    return one.atMs < other.atMs || (one.atMs === other.atMs && one.n < other.n);
  }

  #swap(a, b) {
    [this.#heap[a], this.#heap[b]] = [this.#heap[b], this.#heap[a]];
  }

  #rise(at) {
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!this.#isBefore(at, parent)) return;
      this.#swap(at, parent);
      at = parent;
    }
  }

  #sink(at) {
    while (true) {
      const left = 2 * at + 1;
      let least = at;
      for (const child of [left, left + 1])
        if (child < this.#heap.length && this.#isBefore(child, least)) least = child;
      if (least === at) return;
      this.#swap(at, least);
      at = least;
    }
  }
}

/** Servers with one queue, first come, first served: cores of a machine, or a lock (one server). */
export class Station {
  busyMs = 0;
  served = 0;
  #queue;
  #free;
  #waiting = [];
  #head = 0;

  constructor(queue, servers) {
    this.#queue = queue;
    this.servers = servers;
    this.#free = servers;
  }

  /** Jobs that wait for a server. */
  get waiting() {
    return this.#waiting.length - this.#head;
  }

  /** Occupies one server for `serviceMs`, as soon as one is free; then calls back. */
  serve(serviceMs, done) {
    if (this.#free === 0) {
      this.#waiting.push([serviceMs, done]);
      return;
    }
    this.#free--;
    this.#start(serviceMs, done);
  }

  #start(serviceMs, done) {
    this.#queue.after(serviceMs, () => {
      this.busyMs += serviceMs;
      this.served++;
      const next = this.#next();
      if (next === undefined) this.#free++;
      else this.#start(...next);
      done();
    });
  }

  #next() {
    if (this.waiting === 0) return undefined;
    const next = this.#waiting[this.#head++];
    if (this.#head > 1_000 && this.#head * 2 > this.#waiting.length) {
      this.#waiting = this.#waiting.slice(this.#head);
      this.#head = 0;
    }
    return next;
  }

  /** Share of its servers' time that was used, 0 to 1. */
  usedOf(elapsedMs) {
    return this.busyMs / (elapsedMs * this.servers);
  }
}
