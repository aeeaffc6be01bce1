/** Texts of a session: always as texts, never as markup. */
import type { InspectedEntry, InspectedIteration, IterationDetail } from '@turnwright/engine';
import { useState } from 'preact/hooks';
import { showCount, showDuration, showPlural, showText } from '../format.ts';
import { Prose } from './prose.tsx';

type Read = (uuid: string) => Promise<string | undefined>;

export function SentPanel({
  detail,
  read,
}: {
  readonly detail: IterationDetail;
  readonly iteration: InspectedIteration;
  readonly read: Read;
}) {
  const { unchanged, unchangedTokens, entries, removed, removedCount, system } = detail.sent;
  const sum = entries.reduce((total, { tokens }) => total + tokens, unchangedTokens);
  return (
    <>
      {detail.breakAt !== undefined && <p class="damage">{showText(detail.breakAt)}</p>}
      <details class="entry">
        <summary>
          <b>system prompt and tools</b>{' '}
          <span class="quiet">
            {showCount(system.chars)} characters, {showPlural(system.tools.length, 'tool')}
          </span>
          {system.changed.map((what) => (
            <span key={what} class="badge m-cache_break">
              {what} changed
            </span>
          ))}
        </summary>
        <p class="quiet">{system.tools.join(', ')}</p>
        <Text text={system.text} chars={system.chars} />
      </details>
      {unchanged > 0 && (
        <p class="unchanged">
          {unchanged === 1 ? '1 entry' : `${unchanged} entries`} as in the request before{' '}
          <span class="quiet">≈ {showCount(unchangedTokens)} tokens</span>
        </p>
      )}
      {removedCount > 0 && (
        <details class="entry gone">
          <summary>
            <b>{removedCount === 1 ? '1 entry' : `${removedCount} entries`}</b> of the request before{' '}
            {removedCount === 1 ? 'is' : 'are'} gone
          </summary>
          {removed.map((entry, at) => (
            <Entry key={at} {...{ entry, read }} isFirst={false} />
          ))}
          {removedCount > removed.length && <p class="quiet">… and {removedCount - removed.length} more</p>}
        </details>
      )}
      {entries.map((entry, at) => (
        <Entry
          key={`${entry.uuid}/${at}`}
          {...{ entry, read }}
          isFirst={at === 0 && unchanged > 0}
          sum={sum}
        />
      ))}
    </>
  );
}

const STATES = { same: '', new: 'new', changed: 'changed' } as const;

function Entry({
  entry,
  read,
  isFirst,
  sum = 0,
}: {
  readonly entry: InspectedEntry;
  readonly read: Read;
  readonly isFirst: boolean;
  readonly sum?: number;
}) {
  const { kind, name, chars, tokens, text, state, uuid } = entry;
  return (
    <details class={`entry e-${state}`} open={isFirst || chars < 400}>
      <summary>
        <b>{kind.replaceAll('_', ' ')}</b> {name !== undefined && <code>{showText(name)}</code>}
        <span class="quiet"> ≈ {showCount(tokens)} tokens</span>
        {STATES[state] !== '' && <span class={`badge s-${state}`}>{STATES[state]}</span>}
        {isFirst && <span class="badge">first that differs</span>}
        {sum > 0 && <i class="weight" style={{ width: `${(tokens / sum) * 100}%` }} />}
      </summary>
      <Images {...entry} />
      <Text {...{ text, chars }} more={() => read(uuid)} />
    </details>
  );
}

/** The beginning of a text, and the whole of it when it is asked for. */
function Text({
  text,
  chars,
  more,
}: {
  readonly text: string;
  readonly chars: number;
  readonly more?: () => Promise<string | undefined>;
}) {
  const [whole, setWhole] = useState<string>();
  const [said, setSaid] = useState('');
  const isCut = chars > text.length;
  const load = () => {
    setSaid('Reading …');
    more?.().then(
      (found) => (found === undefined ? setSaid('It is not in this file.') : setWhole(found)),
      () => setSaid('It cannot be read.'),
    );
  };
  return (
    <>
      <pre>{showText(whole ?? text)}</pre>
      {isCut && whole === undefined && (
        <p class="quiet">
          {showCount(text.length)} of {showCount(chars)} characters.{' '}
          {more !== undefined && (
            <button type="button" class="link" onClick={load}>
              Show all
            </button>
          )}{' '}
          {said}
        </p>
      )}
    </>
  );
}

export function AnswerPanel({ detail, read }: { readonly detail: IterationDetail; readonly read: Read }) {
  if (detail.answer.length === 0) return <p class="quiet">There is no answer.</p>;
  return (
    <>
      {detail.answer.map(({ kind, name, text, chars, uuid }, at) => (
        <section key={at} class={`block k-${kind}`}>
          <h3>
            {kind.replaceAll('_', ' ')} {name !== undefined && <code>{showText(name)}</code>}
          </h3>
          {kind === 'text' ? <Prose text={text} /> : null}
          {kind !== 'text' || chars > text.length ? (
            <Text {...{ text, chars }} more={() => read(uuid)} />
          ) : null}
        </section>
      ))}
    </>
  );
}

/** What was sent or answered as an image. */
function Images({ images = [], kind }: Pick<InspectedEntry, 'images' | 'kind'>) {
  return (
    <>
      {images.map((url, at) => (
        <img
          key={at}
          class="shown"
          src={url}
          alt={`${kind.replaceAll('_', ' ')}, ${at + 1} of ${images.length}`}
          decoding="async"
        />
      ))}
    </>
  );
}

export function Calls({
  detail,
  iteration,
  read,
}: {
  readonly detail: IterationDetail;
  readonly iteration: InspectedIteration;
  readonly read: Read;
}) {
  if (detail.calls.length === 0) return <p class="quiet">The model called no tool.</p>;
  const traces = new Map(iteration.calls.map((call) => [call.id, call]));
  return (
    <>
      {detail.calls.map(({ id, name, input, output, permission }) => {
        const trace = traces.get(id);
        const edit = editIn(input);
        return (
          <section key={id} class="block">
            <h3>
              {showText(name)}{' '}
              {trace !== undefined && (
                <span class="quiet">
                  {trace.start === undefined ? 'never ran' : showDuration(trace.end - trace.start)}
                </span>
              )}
              <span class={`badge ${trace === undefined || trace.outcome === 'ok' ? 'm-ok' : 'm-failed'}`}>
                {trace === undefined ? 'no result' : trace.outcome.replaceAll('_', ' ')}
              </span>
            </h3>
            {permission !== undefined && <p class="quiet">{showText(permission)}</p>}
            {edit === undefined ? <Text text={input} chars={input.length} /> : <Edit {...edit} />}
            {output !== undefined && (
              <>
                <h4>gave</h4>
                <Images {...output} />
                <Text text={output.text} chars={output.chars} more={() => read(output.uuid)} />
              </>
            )}
          </section>
        );
      })}
    </>
  );
}

interface EditInput {
  readonly file: string;
  readonly before: string;
  readonly after: string;
}

function editIn(input: string): EditInput | undefined {
  try {
    const {
      file_path: file,
      old_string: before,
      new_string: after,
    } = JSON.parse(input) as Record<string, unknown>;
    return typeof file === 'string' && typeof before === 'string' && typeof after === 'string'
      ? { file, before, after }
      : undefined;
  } catch {
    return undefined;
  }
}

/** Lines that go and lines that come, without those that both begin and end with. */
function Edit({ file, before, after }: EditInput) {
  const [old, now] = [before.split('\n'), after.split('\n')];
  let head = 0;
  while (head < Math.min(old.length, now.length) && old[head] === now[head]) head++;
  let tail = 0;
  while (tail < Math.min(old.length, now.length) - head && old.at(-1 - tail) === now.at(-1 - tail)) tail++;
  const line = (sign: string, kind: string) => (text: string, at: number) => (
    <span key={`${kind}${at}`} class={kind}>
      {sign} {showText(text)}
      {'\n'}
    </span>
  );
  return (
    <>
      <p>
        <code>{showText(file)}</code>
      </p>
      <pre class="diff">
        {old.slice(0, head).map(line(' ', 'same'))}
        {old.slice(head, old.length - tail).map(line('−', 'gone'))}
        {now.slice(head, now.length - tail).map(line('+', 'come'))}
        {old.slice(old.length - tail).map(line(' ', 'rest'))}
      </pre>
    </>
  );
}

export function Raw({ detail }: { readonly detail: IterationDetail }) {
  return <Text text={detail.raw} chars={detail.raw.length} />;
}
