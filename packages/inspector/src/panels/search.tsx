/** Finds a text in all that the session holds. */
import type { InspectionHit } from '@turnwright/engine';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { PageSource } from '../data/page-source.ts';
import { showPlural, showText } from '../format.ts';
import type { ChangeView } from '../page-view.ts';
import { Dialog } from './dialog.tsx';

interface SearchProps {
  readonly source: PageSource;
  readonly session: string;
  readonly change: ChangeView;
  readonly onClose: () => void;
}

const PAUSE_MS = 150;

export function Search({ source, session, change, onClose }: SearchProps) {
  const [text, setText] = useState('');
  const [hits, setHits] = useState<readonly InspectionHit[]>([]);
  const [isOver, setIsOver] = useState(true);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);
  useEffect(() => {
    setHits([]);
    if (text.trim() === '') return;
    const leaving = new AbortController();
    const found: InspectionHit[] = [];
    setIsOver(false);
    const timer = setTimeout(() => {
      const show = () => setHits([...found]);
      source
        .search(
          session,
          text.trim(),
          (hit) => {
            found.push(hit);
            if (found.length % 10 === 1) show();
          },
          leaving.signal,
        )
        .catch(() => undefined)
        .then(() => {
          if (leaving.signal.aborted) return;
          show();
          setIsOver(true);
        });
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      leaving.abort();
    };
  }, [text, session, source]);
  const go = ({ key, where }: InspectionHit) => {
    change({
      selected: key,
      follows: false,
      side: 'iterations',
      marks: [],
      tab: where === 'assistant' ? 'answer' : 'tools',
    });
    onClose();
  };
  return (
    <Dialog title="Search" onClose={onClose}>
      <input
        ref={input}
        type="search"
        aria-label="Text, tool, path, error or id"
        placeholder="text, tool, path, error or id"
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
      />
      <p class="quiet" role="status">
        {text.trim() === ''
          ? 'In messages, inputs and outputs of tools, and records.'
          : isOver
            ? showPlural(hits.length, 'hit')
            : 'Searching …'}
      </p>
      <ul class="hits">
        {hits.map((hit, at) => (
          <li key={at}>
            <button type="button" onClick={() => go(hit)}>
              <b>#{hit.step}</b> <span class="badge">{hit.where}</span>
              <Marked text={showText(hit.text)} word={text.trim()} />
            </button>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}

function Marked({ text, word }: { readonly text: string; readonly word: string }) {
  const at = text.toLowerCase().indexOf(word.toLowerCase());
  if (at < 0) return <span class="snippet">{text}</span>;
  return (
    <span class="snippet">
      {text.slice(0, at)}
      <mark>{text.slice(at, at + word.length)}</mark>
      {text.slice(at + word.length)}
    </span>
  );
}
