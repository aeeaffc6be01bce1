/** What the keys do. */
import { Dialog } from './dialog.tsx';

const KEYS = [
  ['← →', 'previous iteration, next iteration'],
  ['↑ ↓ Home End', 'the same, in the list'],
  ['Enter', 'to its detail'],
  ['/', 'search'],
  ['f', 'only what went wrong'],
  ['$', 'the dearest iteration'],
  ['w', 'why it stopped'],
  ['l', 'follow a running session'],
  ['W S', 'zoom the timeline in and out'],
  ['A D', 'move the timeline'],
  ['0', 'the whole timeline'],
  ['Esc', 'close'],
] as const;

export function Help({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog title="Keys" onClose={onClose}>
      <dl class="keys">
        {KEYS.map(([key, does]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <p class="quiet">
        In the timeline: drag selects a time and sums it up; the wheel zooms; two fingers move.
      </p>
    </Dialog>
  );
}
