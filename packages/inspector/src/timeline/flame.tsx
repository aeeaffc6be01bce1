/** Agents below those that started them, as wide as what they cost or took. */
import type { InspectedAgent, SessionInspection } from '@turnwright/engine';
import { useState } from 'preact/hooks';
import { showCost, showDuration, showPlural, showText, showUsd } from '../format.ts';
import type { PanelProps } from '../page-view.ts';

type By = 'cost' | 'time';

interface Box {
  readonly name: string;
  readonly tip: string;
  readonly value: number;
  readonly key: string | undefined;
  readonly kind: 'agent' | 'iteration';
  readonly below: readonly Box[];
}

export function Flame({ data, change, selected }: PanelProps) {
  const [by, setBy] = useState<By>('cost');
  const root = data.agents.find(({ id }) => id === '');
  if (root === undefined) return null;
  const tree = boxOf(root, data, by, new Set());
  return (
    <>
      <div class="timeline-options">
        <label class="order">
          as wide as the{' '}
          <select value={by} onChange={({ currentTarget }) => setBy(currentTarget.value as By)}>
            <option value="cost">cost</option>
            <option value="time">time</option>
          </select>
        </label>
      </div>
      <div class="flame">
        <Row
          boxes={[tree]}
          whole={tree.value}
          {...{ selected }}
          onSelect={(key) => change({ selected: key, follows: false })}
        />
      </div>
    </>
  );
}

/** More boxes than can be seen are one. */
const LEAST_SHARE = 0.003;

function boxOf(agent: InspectedAgent, data: SessionInspection, by: By, above: ReadonlySet<string>): Box {
  const own = data.iterations.filter((each) => each.agent === agent.id);
  const inside = new Set([...above, agent.id]);
  const children = data.agents.filter(({ parent, id }) => parent === agent.id && !inside.has(id));
  const below = [
    ...own.map((each): Box => {
      const value = by === 'cost' ? (each.costUsd ?? 0) : each.end - each.start;
      return {
        name: `#${each.step}`,
        tip: `#${each.step} ${showCost(each.costUsd)}, ${showDuration(each.end - each.start)}: ${each.sentence}`,
        value,
        key: each.key,
        kind: 'iteration',
        below: [],
      };
    }),
    ...children.map((child) => boxOf(child, data, by, inside)),
  ];
  return {
    name: `${agent.type} · ${showUsd(agent.treeCostUsd)}`,
    tip: `${agent.type} ${agent.description}: ${showUsd(agent.treeCostUsd)}, ${showPlural(agent.iterations, 'iteration')}`,
    value: below.reduce((sum, { value }) => sum + value, 0),
    key: own.at(-1)?.key,
    kind: 'agent',
    below,
  };
}

interface RowProps {
  readonly boxes: readonly Box[];
  /** Of all. */
  readonly whole: number;
  readonly selected: string | undefined;
  readonly onSelect: (key: string) => void;
}

function Row({ boxes, whole, selected, onSelect }: RowProps) {
  const shown = boxes.filter(({ value }) => whole > 0 && value / whole >= LEAST_SHARE);
  const hidden = boxes.filter((box) => !shown.includes(box) && box.value > 0);
  const rest = hidden.reduce((total, { value }) => total + value, 0);
  // Growth below 1 in all would leave room.
  const sum = (shown.reduce((total, { value }) => total + value, 0) + rest) / 100;
  return (
    <div class="flame-row">
      {shown.map((box, at) => (
        <div key={at} class="flame-box" style={{ flexGrow: box.value / sum, flexBasis: 0 }}>
          <button
            type="button"
            class={`${box.kind}${box.kind === 'iteration' && box.key === selected ? ' chosen' : ''}`}
            title={showText(box.tip)}
            onClick={() => box.key !== undefined && onSelect(box.key)}
          >
            {showText(box.name)}
          </button>
          {box.below.length > 0 && <Row boxes={box.below} {...{ whole, selected, onSelect }} />}
        </div>
      ))}
      {rest > 0 && (
        <div class="flame-box" style={{ flexGrow: rest / sum, flexBasis: 0 }}>
          <span class="rest" title={`${hidden.length} smaller ones`}>
            …
          </span>
        </div>
      )}
    </div>
  );
}
