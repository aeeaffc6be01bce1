/**
 * A small model of who owns a session: one session with one prompt, two workers, what hands out runs, the sweep and the
 * reaper. Each rule of `packages/durable/src` is one step here, and `explore` takes the steps in every order there is.
 */

/** What keeps two runs of a session apart. Each can be switched off, to see what it is for. */
export interface Rules {
  /** A session that runs is begun only by its own worker, or where that is gone (`beginRun`). */
  readonly takesFromNobodyAlive: boolean;
  /** A worker has one run of a session at a time (`worker`). */
  readonly oneRunAWorker: boolean;
  /** A run ends its session only with the epoch that it wrote with (`endRun`). */
  readonly endsByEpoch: boolean;
  /** A run that has lost its lease writes nothing, how it was broken off either (`runSession`). */
  readonly lostWritesNothing: boolean;
  /** Only the session's worker takes it over (`takeOver`). */
  readonly ownerTakesOver: boolean;
}

export const ALL_RULES: Rules = {
  takesFromNobodyAlive: true,
  oneRunAWorker: true,
  endsByEpoch: true,
  lostWritesNothing: true,
  ownerTakesOver: true,
};

type Name = 'a' | 'b';
const NAMES: readonly Name[] = ['a', 'b'];

/** What a worker does with a run. `lost`: its lease is gone, and it has not left yet. */
interface Work {
  readonly run: number;
  at: 'asked' | 'begun' | 'writes' | 'done' | 'lost';
  /** 0: it has not taken the session over. */
  epoch: number;
}

interface Process {
  lives: boolean;
  /** Its row among the workers. */
  isKnown: boolean;
  works: Work[];
}

interface State {
  row: { state: 'queued' | 'running' | 'idle'; run: number; epoch: number; worker: Name | null };
  /** Records of the journal: the true result, and one of a run that was broken off. */
  results: number;
  falseResults: number;
  /** Of each run that was asked for: its place with what hands out runs. */
  orders: ('waits' | 'ended' | Name)[];
  a: Process;
  b: Process;
  /** What may still go wrong. */
  left: { kills: number; silences: number; handOvers: number };
}

export interface Explored {
  readonly states: number;
  readonly steps: number;
  /** How each broken promise came about, shortest first. */
  readonly broken: readonly { readonly what: string; readonly steps: readonly string[] }[];
}

const start = (left: State['left']): State => ({
  row: { state: 'queued', run: 1, epoch: PRESENT, worker: null },
  results: 0,
  falseResults: 0,
  orders: ['waits'],
  a: { lives: true, isKnown: true, works: [] },
  b: { lives: true, isKnown: true, works: [] },
  left,
});

type Step = readonly [name: string, apply: (state: State) => void];

/** Every step that may be next. */
function stepsOf(state: State, rules: Rules): readonly Step[] {
  const steps: Step[] = [];
  const may = (name: string, apply: (state: State) => void) => steps.push([name, apply]);
  const { orders, left } = state;
  for (const [index, order] of orders.entries()) {
    if (order === 'waits')
      for (const name of NAMES)
        if (state[name].lives && state[name].works.length < MOST_WORKS)
          may(`${name} is given run ${index + 1}`, (next) => {
            next.orders[index] = name;
            next[name].works.push({ run: index + 1, at: 'asked', epoch: 0 });
          });
    if (order !== 'waits' && order !== 'ended' && left.handOvers > 0)
      may(`run ${index + 1} is handed over`, (next) => {
        next.orders[index] = 'waits';
        next.left.handOvers -= 1;
      });
  }
  for (const name of NAMES) {
    const process = state[name];
    if (!process.lives) {
      if (process.isKnown) may(`${name} is removed`, (next) => remove(next, name));
      else handOverStep(state, name, may);
      continue;
    }
    for (const [index] of process.works.entries())
      if (index === 0 || !rules.oneRunAWorker) workSteps(state, name, index, rules, may);
    if (process.isKnown && left.silences > 0)
      may(`${name} is silent, and removed`, (next) => {
        next.left.silences -= 1;
        remove(next, name);
      });
    if (!process.isKnown) {
      handOverStep(state, name, may);
      may(`${name} notices, and is back`, (next) => {
        for (const work of next[name].works) if (work.at !== 'asked') work.at = 'lost';
        next[name].isKnown = true;
      });
    }
    if (left.kills > 0)
      may(`${name} is killed`, (next) => {
        next[name] = { lives: false, isKnown: process.isKnown, works: [] };
        next.left.kills -= 1;
      });
    if (process.isKnown) sweepStep(state, name, may);
  }
  return steps;
}

type May = (name: string, apply: (state: State) => void) => unknown;

/** From then on its sessions are nobody's. */
function remove(next: State, name: Name): void {
  next[name].isKnown = false;
  if (next.row.state === 'running' && next.row.worker === name) next.row.worker = null;
}

/** Behind the removal, and perhaps never: who removed it may die. */
function handOverStep(state: State, name: Name, may: May): void {
  if (state.orders.includes(name))
    may(`the runs of ${name} are handed over`, (next) => {
      next.orders = next.orders.map((order) => (order === name ? 'waits' : order));
    });
}

function workSteps(state: State, name: Name, index: number, rules: Rules, may: May): void {
  const { row } = state;
  const work = state[name].works[index] as Work;
  const of = (next: State) => next[name].works[index] as Work;
  const leave = (next: State) => {
    next[name].works.splice(index, 1);
    // The end of a run that was handed over is not that of the next owner.
    if (next.orders[work.run - 1] === name) next.orders[work.run - 1] = 'ended';
  };
  const owner = row.worker;
  switch (work.at) {
    case 'asked': {
      const isFree = owner === null || owner === name || !state[owner].isKnown || !rules.takesFromNobodyAlive;
      const begins = row.run === work.run && (row.state === 'queued' || (row.state === 'running' && isFree));
      if (!begins) may(`${name} finds nothing to begin`, leave);
      else
        may(`${name} begins run ${work.run}`, (next) => {
          next.row.state = 'running';
          next.row.worker = name;
          of(next).at = 'begun';
        });
      return;
    }
    case 'begun':
      // A later run of this process ends what is left of an earlier one, before it raises the epoch.
      for (const [other, { at }] of state[name].works.entries())
        if (other !== index && at === 'writes')
          may(`${name} ends what is left of run ${work.run}`, (next) => {
            (next[name].works[other] as Work).at = 'lost';
          });
      may(`${name} takes the session over`, (next) => {
        if (rules.ownerTakesOver && next.row.worker !== name) return leave(next);
        next.row.epoch += 1;
        of(next).epoch = next.row.epoch;
        of(next).at = next.results > 0 ? 'done' : 'writes';
      });
      return;
    case 'writes':
      may(`${name} records the result`, (next) => {
        if (next.row.epoch !== work.epoch) return leave(next);
        next.results += 1;
        of(next).at = 'done';
      });
      return;
    case 'lost':
      may(`${name} is broken off`, (next) => {
        const mayWrite = !rules.lostWritesNothing && next.row.epoch === work.epoch && work.epoch > 0;
        if (mayWrite) next.falseResults += 1;
        if (!rules.lostWritesNothing && !rules.endsByEpoch) end(next, name, work, rules);
        leave(next);
      });
      return;
    case 'done':
      may(`${name} ends run ${work.run}`, (next) => {
        end(next, name, work, rules);
        leave(next);
      });
  }
}

function end(next: State, name: Name, work: Work, rules: Rules): void {
  const { row } = next;
  const isOwn = row.state === 'running' && row.run === work.run && row.worker === name;
  if (!isOwn || (rules.endsByEpoch && row.epoch !== work.epoch)) return;
  next.row = { ...row, state: 'idle', worker: null };
}

function sweepStep(state: State, name: Name, may: May): void {
  const { row, orders } = state;
  if (row.state === 'idle') return;
  const order = orders[row.run - 1] ?? 'ended';
  const isNobodys =
    row.state === 'running' &&
    (row.worker === null ||
      !state[row.worker].isKnown ||
      (row.worker === name && state[name].works.length === 0));
  if (row.state === 'running' && !isNobodys) return;
  if (order === 'waits') return;
  // It waits with a worker that lives: after some time it is handed over too. A run that began meanwhile is left alone.
  may(`${name} sweeps`, (next) => {
    if (isNobodys) next.row.worker = null;
    if (order !== 'ended') {
      next.orders[row.run - 1] = 'waits';
      return;
    }
    next.row = { ...next.row, state: 'queued', run: row.run + 1, worker: null };
    next.orders.push('waits');
  });
}

/** What must hold in every state. `isCalm`: nothing but hand-overs goes wrong. */
function wrongWith({ row, results, falseResults, a, b }: State, isCalm: boolean): string | undefined {
  if (falseResults > 0) return 'a result of a run that was broken off';
  if (results > 1) return 'two results';
  if (row.state === 'idle' && results === 0) return 'idle without a result';
  const isTaken = ({ at, epoch }: Work) => at === 'lost' || (at === 'writes' && epoch === PAST);
  if (isCalm && [...a.works, ...b.works].some(isTaken)) return 'a run was taken from a worker that lives';
  return undefined;
}

/** Runs that may be asked for: a model without a bound would go on for ever. A second one is never needed here. */
const MOST_RUNS = 2;
/** Of one session in one worker. */
const MOST_WORKS = 2;

/** Of an epoch it matters only whether it is the session's: so there are finitely many states. */
function withShortEpochs(state: State): State {
  const { row } = state;
  for (const name of NAMES)
    for (const work of state[name].works)
      if (work.epoch > 0) work.epoch = work.epoch === row.epoch ? PRESENT : PAST;
  row.epoch = PRESENT;
  return state;
}

const [PAST, PRESENT] = [1, 2];

/** Takes every step in every state that can be reached. A state that cannot become idle any more is broken, too. */
export function explore(rules: Rules, left: State['left']): Explored {
  const numbers = new Map<string, number>();
  const found: { readonly text: string; readonly from: number; readonly by: string }[] = [];
  /** For each state, those that a step leads from to it. */
  const before: number[][] = [];
  const add = (state: State, from: number, by: string): number => {
    const text = JSON.stringify(withShortEpochs(state));
    const known = numbers.get(text);
    if (known !== undefined) return known;
    numbers.set(text, found.length);
    before.push([]);
    return found.push({ text, from, by }) - 1;
  };
  const pathTo = (to: number) => {
    const path: string[] = [];
    for (let at = to; at >= 0; at = found[at]?.from ?? -1) path.unshift(found[at]?.by ?? '');
    return path;
  };
  const isCalm = left.kills + left.silences === 0;
  const broken: { what: string; steps: string[] }[] = [];
  const good: number[] = [];
  let steps = 0;
  add(start(left), -1, 'a prompt is sent');
  for (let at = 0; at < found.length; at++) {
    const { text } = found[at] as { readonly text: string };
    const state = JSON.parse(text) as State;
    const wrong = wrongWith(state, isCalm);
    if (wrong !== undefined) {
      broken.push({ what: wrong, steps: pathTo(at) });
      good.push(at);
      continue;
    }
    const isOver = state.orders.length > MOST_RUNS || NAMES.every((name) => !state[name].lives);
    if (isOver || state.row.state === 'idle') good.push(at);
    if (isOver) continue;
    for (const [by, apply] of stepsOf(state, rules)) {
      const next = JSON.parse(text) as State;
      apply(next);
      steps += 1;
      before[add(next, at, by)]?.push(at);
    }
  }
  const reaching = new Set(good);
  for (const at of reaching) for (const earlier of before[at] ?? []) reaching.add(earlier);
  const stuck = found.findIndex((_, at) => !reaching.has(at));
  if (stuck >= 0) broken.push({ what: 'never idle again', steps: pathTo(stuck) });
  return { states: found.length, steps, broken };
}
