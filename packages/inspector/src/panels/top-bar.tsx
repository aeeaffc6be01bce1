/** Which session it is, whether it runs, and what can be done with it. */
import type { SessionInspection } from '@turnwright/engine';
import { useEffect, useState } from 'preact/hooks';
import type { ListedSession, PageSource } from '../data/page-source.ts';
import { showText } from '../format.ts';
import type { ChangeView, PageView } from '../page-view.ts';
import { findOutcome, STATES } from '../page-words.ts';
import { Copied } from './copied.tsx';

interface TopBarProps {
  readonly source: PageSource;
  readonly data: SessionInspection;
  readonly view: PageView;
  readonly change: ChangeView;
  readonly isConnected: boolean;
  readonly onSearch: () => void;
  readonly onHelp: () => void;
}

export function TopBar({ source, data, view, change, isConnected, onSearch, onHelp }: TopBarProps) {
  const state = isConnected ? data.state : 'away';
  const outcome = state === 'stopped' ? findOutcome(data) : undefined;
  return (
    <header class="top">
      <span class="brand" aria-hidden="true">
        <svg viewBox="0 0 16 16" width="20" height="20" aria-hidden="true">
          <circle
            cx="8"
            cy="8"
            r="6"
            fill="none"
            stroke="currentColor"
            stroke-width="3"
            stroke-dasharray="28 10"
          />
        </svg>
      </span>
      <div class="who">
        <h1>{showText(data.title) || 'Session without a prompt'}</h1>
        <p class="quiet">
          <code>{data.sessionId}</code>
          {data.cwd !== '' && <span> in {showText(data.cwd)}</span>}
          {data.redacted && <span class="badge">redacted</span>}
        </p>
      </div>
      <span class={`state ${outcome?.tone ?? state}`} role="status">
        {outcome?.word ?? (isConnected ? STATES[data.state] : 'not connected')}
      </span>
      {data.state === 'running' && (
        <label class="toggle">
          <input type="checkbox" checked={view.follows} onChange={() => change({ follows: !view.follows })} />{' '}
          follow
        </label>
      )}
      <nav class="tools" aria-label="Session">
        {!source.isFile && <Sessions {...{ source, change }} session={data.sessionId} />}
        <button type="button" onClick={onSearch}>
          Search <kbd>/</kbd>
        </button>
        <Take {...{ source, data }} />
        <button type="button" class="wide" onClick={onHelp} aria-label="Keys">
          <kbd>?</kbd>
        </button>
      </nav>
    </header>
  );
}

const LIST_MS = 4000;

function Sessions({
  source,
  change,
  session,
}: Pick<TopBarProps, 'source' | 'change'> & { readonly session: string }) {
  const [all, setAll] = useState<readonly ListedSession[]>([]);
  const load = () => void source.sessions().then(setAll, () => undefined);
  useEffect(() => {
    load();
    // Sessions that begin meanwhile are listed without a reload.
    const timer = setInterval(() => document.hidden || load(), LIST_MS);
    return () => clearInterval(timer);
  }, [source]);
  return (
    <select
      aria-label="Other sessions"
      value={session}
      onFocus={load}
      onChange={({ currentTarget }) =>
        change({ session: currentTarget.value, selected: undefined, compared: undefined, zoom: undefined })
      }
    >
      {!all.some(({ sessionId }) => sessionId === session) && <option value={session}>this session</option>}
      {all.map(({ sessionId, summary, lastModified }) => (
        <option key={sessionId} value={sessionId}>
          {`${showText(summary).slice(0, 48) || sessionId.slice(0, 8)} · ${new Date(lastModified).toLocaleString()}`}
        </option>
      ))}
    </select>
  );
}

/** Commands to copy, and files to take along. */
function Take({ source, data }: Pick<TopBarProps, 'source' | 'data'>) {
  const [said, setSaid] = useState('');
  const id = data.sessionId;
  const { exported } = source;
  const save = (kind: string, redact: boolean) => {
    if (exported === undefined) return;
    setSaid('Writing …');
    exported(id, kind, redact).then(
      (blob) => {
        const link = document.createElement('a');
        link.href = URL.createObjectURL(blob);
        link.download = `${id}${redact ? '-redacted' : ''}.${kind === 'html' ? 'html' : kind === 'perfetto' ? 'perfetto.json' : 'json'}`;
        link.click();
        setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
        setSaid('Saved.');
      },
      (error: unknown) => setSaid(String(error)),
    );
  };
  return (
    <details class="menu">
      <summary>Export</summary>
      <div class="sheet">
        {exported !== undefined && (
          <>
            <h2>Files</h2>
            <button type="button" onClick={() => save('html', false)}>
              Page with the data in it
            </button>
            <button type="button" onClick={() => save('html', true)}>
              The same, without contents
            </button>
            <button type="button" onClick={() => save('perfetto', false)}>
              Trace for Perfetto
            </button>
            <button type="button" onClick={() => save('json', false)}>
              Data as JSON
            </button>
            <p class="quiet" role="status">
              {said}
            </p>
          </>
        )}
        <h2>Commands</h2>
        <Copied label="Does it decide the same again?" text={`turnwright replay ${id}`} />
        <Copied
          label="What would other rules have allowed?"
          text={`turnwright policy try --allow 'Bash(npm test)' ${id}`}
        />
        <Copied label="As text" text={`turnwright explain ${id}`} />
        <Copied label="Go on" text={`turnwright --resume ${id}`} />
      </div>
    </details>
  );
}
