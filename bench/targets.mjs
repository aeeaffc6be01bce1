// What we hold ourselves to, in one run: well ahead of the best library measured, within sight of the hand-written loop.
import { digits, FLOOR, OURS } from './figures.mjs';

const ours = (workload, figure) => (workloads) => workloads[workload]?.figures[figure]?.values[OURS];
const timesFloor = (workload, figure) => (workloads) =>
  ours(workload, figure)(workloads) / workloads[workload]?.figures[figure]?.values[FLOOR];
const growth = (workloads) =>
  (ours('W1k', 'overhead, last 30 turns')(workloads) - ours('W1k', 'overhead, turns 5 to 35')(workloads)) /
  10;
const growthOfInput = (workloads) => ours('W7b', 'CPU')(workloads) / ours('W7c', 'CPU')(workloads);

/** [workload, figure, at most, unit (`x`: times the floor), how to read what is no figure of its own from a report's workloads] */
const TARGETS = [
  ['W1', 'overhead per turn, p50', 2.5, 'x'],
  ['W1', 'CPU per turn', 3, 'x'],
  ['W1k', 'growth of the overhead in 100 turns', 0.05, 'ms', growth],
  ['W2', 'CPU per turn', 5, 'ms'],
  ['W2', 'peak RSS', 135, 'MB'],
  ['W3', 'makespan / ideal', 1.004, ''],
  ['W3', 'start lag of the first tool', 3, 'ms'],
  ['W3m', 'makespan / ideal', 1.01, ''],
  ['W3m', 'unsafe overlaps', 0, ''],
  ['W4', 'process start → request, net', 1.8, 'x'],
  ['W4', 'call → request', 15, 'ms'],
  ['W4', 'first delta', 0.8, 'ms'],
  ['W4', 'later deltas, p50', 0.5, 'ms'],
  ['W4', 'last byte → done', 2, 'ms'],
  ['W5', 'wall / ideal', 1.4, ''],
  ['W5x', 'wall / ideal', 1.9, ''],
  ['W5x', 'CPU per session', 3, 'ms'],
  ['W5x', 'RSS per session', 0.35, 'MB'],
  ['W6', 'CPU per delta', 2.2, 'µs'],
  ['W7a', 'CPU', 0.1, 's'],
  ['W7b', 'CPU', 0.35, 's'],
  ['W7b', 'CPU of four times the input', 4.2, 'x', growthOfInput],
  ['W8', 'packages', 11, ''],
  ['W8', 'on disk', 27, 'MB'],
  ['W8', 'import, over bare Node', 40, 'ms'],
];

/** Lines of a table: what was aimed at, what was measured, and whether that is enough. Those that were not run are left out. */
export function targetTable({ workloads }) {
  const rows = TARGETS.flatMap(([workload, what, most, unit, read]) => {
    const value = (read ?? (unit === 'x' ? timesFloor : ours)(workload, what))(workloads);
    if (value === undefined || Number.isNaN(value)) return [];
    const shown = (number) => `${number}${unit === 'x' ? 'x' : unit && ` ${unit}`}`;
    const ofIdeal = unit === '' && value < 2;
    const measured = shown(Number.isInteger(value) ? value : ofIdeal ? value.toFixed(3) : digits(value));
    return [`| ${workload} | ${what} | ${shown(most)} | ${measured} | ${value <= most ? 'yes' : 'no'} |`];
  });
  return rows.length === 0
    ? []
    : ['| | figure | at most | measured | met |', '|---|---|---:|---:|---|', ...rows];
}
