/** Numbers that a worker reports, and how Prometheus reads them. */

interface Named {
  /** As it is scraped: `turnwright_runs_started_total`. */
  readonly name: string;
  /** One sentence; the same for all figures of one name. */
  readonly help: string;
  readonly labels?: Readonly<Record<string, string>>;
}

/** One number that a worker reports, or a distribution. */
export type WorkerFigure =
  | (Named & {
      /** `counter`: only grows while the process lives. */
      readonly type: 'counter' | 'gauge';
      readonly value: number;
    })
  | (Named & {
      readonly type: 'histogram';
      /** Upper bounds, rising, each with how many values were at most so large. */
      readonly buckets: readonly (readonly [bound: number, count: number])[];
      readonly count: number;
      readonly sum: number;
    });

/** Text format 0.0.4. Figures of one name come together, in the order of the first of each. */
export function prometheusText(figures: readonly WorkerFigure[]): string {
  return [...byName(figures).values()].map(family).join('');
}

function byName(figures: readonly WorkerFigure[]): Map<string, WorkerFigure[]> {
  const families = new Map<string, WorkerFigure[]>();
  for (const figure of figures) {
    const same = families.get(figure.name);
    if (same === undefined) families.set(figure.name, [figure]);
    else same.push(figure);
  }
  return families;
}

function family(figures: readonly WorkerFigure[]): string {
  const [{ name, help, type } = { name: '', help: '', type: '' }] = figures;
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${figures.flatMap(samples).join('\n')}\n`;
}

function samples(figure: WorkerFigure): readonly string[] {
  const { name, labels = {} } = figure;
  if (figure.type !== 'histogram') return [`${name}${labelled(labels)} ${figure.value}`];
  return [
    ...figure.buckets.map(
      ([bound, count]) => `${name}_bucket${labelled({ ...labels, le: `${bound}` })} ${count}`,
    ),
    `${name}_bucket${labelled({ ...labels, le: '+Inf' })} ${figure.count}`,
    `${name}_sum${labelled(labels)} ${figure.sum}`,
    `${name}_count${labelled(labels)} ${figure.count}`,
  ];
}

function labelled(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

const escaped = (text: string): string =>
  text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
