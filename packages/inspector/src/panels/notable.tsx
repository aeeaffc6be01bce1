/** What stands out, in sentences: retries, cache breaks and their price, what was asked about and why. */
import { showText, showUsd } from '../format.ts';
import type { PanelProps } from '../page-view.ts';

const KINDS = {
  end: 'Ended',
  recovery: 'Recovered',
  cache_break: 'Cache breaks',
  failure: 'Failed',
  denial: 'Not allowed',
  question: 'Asked about',
  judged: 'Allowed by the judge',
  compaction: 'Shortened',
  retry: 'Asked again',
  fallback: 'Other models',
  wait: 'Waited',
} as const;

/** Of a kind. */
const MOST = 100;

export function Notable({ data, change, selected }: PanelProps) {
  if (data.events.length === 0)
    return (
      <p class="quiet none">
        Nothing: no bad end, no failure, no retry, no cache break, no question, no denial.
      </p>
    );
  return (
    <div class="scroll">
      {Object.entries(KINDS).map(([kind, name]) => {
        const events = data.events.filter((event) => event.kind === kind);
        if (events.length === 0) return null;
        const paid = events.reduce((sum, event) => sum + (event.usd ?? 0), 0);
        return (
          <section key={kind}>
            <h3>
              {name}{' '}
              <span class="quiet">
                {events.length}
                {paid > 0 && ` · ${showUsd(paid)}`}
              </span>
            </h3>
            <ul class="events">
              {events.slice(0, MOST).map((event, at) => (
                <li key={at}>
                  <button
                    type="button"
                    class={event.key === selected ? 'chosen' : ''}
                    onClick={() =>
                      change({
                        selected: event.key,
                        follows: false,
                        tab:
                          kind === 'cache_break'
                            ? 'sent'
                            : kind === 'failure'
                              ? 'tools'
                              : kind === 'retry'
                                ? 'attempts'
                                : kind === 'denial' || kind === 'question' || kind === 'judged'
                                  ? 'permissions'
                                  : 'why',
                      })
                    }
                  >
                    <b>#{event.step}</b> {showText(event.sentence)}
                  </button>
                </li>
              ))}
            </ul>
            {events.length > MOST && <p class="quiet">… and {events.length - MOST} more</p>}
          </section>
        );
      })}
    </div>
  );
}
