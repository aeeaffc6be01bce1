/** What messages say about fast mode. */
import { modelInfo, resolveModelAlias } from '../../model/catalog/model-info.ts';
import type { FastModeStatus } from '../../protocol/model/model.ts';
import type { QueryEngineConfig } from '../config.ts';

/** Before the session has begun. */
export function configuredFastMode({
  fastMode,
  model = 'default',
  modelOverrides,
  env = {},
}: QueryEngineConfig): FastModeStatus {
  const { supportsFastMode } = modelInfo(resolveModelAlias(model, env), modelOverrides);
  return fastModeStatus(fastMode, supportsFastMode === true, () => ({ state: 'on' }));
}

/** Whether requests go out fast, and if not, why. `soFar`: what became of fast requests. */
export function fastModeStatus(
  wanted: QueryEngineConfig['fastMode'],
  supported: boolean,
  soFar: () => FastModeStatus,
): FastModeStatus {
  if (wanted === 'disabled_by_env') return { state: 'off', reason: 'disabled_by_env' };
  if (wanted !== true) return { state: 'off', reason: 'sdk_opt_in_required' };
  return supported ? soFar() : { state: 'off' };
}

/** As `system/init` and the result carry it. */
export function fastModeFields({ state, reason }: FastModeStatus) {
  return { fast_mode_state: state, ...(reason !== undefined && { fast_mode_disabled_reason: reason }) };
}
