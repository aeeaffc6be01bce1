import { engineUnderTest, resultIn } from '@turnwright/test/engine/engine-under-test.ts';
import { callTool, fail, fakeTool, say } from '@turnwright/testing';
import { describe, expect, it } from 'vitest';

const SUMMARY = say('<summary>The gist.</summary>', { usage: { input_tokens: 9_000 } });
const words = (count: number) => 'word '.repeat(count);
const used = (input_tokens: number) => ({ usage: { input_tokens, output_tokens: 10 } });
const sourcesOf = (model: { readonly requests: readonly { readonly querySource: string }[] }) =>
  model.requests.map(({ querySource }) => querySource);
const COMPACTION = { collapse: false, cachedMicrocompact: false } as const;

describe('through the engine', () => {
  it('F25: from a large model to a small one and back: each time by the limits of the model that is asked', async () => {
    const modelOverrides = {
      large: { contextWindow: 1_000_000, maxOutputTokens: 8_000 },
      small: { contextWindow: 20_000, maxOutputTokens: 4_000 },
    };
    const { engine, model, run } = engineUnderTest(
      [
        say('One.', used(15_000)),
        say('Two.', used(16_000)),
        SUMMARY,
        say('Three.', used(3_000)),
        say('Four.', used(4_000)),
      ],
      { modelOverrides, model: 'large', compaction: COMPACTION },
    );
    await run(words(8_000));
    await run(words(8_000));
    expect(sourcesOf(model)).toEqual(['main', 'main']);
    await engine.model.switchTo('small');
    await run('Go on.');
    expect(sourcesOf(model)).toEqual(['main', 'main', 'compact', 'main']);
    await engine.model.switchTo('large');
    await run(words(8_000));
    expect(sourcesOf(model).slice(4)).toEqual(['main']);
  });

  it('F29: what was reported calibrates later decisions, in the next submission too', async () => {
    const options = {
      modelOverrides: { dense: { contextWindow: 60_000, maxOutputTokens: 4_000 } },
      model: 'dense',
      compaction: COMPACTION,
    };
    const learned = engineUnderTest([say('One.', used(22_000)), SUMMARY, say('Two.', used(5_000))], options);
    await learned.run(words(8_000));
    await learned.run(words(12_000));
    expect(sourcesOf(learned.model)).toEqual(['main', 'compact', 'main']);

    const exact = engineUnderTest([say('One.', used(8_100)), say('Two.', used(20_000))], options);
    await exact.run(words(8_000));
    await exact.run(words(12_000));
    expect(sourcesOf(exact.model)).toEqual(['main', 'main']);
  });

  it('F116: the window that the first overflow states holds for the rest of the session', async () => {
    const overflow = fail({
      kind: 'prompt_too_long',
      status: 400,
      tokens: { input: 33_000, limit: 32_000 },
    });
    const { engine, model, run } = engineUnderTest(
      [say('One.', used(16_000)), overflow, SUMMARY, say('Two.', used(2_000)), say('Three.')],
      {
        modelOverrides: { local: { contextWindow: 128_000, maxOutputTokens: 4_000 } },
        model: 'local',
        compaction: COMPACTION,
      },
    );
    await run(words(16_000));
    expect((await engine.controls.contextUsage()).rawMaxTokens).toBe(128_000);
    expect(resultIn(await run(words(16_000))).is_error).toBe(false);
    expect(sourcesOf(model)).toEqual(['main', 'main', 'compact', 'main']);
    expect((await engine.controls.contextUsage()).rawMaxTokens).toBe(32_000);
  });

  it('F24: a model that declares neither window nor output limit is asked with careful ones', async () => {
    const { engine, model, run } = engineUnderTest([say('One.')], {
      modelOverrides: { bare: { contextWindow: 0, maxOutputTokens: 0 } },
      model: 'bare',
    });
    await run('Hello.');
    expect(model.requests[0]?.maxTokens).toBeGreaterThanOrEqual(4_000);
    const { maxTokens, autoCompactThreshold } = await engine.controls.contextUsage();
    expect(maxTokens).toBeGreaterThan(50_000);
    expect(autoCompactThreshold).toBeGreaterThan(50_000);
  });
});

describe('budgets of tokens', () => {
  it('tokenBudget: the work goes on until the target is nearly spent', async () => {
    const part = (output_tokens: number) => say('A part.', { usage: { input_tokens: 10, output_tokens } });
    const { model, run } = engineUnderTest([part(400), part(400), part(200)], {
      tokenBudget: { target: 1_000 },
    });
    const messages = await run('Write a lot.');
    expect(resultIn(messages)).toMatchObject({ subtype: 'success', terminal_reason: 'completed' });
    expect(model.requests).toHaveLength(3);
    expect(messages.filter((message) => message.type === 'user')).toHaveLength(2);
  });

  it('tokenBudget: two continuations that bring next to nothing end it', async () => {
    const little = say('Hm.', { usage: { input_tokens: 10, output_tokens: 5 } });
    const { model, run } = engineUnderTest([little, little, little], { tokenBudget: { target: 1_000 } });
    await run('Write a lot.');
    expect(model.requests).toHaveLength(3);
  });

  it('taskBudget: what a compaction replaces is taken off, and the next submission knows', async () => {
    const { model, run } = engineUnderTest(
      [
        callTool('Echo', {}, used(3_000)),
        callTool('Echo', {}, used(6_000)),
        callTool('Echo', {}, used(11_000)),
        SUMMARY,
        say('Done.', used(5_000)),
        say('More.', used(5_000)),
      ],
      {
        tools: [fakeTool({ name: 'Echo', answer: words(3_000) })],
        modelOverrides: { small: { contextWindow: 20_000, maxOutputTokens: 4_000 } },
        model: 'small',
        taskBudget: { total: 100_000 },
        compaction: COMPACTION,
      },
    );
    await run('Look around.');
    await run('More.');
    expect(sourcesOf(model)).toEqual(['main', 'main', 'main', 'compact', 'main', 'main']);
    const left = model.requests.map(({ taskBudget }) => taskBudget?.remaining);
    expect(left.slice(0, 3)).toEqual([100_000, 100_000, 100_000]);
    expect(left[4]).toBeGreaterThan(80_000);
    expect(left[4]).toBeLessThan(89_000);
    expect(left[5]).toBe(left[4]);
  });

  it('taskBudget: after an overflow too it falls by what the boundary reports, here, next and on resume', async () => {
    const overflow = fail({ kind: 'prompt_too_long', status: 400 });
    const config = {
      tools: [fakeTool({ name: 'Echo', answer: words(3_000) })],
      modelOverrides: { medium: { contextWindow: 100_000, maxOutputTokens: 4_000 } },
      model: 'medium',
      taskBudget: { total: 100_000 },
      compaction: COMPACTION,
    };
    const first = engineUnderTest(
      [callTool('Echo'), callTool('Echo'), callTool('Echo'), overflow, SUMMARY, say('Done.'), say('More.')],
      config,
    );
    const messages = [...(await first.run('Look around.')), ...(await first.run('More.'))];
    await first.engine.close();
    const [boundary] = messages.flatMap((m) =>
      m.type === 'system' && m.subtype === 'compact_boundary' ? [m.compact_metadata.pre_tokens] : [],
    );
    const left = 100_000 - (boundary ?? 0);
    const again = engineUnderTest([say('Again.')], {
      ...config,
      store: first.store,
      resume: first.engine.sessionId,
    });
    await again.run('Again.');
    const remaining = [first.model, again.model].flatMap(({ requests }) =>
      requests.flatMap(({ querySource, taskBudget }) =>
        querySource === 'main' ? [taskBudget?.remaining] : [],
      ),
    );
    expect(boundary).toBeGreaterThan(1_000);
    expect(remaining).toEqual([100_000, 100_000, 100_000, 100_000, left, left, left]);
  });
});
