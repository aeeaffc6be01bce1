/** Limits of a provider for images, documents and bytes. */

export interface MediaLimits {
  /** Of one image, counted on its base64 text. Default 5 MiB. */
  readonly maxImageBytes: number;
  /** Width and height. Default 8 000. */
  readonly maxImagePixels: number;
  /** Above this many images in a request, `maxPixelsOfMany` applies to each. Default 20. */
  readonly manyImages: number;
  /** Default 2 000. */
  readonly maxPixelsOfMany: number;
  /** Images in a request. Default 100; 600 for windows above 200 000 tokens. */
  readonly maxImages: number;
  readonly imageTypes: readonly string[];
  /** Types of documents that come as base64. */
  readonly documentTypes: readonly string[];
  /** The whole body of a request. Default 32 MiB. */
  readonly maxRequestBytes: number;
}

const LONG_CONTEXT_TOKENS = 200_000;

/**
 * The limits of the Messages API for a model with this window; `overrides` are those of a provider or host.
 */
export function mediaLimitsFor(
  model: { readonly contextWindow: number },
  overrides: Partial<MediaLimits> = {},
): MediaLimits {
  return {
    maxImageBytes: 5 * 1024 * 1024,
    maxImagePixels: 8_000,
    manyImages: 20,
    maxPixelsOfMany: 2_000,
    maxImages: model.contextWindow > LONG_CONTEXT_TOKENS ? 600 : 100,
    imageTypes: ['image/jpeg', 'image/png', 'image/gif', 'image/webp'],
    documentTypes: ['application/pdf'],
    maxRequestBytes: 32 * 1024 * 1024,
    ...overrides,
  };
}
