// The chart: one row a figure, one dot a runner, at its multiple of the floor's value, on a logarithmic scale.
// Colours follow the reader's scheme. The floor is the line at 1.
import { digits, FLOOR, OURS, ratio } from './figures.mjs';

const ROWS = [
  ['W1', 'CPU per turn', 'CPU per turn'],
  ['W1', 'overhead per turn, p50', 'overhead per turn'],
  ['W2', 'CPU per turn', 'CPU per turn, 4 MB history'],
  ['W2', 'peak RSS', 'peak memory, 4 MB history'],
  ['W4', 'process start → request, net', 'process start → request'],
  ['W5', 'CPU per session', 'CPU per session, 100 at once'],
  ['W5', 'RSS per session', 'memory per session, 100 at once'],
  ['W6', 'CPU per delta', 'CPU per text delta'],
  ['W7b', 'CPU', 'CPU, tool input of 100,000 deltas'],
];

const WIDTH = 860;
const LEFT = 270;
const RIGHT = 30;
const TOP = 78;
const ROW = 34;

const STYLE = `
  text { font: 13px system-ui, sans-serif; fill: #24292f; }
  .quiet { fill: #656d76; font-size: 12px; }
  .line { stroke: #d0d7de; } .floor { stroke: #656d76; }
  .peer { fill: none; stroke: #57606a; stroke-width: 1.5; }
  .ours { fill: #0969da; } .name { fill: #0969da; font-weight: 600; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3; } .quiet { fill: #9198a1; }
    .line { stroke: #30363d; } .floor { stroke: #9198a1; }
    .peer { stroke: #9198a1; }
    .ours, .name { fill: #4493f8; }
  }`;

const escaped = (text) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;');

export function renderSvg({ runners, workloads, machine, node, date }) {
  const rows = ROWS.flatMap(([name, figure, label]) => {
    const values = workloads[name]?.figures[figure]?.values;
    if (values?.[FLOOR] === undefined) return [];
    const dots = runners.flatMap((runner) => {
      const times = ratio(values, runner);
      return times === undefined ? [] : [{ runner, times }];
    });
    return [{ label, dots }];
  });
  const most = Math.max(10, ...rows.flatMap(({ dots }) => dots.map(({ times }) => times)));
  const decades = Math.ceil(Math.log10(most) + 0.1);
  const x = (times) =>
    LEFT + (Math.log10(Math.max(0.5, times) / 0.5) / (decades - Math.log10(0.5))) * (WIDTH - LEFT - RIGHT);
  const bottom = TOP + rows.length * ROW;
  const marks = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000].filter(
    (mark) => mark <= 10 ** decades,
  );
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${bottom + 46}" role="img" aria-label="Figures as multiples of a hand-written loop; left is better">`,
    `<style>${STYLE}</style>`,
    `<text x="16" y="24">Multiples of a hand-written loop on node:http (1 = the floor; left is better)</text>`,
    `<circle class="ours" cx="24" cy="46" r="6"/><text class="name" x="36" y="50">${OURS}</text>`,
    `<circle class="peer" cx="130" cy="46" r="5"/><text class="quiet" x="142" y="50">others: hover for the name, the table has the figures</text>`,
  ];
  for (const mark of marks) {
    parts.push(
      `<line class="${mark === 1 ? 'floor' : 'line'}" x1="${x(mark).toFixed(1)}" x2="${x(mark).toFixed(1)}" y1="${TOP - 10}" y2="${bottom}"/>`,
      `<text class="quiet" text-anchor="middle" x="${x(mark).toFixed(1)}" y="${bottom + 16}">${mark}</text>`,
    );
  }
  for (const [i, { label, dots }] of rows.entries()) {
    const y = TOP + i * ROW + ROW / 2 - 4;
    parts.push(`<text text-anchor="end" x="${LEFT - 16}" y="${y + 4}">${escaped(label)}</text>`);
    for (const { runner, times } of dots.sort((a, b) => (a.runner === OURS) - (b.runner === OURS))) {
      const ours = runner === OURS;
      parts.push(
        `<circle class="${ours ? 'ours' : 'peer'}" cx="${x(times).toFixed(1)}" cy="${y}" r="${ours ? 6 : 5}"><title>${escaped(runner)}: ${digits(times)}x</title></circle>`,
      );
    }
  }
  parts.push(
    `<text class="quiet" x="16" y="${bottom + 38}">${escaped(`${machine}, Node ${node}, ${date}`)}</text>`,
    '</svg>\n',
  );
  return parts.join('\n');
}
