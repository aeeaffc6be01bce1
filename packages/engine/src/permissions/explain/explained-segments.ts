/** The commands of a line, each with its verdict and with what it does as far as its words tell. */
import type {
  ExplainedPath,
  ExplainedSegment,
  RuleInFile,
} from '../../protocol/tools/permission-explanation.ts';
import { findHosts } from '../../shell/programs/network.ts';
import { programOf, type Segment } from '../../shell/reading/segment.ts';
import { coverSegment } from '../commands/allowed-command.ts';
import { whyNotLiteral } from '../commands/asked-word.ts';
import { readPaths, writtenPaths } from '../commands/command-paths.ts';
import { commandCase } from '../commands/judge-command.ts';
import { type Case, filterOutside } from '../decide/evaluation.ts';
import { isProtected } from '../decide/protected-path.ts';
import type { ResolvedPath } from '../decide/resolved-path.ts';
import { firstMatch } from '../rules/match-rule.ts';
import { inFile, inFiles, type RuleFiles } from './rule-files.ts';

export async function explainSegments(each: Case, files: RuleFiles): Promise<readonly ExplainedSegment[]> {
  const explained: ExplainedSegment[] = [];
  const visit = async (segments: readonly Segment[], depth: number, startedBy?: string) => {
    for (const segment of segments) {
      const { paths, unknown } = await writtenPaths(segment, each.context);
      const network = findHosts(segment);
      explained.push({
        text: formatSegment(segment),
        depth,
        ...(startedBy !== undefined && { startedBy }),
        ...(await verdictOn(segment, each, files)),
        writes: await explainPaths('write', paths, each),
        writesUnknown: unknown,
        ...(network !== undefined && { network }),
      });
      await visit(segment.inner, depth + 1, programOf(segment));
    }
  };
  await visit((await each.subject.line()).segments, 0);
  return explained;
}

export function formatSegment({ text, words }: Segment): string {
  return text ?? words.map((word) => word.text).join(' ');
}

interface Verdict {
  readonly verdict: ExplainedSegment['verdict'];
  readonly rules: readonly RuleInFile[];
  readonly unknown?: string;
}

/** In the order of the decision: what may be denied, what is to be asked, what is allowed. */
async function verdictOn(segment: Segment, each: Case, files: RuleFiles): Promise<Verdict> {
  const alone = aloneIn(each, segment);
  const feared = await firstMatch('deny', alone);
  if (feared !== undefined) return { verdict: 'feared', rules: [await inFile(feared.rule, files)] };
  const asked = await firstMatch('ask', alone);
  if (asked !== undefined) return { verdict: 'asked', rules: [await inFile(asked.rule, files)] };
  const { state, context } = each;
  const lines = commandCase(each, state.rules.of('allow'), state.mode === 'acceptEdits');
  const needed = await coverSegment(segment, lines);
  if (needed === undefined) {
    const { unseen } = await each.subject.line();
    const unknown = unseen === undefined ? whyNotLiteral(segment) : undefined;
    return { verdict: 'open', rules: [], ...(unknown !== undefined && { unknown }) };
  }
  if (needed.length > 0) return { verdict: 'allowed', rules: await inFiles(needed, files) };
  const reads = segment.words.length === 0 || (await readPaths(segment, context.resolve)) !== undefined;
  return { verdict: reads || state.mode !== 'acceptEdits' ? 'reads' : 'edits', rules: [] };
}

/** As if the segment were the whole line, without what it starts: that has a row of its own. */
function aloneIn(each: Case, segment: Segment): Case {
  const { subject } = each;
  if (subject.target.kind !== 'command') return each;
  const only = { ...segment, inner: [] };
  const [program] = segment.words;
  // It may be any program: then the same holds for it as for a line that is not fully analysed.
  const unseen = program !== undefined && program.value === undefined ? 'it may be any program' : undefined;
  return {
    ...each,
    subject: {
      ...subject,
      target: { ...subject.target, command: formatSegment(segment) },
      line: async () => ({ segments: [only], ...(unseen !== undefined && { unseen }) }),
    },
  };
}

export async function explainPaths(
  kind: 'read' | 'write',
  paths: readonly ResolvedPath[],
  each: Case,
): Promise<readonly ExplainedPath[]> {
  const outside = await filterOutside(kind, paths, each);
  return Promise.all(
    paths.map(async (path) => ({
      path: path.spelled,
      ...(path.real !== undefined && path.real !== path.spelled && { real: path.real }),
      outside: outside.includes(path),
      protected: kind === 'write' && (await isProtected(path, each.context)),
    })),
  );
}
