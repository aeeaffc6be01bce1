/** What a model does not take is not sent. Loaded when a model without images or tools is asked first. */
import { withoutImages } from '../../context/media/view-without-images.ts';
import type { ModelInfo, ModelRequest } from '../../protocol/model/model.ts';

export type FitRequest = (
  request: ModelRequest,
  info: Pick<ModelInfo, 'supportsImages' | 'supportsTools'>,
) => ModelRequest;

const NO_TOOLS: ModelRequest['tools'] = [];

/** `tell` is called once with each model that gets no tools. */
export function fitRequests(tell: ((sentence: string) => void) | undefined): FitRequest {
  const told = new Set<string>();
  return (request, { supportsImages, supportsTools }) => {
    const { model, tools, view } = request;
    const lacksTools = supportsTools === false && tools.length > 0;
    if (lacksTools && !told.has(model)) {
      told.add(model);
      tell?.(
        `The server says that ${model} takes no tools, so it is asked without them and can only talk. Choose another model, or set "supportsTools": true for it under "models" in the settings.`,
      );
    }
    return {
      ...request,
      view: supportsImages === false ? withoutImages(view) : view,
      tools: lacksTools ? NO_TOOLS : tools,
    };
  };
}
