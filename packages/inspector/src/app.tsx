/** The whole page: what is chosen, the keys, and the panels. */
import type { SessionInspection } from '@turnwright/engine';
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { PageSource } from './data/page-source.ts';
import { extendRunning } from './moving.ts';
import type { ChangeView } from './page-view.ts';
import { findIteration, listIterations, type PageView, readView, writeView } from './page-view.ts';
import { CoursePanel } from './panels/course.tsx';
import { Detail } from './panels/detail.tsx';
import { Head } from './panels/head.tsx';
import { Help } from './panels/help.tsx';
import { Search } from './panels/search.tsx';
import { SidePanel } from './panels/side.tsx';
import { TopBar } from './panels/top-bar.tsx';

interface AppProps {
  readonly source: PageSource;
  readonly session: string;
}

/** Pause before the address is changed. */
const ADDRESS_MS = 150;

export function App({ source, session }: AppProps) {
  const [view, setView] = useState<PageView>(() => readView(location.hash, session));
  const [received, setData] = useState<SessionInspection>();
  const data = useMoving(received);
  const [link, setLink] = useState<{ readonly isConnected: boolean; readonly why?: string | undefined }>();
  const [overlay, setOverlay] = useState<'help' | 'search'>();
  const change: ChangeView = useCallback((next) => {
    setView((before) => ({ ...before, ...next }));
    showChanged(next);
  }, []);

  useEffect(() => {
    setData(undefined);
    return source.follow(view.session, setData, (isConnected, why) => setLink({ isConnected, why }));
  }, [source, view.session]);

  useEffect(() => {
    // Browsers refuse addresses that change too often, as they do while a timeline is zoomed.
    const timer = setTimeout(() => history.replaceState(null, '', writeView(view)), ADDRESS_MS);
    return () => clearTimeout(timer);
  }, [view]);
  useEffect(() => {
    const read = () => setView(readView(location.hash, session));
    addEventListener('hashchange', read);
    return () => removeEventListener('hashchange', read);
  }, [session]);

  const selected = useMemo(() => {
    if (data === undefined) return undefined;
    return (
      (view.follows ? data.iterations.at(-1) : findIteration(data, view.selected)) ?? data.iterations.at(-1)
    );
  }, [data, view.selected, view.follows]);
  useKeys({ data, view, selected: selected?.key, change, overlay, setOverlay });
  useEffect(() => {
    document.title =
      data === undefined ? 'Turnwright inspector' : `${data.title || data.sessionId} – inspector`;
  }, [data?.title, data?.sessionId]);

  // Zoom and course change none of these: they are not made again while the timeline moves.
  const quiet = [data, view.session, view.side, view.marks, view.order, view.tab, view.compared, selected];
  const summary = useMemo(() => data && <Head {...{ data, change }} />, [data]);
  const columns = useMemo(
    () =>
      data && (
        <div class="columns">
          <SidePanel {...{ data, view, change }} selected={selected?.key} />
          {selected === undefined ? (
            <section class="card detail">
              <p class="quiet">No iteration yet.</p>
            </section>
          ) : (
            <Detail {...{ source, data, view, change }} iteration={selected} />
          )}
        </div>
      ),
    quiet,
  );

  if (data === undefined)
    return (
      <p class="waiting">
        {link?.why ??
          (link?.isConnected === false ? 'The server is away: it is tried again.' : 'Reading the session …')}
      </p>
    );
  return (
    <div class="page">
      <TopBar
        {...{ source, data, view, change }}
        isConnected={source.isFile || link?.isConnected !== false}
        onSearch={() => setOverlay('search')}
        onHelp={() => setOverlay('help')}
      />
      <main>
        {summary}
        <CoursePanel {...{ data, view, change }} selected={selected?.key} />
        {columns}
      </main>
      {overlay === 'help' && <Help onClose={() => setOverlay(undefined)} />}
      {overlay === 'search' && (
        <Search {...{ source, change }} session={view.session} onClose={() => setOverlay(undefined)} />
      )}
    </div>
  );
}

/** What was asked for may be below the fold: the list or the detail is brought into sight. */
function showChanged(next: Partial<PageView>): void {
  const isDetail = 'selected' in next || 'tab' in next;
  if (!isDetail && !('side' in next || 'marks' in next || 'order' in next)) return;
  requestAnimationFrame(() =>
    document.querySelector(isDetail ? '.detail' : '.side')?.scrollIntoView({ block: 'nearest' }),
  );
}

const MOVE_MS = 1000;

/** Of a running session: what is open lasts until now. */
function useMoving(data: SessionInspection | undefined): SessionInspection | undefined {
  const [now, setNow] = useState(Date.now);
  const isRunning = data?.state === 'running';
  useEffect(() => {
    if (!isRunning) return undefined;
    const timer = setInterval(() => setNow(Date.now()), MOVE_MS);
    return () => clearInterval(timer);
  }, [isRunning]);
  return useMemo(
    () => (data === undefined || !isRunning ? data : extendRunning(data, now)),
    [data, isRunning, now],
  );
}

interface Keyed {
  readonly data: SessionInspection | undefined;
  readonly view: PageView;
  readonly selected: string | undefined;
  readonly change: ChangeView;
  readonly overlay: 'help' | 'search' | undefined;
  readonly setOverlay: (overlay: 'help' | 'search' | undefined) => void;
}

/** Keys for the whole page; none where something is typed. */
function useKeys(keyed: Keyed): void {
  const now = useRef(keyed);
  now.current = keyed;
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const { target } = event;
      const isTyping = target instanceof HTMLElement && target.matches('input, select, textarea');
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === 'Escape') now.current.setOverlay(undefined);
      if (isTyping || now.current.overlay !== undefined) return;
      if (act(event.key, now.current)) event.preventDefault();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
}

/** Whether the key means something. */
function act(key: string, { data, view, selected, change, setOverlay }: Keyed): boolean {
  if (data === undefined) return false;
  const step = (by: number) => {
    const rows = listIterations(data, view);
    const at = rows.findIndex((row) => row.key === selected);
    const next = rows[at < 0 ? rows.length - 1 : Math.min(rows.length - 1, Math.max(0, at + by))];
    if (next !== undefined) change({ selected: next.key, follows: false });
  };
  switch (key) {
    case 'ArrowUp':
    case 'ArrowDown':
    case 'Home':
    case 'End':
      // Elsewhere these keys scroll.
      if (document.activeElement?.closest('.rows') === null || document.activeElement === null) return false;
      step({ ArrowUp: -1, ArrowDown: 1, Home: Number.NEGATIVE_INFINITY, End: Number.POSITIVE_INFINITY }[key]);
      return true;
    case 'ArrowLeft':
      step(-1);
      return true;
    case 'ArrowRight':
      step(1);
      return true;
    case 'Enter':
      if (
        document.activeElement !== document.body &&
        document.activeElement?.closest('canvas, .rows') === null
      )
        return false;
      document.querySelector<HTMLElement>('.detail [role="tab"][aria-selected="true"]')?.focus();
      return true;
    case '/':
      setOverlay('search');
      return true;
    case '?':
      setOverlay('help');
      return true;
    case 'f':
      change({
        side: 'iterations',
        marks: view.marks.length > 0 ? [] : ['failed', 'denied', 'retried', 'recovered', 'cut_off'],
      });
      return true;
    case '$':
      if (data.dearest !== undefined) change({ selected: data.dearest, follows: false });
      return true;
    case 'l':
      change({ follows: !view.follows });
      return true;
    case 'w': {
      const last = data.iterations.findLast(({ agent }) => agent === '');
      if (last !== undefined) change({ selected: last.key, tab: 'why', follows: false });
      return true;
    }
    default:
      return false;
  }
}
