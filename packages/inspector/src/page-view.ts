/** What a person has chosen to see; the address holds it, so that a link leads to the same view. */
import type {
  InspectedAgent,
  InspectedCall,
  InspectedIteration,
  IterationMark,
  SessionInspection,
} from '@turnwright/engine';

const SIDES = ['iterations', 'notable', 'agents', 'cost'] as const;
type SideName = (typeof SIDES)[number];
const TABS = ['why', 'sent', 'answer', 'tools', 'attempts', 'permissions', 'raw'] as const;
export type Tab = (typeof TABS)[number];
export type Order = 'time' | 'cost' | 'duration';
/** How the course of the session is drawn. */
const COURSES = ['timeline', 'flame', 'table'] as const;
type CourseName = (typeof COURSES)[number];

export interface PageView {
  readonly session: string;
  /** Key of the selected iteration. */
  readonly selected: string | undefined;
  /** Key of the one that it is compared with. */
  readonly compared: string | undefined;
  readonly tab: Tab;
  readonly side: SideName;
  readonly marks: readonly IterationMark[];
  readonly order: Order;
  readonly course: CourseName;
  /** Part of the time that is shown, in ms of shown time; undefined: all. */
  readonly zoom: readonly [number, number] | undefined;
  /** The last iteration is selected as it comes. */
  readonly follows: boolean;
  /** Long pauses are as long as they were. */
  readonly unfolded: boolean;
}

const oneOf = <T extends string>(all: readonly T[], word: string | null, otherwise: T): T =>
  all.find((each) => each === word) ?? otherwise;

export function readView(hash: string, session: string): PageView {
  const given = new URLSearchParams(hash.replace(/^#/, ''));
  const [from, to] = (given.get('z') ?? '').split('-').map(Number);
  return {
    session: given.get('session') ?? session,
    selected: given.get('i') ?? undefined,
    compared: given.get('with') ?? undefined,
    tab: oneOf(TABS, given.get('tab'), 'why'),
    side: oneOf(SIDES, given.get('side'), 'iterations'),
    marks: (given.get('f') ?? '').split(',').filter((mark) => mark !== '') as IterationMark[],
    order: oneOf(['time', 'cost', 'duration'] as const, given.get('order'), 'time'),
    course: oneOf(COURSES, given.get('course'), 'timeline'),
    zoom: from !== undefined && to !== undefined && to > from ? [from, to] : undefined,
    follows: given.get('l') === '1',
    unfolded: given.get('idle') === '1',
  };
}

export function writeView(view: PageView): string {
  const words: Readonly<Record<string, string | undefined>> = {
    session: view.session,
    i: view.selected,
    with: view.compared,
    tab: view.tab === 'why' ? undefined : view.tab,
    side: view.side === 'iterations' ? undefined : view.side,
    f: view.marks.length === 0 ? undefined : view.marks.join(','),
    order: view.order === 'time' ? undefined : view.order,
    course: view.course === 'timeline' ? undefined : view.course,
    z: view.zoom?.map(Math.round).join('-'),
    l: view.follows ? '1' : undefined,
    idle: view.unfolded ? '1' : undefined,
  };
  const given = Object.entries(words).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value]],
  );
  return `#${new URLSearchParams(given as [string, string][])}`;
}

/** By key, or by the number that people see. */
export const findIteration = (
  data: SessionInspection,
  name: string | undefined,
): InspectedIteration | undefined =>
  name === undefined
    ? undefined
    : (data.iterations.find(({ key }) => key === name) ?? data.iterations.find(({ step }) => step === name));

/** Of marks that are about calls: how many calls; else how many iterations. */
export function countCalls(iterations: readonly InspectedIteration[], mark: IterationMark): number {
  const marked = iterations.filter(({ marks }) => marks.includes(mark));
  const counts = COUNTED[mark];
  return counts === undefined ? marked.length : marked.flatMap(({ calls }) => calls).filter(counts).length;
}

const COUNTED: Partial<Readonly<Record<IterationMark, (call: InspectedCall) => boolean>>> = {
  asked: ({ askedMs }) => askedMs !== undefined,
  denied: ({ outcome }) => outcome === 'denied',
  failed: ({ outcome }) => outcome !== 'ok' && outcome !== 'denied',
};

/** Those that are listed, in order. */
export function listIterations(
  { iterations }: SessionInspection,
  { marks, order }: Pick<PageView, 'marks' | 'order'>,
): readonly InspectedIteration[] {
  const kept =
    marks.length === 0
      ? iterations
      : iterations.filter((each) => marks.some((mark) => each.marks.includes(mark)));
  if (order === 'cost') return [...kept].sort((a, b) => (b.costUsd ?? 0) - (a.costUsd ?? 0));
  if (order === 'duration') return [...kept].sort((a, b) => b.end - b.start - (a.end - a.start));
  return kept;
}

export type ChangeView = (change: Partial<PageView>) => void;

/** What most panels are given. */
export interface PanelProps {
  readonly data: SessionInspection;
  readonly view: PageView;
  readonly change: ChangeView;
  /** Key of the iteration that is shown. */
  readonly selected: string | undefined;
}

/** How many agents are above each, by id. */
export function countDepths(agents: readonly InspectedAgent[]): ReadonlyMap<string, number> {
  const depth = new Map<string, number>();
  for (const { id, parent } of agents) depth.set(id, parent === undefined ? 0 : (depth.get(parent) ?? 0) + 1);
  return depth;
}
